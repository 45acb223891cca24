//! One request to a token endpoint, and what comes of it (RFC 6749, section 4.4).

use std::time::Duration;

use reqwest::{
    Method, Request, Url,
    header::{ACCEPT, CONTENT_TYPE, HeaderValue},
};
use tokio::time::{Instant, timeout_at};

use crate::{
    AccessToken, Error,
    auth::{
        answer::{self, error_code, failed, granted, is_cut_off, refusal},
        client_authentication::{AuthStyle, Credential},
    },
    http::{HttpService, ends_with_connection},
};

/// A working token endpoint answers within seconds.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Sends a token request and reads the answer.
pub(super) async fn ask(http: &HttpService, request: Request) -> Result<AccessToken, Error> {
    let end = Instant::now() + TIMEOUT;
    let exchange = async {
        let mut response = http.send(request, None).await?;
        let ends_with_connection = ends_with_connection(&response);
        let body = answer::body(&mut response, end).await?;
        Ok((response, ends_with_connection, body))
    };
    let late = Error::token("the token endpoint did not answer within 15 s").transient(true);
    let (response, ends_with_connection, body) = timeout_at(end, exchange)
        .await
        .map_err(|_| late)?
        .map_err(|error: Error| error.into_token("the request to the token endpoint failed"))?;
    let Some(body) = body else {
        return Err(failed(&response, "the token endpoint's answer is too large: it answered"));
    };
    if !response.status().is_success() {
        return Err(refusal(&response, &body));
    }
    if is_cut_off(response.status(), ends_with_connection, &body) {
        let cut = failed(&response, "the token endpoint's answer is cut off: it answered");
        return Err(cut.transient(true));
    }
    // Some endpoints refuse with 200.
    let token = granted(&body).map_err(|why| failed(&response, why).oauth(error_code(&body)))?;
    let status = i64::from(response.status().as_u16());
    // An error has its own.
    tracing::Span::current().record("http.response.status_code", status);
    Ok(token)
}

/// A token request (RFC 6749, section 4.4.2).
pub(super) fn request(
    url: Url,
    client_id: &str,
    style: AuthStyle,
    scopes: &[&str],
    credential: &Credential,
) -> Request {
    let mut request = Request::new(Method::POST, url);
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "client_credentials");
    form.append_pair("scope", &scopes.join(" "));
    credential.add_to(&mut form, headers, client_id, style);
    *request.body_mut() = Some(form.finish().into());
    request
}
