//! Laws that hold whatever the service does and whatever the request: listings page by page, and
//! checks against the bounds of the specification.

use digital_assets::{Client, ClientCredentials, Error, ErrorKind};
use futures_util::{Stream, StreamExt};
use proptest::{collection::vec, option, prelude::*, sample::select};
use tokio::runtime::Runtime;
use virtual_service::{BEGIN, End, Fault, Service, URL};

use crate::{
    Environment, TOKEN_URL, at_scale::walk::number, cases, granting_in_memory, quick, server::json,
};

fn faults() -> impl Strategy<Value = Vec<Fault>> {
    let fault = prop_oneof![
        select(vec![401, 408, 500, 503]).prop_map(|status| Fault::Status(status, None)),
        select(vec![
            Fault::Status(429, Some(0)),
            Fault::Reset,
            Fault::Truncated,
            Fault::EmptyPage,
            Fault::RepeatedCursor,
        ]),
    ];
    vec(fault, 0..12)
}

prop_compose! {
    /// Cursors are any text.
    fn services()(
        records in 0..20_usize,
        page in 1..5_usize,
        ballast in any::<String>(),
        end in select(vec![End::Blank, End::Absent, End::Null]),
    ) -> Service {
        Service { page, ballast, end, ..Service::of(vec![BEGIN; records]) }
    }
}

/// All that a listing hands out, retryable failures aside, and its last error.
async fn walked<T>(
    mut stream: impl Stream<Item = Result<T, Error>> + Unpin,
    numbers: impl Fn(T) -> Vec<usize>,
) -> (Vec<usize>, Option<ErrorKind>) {
    let (mut found, mut last) = (Vec::new(), None);
    for _ in 0..200 {
        match stream.next().await {
            None => break,
            Some(Ok(records)) => found.extend(numbers(records)),
            Some(Err(error)) => last = Some(error.kind()),
        }
    }
    assert!(stream.next().await.is_none(), "a walk without end");
    (found, last)
}

fn runtime(is_paused: bool) -> Runtime {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(is_paused).build().expect("a runtime")
}

#[test]
fn a_listing_hands_out_what_its_pages_hold_however_they_fail() {
    let runtime = runtime(true);
    proptest!(cases(), |(service in services(), faults in faults())| {
        let walks = runtime.block_on(async {
            let credentials = ClientCredentials::new(TOKEN_URL, "backoffice", "sesame");
            let credentials = credentials.http_service(granting_in_memory());
            let serve = || {
                let endpoint = service.clone().serve();
                for fault in &faults {
                    endpoint.fault(fault.clone());
                }
                let client = Client::builder(URL).credentials(credentials.clone()).retry(quick());
                let client = client.http_service(endpoint.clone()).build().expect("a client");
                (endpoint.listed(""), client.list_deposit_addresses())
            };

            let (expected, list) = serve();
            let by_items = walked(list.items(), |record| vec![number(&record)]).await;
            let (_, list) = serve();
            let by_pages = walked(list.pages(), |page| page.items.iter().map(number).collect());
            [(by_items, expected.clone()), (by_pages.await, expected)]
        });

        for ((found, last), expected) in walks {
            if last == Some(ErrorKind::RepeatedCursor) {
                prop_assert!(faults.contains(&Fault::RepeatedCursor));
                prop_assert!(expected.starts_with(&found), "{:?}", found);
            } else {
                prop_assert_eq!(found, expected, "{:?}", last);
            }
        }
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
