//! What the records of all listings have in common.

use chrono::{DateTime, Utc};
use digital_assets::{
    Record,
    sandbox::Sandbox,
    types::{CryptoNetwork, DepositAddress, Market, MonitoringAddress, QuoteExecution},
};
use uuid::Uuid;

/// What is the same for all of them.
macro_rules! in_sandbox {
    ($all:ident, $insert:ident) => {
        fn all(sandbox: &Sandbox) -> Vec<Self> {
            sandbox.$all().collect()
        }

        fn insert(self, sandbox: &Sandbox) {
            sandbox.$insert(self);
        }

        fn uuid(&self) -> Uuid {
            self.id
        }

        fn uuid_mut(&mut self) -> &mut Uuid {
            &mut self.id
        }

        fn time_mut(&mut self) -> &mut DateTime<Utc> {
            &mut self.created_at
        }
    };
}

pub(crate) trait Kind: Record + Clone + PartialEq + Send + 'static {
    /// All that there are, the newest first.
    fn all(sandbox: &Sandbox) -> Vec<Self>;

    fn insert(self, sandbox: &Sandbox);

    fn uuid(&self) -> Uuid;

    fn uuid_mut(&mut self) -> &mut Uuid;

    fn time_mut(&mut self) -> &mut DateTime<Utc>;

    /// As `Fault::UnknownEnumValue` sends it.
    fn unknown(&self) -> Self;
}

impl Kind for QuoteExecution {
    in_sandbox!(executions, insert_execution);

    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.market = Market::from("NEWCOINUSD");
        "NEWCOIN".clone_into(&mut unknown.base_asset);
        unknown
    }
}

impl Kind for DepositAddress {
    in_sandbox!(deposit_addresses, insert_deposit_address);

    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.crypto_network = CryptoNetwork::from("NEWNET");
        unknown.compatible_crypto_networks.push(CryptoNetwork::from("NEWNET"));
        unknown
    }
}

impl Kind for MonitoringAddress {
    in_sandbox!(monitoring_addresses, insert_monitoring_address);

    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.crypto_network = CryptoNetwork::from("NEWNET");
        unknown
    }
}
