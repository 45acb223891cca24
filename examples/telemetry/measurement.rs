//! A histogram of the durations of requests, with OpenTelemetry attributes.

use std::time::Instant;

use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

/// The recommended bucket boundaries, in seconds:
/// <https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpclientrequestduration>
const BOUNDARIES: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

pub(crate) fn duration(meter: &Meter) -> Histogram<f64> {
    let duration = meter.f64_histogram("http.client.request.duration").with_unit("s");
    duration.with_boundaries(BOUNDARIES.to_vec()).build()
}

/// The measurement of a request. The duration is recorded when this value is dropped, so requests
/// that the client cancels are recorded as well.
pub(crate) struct Measurement {
    pub(crate) start: Instant,
    pub(crate) duration: Histogram<f64>,
    pub(crate) attributes: Vec<KeyValue>,
    pub(crate) failure: Option<String>,
}

impl Drop for Measurement {
    fn drop(&mut self) {
        let failure = self.failure.take().map(|failure| KeyValue::new("error.type", failure));
        self.attributes.extend(failure);
        self.duration.record(self.start.elapsed().as_secs_f64(), &self.attributes);
    }
}
