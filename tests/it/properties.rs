//! Laws that hold whatever the service does and whatever the request: listings against a model of
//! the service, and checks against the bounds of the specification.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex},
};

use digital_assets::{
    ClientCredentials, Error, ErrorKind, ResponseValue,
    types::{DepositAddress, DepositAddressPage},
};
use futures_util::stream;
use proptest::{collection::vec, option, prelude::*, sample::select};
use reqwest::{Body, Request};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::{
    Environment, cases,
    memory::{Answered, InMemory, response, throttled},
    server::json,
    specification::{DEPOSIT_ADDRESS, items, with},
};

/// A service's listing, with arbitrary cursors, and an end in one of three ways.
#[derive(Clone, Debug)]
struct Model {
    /// The number of records on each page.
    pages: Vec<usize>,
    cursors: Vec<String>,
    end: End,
    faults: VecDeque<Fault>,
}

#[derive(Clone, Debug)]
enum End {
    Absent,
    Null,
    Blank,
    /// The last page leads back to an earlier one.
    Back(prop::sample::Index),
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    Status(u16),
    Wait,
    Reset,
    Truncated,
}

fn models() -> impl Strategy<Value = Model> {
    let end = prop_oneof![
        Just(End::Absent),
        Just(End::Null),
        Just(End::Blank),
        any::<prop::sample::Index>().prop_map(End::Back),
    ];
    let fault = prop_oneof![
        select(vec![401, 408, 500, 503]).prop_map(Fault::Status),
        Just(Fault::Wait),
        Just(Fault::Reset),
        Just(Fault::Truncated),
    ];
    let pages = vec((0_usize..4, any::<String>()), 1..9);
    (pages, end, vec(fault, 0..12)).prop_map(|(pages, end, faults)| {
        let (pages, texts): (Vec<_>, Vec<_>) = pages.into_iter().unzip();
        let cursors = texts.iter().enumerate().map(|(at, text)| format!("{text}{at}")).collect();
        Model { pages, cursors, end, faults: faults.into() }
    })
}

impl Model {
    /// The names of all records, in order.
    fn records(&self) -> Vec<String> {
        let pages = self.pages.iter().enumerate();
        pages.flat_map(|(page, count)| (0..*count).map(move |at| format!("{page}.{at}"))).collect()
    }

    /// Whether the last page leads back. It can't lead to the first page, which has no cursor.
    fn back(&self) -> Option<usize> {
        match &self.end {
            End::Back(index) if self.pages.len() > 1 => Some(1 + index.index(self.pages.len() - 1)),
            _ => None,
        }
    }

    fn answer(&mut self, request: &Request) -> Answered {
        let cursor = request.url().query_pairs().find(|(name, _)| name == "page_cursor");
        let page = match cursor {
            None => Some(0),
            Some((_, cursor)) => self.cursors.iter().position(|known| **known == cursor),
        };
        let Some(page) = page else { return Ok(response(400, "")) };
        let body = self.page(page);
        Ok(match self.faults.pop_front() {
            None => response(200, body),
            Some(Fault::Status(code)) => response(code, ""),
            Some(Fault::Wait) => throttled(0),
            Some(Fault::Reset) => return Err("reset".into()),
            Some(Fault::Truncated) => {
                let half = &body.as_bytes()[..body.len() / 2];
                let chunks = [Ok(half.to_vec()), Err(io::ErrorKind::UnexpectedEof)];
                let chunks = chunks.map(|chunk| chunk.map_err(io::Error::from));
                http::Response::new(Body::wrap_stream(stream::iter(chunks))).into()
            }
        })
    }

    fn page(&self, page: usize) -> String {
        let named = |at| with(DEPOSIT_ADDRESS, "ref_id", &format!("\"{page}.{at}\""));
        let records: Vec<_> = (0..self.pages[page]).map(named).collect();
        let records: Vec<_> = records.iter().map(String::as_str).collect();
        let mut fields: Value = items(&records, "").parse().expect("an object");
        let next = if page + 1 < self.pages.len() { Some(page + 1) } else { self.back() };
        match (next, &self.end) {
            (Some(next), _) => fields["next_page_cursor"] = self.cursors[next].clone().into(),
            (None, End::Null) => fields["next_page_cursor"] = Value::Null,
            (None, End::Absent) => {
                fields.as_object_mut().expect("an object").remove("next_page_cursor");
            }
            (None, _) => {}
        }
        fields.to_string()
    }
}

/// All records of a listing, retryable failures aside, and its last error.
macro_rules! walked {
    ($stream:expr, $names:expr) => {{
        let (mut stream, mut found, mut last) = ($stream, Vec::new(), None::<Error>);
        for _ in 0..200 {
            match stream.next().await {
                None => break,
                Some(Ok(record)) => found.extend($names(record)),
                Some(Err(error)) => last = Some(error),
            }
        }
        assert!(stream.next().await.is_none(), "a walk without end");
        (found, last.map(|error| error.kind()))
    }};
}

fn runtime(is_paused: bool) -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(is_paused).build().expect("a runtime")
}

#[test]
fn a_listing_hands_out_what_its_pages_hold_however_they_fail() {
    let runtime = runtime(true);
    let played = Arc::new(Mutex::new(None::<Model>));
    let service = InMemory::playing({
        let played = Arc::clone(&played);
        move |_, request| played.lock().expect("a model").as_mut().expect("a model").answer(request)
    });
    let auth = InMemory::playing(|count, _| {
        Ok(response(200, format!(r#"{{"access_token":"word-{count}","token_type":"bearer"}}"#)))
    });
    let client = service.with(|client| {
        let source = ClientCredentials::new("http://127.0.0.1:9/token", "backoffice", "sesame");
        client.credentials(source.http_service(auth))
    });
    proptest!(cases(), |(model in models())| {
        runtime.block_on(async {
            let expected = model.records();
            let is_circle = model.back().is_some();
            let name = |record: DepositAddress| record.ref_id;
            let play = || *played.lock().expect("a model") = Some(model.clone());

            play();
            let list = || client.list_deposit_addresses();
            let (by_items, items_end) = walked!(list().items(), name);
            play();
            let (by_pages, pages_end) =
                walked!(list().pages(), |page: ResponseValue<DepositAddressPage>| {
                    page.into_inner().items.into_iter().filter_map(name).collect::<Vec<_>>()
                });

            assert_eq!((&by_items, &by_pages), (&expected, &expected));
            for end in [items_end, pages_end] {
                assert_eq!(end == Some(ErrorKind::RepeatedCursor), is_circle, "{end:?}");
            }
        });
    });
}

// Sections 4.1 to 4.3 and 8.
#[test]
fn what_is_within_the_bounds_is_sent_and_nothing_else() {
    let runtime = runtime(false);
    let _guard = runtime.enter();
    let env = Environment::always(json(200, "{}"));
    let limits = prop_oneof![any::<i32>(), -3..3, 998..1003];
    let filter = || option::of(vec("[a-z]{0,3}", 0..130));
    proptest!(cases(), |(limit in option::of(limits), refs in filter(), profiles in filter())| {
        let before = env.service.count();
        let within = |filter: &Option<Vec<String>>| {
            filter.as_ref().is_none_or(|entries| (1..=100).contains(&entries.len()))
        };
        let may_be_sent = limit.is_none_or(|limit| limit <= 1_000) && within(&refs) && within(&profiles);

        let mut call = env.client.list_deposit_addresses();
        if let Some(limit) = limit {
            call = call.limit(limit);
        }
        if let Some(refs) = &refs {
            call = call.ref_ids(refs.clone());
        }
        if let Some(profiles) = &profiles {
            call = call.profile_ids(profiles.clone());
        }
        let result = runtime.block_on(call.send());

        let sent = env.service.requests().split_off(before);
        match result {
            Ok(_) => {
                prop_assert!(may_be_sent);
                let mut expected: Vec<(String, String)> = Vec::new();
                expected.extend(limit.map(|limit| ("limit".into(), limit.to_string())));
                expected.extend(profiles.into_iter().flatten().map(|id| ("profile_ids".into(), id)));
                expected.extend(refs.into_iter().flatten().map(|id| ("ref_ids".into(), id)));
                let mut found = sent[0].parameters();
                found.sort_by(|one, other| one.0.cmp(&other.0));
                prop_assert_eq!(found, expected);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::InvalidRequest);
                prop_assert!(!may_be_sent && sent.is_empty());
            }
        }
    });
}
