//! The duration of a request, as a histogram by its attributes.

use std::time::Instant;

use opentelemetry::{
    KeyValue,
    metrics::{Histogram, Meter},
};

/// <https://opentelemetry.io/docs/specs/semconv/http/http-metrics/#metric-httpclientrequestduration>
const BOUNDARIES: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

pub(crate) fn duration(meter: &Meter) -> Histogram<f64> {
    let duration = meter.f64_histogram("http.client.request.duration").with_unit("s");
    duration.with_boundaries(BOUNDARIES.to_vec()).build()
}

/// A request, which is counted when it ends. The client drops it at its deadline, or when its
/// caller goes.
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
