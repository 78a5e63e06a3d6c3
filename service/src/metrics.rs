//! Metrics for Prometheus: counts of requests, operations, workers and bytes.
//!
//! Every label has only few different values: the label of a route is the pattern of the route, and the label of an
//! outcome is one of the known codes.

use crate::execution::WorkerCounts;
use axum::extract::MatchedPath;
use http::Method;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use recto_interface::OperationKind;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The boundaries of the histogram buckets: from the time of a small response to the time of a response that was held
/// for `Prefer: wait`.
const REQUEST_SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 15.0, 60.0];

/// The boundaries of the histogram buckets: from the time for an empty page to the time for a document of thousands of
/// pages.
const OPERATION_SECONDS: [f64; 12] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0];

/// The HTTP methods that are used as values of a label. All other methods are counted as `other`.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

/// The error codes that are used as values of the label for the outcome. All other codes are counted as `other`.
const FAILURES: &[&str] = &[
    "wrong_format",
    "damaged_document",
    "password_required",
    "wrong_password",
    "invalid_option",
    "limit_exceeded",
    "unsupported",
    "missing_program",
    "cancelled",
    "internal",
    "storage_full",
    "worker_crashed",
    "worker_unavailable",
];

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct KindLabels {
    operation: &'static str,
}

type Seconds<L> = Family<L, Histogram, fn() -> Histogram>;

/// The metrics of one service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    request_seconds: Seconds<RouteLabels>,
    operations: Family<OperationLabels, Counter>,
    operation_seconds: Seconds<KindLabels>,
    running: Gauge,
    waiting: Gauge,
    received: Counter,
    sent: Counter,
    workers_started: Counter,
    workers_lost: Counter,
    workers_not_started: Counter,
}

/// Values that other modules count. The endpoint of the metrics reads these values for each response.
pub(crate) struct Current {
    pub(crate) running: usize,
    pub(crate) waiting: u64,
    pub(crate) workers: WorkerCounts,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(|| Histogram::new(REQUEST_SECONDS)),
            operations: Family::default(),
            operation_seconds: Family::new_with_constructor(|| Histogram::new(OPERATION_SECONDS)),
            running: Gauge::default(),
            waiting: Gauge::default(),
            received: Counter::default(),
            sent: Counter::default(),
            workers_started: Counter::default(),
            workers_lost: Counter::default(),
            workers_not_started: Counter::default(),
        };
        metrics.registered()
    }

    fn registered(self) -> Self {
        let mut registry = Registry::with_prefix("recto");
        registry.register("http_requests", "HTTP requests", self.requests.clone());
        registry.register(
            "http_request_duration_seconds",
            "Time from the headers of a request to the headers of its response, including held requests",
            self.request_seconds.clone(),
        );
        registry.register(
            "operations",
            "Operations that ended in this process, by outcome",
            self.operations.clone(),
        );
        registry.register(
            "operation_duration_seconds",
            "Time from taking an operation out of the queue to its end, in this process",
            self.operation_seconds.clone(),
        );
        registry.register(
            "operations_running",
            "Operations that are running in this process",
            self.running.clone(),
        );
        registry.register(
            "operations_waiting",
            "Operations that are waiting in the queue",
            self.waiting.clone(),
        );
        registry.register("received_bytes", "Bytes of uploaded and fetched files", self.received.clone());
        registry.register("sent_bytes", "Bytes of downloaded files", self.sent.clone());
        registry.register("workers_started", "Worker processes started", self.workers_started.clone());
        registry.register(
            "workers_lost",
            "Worker processes that crashed, or were killed because of a limit",
            self.workers_lost.clone(),
        );
        registry.register(
            "workers_not_started",
            "Failed attempts to start a worker process",
            self.workers_not_started.clone(),
        );
        Self { registry, ..self }
    }

    /// Counts an operation that has ended. `failure` is the error code of a failed operation.
    pub(crate) fn operation_ended(&self, kind: OperationKind, failure: Option<&str>, after: Duration) {
        let known = |code: &str| FAILURES.iter().copied().find(|known| *known == code);
        let outcome = failure.map_or("finished", |code| known(code).unwrap_or("other"));
        self.operations.get_or_create(&OperationLabels { operation: kind.name(), outcome }).inc();
        self.operation_seconds
            .get_or_create(&KindLabels { operation: kind.name() })
            .observe(after.as_secs_f64());
    }

    /// Counts the bytes of a file that was received.
    pub(crate) fn received(&self, bytes: u64) {
        self.received.inc_by(bytes);
    }

    /// Counts bytes of a file that are sent.
    pub(crate) fn sent(&self, bytes: u64) {
        self.sent.inc_by(bytes);
    }

    /// The metrics as OpenMetrics text.
    pub(crate) fn text(&self, now: &Current) -> Result<String, std::fmt::Error> {
        self.running.set(i64::try_from(now.running).unwrap_or(i64::MAX));
        self.waiting.set(i64::try_from(now.waiting).unwrap_or(i64::MAX));
        // If two requests for the metrics are handled at the same time, an older count may be stored after a newer
        // count. With `fetch_max`, the counter never decreases.
        let workers = now.workers;
        self.workers_started.inner().fetch_max(workers.started, Ordering::Relaxed);
        self.workers_lost.inner().fetch_max(workers.lost, Ordering::Relaxed);
        self.workers_not_started.inner().fetch_max(workers.not_started, Ordering::Relaxed);
        let mut body = String::new();
        text::encode(&mut body, &self.registry)?;
        Ok(body)
    }

    /// Counts a request that was handled.
    pub(crate) fn request_answered(
        &self,
        method: &Method,
        route: Option<&MatchedPath>,
        status: u16,
        after: Duration,
    ) {
        let method = METHODS.iter().find(|known| **known == method.as_str()).copied().unwrap_or("other");
        let route = route.map_or("other", MatchedPath::as_str).to_owned();
        self.requests.get_or_create(&RequestLabels { method, route: route.clone(), status }).inc();
        self.request_seconds.get_or_create(&RouteLabels { route }).observe(after.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_few_values_whatever_clients_send() {
        let metrics = Metrics::new();
        for number in 0..100 {
            let method = Method::from_bytes(format!("M{number}").as_bytes()).unwrap();
            metrics.request_answered(&method, None, 404, Duration::ZERO);
            metrics.operation_ended(OperationKind::Optimize, Some(&format!("code_{number}")), Duration::ZERO);
        }
        let mut text_out = String::new();
        text::encode(&mut text_out, &metrics.registry).unwrap();
        assert!(
            text_out
                .contains("recto_http_requests_total{method=\"other\",route=\"other\",status=\"404\"} 100"),
            "{text_out}"
        );
        assert!(
            text_out.contains("recto_operations_total{operation=\"optimize\",outcome=\"other\"} 100"),
            "{text_out}"
        );
        assert!(text_out.lines().count() < 80, "{text_out}");
    }
}
