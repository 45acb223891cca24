//! Records in batches: all that are available without another wait.

use digital_assets::{
    ErrorKind, Operation, Retry,
    sandbox::{Fault, Times},
};

use super::{checkpoints::kept, id, ids, sandbox};

#[tokio::test(start_paused = true)]
async fn batches_hold_what_is_there_and_never_nothing() {
    let (sandbox, client) = sandbox(250, Times::Uniform);
    let list = || client.list_quote_executions().profile_id(sandbox.profile_id()).limit(100);
    let one_by_one = ids(list().items()).await;
    for max in [0, 1, 7, 99, 100, 1_000] {
        let mut items = list().items();
        let (mut batched, mut largest, mut smallest) = (Vec::new(), 0, usize::MAX);
        while let Some(batch) = items.next_batch(max).await {
            let batch = batch.unwrap();
            (largest, smallest) = (largest.max(batch.len()), smallest.min(batch.len()));
            batched.extend(batch.iter().map(id));
            // The checkpoint stands after the whole batch, and the last batch is not the end.
            let mut rest = list().items().resume(kept(&items.checkpoint()));
            let next = rest.next().await.map(Result::unwrap);
            assert_eq!(next.as_ref().map(id), one_by_one.get(batched.len()).cloned(), "{max}");
        }

        assert_eq!(batched, one_by_one);
        assert!(smallest > 0 && largest <= max.max(1), "{max}: {smallest} to {largest}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_comes_behind_the_batch_before_it() {
    let (sandbox, _) = sandbox(250, Times::Uniform);
    let client = sandbox.client_builder().retry(Retry::none()).build().unwrap();
    let list = client.list_quote_executions().profile_id(sandbox.profile_id()).limit(100);
    let mut items = list.items();
    let first = items.next_batch(1_000).await.unwrap().unwrap();
    sandbox.fault(Operation::ListQuoteExecutions, Fault::Status(503));

    let (mut records, mut errors) = (first.len(), 0);
    while let Some(batch) = items.next_batch(1_000).await {
        match batch {
            Ok(batch) => records += batch.len(),
            Err(error) => errors += usize::from(error.kind() == ErrorKind::Status),
        }
    }

    assert_eq!((records, errors), (250, 1));
}
