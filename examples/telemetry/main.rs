//! Traces and measures calls with OpenTelemetry: the client's spans, a `traceparent` header on each
//! request, and the duration of each request, according to the semantic conventions for HTTP
//! clients. This example prints the telemetry to stdout; a real service would use an OTLP exporter
//! instead.
//!
//! ```console
//! cargo run -p integration-tests --example telemetry
//! ```

#![allow(clippy::print_stdout)]

mod measurement;
mod requests;

use std::error::Error;

use digital_assets::{
    operation,
    sandbox::{Fault, Sandbox},
};
use opentelemetry::{metrics::MeterProvider, trace::TracerProvider};
use opentelemetry_sdk::{Resource, metrics::SdkMeterProvider, trace::SdkTracerProvider};
use tracing_subscriber::{Layer, filter::filter_fn, layer::SubscriberExt};

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
    let service = requests::measured(sandbox.http_service(), &metrics.meter("telemetry"));
    let client = sandbox.client_builder().http_service(service).build()?;
    let page = client.list_monitoring_addresses().limit(2).send().await?;
    println!("{} addresses\n", page.addresses.len());

    spans.shutdown()?;
    metrics.shutdown()?;
    Ok(())
}
