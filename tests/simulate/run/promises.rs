//! The client's promises. Each function checks whether a run kept one of them.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Debug,
    time::Duration,
};

use super::faults::Final;

/// The result of checking a promise. The error says how the promise was broken.
pub(crate) type Kept = Result<(), String>;

/// The tolerance for durations. Timers are accurate to a millisecond, and a call may wait for
/// several of them.
const GRAIN: Duration = Duration::from_millis(5);

/// Checks that no required record is missing, and that no record is repeated or out of order.
pub(crate) fn whole(
    found: &[usize],
    there_is: &[usize],
    is_required: impl Fn(usize) -> bool,
) -> Kept {
    let mut rest = found.iter().enumerate().peekable();
    for (at, record) in there_is.iter().enumerate() {
        if rest.next_if(|(_, found)| *found == record).is_none() && is_required(*record) {
            return Err(format!("record {record} is missing, {at} of {}", there_is.len()));
        }
    }
    match rest.next() {
        Some((at, record)) => {
            Err(format!("unexpected record {record} at position {at} of {}", found.len()))
        }
        None => Ok(()),
    }
}

/// Like [`whole`], but the records may be in any order.
pub(crate) fn each_once(
    found: &[usize],
    there_is: &[usize],
    is_required: impl Fn(usize) -> bool,
) -> Kept {
    let [mut found, mut there_is] = [found, there_is].map(<[usize]>::to_vec);
    found.sort_unstable();
    if let Some((record, _)) =
        found.iter().zip(found.iter().skip(1)).find(|(one, next)| one == next)
    {
        return Err(format!("record {record} was returned twice"));
    }
    there_is.sort_unstable();
    whole(&found, &there_is, is_required)
}

/// Checks that every error that isn't retried was caused by a response.
pub(crate) fn deserved(errors: Final, answers: Final) -> Kept {
    if errors.foreign <= answers.foreign
        && errors.redirects <= answers.redirects
        && errors.repeated_cursors <= answers.repeated_cursors
    {
        return Ok(());
    }
    Err(format!("errors without a cause: {errors:?} after the responses {answers:?}"))
}

/// Checks that no redirect was followed.
pub(crate) fn at_home(strays: u64) -> Kept {
    if strays == 0 { Ok(()) } else { Err(format!("{strays} requests went to another address")) }
}

/// Checks that no request was sent for a cancelled call.
pub(crate) fn quiet(late: u64) -> Kept {
    if late == 0 { Ok(()) } else { Err(format!("{late} requests were sent for cancelled calls")) }
}

/// Checks that the number of concurrent requests never exceeded the limit.
pub(crate) fn at_once(most: usize, asked_for: usize) -> Kept {
    if most <= asked_for {
        return Ok(());
    }
    Err(format!("{most} concurrent requests, the limit is {asked_for}"))
}

/// Checks that a call finished by its deadline.
pub(crate) fn in_time(taken: Duration, allowed: Duration) -> Kept {
    if taken <= allowed + GRAIN {
        return Ok(());
    }
    Err(format!("took {taken:?}, the limit is {allowed:?}"))
}

/// Checks that the token source made at most three attempts for each token that the client
/// requested.
pub(crate) fn tries(tries: u64, requests: u32) -> Kept {
    if tries <= 3 * u64::from(requests) {
        return Ok(());
    }
    Err(format!("{tries} attempts for {requests} tokens"))
}

/// Checks that a successful POST was applied once, and a failed POST at most once. If a failed POST
/// was applied, its error must say that it may have been.
pub(crate) fn applied<E: Debug>(times: usize, result: Result<(), (E, bool)>) -> Kept {
    match result {
        Ok(()) if times == 1 => Ok(()),
        Err((_, may_have_been_applied)) if times <= usize::from(may_have_been_applied) => Ok(()),
        Ok(()) => Err(format!("applied {times} times")),
        Err((error, _)) => Err(format!("applied {times} times: {error:?}")),
    }
}

/// Checks that no secret was printed. Secrets are whole words, so one pass over the output is
/// enough.
pub(crate) fn discreet(printed: &str, secrets: &BTreeSet<String>) -> Kept {
    let is_of_a_word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '+' | '/');
    let shortest = secrets.iter().map(String::len).min().unwrap_or_default();
    let mut words = printed.split(|c| !is_of_a_word(c)).filter(|word| word.len() >= shortest);
    match words.find(|word| secrets.contains(word.trim_end_matches('.'))) {
        Some(word) => Err(format!("the secret {word} is printed")),
        None => Ok(()),
    }
}

/// The latest version of each record that a program received while following: its content, whether
/// it is settled, and whether all its values are known.
#[derive(Debug, Default)]
pub(crate) struct Followed(HashMap<usize, (u64, bool, bool)>);

impl Followed {
    /// Stores a record that the program received. Fails unless a record is new exactly once, and
    /// every change differs from the version before.
    pub(crate) fn take(&mut self, is_new: bool, number: usize, told: (u64, bool, bool)) -> Kept {
        match (self.0.insert(number, told), is_new) {
            (None, true) => Ok(()),
            (Some(before), false) if before != told => Ok(()),
            (None, false) => Err(format!("record {number} changed before it was new")),
            (Some(_), true) => Err(format!("record {number} was new twice")),
            (Some(_), false) => Err(format!("record {number} changed to the same value")),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn knows(&self, number: usize) -> bool {
        self.0.contains_key(&number)
    }

    /// Checks that the program received every listed record.
    pub(crate) fn knows_all<'a>(&self, mut listed: impl Iterator<Item = &'a usize>) -> Kept {
        match listed.find(|number| !self.knows(**number)) {
            Some(number) => Err(format!("record {number} was listed, but not returned")),
            None => Ok(()),
        }
    }

    /// Checks that the program received the current version of every record. The records are in the
    /// order of their numbers.
    pub(crate) fn up_to_date(&self, there_is: impl Iterator<Item = (u64, bool)>) -> Kept {
        for (number, now) in there_is.enumerate() {
            match self.0.get(&number) {
                Some((content, is_settled, _)) if (*content, *is_settled) == now => {}
                Some(_) => return Err(format!("a change of record {number} was not returned")),
                None => return Err(format!("record {number} was not returned")),
            }
        }
        Ok(())
    }
}
