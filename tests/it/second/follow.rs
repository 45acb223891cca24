//! Tests that follow listings of the second service.

use digital_assets::{Change, Follow, FollowCheckpoint, Following};
use second::types::Parcel;
use virtual_service::{BEGIN, HOUR, Record, SECOND, Service};

use super::{asking, number, scans};
use crate::{following::heard, prelude::*};

fn every() -> Follow {
    Follow::every(seconds(10)).overlap(seconds(60))
}

/// Returns whether a parcel is new, its number, and its content.
fn seen(change: Change<Parcel>) -> (bool, usize, String) {
    let is_new = matches!(change, Change::New(_));
    let parcel = change.into_inner();
    (is_new, number(&parcel), parcel.note.unwrap())
}

fn kept(following: &Following<Parcel>) -> FollowCheckpoint {
    serde_json::from_str(&serde_json::to_string(&following.checkpoint()).unwrap()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn parcels_are_followed_by_the_names_of_their_description() {
    let old = Record::at(BEGIN - 3 * HOUR);
    let new = Record { visible: seconds(25), ..Record::at(BEGIN + 20 * SECOND) };
    let changed = Record { changes: vec![(seconds(35), 4)], ..Record::at(BEGIN + SECOND) };
    // This is an open record that is far older than the overlap.
    let delivered = Record { settled: Some(seconds(200)), ..Record::at(BEGIN - 2 * HOUR) };
    let records = vec![old, new, changed, delivered];
    let endpoint = Service { records, page: 2, ..Service::default() }.serve();
    let list = || asking(&endpoint).list_parcels().items();
    let mut following = list().follow(every());

    let (first, errors) = heard(&mut following, &endpoint, 100).await;
    assert!(errors.is_empty(), "{errors:?}");
    let mut resumed = list().follow(every()).resume(kept(&following));
    let (second, errors) = heard(&mut resumed, &endpoint, 400).await;
    assert!(errors.is_empty(), "{errors:?}");

    let first: Vec<_> = first.into_iter().map(seen).collect();
    let expected =
        [(true, 0, "0"), (true, 3, "0"), (true, 2, "0"), (true, 1, "0"), (false, 2, "4")];
    assert_eq!(first, expected.map(|(is_new, number, note)| (is_new, number, note.to_owned())));
    let second: Vec<_> = second.into_iter().map(seen).collect();
    assert_eq!(second, [(false, 3, "0".to_owned())]);
    let queries = endpoint.asked().into_iter().map(|asked| asked.query);
    let mut names: Vec<_> = queries.flatten().map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["after", "booked_since", "sort"]);
}

#[tokio::test(start_paused = true)]
async fn scans_are_followed_in_the_order_of_a_boolean() {
    let scan =
        |n: u64| Record { visible: seconds(n), ..Record::at(BEGIN + i128::from(n) * SECOND) };
    let endpoint = Service { records: (0..50).map(scan).collect(), ..Service::default() }.serve();
    let mut following = asking(&endpoint).list_scans().id(super::PARCEL).items().follow(every());

    let (changes, errors) = heard(&mut following, &endpoint, 100).await;

    assert!(errors.is_empty(), "{errors:?}");
    let changes: Vec<_> = changes.into_iter().map(|it| number(&it.into_inner())).collect();
    assert!(changes.into_iter().eq(0..50));
    assert!(endpoint.asked().iter().all(|asked| asked.get("oldest_first") == Some("true")));
}

#[tokio::test(start_paused = true)]
async fn a_listing_in_the_other_order_is_not_followed() {
    let endpoint = Service::of([BEGIN]).serve();
    let mut following = scans(&asking(&endpoint), false, 10).follow(every());

    let error = following.next().await.unwrap().unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(
        error.to_string(),
        "listScans: only a listing in ascending order of time can be followed"
    );
    assert_eq!(endpoint.count(), 0);
}
