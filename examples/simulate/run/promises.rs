//! What the client promises, each held against what was seen.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Debug,
    time::Duration,
};

use digital_assets::{Change, types::DepositAddress};
use uuid::Uuid;

use super::{faults::Final, records::Kind};

/// How a promise was broken, if it was.
pub(crate) type Kept = Result<(), String>;

/// Timers have a grain of a millisecond, and several follow each other.
const GRAIN: Duration = Duration::from_millis(5);

/// Of what there is, nothing that is required is lost, and nothing is doubled or out of order.
pub(crate) fn whole<T: PartialEq>(
    found: &[T],
    there_is: &[T],
    is_required: impl Fn(&T) -> bool,
) -> Kept {
    let mut rest = found.iter().enumerate().peekable();
    for (at, record) in there_is.iter().enumerate() {
        if rest.next_if(|(_, found)| *found == record).is_none() && is_required(record) {
            return Err(format!("record {at} of {} is missing", there_is.len()));
        }
    }
    match rest.next() {
        Some((at, _)) => Err(format!("record {at} of {} is another one", found.len())),
        None => Ok(()),
    }
}

/// The same of merged listings, the newest first: records of one time come in any order.
pub(crate) fn merged(
    mut found: Vec<DepositAddress>,
    mut there_is: Vec<DepositAddress>,
    is_required: impl Fn(&DepositAddress) -> bool,
) -> Kept {
    if !found.is_sorted_by(|a, b| a.created_at >= b.created_at) {
        return Err("merged records out of order".to_owned());
    }
    found.sort_by_key(|record| record.id);
    there_is.sort_by_key(|record| record.id);
    recognized(&mut found, &there_is);
    whole(&found, &there_is, is_required)
}

/// An error that a retry wouldn't mend comes of an answer that deserves it.
pub(crate) fn deserved(errors: Final, answers: Final) -> Kept {
    if errors.foreign <= answers.foreign
        && errors.redirects <= answers.redirects
        && errors.repeated_cursors <= answers.repeated_cursors
    {
        return Ok(());
    }
    Err(format!("errors of {errors:?} after {answers:?}"))
}

/// No redirect is followed.
pub(crate) fn at_home(strays: u64) -> Kept {
    if strays == 0 { Ok(()) } else { Err(format!("{strays} requests went elsewhere")) }
}

/// A record whose enum has an unknown value is the record that it is.
pub(crate) fn recognized<T: Kind>(found: &mut [T], there_is: &[T]) {
    let known: HashMap<_, _> = there_is.iter().map(|record| (record.uuid(), record)).collect();
    for found in found {
        if let Some(known) = known.get(&found.uuid())
            && *found == known.unknown()
        {
            found.clone_from(known);
        }
    }
}

/// No more requests at once than asked for.
pub(crate) fn at_once(most: usize, asked_for: usize) -> Kept {
    if most <= asked_for {
        return Ok(());
    }
    Err(format!("{most} requests at once instead of {asked_for}"))
}

/// A call ends by its deadline.
pub(crate) fn in_time(taken: Duration, allowed: Duration) -> Kept {
    if taken <= allowed + GRAIN {
        return Ok(());
    }
    Err(format!("waited {taken:?} for what may take {allowed:?}"))
}

/// Each time that the source is asked, it makes three tries at most.
pub(crate) fn tries(tries: u64, requests: u32) -> Kept {
    if tries <= 3 * u64::from(requests) {
        return Ok(());
    }
    Err(format!("{tries} tries for {requests} tokens"))
}

/// A POST is applied once if it succeeds, and at most once, not without a warning, if it doesn't.
pub(crate) fn applied<E: Debug>(times: usize, result: Result<(), (E, bool)>) -> Kept {
    match result {
        Ok(()) if times == 1 => Ok(()),
        Err((_, may_have_been_applied)) if times <= usize::from(may_have_been_applied) => Ok(()),
        Ok(()) => Err(format!("applied {times} times")),
        Err((error, _)) => Err(format!("applied {times} times: {error:?}")),
    }
}

/// No secret is printed. A secret is a word: so many of them take one pass.
pub(crate) fn discreet(printed: &str, secrets: &BTreeSet<String>) -> Kept {
    let mut words = printed.split(|c: char| !c.is_ascii_alphanumeric() && !"-._+/".contains(c));
    match words.find(|word| secrets.contains(word.trim_end_matches('.'))) {
        Some(word) => Err(format!("the secret {word} is printed")),
        None => Ok(()),
    }
}

/// The records that a program which follows a listing was told of, as they last were.
#[derive(Debug, Default)]
pub(crate) struct Followed(HashMap<Uuid, DepositAddress>);

impl Followed {
    /// A record is new once, and then changes only to what it wasn't.
    pub(crate) fn take(&mut self, change: Change<DepositAddress>) -> Kept {
        let is_new = matches!(change, Change::New(_));
        let record = change.into_inner();
        match (self.0.insert(record.id, record.clone()), is_new) {
            (None, true) => Ok(()),
            (Some(before), false) if before != record => Ok(()),
            (None, false) => Err(format!("{} changed before it was new", record.id)),
            (Some(_), true) => Err(format!("{} was new twice", record.id)),
            (Some(_), false) => Err(format!("{} changed to what it was", record.id)),
        }
    }

    /// Nothing is missed of what there is by now.
    pub(crate) fn up_to_date(&self, there_is: impl Iterator<Item = DepositAddress>) -> Kept {
        for record in there_is {
            match self.0.get(&record.id) {
                Some(found) if *found == record || *found == record.unknown() => {}
                Some(_) => return Err(format!("a change of {} was missed", record.id)),
                None => return Err(format!("{} was missed", record.id)),
            }
        }
        Ok(())
    }
}
