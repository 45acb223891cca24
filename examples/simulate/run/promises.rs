//! What the client promises, each held against what was seen.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Debug,
    time::Duration,
};

use digital_assets::{Change, types::DepositAddress};
use uuid::Uuid;

/// How a promise was broken, if it was.
pub(crate) type Kept = Result<(), String>;

/// Timers have a grain of a millisecond, and several follow each other.
const GRAIN: Duration = Duration::from_millis(5);

/// Nothing is lost, doubled or out of order.
pub(crate) fn whole<T: PartialEq>(found: &[T], expected: &[T]) -> Kept {
    match std::iter::zip(found, expected).position(|(found, expected)| found != expected) {
        Some(at) => Err(format!("record {at} of {} is another one", expected.len())),
        None if found.len() == expected.len() => Ok(()),
        None => Err(format!("{} records of {}", found.len(), expected.len())),
    }
}

/// The same of merged listings, the newest first: records of one time come in any order.
pub(crate) fn merged(mut found: Vec<DepositAddress>, mut expected: Vec<DepositAddress>) -> Kept {
    if !found.is_sorted_by(|a, b| a.created_at >= b.created_at) {
        return Err("merged records out of order".to_owned());
    }
    found.sort_by_key(|record| record.id);
    expected.sort_by_key(|record| record.id);
    whole(&found, &expected)
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

/// The requests for tokens of one scope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Renewals {
    pub(crate) asked: u64,
    /// How many of them brought a token.
    pub(crate) granted: u64,
    /// How many tokens the service then rejected.
    pub(crate) rejected: u64,
    /// How many streams were dropped, perhaps while one was under way.
    pub(crate) dropped: u64,
    /// The shortest time in which so many failed in a row.
    pub(crate) failures: Option<Duration>,
}

/// Of three fetches at least, so that there was a pause between two that nobody abandoned.
pub(crate) const FAILURES: usize = 10;

/// The token endpoint is asked when a token is about to expire or was rejected, and after a failure
/// only after a pause.
pub(crate) fn renewals(renewals: Renewals, lifetime: Duration, time: Duration) -> Kept {
    let Renewals { asked, granted, rejected, dropped, failures } = renewals;
    // The last quarter of its life is the time to renew a token.
    let lives = time.as_millis() / (lifetime * 3 / 4).as_millis();
    let needed = 2 + rejected + dropped + u64::try_from(lives).unwrap_or(u64::MAX);
    let is_patient = failures.is_none_or(|time| time >= Duration::from_secs(2));
    // Three tries each, and at least a second between them.
    if granted <= needed && asked <= 3 * (needed + time.as_secs()) && is_patient {
        return Ok(());
    }
    Err(format!("{renewals:?} in {time:?}, with tokens of {lifetime:?}"))
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
                Some(found) if *found == record => {}
                Some(_) => return Err(format!("a change of {} was missed", record.id)),
                None => return Err(format!("{} was missed", record.id)),
            }
        }
        Ok(())
    }
}
