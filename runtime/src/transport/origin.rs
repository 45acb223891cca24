//! An address to which secrets may be sent, and the HTTP client that sends them.

use std::{net::IpAddr, time::Duration};

use reqwest::{Client, Url, redirect, retry};

use super::Tls;
use crate::Error;

/// The interval between pings on an HTTP/2 connection in use, and the time limit for the reply to a
/// ping.
#[cfg(feature = "http2")]
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The HTTP/2 flow-control window for one response: the number of bytes that the service may send
/// before the client reads them.
#[cfg(feature = "http2")]
const STREAM_WINDOW: u32 = 1 << 20;

/// The HTTP/2 flow-control window for all responses on a connection together. This is the maximum
/// that HTTP/2 allows, so that an unread response fills only its own window and doesn't block other
/// calls.
#[cfg(feature = "http2")]
const CONNECTION_WINDOW: u32 = (1 << 31) - 1;

/// The maximum number of header fields in a response. hyper's default of 100 fields may not be
/// enough, because proxies add their own fields.
const MAX_HEADERS: usize = 1_000;

/// An address to which secrets may be sent.
#[derive(Clone)]
pub(crate) struct Origin {
    pub url: Url,
    name: &'static str,
}

/// Whether requests reuse open connections or open new connections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connections {
    Kept,
    Fresh,
}

impl Origin {
    /// Parses an address. In error messages, the address is called `name`.
    ///
    /// # Errors
    ///
    /// `Configuration` if the address isn't an absolute URL, if it is neither https nor loopback,
    /// or if it contains a user name, a password or a fragment. The message doesn't quote the
    /// address, because the address may contain a password.
    pub(crate) fn parse(name: &'static str, text: &str) -> Result<Self, Error> {
        let refused = |why| Error::configuration(format!("{name} {why}"));
        let url = Url::parse(text).map_err(|e| refused("is not an absolute URL").caused_by(e))?;
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(&url)) {
            return Err(refused("is neither https nor loopback"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("contains a user name or a password"));
        }
        if url.fragment().is_some() {
            return Err(refused("contains a fragment"));
        }
        Ok(Self { url, name })
    }

    /// Builds an HTTP client for this address. The client sends each request only once: it doesn't
    /// follow redirects or retry requests.
    ///
    /// # Errors
    ///
    /// `Configuration` if TLS or the user agent can't be set up.
    pub(crate) fn http_client(
        &self,
        tls: &Tls,
        connect_timeout: Duration,
        user_agent: &str,
        connections: Connections,
        http1_only: bool,
    ) -> Result<Client, Error> {
        let builder = || {
            let mut client = Client::builder()
                .redirect(redirect::Policy::none())
                .retry(retry::never())
                .connect_timeout(connect_timeout)
                .user_agent(user_agent)
                // Another crate may have enabled reqwest's own decompression.
                .no_gzip()
                // Some services fold long header lines (RFC 9112, section 5.2).
                .http1_allow_obsolete_multiline_headers_in_responses(true)
                .http1_max_headers(MAX_HEADERS);
            if is_loopback(&self.url) {
                // A proxy would send the secret to another machine, unencrypted.
                client = client.no_proxy();
            }
            // If the server is gone or frozen, it doesn't reply to pings. The connection is then
            // closed, instead of blocking all requests on it.
            #[cfg(feature = "http2")]
            {
                let keep_alive = client.http2_keep_alive_interval(KEEP_ALIVE);
                client = keep_alive
                    .http2_keep_alive_timeout(KEEP_ALIVE)
                    .http2_initial_stream_window_size(STREAM_WINDOW)
                    .http2_initial_connection_window_size(CONNECTION_WINDOW);
            }
            if connections == Connections::Fresh {
                client = client.pool_max_idle_per_host(0);
            }
            if http1_only {
                client = client.http1_only();
            }
            client
        };
        // reqwest rejects the TLS settings if it uses a different version of rustls. The client
        // then uses reqwest's own settings.
        let client = tls.add_to(builder(), http1_only)?.build().or_else(|_| builder().build());
        client.map_err(|error| {
            let message = format!("the HTTP client for {} can't be built", self.name);
            Error::configuration(message).caused_by(error)
        })
    }
}

fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
