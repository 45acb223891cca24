//! Generates and checks on-chain addresses in the format of each network.

use oas_client::sandbox::{Parameters, Random, Rejection};

use crate::types::CryptoNetwork;

/// Rejects a request if a network in the parameter `name` contains a comma. No network's name has a
/// comma, so the client has probably joined several names, and the filter wouldn't match any
/// record.
pub(super) fn check_networks(parameters: &Parameters, name: &str) -> Result<(), Rejection> {
    if parameters.entries(name).iter().any(|network| network.contains(',')) {
        let detail = format!("{name} contains a comma; send the parameter once per network");
        return Err(Rejection::parameter(name, detail));
    }
    Ok(())
}

const HEX: &str = "0123456789abcdef";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BECH32: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const BASE58: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Returns whether an address on one network is also valid on the other network.
pub(super) fn is_shared(one: &CryptoNetwork, other: &CryptoNetwork) -> bool {
    one == other || (is_evm(one) && is_evm(other))
}

/// Returns whether this is an EVM network. All EVM networks use the same address format.
fn is_evm(network: &CryptoNetwork) -> bool {
    matches!(
        network,
        CryptoNetwork::Ethereum
            | CryptoNetwork::PolygonPos
            | CryptoNetwork::Base
            | CryptoNetwork::ArbitrumOne
            | CryptoNetwork::Ink
            | CryptoNetwork::Xlayer
    )
}

pub(super) fn random(network: &CryptoNetwork, random: &mut Random) -> String {
    let (prefix, alphabet, length) = match network {
        CryptoNetwork::Bitcoin => ("bc1q", BECH32, 38),
        CryptoNetwork::BitcoinCash => ("bitcoincash:q", BECH32, 41),
        CryptoNetwork::Litecoin => ("ltc1q", BECH32, 38),
        CryptoNetwork::Stellar => ("G", BASE32, 55),
        CryptoNetwork::Solana => return wallet_account(random),
        _ => ("0x", HEX, 40),
    };
    format!("{prefix}{}", random.text(alphabet, length))
}

/// Generates a random 32-byte address as 43 Base58 digits. The first digit is from the second half
/// of the alphabet, so that the address never decodes to fewer than 32 bytes.
fn wallet_account(random: &mut Random) -> String {
    random.text(&BASE58[BASE58.len() / 2..], 1) + &random.text(BASE58, 42)
}

/// Returns whether the text has the format of an address on this network. Always true for networks
/// other than Solana and the EVM networks.
pub(super) fn is_valid(network: &CryptoNetwork, text: &str) -> bool {
    if is_evm(network) {
        let digits = text.strip_prefix("0x").unwrap_or_default();
        return digits.len() == 40 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    }
    if *network == CryptoNetwork::Solana {
        return (32..=44).contains(&text.len()) && text.chars().all(|digit| BASE58.contains(digit));
    }
    true
}
