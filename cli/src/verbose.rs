//! `--verbose`: prints a line on stderr for each request, from the `tracing` spans that the crate
//! records. The spans contain no secrets and no filter values.

use std::{fmt::Debug, time::Instant};

use tracing::{
    Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer, Registry,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

use crate::stdout;

/// Starts printing a line for each request that the process sends.
pub(crate) fn begin() {
    let _ = tracing::subscriber::set_global_default(Registry::default().with(Lines));
}

struct Lines;

/// The data about one request, from its span.
struct Request {
    begun: Instant,
    method: String,
    path: String,
    attempt: i64,
    status: Option<i64>,
    error: Option<String>,
    id: Option<String>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let (method, path) = match attributes.metadata().name() {
            "attempt" => (String::new(), String::new()),
            "token" => ("POST".to_owned(), "the token endpoint".to_owned()),
            _ => return,
        };
        let begun = Instant::now();
        let mut request =
            Request { begun, method, path, attempt: 1, status: None, error: None, id: None };
        attributes.record(&mut request);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(request);
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(request) = span.extensions_mut().get_mut::<Request>() {
            values.record(request);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(request) = span.extensions_mut().remove::<Request>() {
            request.say();
        }
    }
}

impl Request {
    fn say(self) {
        let Self { begun, method, path, attempt, status, error, id } = self;
        let outcome = match (status, error) {
            (Some(status), _) => status.to_string(),
            (None, Some(error)) => error,
            (None, None) => "given up".to_owned(),
        };
        let id = id.map(|id| format!(", request id {id}")).unwrap_or_default();
        let took = begun.elapsed().as_millis();
        stdout::say(&format!("{method} {path}: {outcome} in {took} ms, attempt {attempt}{id}"));
    }
}

impl Visit for Request {
    fn record_i64(&mut self, field: &Field, value: i64) {
        match field.name() {
            "http.request.resend_count" => self.attempt = value + 1,
            "http.response.status_code" => self.status = Some(value),
            _ => {}
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let of = match field.name() {
            "http.request.method" => &mut self.method,
            "url.template" => &mut self.path,
            "error.type" => self.error.insert(String::new()),
            "http.response.header.x-request-id" => self.id.insert(String::new()),
            _ => return,
        };
        value.escape_default().to_string().clone_into(of);
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}
