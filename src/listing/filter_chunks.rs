//! A filter with more entries than a request may carry, as several requests that may.

use reqwest::{Request, Url};

use crate::{
    Error,
    listing::{self, Listing},
};

/// Where an entry alone isn't longer: most servers take 8,000 bytes of request line and headers.
const LONGEST_URL: usize = 7_000;

/// What is left of them for the cursor of a later page and the bounds of a window.
const ROOM: usize = 500;

/// To merge them, a page of each is held at once.
pub(crate) const MOST_PARTS: usize = 10_000;

/// The requests whose listings together are that of this one; itself, where it may be sent.
///
/// # Errors
///
/// `InvalidRequest` where there would be more than [`MOST_PARTS`].
pub(crate) fn parts(listing: &Listing, request: &Request) -> Result<Vec<Request>, Error> {
    let url = request.url();
    let mut filters: Vec<Filter> = listing
        .filters
        .iter()
        .map(|(name, most)| Filter::of(url, name, *most))
        .filter(|filter| !filter.entries.is_empty())
        .collect();
    let mut rest = url.clone();
    listing::retain(&mut rest, |name, _| filters.iter().all(|filter| filter.name != name));

    let length = |filters: &[Filter]| {
        rest.as_str().len() + ROOM + filters.iter().map(Filter::longest_chunk).sum::<usize>()
    };
    // The filter whose chunks are longest is cut finer, until the longest URL is short enough.
    while length(&filters) > LONGEST_URL {
        let longest = filters.iter_mut().filter(|f| f.chunk > 1).max_by_key(|f| f.longest_chunk());
        let Some(filter) = longest else { break };
        let chunks = filter.chunks() + 1;
        filter.chunk = filter.entries.len().div_ceil(chunks).min(filter.chunk - 1);
    }
    let count = filters.iter().map(Filter::chunks).fold(1, usize::saturating_mul);
    if count > MOST_PARTS {
        let names: Vec<&str> = filters.iter().map(|filter| filter.name).collect();
        let refusal =
            format!("{} would take {count} requests, at most {MOST_PARTS}", names.join(", "));
        return Err(Error::invalid(refusal));
    }

    let mut urls = vec![rest];
    for filter in &filters {
        urls = urls.iter().flat_map(|url| filter.applied(url)).collect();
    }
    Ok(urls.into_iter().filter_map(|url| with_url(request, url)).collect())
}

fn with_url(request: &Request, url: Url) -> Option<Request> {
    let mut request = request.try_clone()?;
    *request.url_mut() = url;
    Some(request)
}

/// One filter's entries, without duplicates, in chunks of so many.
struct Filter {
    name: &'static str,
    entries: Vec<String>,
    /// Bytes that each adds to a URL, at three for each that may be escaped.
    lengths: Vec<usize>,
    chunk: usize,
}

impl Filter {
    fn of(url: &Url, name: &'static str, most: usize) -> Self {
        let mut seen = std::collections::HashSet::new();
        let mut entries = Vec::new();
        for (known, value) in url.query_pairs() {
            if known == name && seen.insert(value.clone().into_owned()) {
                entries.push(value.into_owned());
            }
        }
        // Chunks of one size: the last isn't a handful.
        let chunks = entries.len().div_ceil(most.max(1)).max(1);
        let chunk = entries.len().div_ceil(chunks).max(1);
        let lengths = entries.iter().map(|value| escaped(name) + escaped(value) + 2).collect();
        Self { name, entries, lengths, chunk }
    }

    fn chunks(&self) -> usize {
        self.entries.len().div_ceil(self.chunk)
    }

    fn longest_chunk(&self) -> usize {
        self.lengths.chunks(self.chunk).map(|chunk| chunk.iter().sum()).max().unwrap_or(0)
    }

    fn applied(&self, url: &Url) -> Vec<Url> {
        let chunks = self.entries.chunks(self.chunk).map(|chunk| {
            let mut url = url.clone();
            url.query_pairs_mut().extend_pairs(chunk.iter().map(|value| (self.name, value)));
            url
        });
        chunks.collect()
    }
}

fn escaped(text: &str) -> usize {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { 1 } else { 3 }).sum()
}
