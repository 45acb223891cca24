//! Calls as OpenTelemetry sees them: the client's spans, `traceparent` on each request, and the
//! duration of each request by the semantic conventions for HTTP clients. On stdout; a service
//! would have an OTLP exporter in its place.
//!
//! ```console
//! cargo run --example telemetry
//! ```

#![allow(clippy::print_stdout)]

use std::{
    error::Error,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use digital_assets::{
    operation,
    reqwest::{Request, Response, header::HeaderMap},
    sandbox::{Fault, Sandbox},
};
use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter, MeterProvider},
    propagation::{Injector, TextMapPropagator},
    trace::TracerProvider,
};
use opentelemetry_sdk::{
    Resource, metrics::SdkMeterProvider, propagation::TraceContextPropagator,
    trace::SdkTracerProvider,
};
use tower_service::Service;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::{Layer, filter::filter_fn, layer::SubscriberExt};

/// Counts the seconds of each request, and tells the service which trace it belongs to.
#[derive(Clone)]
pub(crate) struct Telemetry<S> {
    inner: S,
    duration: Histogram<f64>,
}

impl<S> Telemetry<S> {
    pub(crate) fn new(inner: S, meter: &Meter) -> Self {
        // https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpclientrequestduration
        let duration = meter.f64_histogram("http.client.request.duration").with_unit("s");
        let bounds =
            vec![0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
        Self { inner, duration: duration.with_boundaries(bounds).build() }
    }
}

impl<S> Service<Request> for Telemetry<S>
where
    S: Service<Request, Response = Response>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        // The client calls its service within the span of the attempt.
        let trace = tracing::Span::current().context();
        let headers = &mut Headers(request.headers_mut());
        TraceContextPropagator::new().inject_context(&trace, headers);

        let mut attributes =
            vec![KeyValue::new("http.request.method", request.method().as_str().to_owned())];
        if let Some(host) = request.url().host_str() {
            attributes.push(KeyValue::new("server.address", host.to_owned()));
        }
        if let Some(port) = request.url().port_or_known_default() {
            attributes.push(KeyValue::new("server.port", i64::from(port)));
        }
        let duration = self.duration.clone();
        let failure = Some("cancelled".to_owned());
        let mut measured = Measured { start: Instant::now(), duration, attributes, failure };
        let response = self.inner.call(request);
        Box::pin(async move {
            let result = response.await;
            let status = result.as_ref().ok().map(Response::status);
            measured.failure = match status {
                Some(status) if status.is_client_error() || status.is_server_error() => {
                    Some(status.as_str().to_owned())
                }
                Some(_) => None,
                None => Some("_OTHER".to_owned()),
            };
            let status = status.map(|status| i64::from(status.as_u16()));
            let status = status.map(|it| KeyValue::new("http.response.status_code", it));
            measured.attributes.extend(status);
            result
        })
    }
}

/// A request, which is counted when it ends, however it does: at its deadline, or when its caller
/// goes, the client drops it.
struct Measured {
    start: Instant,
    duration: Histogram<f64>,
    attributes: Vec<KeyValue>,
    failure: Option<String>,
}

impl Drop for Measured {
    fn drop(&mut self) {
        let failure = self.failure.take().map(|it| KeyValue::new("error.type", it));
        self.attributes.extend(failure);
        self.duration.record(self.start.elapsed().as_secs_f64(), &self.attributes);
    }
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, name: &str, value: String) {
        if let (Ok(name), Ok(value)) = (name.parse::<http::HeaderName>(), value.try_into()) {
            self.0.insert(name, value);
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let resource = || Resource::builder().with_service_name("back-office").build();
    let spans = SdkTracerProvider::builder()
        .with_resource(resource())
        .with_simple_exporter(opentelemetry_stdout::SpanExporter::default())
        .build();
    let metrics = SdkMeterProvider::builder()
        .with_resource(resource())
        .with_periodic_exporter(opentelemetry_stdout::MetricExporter::default())
        .build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(spans.tracer("telemetry"))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(filter_fn(|metadata| metadata.target().starts_with("oas_client")));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))?;

    let sandbox = Sandbox::builder().build();
    sandbox.fault(operation::LIST_MONITORING_ADDRESSES, Fault::Status(503));
    let service = Telemetry::new(sandbox.http_service(), &metrics.meter("telemetry"));
    let client = sandbox.client_builder().http_service(service).build()?;
    let page = client.list_monitoring_addresses().limit(2).send().await?;
    println!("{} addresses\n", page.addresses.len());

    spans.shutdown()?;
    metrics.shutdown()?;
    Ok(())
}
