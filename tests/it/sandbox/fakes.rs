//! Tests of records and errors made by hand, which users need for the tests of their own programs.

use chrono::{DateTime, Utc};
use digital_assets::{
    Error, ErrorKind,
    sandbox::Sandbox,
    types::{
        DepositAddress, Market, MonitoringAddressPage, QuoteExecution, QuoteExecutionPage,
        QuoteExecutionStatus, Side,
    },
};
use reqwest::StatusCode;
use uuid::Uuid;

use crate::printed;

fn execution() -> QuoteExecution {
    let created_at: DateTime<Utc> = "2025-06-01T12:00:00Z".parse().unwrap();
    QuoteExecution::builder()
        .id(Uuid::from_u128(1))
        .profile_id(Uuid::from_u128(2))
        .quote_id(Uuid::from_u128(3))
        .status(QuoteExecutionStatus::Created)
        .market(Market::BtcUsd)
        .side(Side::Buy)
        .price("64000.50".to_owned())
        .base_amount("0.015".to_owned())
        .base_asset("BTC")
        .quote_amount("960.0075".to_owned())
        .quote_asset("USD")
        .created_at(created_at)
        .try_into()
        .unwrap()
}

#[test]
fn records_of_answers_have_builders() {
    let execution = execution();
    assert_eq!((execution.price.as_ref(), execution.settled_at), ("64000.50", None));
    assert!(execution.metadata.is_empty());

    let page: QuoteExecutionPage =
        QuoteExecutionPage::builder().items(vec![execution]).total_count(1).try_into().unwrap();
    assert_eq!((page.items.len(), page.next_page_cursor), (1, None));
    let page: MonitoringAddressPage = MonitoringAddressPage::builder().try_into().unwrap();
    assert!(page.addresses.is_empty());
}

#[test]
fn a_record_without_what_identifies_it_is_not_built() {
    let built: Result<DepositAddress, _> = DepositAddress::builder().id(Uuid::nil()).try_into();

    assert!(built.unwrap_err().to_string().contains("address"));
}

#[test]
fn a_sandbox_is_made_and_filled_with_built_records_without_a_runtime() {
    let sandbox = Sandbox::builder().executions(0).build();

    sandbox.insert_execution(execution());

    assert!(sandbox.client().is_ok());
    assert_eq!(sandbox.executions().collect::<Vec<_>>(), [execution()]);
}

#[test]
fn a_fake_error_answers_as_a_real_one_of_its_kind_and_status() {
    let unavailable = StatusCode::SERVICE_UNAVAILABLE;
    for (kind, status, attempts, retryable) in [
        (ErrorKind::InvalidRequest, None, 0, false),
        (ErrorKind::Configuration, None, 0, false),
        (ErrorKind::Token, Some(StatusCode::UNAUTHORIZED), 0, false),
        (ErrorKind::Token, Some(unavailable), 0, true),
        (ErrorKind::Connect, None, 1, true),
        (ErrorKind::Timeout, None, 1, true),
        (ErrorKind::Transport, None, 1, true),
        (ErrorKind::Status, Some(StatusCode::NOT_FOUND), 1, false),
        (ErrorKind::Status, Some(StatusCode::TOO_MANY_REQUESTS), 1, true),
        (ErrorKind::Status, Some(unavailable), 1, true),
        (ErrorKind::Decode, Some(StatusCode::OK), 1, false),
        (ErrorKind::RepeatedCursor, None, 1, false),
    ] {
        let error = Error::fake(kind, status);

        let case = printed(&error);
        assert_eq!((error.kind(), error.status()), (kind, status), "{case}");
        assert_eq!((error.attempts(), error.is_retryable()), (attempts, retryable), "{case}");
        assert_eq!(error.headers().is_some(), status.is_some(), "{case}");
        assert!(!error.may_have_been_applied() && error.operation().is_none(), "{case}");
    }
}
