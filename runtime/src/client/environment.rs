//! The settings of a client in environment variables.

use std::{
    env::{self, VarError},
    fmt,
};

use super::{ClientBuilder, GeneratedClient, builder::base_url};
use crate::{AuthStyle, ClientCredentials, Error, auth::bearer, transport::Origin};

/// The settings of a client in environment variables. The name of each variable begins with a
/// prefix, which the client's package defines.
///
/// | variable | contents |
/// |---|---|
/// | `…_BASE_URL` | the base URL of the service |
/// | `…_AUTH_URL` | the URL of the token endpoint |
/// | `…_CLIENT_ID` | the id of the OAuth client |
/// | `…_CLIENT_SECRET` | the secret of the OAuth client |
/// | `…_AUTH_STYLE` | how the id and the secret are sent: `body` (the default) or `basic`; see [`AuthStyle`] |
/// | `…_PRIVATE_KEY_FILE` | the path of a private key in PEM format, which is used instead of the secret (RFC 7523): RSA (RS256), P-256 (ES256) or Ed25519 (`EdDSA`); requires the feature `private-key-jwt` |
/// | `…_KEY_ID` | the identifier of the private key (`kid`) |
/// | `…_SCOPES` | the scopes of one token for all operations, separated by spaces or commas; by default, each operation's token has the scopes of the operation |
/// | `…_TOKEN` | a bearer token, which is used instead of an OAuth client |
///
/// With `…_TOKEN`, only `…_BASE_URL` is required. With `…_PRIVATE_KEY_FILE`, the secret isn't
/// required. An empty variable counts as missing, and line breaks at the end of a value are
/// removed.
///
/// The client's `from_env` reads the variables of the process. For settings that come from
/// elsewhere, pass a function that returns the value of a variable:
///
/// ```
/// use oas_client::Environment;
/// # use second::Client;
///
/// # fn main() -> Result<(), oas_client::Error> {
/// let environment = Environment::new("PARCELS", |name| {
///     Ok(match name {
///         "PARCELS_BASE_URL" => Some("https://api.example.com".to_owned()),
///         "PARCELS_TOKEN" => Some("token".to_owned()),
///         _ => None,
///     })
/// });
/// let client: Client = environment.builder()?.build()?;
/// # Ok(())
/// # }
/// ```
pub struct Environment<'a> {
    prefix: &'a str,
    get: Box<GetVariable<'a>>,
}

type GetVariable<'a> = dyn Fn(&str) -> Result<Option<String>, Error> + 'a;

impl<'a> Environment<'a> {
    /// The names of all variables, without the prefix.
    pub const NAMES: [&'static str; 9] = [
        "BASE_URL",
        "AUTH_URL",
        "CLIENT_ID",
        "CLIENT_SECRET",
        "AUTH_STYLE",
        "PRIVATE_KEY_FILE",
        "KEY_ID",
        "SCOPES",
        "TOKEN",
    ];

    /// Reads the environment variables of the process.
    #[must_use]
    pub fn of_process(prefix: &'a str) -> Self {
        Self::new(prefix, Self::variable)
    }

    /// Reads each variable with `get`, which gets the variable's whole name and returns `None` if
    /// the variable is missing.
    pub fn new(prefix: &'a str, get: impl Fn(&str) -> Result<Option<String>, Error> + 'a) -> Self {
        Self { prefix, get: Box::new(get) }
    }

    /// The value of an environment variable of the process. `None` if the variable is missing or
    /// empty. Line breaks at the end of the value are removed.
    ///
    /// # Errors
    ///
    /// `Configuration` if the value isn't UTF-8.
    pub fn variable(name: &str) -> Result<Option<String>, Error> {
        match env::var(name) {
            Ok(value) => Ok(given(value)),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => {
                Err(Error::configuration("the value is not UTF-8").in_setting(name))
            }
        }
    }

    /// The names of the required variables that are missing.
    ///
    /// # Errors
    ///
    /// The error from reading a variable.
    pub fn missing(&self) -> Result<Vec<String>, Error> {
        let required: &[&str] = if self.get("TOKEN")?.is_some() {
            &["BASE_URL"]
        } else if self.get("PRIVATE_KEY_FILE")?.is_some() {
            &["BASE_URL", "AUTH_URL", "CLIENT_ID"]
        } else {
            &["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET"]
        };
        let mut missing = Vec::new();
        for name in required {
            if self.get(name)?.is_none() {
                missing.push(self.name(name));
            }
        }
        Ok(missing)
    }

    /// The scopes of the token for all operations. Empty if each operation has its own token.
    ///
    /// # Errors
    ///
    /// The error from reading the variable.
    pub fn scopes(&self) -> Result<Vec<String>, Error> {
        let scopes = self.get("SCOPES")?.unwrap_or_default();
        Ok(scopes.split([' ', ',']).filter(|it| !it.is_empty()).map(str::to_owned).collect())
    }

    /// The credentials of the OAuth client. `None` if a bearer token is used instead.
    ///
    /// # Errors
    ///
    /// Like those of [`builder`](Self::builder).
    pub fn credentials(&self) -> Result<Option<ClientCredentials>, Error> {
        // An invalid style is rejected even if the credentials don't need a style.
        let style = match self.get("AUTH_STYLE")?.as_deref() {
            None | Some("body") => AuthStyle::Body,
            Some("basic") => AuthStyle::Basic,
            Some(_) => return Err(self.rejected("AUTH_STYLE", "is neither body nor basic")),
        };
        if self.get("TOKEN")?.is_some() {
            return Ok(None);
        }
        let [url, id] = [self.required("AUTH_URL")?, self.required("CLIENT_ID")?];
        Origin::parse("the token URL", &url)
            .map_err(|error| error.in_setting(&self.name("AUTH_URL")))?;
        if let Some(path) = self.get("PRIVATE_KEY_FILE")? {
            return self.with_key(url, id, &path).map(Some);
        }
        let credentials = ClientCredentials::new(url, id, self.required("CLIENT_SECRET")?);
        Ok(Some(credentials.auth_style(style)))
    }

    /// A builder for a client with these settings.
    ///
    /// # Errors
    ///
    /// `Configuration` if a variable is missing or invalid. The message names the variable, or all
    /// variables that are missing, but contains no values.
    pub fn builder<C: GeneratedClient>(&self) -> Result<ClientBuilder<C>, Error> {
        let missing = self.missing()?;
        if !missing.is_empty() {
            let missing = format!("missing environment variables: {}", missing.join(", "));
            return Err(Error::configuration(missing));
        }
        let url = self.required("BASE_URL")?;
        base_url(&url).map_err(|error| error.in_setting(&self.name("BASE_URL")))?;
        let mut builder = ClientBuilder::new(C::SERVICE, url);
        if let Some(scopes) = self.get("SCOPES")?.map(|_| self.scopes()).transpose()? {
            if scopes.is_empty() {
                return Err(self.rejected("SCOPES", "contains no scope"));
            }
            builder = builder.scopes(scopes);
        }
        let Some(credentials) = self.credentials()? else {
            let token = self.required("TOKEN")?;
            if bearer(&token).is_none() {
                let why = "contains a character that a header can't contain";
                return Err(self.rejected("TOKEN", why));
            }
            return Ok(builder.bearer_token(token));
        };
        Ok(builder.credentials(credentials))
    }

    #[cfg(feature = "private-key-jwt")]
    fn with_key(&self, url: String, id: String, path: &str) -> Result<ClientCredentials, Error> {
        use crate::PemSigner;

        // The key itself must not be printed.
        if path.contains("-----BEGIN") {
            return Err(self.rejected("PRIVATE_KEY_FILE", "is a key instead of the path of a file"));
        }
        let rejected = |why: &str| self.rejected("PRIVATE_KEY_FILE", &format!("{path}: {why}"));
        let pem = std::fs::read(path).map_err(|error| rejected(&error.to_string()))?;
        let signer = PemSigner::rs256(&pem).or_else(|_| PemSigner::es256(&pem));
        let mut signer = signer
            .or_else(|_| PemSigner::eddsa(&pem))
            .map_err(|_| rejected("isn't an RSA, P-256 or Ed25519 private key in PEM format"))?;
        if let Some(key) = self.get("KEY_ID")? {
            signer = signer.with_key_id(key);
        }
        Ok(ClientCredentials::private_key_jwt(url, id, signer))
    }

    #[cfg(not(feature = "private-key-jwt"))]
    fn with_key(&self, _: String, _: String, _: &str) -> Result<ClientCredentials, Error> {
        Err(self.rejected("PRIVATE_KEY_FILE", "requires the feature `private-key-jwt`"))
    }

    fn name(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    fn get(&self, name: &str) -> Result<Option<String>, Error> {
        Ok((self.get)(&self.name(name))?.and_then(given))
    }

    fn required(&self, name: &str) -> Result<String, Error> {
        self.get(name)?.ok_or_else(|| self.rejected(name, "is missing"))
    }

    fn rejected(&self, name: &str, why: &str) -> Error {
        Error::configuration(why.to_owned()).in_setting(&self.name(name))
    }
}

/// A value without line breaks at the end, which a script may have read from a file. `None` if
/// nothing is left.
fn given(mut value: String) -> Option<String> {
    value.truncate(value.trim_end_matches(['\n', '\r']).len());
    (!value.is_empty()).then_some(value)
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}
