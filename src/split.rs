//! A filter with more entries than a request may carry, as several requests that may.

use reqwest::{Request, Url};

use crate::listing::{self, Listing};

/// No URL grows past this: most servers take 8,000 bytes of request line and headers' lines.
const LONGEST_URL: usize = 7_000;

/// The requests whose listings together are that of this one; itself, where it may be sent.
pub(crate) fn parts(listing: &Listing, request: &Request) -> Vec<Request> {
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
        rest.as_str().len() + filters.iter().map(Filter::longest_chunk).sum::<usize>()
    };
    // The filter whose chunks are longest is cut finer, until the longest URL is short enough.
    while length(&filters) > LONGEST_URL {
        let longest = filters.iter_mut().filter(|f| f.chunk > 1).max_by_key(|f| f.longest_chunk());
        let Some(filter) = longest else { break };
        let chunks = filter.entries.len().div_ceil(filter.chunk) + 1;
        filter.chunk = filter.entries.len().div_ceil(chunks).min(filter.chunk - 1);
    }

    let mut urls = vec![rest];
    for filter in &filters {
        urls = urls.iter().flat_map(|url| filter.applied(url)).collect();
    }
    urls.into_iter().filter_map(|url| with_url(request, url)).collect()
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
        Self { name, entries, chunk }
    }

    /// Bytes that the longest chunk adds to a URL, at three for each that may be escaped.
    fn longest_chunk(&self) -> usize {
        let escaped =
            |byte: u8| if byte.is_ascii_alphanumeric() || b"-._*".contains(&byte) { 1 } else { 3 };
        let bytes = |text: &str| text.bytes().map(escaped).sum::<usize>();
        let entry = |value: &String| bytes(self.name) + bytes(value) + 2;
        let chunks = self.entries.chunks(self.chunk);
        chunks.map(|chunk| chunk.iter().map(entry).sum()).max().unwrap_or(0)
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
