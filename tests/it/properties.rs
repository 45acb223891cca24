//! Properties of listings that hold whatever the service does on each page.

use futures_util::Stream;
use proptest::{collection::vec, prelude::*, sample::select};
use virtual_service::{BEGIN, End, Fault, Service, URL};

use crate::{TOKEN_URL, at_scale::walk::number, prelude::*};

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
    /// Returns a service whose cursors contain an arbitrary string.
    fn services()(
        records in 0..20_usize,
        page in 1..5_usize,
        ballast in any::<String>(),
        end in select(vec![End::Blank, End::Absent, End::Null]),
    ) -> Service {
        Service { page, ballast, end, ..Service::of(vec![BEGIN; records]) }
    }
}

/// Reads a stream to its end despite errors. Returns the numbers of all records, and the last
/// error.
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

#[test]
fn a_listing_hands_out_what_its_pages_hold_however_they_fail() {
    proptest!(cases(), |(service in services(), faults in faults())| {
        let walks = paused().block_on(async {
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
