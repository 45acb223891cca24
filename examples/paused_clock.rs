//! Tests a program against a service that fails. Tokio's clock is paused, so waits take no time.
//!
//! ```console
//! cargo test -p integration-tests --example paused_clock
//! ```

use std::time::Duration;

use digital_assets::{CallOptions, Client, Error, sandbox::Sandbox, types::Market};

/// Returns the price of the latest execution in a market, if there is one. The call times out after
/// ten seconds.
pub(crate) async fn last_price(
    client: &Client,
    profile: &str,
    market: Market,
) -> Result<Option<String>, Error> {
    let client = client.with_options(CallOptions::new().call_timeout(Duration::from_secs(10)));
    let list = client.list_quote_executions().profile_id(profile).market(market).limit(1);
    Ok(list.send().await?.items.first().map(|execution| execution.price.to_string()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let sandbox = Sandbox::builder().build();
    let profile = sandbox.profile_id().to_string();
    last_price(&sandbox.client()?, &profile, Market::BtcUsd).await.map(drop)
}

#[cfg(test)]
mod tests {
    use digital_assets::{ErrorKind, operation::LIST_QUOTE_EXECUTIONS, sandbox::Fault};
    use tokio::time::Instant;

    use super::*;

    async fn last_price_after(faults: &[Fault]) -> (Result<Option<String>, Error>, Duration) {
        let sandbox = Sandbox::builder().build();
        for fault in faults {
            sandbox.fault(LIST_QUOTE_EXECUTIONS, fault.clone());
        }
        let (client, profile) = (sandbox.client().unwrap(), sandbox.profile_id().to_string());
        let start = Instant::now();
        (last_price(&client, &profile, Market::BtcUsd).await, start.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_limit_is_waited_for() {
        let retry_after = Some(Duration::from_secs(4));
        let (price, took) = last_price_after(&[Fault::TooManyRequests { retry_after }]).await;
        assert!(price.unwrap().is_some() && took >= Duration::from_secs(4), "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_service_is_a_timeout_after_ten_seconds() {
        let (price, took) = last_price_after(&[Fault::Silence, Fault::Silence]).await;
        assert_eq!((price.unwrap_err().kind(), took.as_secs()), (ErrorKind::Timeout, 10));
    }
}
