//! Tests of executions that settle long after the overlap.

use chrono::TimeDelta;
use digital_assets::{Change, Follow, Following, types::QuoteExecution};
use serde_json::json;
use tokio::time::timeout_at;
use uuid::Uuid;
use virtual_service::{
    BEGIN, DAY, Endpoint, Fault, HOUR, MILLISECOND, MINUTE, Record, Rounding, SECOND, Service,
    number,
};

use super::{every, heard, kept};
use crate::{at_scale::walk::asking, log, prelude::*};

fn list(endpoint: &Endpoint, follow: Follow) -> Following<QuoteExecution> {
    let list =
        asking(endpoint).list_quote_executions().profile_id("7f6c1a52-0a54-4c3e-9d1b-3f8f1c6f2a10");
    list.limit(100).items().follow(follow)
}

/// Follows the listing until `end`, and returns the numbers of the executions that have settled.
async fn settled_until(
    following: &mut Following<QuoteExecution>,
    endpoint: &Endpoint,
    end: u64,
) -> Vec<usize> {
    let (changes, errors) = heard(following, endpoint, end).await;
    assert!(errors.is_empty(), "{errors:?}");
    settled(changes)
}

fn settled(changes: Vec<Change<QuoteExecution>>) -> Vec<usize> {
    let known = changes.into_iter().filter(|change| matches!(change, Change::Changed(_)));
    let settled = known.map(|change| {
        let execution = change.into_inner();
        assert_eq!(execution.status, "SETTLED");
        number(execution.id)
    });
    settled.collect()
}

/// Starts a service whose records were created from 90 days ago on, `apart` nanoseconds apart.
/// `settled` returns the second in which a record settles.
fn serve_old(count: usize, apart: i128, settled: impl Fn(usize) -> Option<u64>) -> Endpoint {
    let created = |n: usize| BEGIN - 90 * DAY + apart * n as i128;
    let record = |n| Record { settled: settled(n).map(seconds), ..Record::at(created(n)) };
    Service { records: (0..count).map(record).collect(), ..Service::default() }.serve()
}

#[tokio::test(start_paused = true)]
async fn an_execution_that_settles_late_is_a_change_in_the_sweep_that_follows() {
    for apart in [DAY / 100, SECOND, 0] {
        let endpoint = serve_old(400, apart, |n| [None, Some(0), Some(200)][n % 3]);
        let mut following = list(&endpoint, every());

        assert!(settled_until(&mut following, &endpoint, 190).await.is_empty());
        let json = serde_json::to_string(&following.checkpoint()).unwrap();
        assert!(json.len() < 400 * 110, "{}", json.len());
        let mut following = list(&endpoint, every()).resume(kept(&following));

        let mut settled = settled_until(&mut following, &endpoint, 290).await;
        settled.sort_unstable();
        assert!(settled.into_iter().eq((0..400).filter(|n| n % 3 == 2)), "{apart}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_follow_that_starts_at_a_time_returns_newer_records_and_the_open_ones_that_it_was_given()
{
    let endpoint = serve_old(400, DAY / 100, |n| Some(if n % 100 == 7 { 200 } else { 0 }));
    let list = || list(&endpoint, every());
    let (known, errors) = heard(&mut list(), &endpoint, 5).await;
    assert!(errors.is_empty() && known.len() == 400, "{errors:?}");
    let known: Vec<_> = known.into_iter().map(Change::into_inner).collect();
    let open: Vec<_> =
        known.iter().filter(|execution| digital_assets::Record::is_open(*execution)).collect();
    let newest = known[399].created_at;

    let open = open.iter().map(|execution| (execution.created_at, execution.id.into()));
    let mut following = list().resume_at(newest, open);
    let (changes, errors) = heard(&mut following, &endpoint, 190).await;
    assert!(errors.is_empty(), "{errors:?}");
    let returned = changes.into_iter().map(|change| match change {
        Change::New(execution) => (true, number(execution.id)),
        Change::Changed(execution) => (false, number(execution.id)),
    });
    let mut returned: Vec<_> = returned.collect();
    returned.sort_unstable();
    let expected = [(false, 7), (false, 107), (false, 207), (false, 307), (true, 399)];
    assert_eq!(returned, expected);
    let kept = kept(&following);
    let open: Vec<_> = kept.open_records().map(|(time, _)| time).collect();
    assert_eq!(open, [7, 107, 207, 307].map(|n| known[n].created_at));

    assert_eq!(settled_until(&mut following, &endpoint, 290).await, [7, 107, 207, 307]);
    assert_eq!(following.checkpoint().open_records().len(), 0);
    let late = following.resume_at(newest, []).next().await.unwrap().unwrap_err();
    assert_eq!(late.kind(), ErrorKind::InvalidRequest);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_one_sweep_does_not_list_is_not_forgotten() {
    let endpoint = serve_old(3, DAY, |n| (n == 0).then_some(200));
    let mut following = list(&endpoint, every());
    let hide = |hidden: bool| {
        endpoint.change(|service| service.records[0].removed = hidden.then_some(seconds(1)));
    };

    assert!(settled_until(&mut following, &endpoint, 90).await.is_empty());
    hide(true);
    assert!(settled_until(&mut following, &endpoint, 150).await.is_empty());
    hide(false);

    assert_eq!(settled_until(&mut following, &endpoint, 290).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_stands_behind_its_time_is_not_forgotten() {
    // A page holds the hundred records of one second. One record in three is sorted up to a second
    // too late.
    let endpoint = serve_old(9_000, SECOND / 100, |n| Some(if n % 300 == 7 { 290 } else { 0 }));
    endpoint.change(|service| (service.astray, service.nearly) = (3, SECOND));
    let mut following = list(&endpoint, every().overlap(seconds(2)));

    let mut settled = settled_until(&mut following, &endpoint, 390).await;

    settled.sort_unstable();
    assert!(settled.iter().copied().eq((7..9_000).step_by(300)), "{settled:?}");
}

#[tokio::test(start_paused = true)]
async fn a_sweep_that_meets_a_repeated_cursor_goes_on_behind_it() {
    let endpoint = serve_old(400, MINUTE, |_| Some(3_000));
    let follow = Follow::every(seconds(1_000)).recheck(seconds(4_000));
    let mut following = list(&endpoint, follow);
    let young = settled_until(&mut following, &endpoint, 3_999).await.len();
    // The requests for the first page of a round and of a recheck have no cursor to repeat.
    (0..3).for_each(|_| endpoint.fault(Fault::RepeatedCursor));

    let (changes, errors) = heard(&mut following, &endpoint, 7_000).await;

    assert_eq!(errors.iter().map(Error::kind).collect::<Vec<_>>(), [ErrorKind::RepeatedCursor]);
    assert_eq!(young + changes.len(), 399, "all but the record at which the recheck stopped");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_expires_amid_a_sweep_is_one_error() {
    let endpoint = serve_old(400, MINUTE, |_| Some(3_000));
    let follow = Follow::every(seconds(1_000)).recheck(seconds(4_000));
    let mut following = list(&endpoint, follow);
    let mut settled = settled_until(&mut following, &endpoint, 3_999).await.len();
    let mut errors = Vec::new();
    let end = Instant::now() + seconds(5_000);
    while errors.len() < 2
        && let Ok(Some(change)) = timeout_at(end, following.next()).await
    {
        match change {
            Ok(_) => settled += 1,
            Err(error) => errors.push(code(&error)),
        }
        if settled == 150 {
            endpoint.expire();
        }
    }

    assert_eq!(errors, [Some(410)]);
    assert_eq!(settled, 400);
}

// A record dated in the future says nothing about the position in the listing.
#[tokio::test(start_paused = true)]
async fn a_record_dated_ahead_amid_older_ones_ends_no_sweep() {
    // One time stays in the future, and the other has passed before the recheck.
    for ahead_by in [TimeDelta::days(1_000), TimeDelta::days(90) + TimeDelta::seconds(200)] {
        let endpoint = serve_old(400, MINUTE, |n| Some(if n == 0 { 0 } else { 3_000 }));
        let follow = Follow::every(seconds(1_000)).recheck(seconds(4_000));
        let mut following = list(&endpoint, follow);
        let Some(Ok(Change::New(oldest))) = following.next().await else { panic!("one is listed") };
        let mut settled = settled_until(&mut following, &endpoint, 3_999).await.len();
        let mut ahead = oldest.clone();
        (ahead.id, ahead.created_at) = (Uuid::from_u128(1_000), oldest.created_at + ahead_by);
        let page = json!({ "items": [oldest, ahead], "next_page_cursor": "0.100." });
        // The first fault applies to the first page of a round, and the second one to the first
        // page of the recheck.
        endpoint.fault(Fault::Late(Duration::ZERO));
        endpoint.fault(Fault::Body(200, page.to_string()));

        settled += settled_until(&mut following, &endpoint, 4_999).await.len();

        assert_eq!(settled, 399, "{ahead_by}");
    }
}

// The service reports times to the nearest second, so the first two records both seem to be from
// second 11, where rounds start. It compares the bound with the exact times, and so leaves out the
// first record.
#[tokio::test(start_paused = true)]
async fn an_open_record_that_was_created_before_its_time_is_swept() {
    let created = [10_600, 11_400, 100_000].map(|time| BEGIN - 90 * DAY + time * MILLISECOND);
    let settled = [Some(seconds(200)), Some(seconds(0)), Some(seconds(0))];
    let records = created.into_iter().zip(settled);
    let records = records.map(|(created, settled)| Record { settled, ..Record::at(created) });
    let told = Rounding::Nearest(SECOND);
    let endpoint = Service { records: records.collect(), told, ..Service::default() }.serve();
    let mut following = list(&endpoint, every());

    assert!(settled_until(&mut following, &endpoint, 190).await.is_empty());

    assert_eq!(settled_until(&mut following, &endpoint, 290).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn open_records_that_lie_densely_take_a_request_a_page() {
    let endpoint = serve_old(1_000, MINUTE, |_| None);
    let mut following = list(&endpoint, Follow::every(seconds(3_600)).recheck(seconds(3_600)));
    // There are three rounds, each followed by a recheck.
    assert!(settled_until(&mut following, &endpoint, 3 * 3_600 - 1).await.is_empty());

    let sweeps = endpoint.count() - 10 - 3;

    assert!(sweeps <= 36, "{sweeps} requests");
}

#[tokio::test(start_paused = true)]
async fn an_open_record_behind_pages_of_its_time_is_found_in_one_listing() {
    let endpoint = serve_old(400, 0, |n| (n != 350).then_some(0));
    // There are newer records. Otherwise, a round would request the open record.
    let newer = |days| Record { settled: Some(seconds(0)), ..Record::at(BEGIN - days * DAY) };
    endpoint.change(|service| service.records.extend([2, 1].map(newer)));
    let mut following = list(&endpoint, Follow::every(seconds(3_600)));

    assert!(settled_until(&mut following, &endpoint, 3_599).await.is_empty());

    assert_eq!(endpoint.count(), 5 + 4, "a round, and a recheck up to the fourth page");
}

#[tokio::test(start_paused = true)]
async fn open_records_that_lie_far_apart_take_a_request_each() {
    let endpoint = serve_old(1_000, MINUTE, |n| (n % 300 != 0).then_some(0));
    let mut following = list(&endpoint, Follow::every(seconds(3_600)));

    assert!(settled_until(&mut following, &endpoint, 3_599).await.is_empty());

    assert_eq!(endpoint.count(), 10 + 4, "a round, and a request for each open record");
}

#[tokio::test(start_paused = true)]
async fn rechecks_keep_their_interval_or_are_off() {
    for (recheck, sweeps) in [(None, 10), (Some(300), 2), (Some(u64::MAX), 0)] {
        let endpoint = serve_old(3, HOUR, |_| None);
        let follow = match recheck {
            Some(u64::MAX) => every().recheck(Duration::MAX),
            Some(interval) => every().recheck(seconds(interval)),
            None => every(),
        };
        let mut following = list(&endpoint, follow);
        assert!(settled_until(&mut following, &endpoint, 599).await.is_empty());

        let asked = endpoint.asked();
        let swept = asked.iter().filter(|asked| asked.records.contains(&0)).count();
        // The first round isn't a recheck, but requests all records.
        assert_eq!(swept - 1, sweeps, "{recheck:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_batch_of_changes_is_what_has_come() {
    let endpoint = serve_old(250, HOUR, |_| Some(0));
    let mut following = list(&endpoint, every());

    let mut sizes = Vec::new();
    while sizes.iter().sum::<usize>() < 250 {
        sizes.push(following.next_batch(80).await.unwrap().unwrap().len());
    }

    assert!(sizes.len() <= 6 && sizes[0] == 80, "{sizes:?}");
}

#[tokio::test(start_paused = true)]
async fn of_open_records_that_are_told_with_the_same_time_each_is_asked_for() {
    // Both of the first two records are reported with the same minute. A bound of that minute
    // leaves out the first record.
    let times = [40, 70].into_iter().chain((3..40).map(|minute| 60 * minute));
    let record = |(number, second): (usize, i128)| Record {
        settled: [Some(seconds(5_000)), None][number.min(1)],
        ..Record::at(BEGIN - 90 * DAY + second * SECOND)
    };
    let records = times.enumerate().map(record).collect();
    let told = Rounding::Nearest(MINUTE);
    let endpoint = Service { records, told, ..Service::default() }.serve();
    let mut following = list(&endpoint, every());

    assert_eq!(settled_until(&mut following, &endpoint, 5_100).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_whose_time_is_told_in_another_unit_is_still_known() {
    let endpoint = serve_old(4, 10 * MINUTE, |n| (n == 1).then_some(200));
    endpoint.change(|service| service.records[1].created += 1);
    let mut following = list(&endpoint, every());

    assert!(settled_until(&mut following, &endpoint, 190).await.is_empty());
    endpoint.change(|service| service.told = Rounding::Down(MILLISECOND));

    assert_eq!(settled_until(&mut following, &endpoint, 290).await, [1]);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_a_round_misses_is_not_forgotten() {
    let endpoint = serve_old(2, 2 * DAY, |n| (n == 0).then_some(200));
    let mut following = list(&endpoint, every().recheck(seconds(60)));
    let newest = BEGIN - 88 * DAY;
    endpoint.change(|service| service.records[1].created = newest);

    assert!(settled_until(&mut following, &endpoint, 5).await.is_empty());
    // One round returns a new record, but not the record at which it started.
    endpoint.change(|service| {
        service.records[0].removed = Some(seconds(5));
        service.records.push(Record::at(newest + DAY));
    });
    assert!(settled_until(&mut following, &endpoint, 15).await.is_empty());
    endpoint.change(|service| service.records[0].removed = None);

    assert_eq!(settled_until(&mut following, &endpoint, 290).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_two_sweeps_stop_at_is_not_forgotten() {
    let endpoint = serve_old(400, MINUTE, |_| Some(9_000));
    let follow = Follow::every(seconds(1_000)).recheck(seconds(4_000));
    let mut following = list(&endpoint, follow);
    let (mut count, mut failed) = (0, 0);

    for end in [3_999, 7_999, 13_000] {
        let (changes, errors) = heard(&mut following, &endpoint, end).await;
        count += settled(changes).len();
        failed += errors.len();
        // After the last iteration, the faults have no effect.
        (0..3).for_each(|_| endpoint.fault(Fault::RepeatedCursor));
    }

    assert_eq!((count, failed), (400, 2));
}

// A tool that reads one round per run resumes the listing in each run.
#[tokio::test(start_paused = true)]
async fn an_open_record_that_is_gone_is_forgotten_by_the_second_program_that_misses_it() {
    let endpoint = serve_old(3, DAY, |_| None);
    let once = || list(&endpoint, Follow::every(seconds(1_000)).recheck(seconds(9_000)));
    let mut following = once();
    assert!(settled_until(&mut following, &endpoint, 5).await.is_empty());
    endpoint.change(|service| service.records[0].removed = Some(seconds(5)));

    for (end, open) in [(10, 3), (15, 2)] {
        following = once().resume(kept(&following));
        let (recorded, settled) = log::of(settled_until(&mut following, &endpoint, end)).await;
        assert!(settled.is_empty());
        let said = recorded.messages().concat();
        assert_eq!(said.contains("open records are no longer listed"), open == 2, "{said}");

        let kept = serde_json::to_value(following.checkpoint()).unwrap();
        assert_eq!(kept["open"].as_array().unwrap().len(), open);
    }
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_is_gone_and_stood_alone_is_forgotten_at_the_cost_of_few_requests() {
    let endpoint = serve_old(40, 2 * DAY, |n| (n != 20).then_some(0));
    endpoint.change(|service| service.largest_page = 2);
    let mut following = list(&endpoint, every());
    assert!(settled_until(&mut following, &endpoint, 65).await.is_empty());
    endpoint.change(|service| service.records[20].removed = Some(seconds(65)));
    let before = endpoint.count();

    assert!(settled_until(&mut following, &endpoint, 185).await.is_empty());

    let kept = serde_json::to_value(following.checkpoint()).unwrap();
    assert_eq!(kept["open"], json!([]));
    // There are twelve rounds of one request each, and two rechecks, which reach back a second, a
    // minute, an hour and a day.
    let count = endpoint.count() - before;
    assert!(count <= 12 + 2 * 5, "{count}");
}

#[tokio::test(start_paused = true)]
async fn a_recheck_keeps_its_interval_though_one_round_takes_longer_than_the_next() {
    let endpoint = serve_old(3, DAY, |n| (n == 0).then_some(3_000));
    endpoint.change(|service| service.takes = seconds(5)..=seconds(5));
    let mut following = list(&endpoint, Follow::every(seconds(3_600)));
    assert!(settled_until(&mut following, &endpoint, 100).await.is_empty());
    endpoint.change(|service| service.takes = seconds(1)..=seconds(1));

    assert_eq!(settled_until(&mut following, &endpoint, 3_700).await, [0]);
}

#[tokio::test(start_paused = true)]
async fn an_open_record_that_a_recheck_has_listed_before_it_failed_was_not_missed_twice_in_a_row() {
    let endpoint = serve_old(4, 2 * DAY, |n| (n == 0).then_some(900));
    endpoint.change(|service| {
        (service.largest_page, service.takes) = (1, seconds(1)..=seconds(1));
    });
    let once = || list(&endpoint, Follow::every(seconds(1_000)).recheck(seconds(9_000)));
    let hide = |hidden: bool| {
        endpoint.change(|service| service.records[0].removed = hidden.then_some(seconds(1)));
    };
    let mut following = once();
    assert!(settled_until(&mut following, &endpoint, 50).await.is_empty());
    hide(true);
    following = once().resume(following.checkpoint());
    assert!(settled_until(&mut following, &endpoint, 100).await.is_empty());

    // The round sends two requests. The third request lists the record, and the fourth one fails.
    hide(false);
    following = once().resume(following.checkpoint());
    let fourth = endpoint.elapsed() + seconds(3);
    endpoint.change(|service| service.down = vec![fourth..fourth + seconds(1)]);
    assert_eq!(following.next().await.unwrap().unwrap_err().kind(), ErrorKind::Transport);
    hide(true);
    following = once().resume(following.checkpoint());
    assert!(settled_until(&mut following, &endpoint, 200).await.is_empty());
    hide(false);
    sleep(seconds(700)).await;

    following = once().resume(following.checkpoint());
    assert_eq!(settled_until(&mut following, &endpoint, 950).await, [0]);
}
