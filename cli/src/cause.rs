//! Error messages that say why a server couldn't be reached, and which setting to check.

use std::{
    env,
    error::Error,
    io::{self, ErrorKind},
    sync::OnceLock,
};

use digital_assets::reqwest::Url;

/// A server: its URL, and the name of the setting that contains the URL.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub setting: &'static str,
    pub url: String,
}

/// The service and the token endpoint, for error messages.
static ENDPOINTS: OnceLock<[Endpoint; 2]> = OnceLock::new();

/// Stores the service and the token endpoint for later error messages.
pub(crate) fn remember(service: Endpoint, tokens: Endpoint) {
    let _ = ENDPOINTS.set([service, tokens]);
}

/// Returns the reason why a server couldn't be reached: the token endpoint if `of_token` is true,
/// otherwise the service. Returns `None` if the error has another cause.
pub(crate) fn found(error: &(dyn Error + 'static), of_token: bool) -> Option<String> {
    let [service, tokens] = ENDPOINTS.get()?;
    if of_token { tokens.cause(error) } else { service.cause(error) }
}

impl Endpoint {
    /// Returns the reason why this server couldn't be reached. Returns `None` if the error has
    /// another cause.
    pub(crate) fn cause(&self, error: &(dyn Error + 'static)) -> Option<String> {
        let (host, setting) = (host(&self.url), self.setting);
        let chain: Vec<_> = std::iter::successors(Some(error), |&error| error.source()).collect();
        let says = |words: &[&str]| {
            let mut texts = chain.iter().map(ToString::to_string);
            texts.find(|text| words.iter().any(|word| text.contains(word)))
        };
        let last = || chain.last().map(ToString::to_string).unwrap_or_default();
        let is_refused = chain.iter().any(|error| {
            let error = error.downcast_ref::<io::Error>();
            error.is_some_and(|error| error.kind() == ErrorKind::ConnectionRefused)
        });
        Some(if says(&["tunnel", "proxy"]).is_some() {
            let proxy = proxy().map(|proxy| format!(" {proxy}")).unwrap_or_default();
            format!(
                "can't connect to {host} through the proxy{proxy}: {}; check HTTPS_PROXY",
                last()
            )
        } else if says(&["dns error", "lookup address"]).is_some() {
            format!("the host name {host} can't be resolved; check {setting} and the network")
        } else if let Some(reason) = says(&["invalid peer certificate", "certificate verify"]) {
            let reason = reason.trim_start_matches("invalid peer certificate: ");
            format!(
                "the certificate of {host} was rejected: {reason}; check {setting}, or set \
                 SSL_CERT_FILE to the CA certificate"
            )
        } else if is_refused {
            format!("the connection to {host} was refused; check {setting} and the network")
        } else {
            return None;
        })
    }
}

/// The host of a URL, with the port if the URL contains one.
fn host(url: &str) -> String {
    let Ok(url) = url.parse::<Url>() else { return url.to_owned() };
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The host of the proxy from the environment. `None` if no proxy is set.
fn proxy() -> Option<String> {
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    names.iter().find_map(|name| env::var(name).ok()).map(|url| host(&url))
}
