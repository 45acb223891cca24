//! Tests of batches, which contain all records that are available without further waiting.

use virtual_service::Fault;

use super::{
    shaped,
    walk::{Walk, asking, kept, number, numbers},
};
use crate::prelude::*;

#[tokio::test(start_paused = true)]
async fn batches_hold_what_is_there_and_never_nothing() {
    let endpoint = shaped("even", 250).serve();
    let list = || Walk::ALONE.items(&asking(&endpoint));
    let one_by_one = Walk::ALONE.expected(&endpoint);
    for max in [0, 1, 7, 99, 100, 1_000] {
        let (mut items, mut batched) = (list(), Vec::new());
        while let Some(batch) = items.next_batch(max).await {
            let batch = batch.unwrap();
            assert!((1..=max.max(1)).contains(&batch.len()), "{max}: {}", batch.len());
            batched.extend(batch.iter().map(number));
            // The checkpoint points past the whole batch, so a resumed listing continues with the
            // next record.
            let mut rest = list().resume(kept(&items.checkpoint()));
            let next = one_by_one[batched.len()..].iter().take(1);
            assert!(numbers(&mut rest, 1).await.unwrap().iter().eq(next), "{max}");
        }

        assert_eq!(batched, one_by_one);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_comes_behind_the_batch_before_it() {
    let endpoint = shaped("even", 250).serve();
    // The request for the first page succeeds, and the request for the second page fails.
    endpoint.fault(Fault::Late(Duration::ZERO));
    endpoint.fault(Fault::Status(503, None));
    let mut items = Walk::ALONE.items(&asking(&endpoint));

    let (mut records, mut errors) = (0, Vec::new());
    while let Some(batch) = items.next_batch(1_000).await {
        match batch {
            Ok(batch) => records += batch.len(),
            Err(error) => errors.push(error.kind()),
        }
    }

    assert_eq!((records, errors), (250, vec![ErrorKind::Status]));
}
