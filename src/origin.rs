//! An address that a secret may be sent to.

use reqwest::Url;

use crate::Error;

/// An address that a secret may be sent to.
pub(crate) struct Origin {
    pub url: Url,
    name: &'static str,
}

impl Origin {
    /// # Errors
    ///
    /// `Configuration` where it is neither https nor loopback, or carries a password. The address
    /// isn't quoted: it may hold one.
    pub(crate) fn parse(name: &'static str, text: &str) -> Result<Self, Error> {
        let refused = |why| Error::configuration(format!("{name} {why}"));
        let url = Url::parse(text).map_err(|e| refused("is not an absolute URL").caused_by(e))?;
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(&url)) {
            return Err(refused("is neither https nor loopback"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refused("has a user name or a password in it"));
        }
        if url.fragment().is_some() {
            return Err(refused("has a fragment"));
        }
        Ok(Self { url, name })
    }

    pub(crate) fn without_query(self) -> Result<Self, Error> {
        match self.url.query() {
            None => Ok(self),
            Some(_) => Err(Error::configuration(format!("{} has a query", self.name))),
        }
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}
