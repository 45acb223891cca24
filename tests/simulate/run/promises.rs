//! What the client promises, each held against what was seen.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Debug,
    time::Duration,
};

use super::faults::Final;

/// How a promise was broken, if it was.
pub(crate) type Kept = Result<(), String>;

/// Timers have a grain of a millisecond, and several follow each other.
const GRAIN: Duration = Duration::from_millis(5);

/// Of what there is, nothing that is required is lost, and nothing is doubled or out of order.
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
            Err(format!("record {record} is one too many, {at} of {}", found.len()))
        }
        None => Ok(()),
    }
}

/// The same where records may come in any order.
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
        return Err(format!("record {record} came twice"));
    }
    there_is.sort_unstable();
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

/// Nothing is sent for a call that was dropped.
pub(crate) fn quiet(late: u64) -> Kept {
    if late == 0 { Ok(()) } else { Err(format!("{late} requests were sent after a drop")) }
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
    let is_of_a_word =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '+' | '/');
    let shortest = secrets.iter().map(String::len).min().unwrap_or_default();
    let mut words = printed.split(|c| !is_of_a_word(c)).filter(|word| word.len() >= shortest);
    match words.find(|word| secrets.contains(word.trim_end_matches('.'))) {
        Some(word) => Err(format!("the secret {word} is printed")),
        None => Ok(()),
    }
}

/// What a program that follows executions was last told of each: its content, whether it is
/// settled, and whether all its values are known.
#[derive(Debug, Default)]
pub(crate) struct Followed(HashMap<usize, (u64, bool, bool)>);

impl Followed {
    /// A record is new once, and then changes only to what it wasn't.
    pub(crate) fn take(&mut self, is_new: bool, number: usize, told: (u64, bool, bool)) -> Kept {
        match (self.0.insert(number, told), is_new) {
            (None, true) => Ok(()),
            (Some(before), false) if before != told => Ok(()),
            (None, false) => Err(format!("{number} changed before it was new")),
            (Some(_), true) => Err(format!("{number} was new twice")),
            (Some(_), false) => Err(format!("{number} changed to what it was")),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn knows(&self, number: usize) -> bool {
        self.0.contains_key(&number)
    }

    /// What was listed is known.
    pub(crate) fn knows_all<'a>(&self, mut listed: impl Iterator<Item = &'a usize>) -> Kept {
        match listed.find(|number| !self.knows(**number)) {
            Some(number) => Err(format!("{number} was listed, and missed")),
            None => Ok(()),
        }
    }

    /// Nothing is missed of what there is by now, in the order of the numbers.
    pub(crate) fn up_to_date(&self, there_is: impl Iterator<Item = (u64, bool)>) -> Kept {
        for (number, now) in there_is.enumerate() {
            match self.0.get(&number) {
                Some((content, is_settled, _)) if (*content, *is_settled) == now => {}
                Some(_) => return Err(format!("a change of {number} was missed")),
                None => return Err(format!("{number} was missed")),
            }
        }
        Ok(())
    }
}
