//! What is recorded of a request for a token, and where.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use digital_assets::{AccessToken, BoxFuture, Error, TokenSource};
use tracing::{
    Event, Metadata, Subscriber,
    instrument::WithSubscriber,
    span::{Attributes, Id, Record},
};

use crate::{Environment, list, log, server::json};

#[tokio::test]
async fn what_a_source_records_belongs_to_the_span_of_its_request() {
    struct Sealed;

    impl TokenSource for Sealed {
        fn token<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<AccessToken, Error>> {
            tracing::info!("asking the vault");
            Box::pin(async { Err(Error::token("the vault is sealed")) })
        }
    }

    let env = Environment::with([], |client| client.credentials(Sealed));
    log::start();
    list(&env.client).await.expect_err("sealed");
    let recorded = log::stop();

    assert_eq!(recorded.spans("token")[0].field("error.type"), Some("token"));
    let asking = recorded.entries.iter().find(|it| it.field("message") == Some("asking the vault"));
    let parent =
        asking.and_then(|asking| asking.parent).map(|parent| recorded.entries[parent].name);
    assert_eq!(parent, Some("token"));
}

#[tokio::test]
async fn a_request_for_a_token_is_recorded_where_its_call_is() {
    /// Notes what this crate's tokens record.
    struct Noting(Arc<AtomicBool>);

    impl Subscriber for Noting {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            if event.metadata().target().starts_with("digital_assets::auth") {
                self.0.store(true, Ordering::Relaxed);
            }
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    let env = Environment::playing([json(200, "{}")]);
    let noted = Arc::new(AtomicBool::new(false));
    // Another thread's callsites reach a subscriber of one future only beside one for all.
    log::start();

    let call = list(&env.client).with_subscriber(Noting(Arc::clone(&noted)));
    call.await.expect("a page");

    assert!(noted.load(Ordering::Relaxed));
}
