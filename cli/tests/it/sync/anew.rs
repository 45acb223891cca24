//! `sync --force`, for a sync that can't continue where it stopped.

use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox},
};

use super::{Books, sqlite};
use crate::tool::Tool;

const LIST: Operation = operation::LIST_MONITORING_ADDRESSES;
const SYNC: [&str; 6] =
    ["sync", "list-monitoring-addresses", "--to", "sqlite:books.db", "--limit", "50"];

async fn begun(name: &str) -> Tool {
    let tool = Tool::with(Sandbox::builder(), name).await;
    let run = tool.run_failing(3, LIST, &SYNC).await;
    assert!(!run.stderr.contains("--force"), "{run:?}");
    tool
}

async fn begins_anew_by_force(tool: &Tool) {
    tool.run(&[&SYNC[..], &["--force"]].concat()).await.succeeds();

    assert_eq!(sqlite(tool, "SELECT id FROM monitoring_addresses").len(), 400);
}

#[tokio::test]
async fn a_cursor_that_the_service_refuses_costs_no_record() {
    let expired = || Fault::Body(400, r#"{"detail":"page_cursor has expired"}"#.into());
    let tool = begun("cursor-refused").await;
    tool.sandbox.fault(LIST, expired());

    tool.run(&SYNC).await.succeeds();

    assert_eq!(sqlite(&tool, "SELECT id FROM monitoring_addresses").len(), 400);
}

#[tokio::test]
async fn a_listing_that_the_service_refuses_is_left_behind_by_force() {
    let tool = begun("listing-refused").await;
    // The service rejects the request with the saved cursor, and then the request without a cursor.
    for _ in 0..2 {
        tool.sandbox.fault(LIST, Fault::Body(400, r#"{"detail":"no such listing"}"#.into()));
    }

    tool.run(&SYNC).await.says(1, "no such listing").tells("--force");
    begins_anew_by_force(&tool).await;
}

#[tokio::test]
async fn a_state_that_cant_be_read_is_left_behind_by_force() {
    let tool = begun("state-unread").await;

    for state in ["?", r#"{"Listing":7}"#] {
        tool.execute(&format!("UPDATE digital_assets_syncs SET state = '{state}'"));
        let run = tool.run(&SYNC).await;

        assert_eq!((run.status, run.stderr.lines().count()), (Some(1), 1), "{state}: {run:?}");
        assert!(run.stderr.contains("--force"), "{state}: {run:?}");
    }
    begins_anew_by_force(&tool).await;
}
