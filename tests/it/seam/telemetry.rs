//! Tests of what `examples/telemetry/` measures, and of the header that it adds to a request.

use digital_assets::sandbox::{Fault, Sandbox};
use opentelemetry::{
    metrics::MeterProvider,
    trace::{TraceContextExt, TracerProvider},
};
use opentelemetry_sdk::{
    metrics::{
        InMemoryMetricExporter, SdkMeterProvider,
        data::{AggregatedMetrics, MetricData},
    },
    trace::SdkTracerProvider,
};
use tracing::{Instrument, info_span, instrument::WithSubscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::layer::SubscriberExt;

use self::requests::measured;
use crate::prelude::*;

#[path = "../../../examples/telemetry/measurement.rs"]
mod measurement;
#[path = "../../../examples/telemetry/requests.rs"]
mod requests;

const OPERATION: Operation = operation::LIST_MONITORING_ADDRESSES;

#[tokio::test(start_paused = true)]
async fn every_request_is_counted_once_however_it_ends() {
    let exporter = InMemoryMetricExporter::default();
    let metrics = SdkMeterProvider::builder().with_periodic_exporter(exporter.clone()).build();
    let sandbox = Sandbox::builder().build();
    let service = measured(sandbox.http_service(), &metrics.meter("test"));
    let client = sandbox.client_builder().http_service(service).build().unwrap();
    let once = CallOptions::new().attempt_timeout(Duration::from_secs(1)).retry(Retry::none());
    let client = client.with_options(once);

    client.list_monitoring_addresses().send().await.unwrap();
    for fault in [Fault::Status(503), Fault::Reset, Fault::Silence] {
        sandbox.fault(OPERATION, fault);
        client.list_monitoring_addresses().send().await.unwrap_err();
    }
    metrics.force_flush().unwrap();

    // The exporter may have run earlier, so only its last result counts.
    let last = exporter.get_finished_metrics().unwrap().pop().unwrap();
    let [metric] = &last.scope_metrics().next().unwrap().metrics().collect::<Vec<_>>()[..] else {
        panic!("{last:?}")
    };
    assert_eq!((metric.name(), metric.unit()), ("http.client.request.duration", "s"));
    let AggregatedMetrics::F64(MetricData::Histogram(requests)) = metric.data() else {
        panic!("{metric:?}")
    };
    let mut ends: Vec<_> = requests
        .data_points()
        .map(|point| {
            let of = |name: &str| {
                let mut found = point.attributes().filter(|it| it.key.as_str() == name);
                found.next().map_or_else(String::new, |it| it.value.to_string())
            };
            assert_eq!(of("http.request.method"), "GET");
            assert!(!of("server.address").is_empty() && of("server.port") == "443");
            (of("http.response.status_code"), of("error.type"), point.count())
        })
        .collect();
    ends.sort();
    let expected = [("", "_OTHER", 1), ("", "cancelled", 1), ("200", "", 1), ("503", "503", 1)];
    assert_eq!(ends, expected.map(|(code, failure, n)| (code.into(), failure.into(), n)));
}

#[tokio::test(start_paused = true)]
async fn a_request_says_which_trace_it_belongs_to() {
    let spans = SdkTracerProvider::builder().build();
    let layer = tracing_opentelemetry::layer().with_tracer(spans.tracer("test"));
    let subscriber = tracing_subscriber::registry().with(layer);
    let metrics = SdkMeterProvider::builder().build();
    let memory = InMemory::always(json(200, "{}"));
    let service = measured(memory.clone(), &metrics.meter("test"));
    let client = memory.with(|client| client.http_service(service));

    let traced = async {
        let span = info_span!("mine");
        let trace = span.context().span().span_context().trace_id();
        list(&client).instrument(span).await.unwrap();
        trace
    };
    let trace = traced.with_subscriber(subscriber).await;

    let requests = memory.requests();
    let [request] = &requests[..] else { panic!("{requests:?}") };
    let parent = request.headers()["traceparent"].to_str().unwrap();
    assert!(parent.starts_with(&format!("00-{trace}-")), "{parent}");
}
