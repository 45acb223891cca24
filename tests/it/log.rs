//! Records the spans and events that this crate and its dependencies emit on a test's thread.

use std::{cell::RefCell, fmt::Debug, future::Future, sync::Once};

use tracing::{
    Event,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    Layer, Registry,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

/// All spans and events since the recording began, in order.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) entries: Vec<Entry>,
}

/// A span or an event.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The span's name; `None` for an event.
    name: Option<&'static str>,
    target: String,
    /// The parent span's name.
    pub(crate) parent: Option<&'static str>,
    fields: Fields,
}

thread_local! {
    static RECORDED: RefCell<Option<Recorded>> = const { RefCell::new(None) };
}

/// Waits for a future, and records all spans and events on this thread meanwhile, from every target
/// and at every level.
pub(crate) async fn of<T>(future: impl Future<Output = T>) -> (Recorded, T) {
    start();
    let outcome = future.await;
    (stop(), outcome)
}

pub(crate) fn start() {
    static FOR_ALL_THREADS: Once = Once::new();
    // A thread-local default subscriber can miss callsites that another thread has registered
    // first.
    FOR_ALL_THREADS.call_once(|| {
        let subscriber = Registry::default().with(Recorder);
        tracing::subscriber::set_global_default(subscriber).expect("no other subscriber");
        log::set_logger(&Recorder).expect("no other logger");
        log::set_max_level(log::LevelFilter::Trace);
    });
    // A token request that began before the subscriber was set continues without it, and disables
    // the callsites that it reaches first.
    tracing::callsite::rebuild_interest_cache();
    RECORDED.set(Some(Recorded::default()));
}

pub(crate) fn stop() -> Recorded {
    RECORDED.take().expect("a recording")
}

impl Recorded {
    pub(crate) fn spans(&self, name: &str) -> Vec<&Entry> {
        self.entries.iter().filter(|entry| entry.name == Some(name)).collect()
    }

    /// Returns this crate's events.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|it| it.name.is_none() && it.is_of("oas_client"))
    }

    /// Returns the messages of this crate's events.
    pub(crate) fn messages(&self) -> Vec<&str> {
        self.events().filter_map(|event| event.field("message")).collect()
    }
}

impl Entry {
    pub(crate) fn is_of(&self, crate_name: &str) -> bool {
        self.target.starts_with(crate_name)
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.0.iter().rev().find(|(known, _)| *known == name)?;
        Some(value)
    }
}

#[derive(Debug, Default)]
struct Fields(Vec<(&'static str, String)>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    // The suffix marks unsigned numbers, which don't exist in OpenTelemetry.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.push((field.name(), format!("{value}u64")));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push((field.name(), format!("{value:?}")));
    }
}

struct Recorder;

/// The index of a span among the recorded entries, if the span was recorded.
struct Place(Option<usize>);

fn with<T>(change: impl FnOnce(&mut Vec<Entry>) -> T) -> Option<T> {
    let change = |recorded: &mut Recorded| change(&mut recorded.entries);
    RECORDED.try_with(|recorded| recorded.try_borrow_mut().ok()?.as_mut().map(change)).ok()?
}

fn add(
    name: Option<&'static str>,
    target: &str,
    parent: Option<&'static str>,
    record: impl FnOnce(&mut Fields),
) -> Place {
    Place(with(|entries| {
        let mut fields = Fields::default();
        record(&mut fields);
        entries.push(Entry { name, target: target.to_owned(), parent, fields });
        entries.len() - 1
    }))
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Recorder {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let parent = span.parent().map(|parent| parent.name());
        let place = add(Some(span.name()), span.metadata().target(), parent, |fields| {
            attributes.record(fields);
        });
        span.extensions_mut().insert(place);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(Place(Some(place))) = span.extensions().get() {
            with(|entries| entries.get_mut(*place).map(|entry| values.record(&mut entry.fields)));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let parent = context.lookup_current().map(|parent| parent.name());
        add(None, event.metadata().target(), parent, |fields| event.record(fields));
    }
}

impl log::Log for Recorder {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let message = record.args().to_string();
        add(None, record.target(), None, |fields| fields.0.push(("message", message)));
    }

    fn flush(&self) {}
}
