//! What the records of all listings have in common.

use digital_assets::{
    Record,
    types::{CryptoNetwork, DepositAddress, Market, MonitoringAddress, QuoteExecution},
};

pub(crate) trait Kind: Record + Clone + PartialEq {
    /// As `Fault::UnknownEnumValue` sends it.
    fn unknown(&self) -> Self;
}

impl Kind for QuoteExecution {
    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.market = Market::from("NEWCOINUSD");
        "NEWCOIN".clone_into(&mut unknown.base_asset);
        unknown
    }
}

impl Kind for DepositAddress {
    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.crypto_network = CryptoNetwork::from("NEWNET");
        unknown.compatible_crypto_networks.push(CryptoNetwork::from("NEWNET"));
        unknown
    }
}

impl Kind for MonitoringAddress {
    fn unknown(&self) -> Self {
        let mut unknown = self.clone();
        unknown.crypto_network = CryptoNetwork::from("NEWNET");
        unknown
    }
}
