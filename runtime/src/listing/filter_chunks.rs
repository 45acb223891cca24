//! Splits a filter that has too many entries for one request, so that it is sent in several
//! requests.

use std::collections::HashSet;

use super::Listing;
use crate::{
    Error,
    call::{PreparedCall, Query},
};

/// The maximum length of a URL in bytes, unless a single filter entry is longer. Most servers
/// accept 8,000 bytes for the request line and the headers.
const MAX_URL_BYTES: usize = 7_000;

/// The part of `MAX_URL_BYTES` that is reserved for the page size, the cursor and a window's
/// bounds.
///
/// These parameters may differ between runs, but the number of parts that a filter is split into
/// must not depend on them.
const RESERVED_URL_BYTES: usize = 500;

/// The maximum number of parts that a listing's filters are split into. Each part keeps a page in
/// memory while the parts are merged.
pub(crate) const MAX_PARTS: usize = 10_000;

/// Splits a call into several calls that together list the same records. If the call doesn't have
/// to be split, returns only the call itself.
///
/// # Errors
///
/// `InvalidRequest` if there would be more than [`MAX_PARTS`] parts.
pub(crate) fn parts(listing: &Listing, start: &PreparedCall) -> Result<Vec<PreparedCall>, Error> {
    let mut rest = start.clone();
    if start.is_empty {
        return Ok(vec![rest]);
    }
    let (query, filters) = (&start.call.query, listing.filters.iter());
    let filters = filters.map(|(name, most)| Filter::of(query, name, *most));
    let mut filters: Vec<Filter> = filters.filter(|filter| !filter.entries.is_empty()).collect();
    let call = &mut rest.call;
    for filter in &filters {
        call.query.remove(filter.name);
    }

    let fixed = call.query.iter().filter(|it| listing.is_filter(it)).map(length).sum::<usize>();
    let fixed = RESERVED_URL_BYTES + call.path.len() + fixed;
    let longest =
        |filters: &[Filter]| fixed + filters.iter().map(Filter::longest_chunk).sum::<usize>();
    // Makes the longest chunks smaller until the longest URL is short enough.
    while longest(&filters) > MAX_URL_BYTES {
        let longest = filters.iter_mut().filter(|f| f.chunk > 1).max_by_key(|f| f.longest_chunk());
        let Some(filter) = longest else { break };
        let chunks = filter.chunks() + 1;
        filter.chunk = filter.entries.len().div_ceil(chunks).min(filter.chunk - 1);
    }
    let count = filters.iter().map(Filter::chunks).fold(1, usize::saturating_mul);
    if count > MAX_PARTS {
        let longest = filters.iter().max_by_key(|filter| filter.chunks()).map(|it| it.name);
        let others = filters.iter().map(|it| it.name).filter(|name| Some(*name) != longest);
        let others = others.map(|name| format!(" with {name}")).collect::<Vec<_>>().join(" and");
        let reason = format!("needs {count} requests{others}; the maximum is {MAX_PARTS}");
        return Err(Error::rejected(longest, reason));
    }

    let parts = filters.iter().fold(vec![rest], |parts, filter| {
        parts.iter().flat_map(|part| filter.applied(part)).collect()
    });
    Ok(parts)
}

/// A filter's entries without duplicates, and the number of entries in each chunk.
struct Filter {
    name: &'static str,
    entries: Vec<String>,
    /// The number of bytes that each entry adds to a URL.
    lengths: Vec<usize>,
    chunk: usize,
}

impl Filter {
    fn of(query: &Query, name: &'static str, most: usize) -> Self {
        let mut seen = HashSet::new();
        let entries = query.all(name).filter(|value| seen.insert(*value)).map(str::to_owned);
        let entries: Vec<String> = entries.collect();
        // The chunks have almost equal sizes, so that the last one isn't small.
        let chunks = entries.len().div_ceil(most.max(1)).max(1);
        let chunk = entries.len().div_ceil(chunks).max(1);
        let lengths = entries.iter().map(|value| length((name, value))).collect();
        Self { name, entries, lengths, chunk }
    }

    fn chunks(&self) -> usize {
        self.entries.len().div_ceil(self.chunk)
    }

    fn longest_chunk(&self) -> usize {
        self.lengths.chunks(self.chunk).map(|chunk| chunk.iter().sum()).max().unwrap_or(0)
    }

    fn applied(&self, start: &PreparedCall) -> impl Iterator<Item = PreparedCall> {
        self.entries.chunks(self.chunk).map(|chunk| {
            let mut start = start.clone();
            start.call.query.add(self.name, chunk);
            start
        })
    }
}

/// The number of bytes that a parameter adds to a URL. Each byte that may have to be escaped counts
/// as three bytes.
fn length((name, value): (&str, &str)) -> usize {
    escaped(name) + escaped(value) + 2
}

fn escaped(text: &str) -> usize {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { 1 } else { 3 }).sum()
}

#[cfg(test)]
mod tests {
    use virtual_service::Service;

    use super::*;
    use crate::{fixture::BY_TIME, listing::tests::start};

    #[test]
    fn a_url_is_as_long_as_it_may_be_and_no_longer() {
        for (longer_by, count) in [(0, 1), (1, 2)] {
            let mut start = start(Service::of([]).serve(), BY_TIME, 1_000);
            let query = &mut start.call.query;
            query.set("order", "DESC");
            // Each entry adds its own length and that of `&ref_ids=`.
            let most = MAX_URL_BYTES - RESERVED_URL_BYTES - "/".len() - 2 * "&ref_ids=".len();
            query.add("ref_ids", ["a".repeat(3_000), "b".repeat(most - 3_000 + longer_by)]);
            start.call.path = "/".to_owned();

            let parts = parts(BY_TIME.listing().unwrap(), &start).unwrap();

            assert_eq!(parts.len(), count);
        }
    }
}
