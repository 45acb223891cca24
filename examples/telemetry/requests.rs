//! Measures each request, and adds a `traceparent` header with the current trace.

use std::{collections::HashMap, time::Instant};

use digital_assets::reqwest::{Request, Response};
use opentelemetry::{KeyValue, metrics::Meter, propagation::TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tower::{Service, ServiceExt, service_fn};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use super::measurement::{Measurement, duration};

pub(crate) fn measured<S>(
    inner: S,
    meter: &Meter,
) -> impl Service<Request, Response = Response, Error = S::Error, Future: Send>
+ Clone
+ Send
+ Sync
+ use<S>
where
    S: Service<Request, Response = Response, Error: Send, Future: Send> + Clone + Send + Sync,
{
    let duration = duration(meter);
    service_fn(move |mut request: Request| {
        // The client calls this service inside the span of the attempt.
        let (mut headers, span) = (HashMap::new(), tracing::Span::current());
        TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
        request.headers_mut().extend(http::HeaderMap::try_from(&headers).unwrap_or_default());
        let text = |name, value: &str| KeyValue::new(name, value.to_owned());
        let mut attributes = vec![text("http.request.method", request.method().as_str())];
        let url = request.url();
        attributes.extend(url.host_str().map(|host| text("server.address", host)));
        let port = url.port_or_known_default().map(i64::from);
        attributes.extend(port.map(|port| KeyValue::new("server.port", port)));
        let (start, failure) = (Instant::now(), Some("cancelled".to_owned()));
        let mut measurement =
            Measurement { start, duration: duration.clone(), attributes, failure };
        let response = inner.clone().oneshot(request);
        async move {
            let result = response.await;
            let status = result.as_ref().ok().map(Response::status);
            let failure = status.map_or_else(
                || Some("_OTHER".to_owned()),
                |status| {
                    let failed = status.is_client_error() || status.is_server_error();
                    failed.then(|| status.as_str().to_owned())
                },
            );
            measurement.failure = failure;
            let status = status.map(|status| i64::from(status.as_u16()));
            let status = status.map(|status| KeyValue::new("http.response.status_code", status));
            measurement.attributes.extend(status);
            result
        }
    })
}
