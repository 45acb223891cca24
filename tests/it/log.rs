//! Captures the spans and events of this crate and its dependencies on a test's thread.

use std::{
    cell::RefCell,
    fmt::{Debug, Write},
    sync::Once,
};

use tracing::{
    Event, Metadata,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_core::span::Current;

/// Everything since recording began, in order.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    pub(crate) entries: Vec<Entry>,
    /// The entered spans, the innermost last.
    entered: Vec<usize>,
}

/// A span, or an event in one.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// Of a span.
    metadata: Option<&'static Metadata<'static>>,
    pub(crate) target: String,
    /// The index of its parent span.
    pub(crate) parent: Option<usize>,
    pub(crate) fields: Vec<(&'static str, String)>,
}

thread_local! {
    static RECORDED: RefCell<Option<Recorded>> = const { RefCell::new(None) };
}

/// Records what happens on this thread, from every target at every level.
pub(crate) fn start() {
    static FOR_ALL_THREADS: Once = Once::new();
    // A thread-local default can miss callsites that another thread registered first.
    FOR_ALL_THREADS.call_once(|| {
        tracing::subscriber::set_global_default(Recorder).expect("no other subscriber");
        log::set_logger(&Recorder).expect("no other logger");
        log::set_max_level(log::LevelFilter::Trace);
    });
    // A request for a token that began before the subscriber goes on without one, and silences the
    // callsites that it is the first to reach.
    tracing_core::callsite::rebuild_interest_cache();
    RECORDED.set(Some(Recorded::default()));
}

pub(crate) fn stop() -> Recorded {
    RECORDED.take().expect("a recording")
}

impl Recorded {
    pub(crate) fn spans(&self, name: &str) -> Vec<&Entry> {
        self.entries.iter().filter(|entry| entry.is_span() && entry.name == name).collect()
    }

    /// The messages of this crate's events.
    pub(crate) fn messages(&self) -> Vec<&str> {
        let events = self.entries.iter().filter(|entry| !entry.is_span());
        let own = events.filter(|event| event.target.starts_with("digital_assets"));
        own.filter_map(|event| event.field("message")).collect()
    }

    fn add(&mut self, name: &'static str, target: &str, parent: Option<usize>) -> &mut Entry {
        let target = target.to_owned();
        let fields = Vec::new();
        self.entries.push(Entry { name, metadata: None, target, parent, fields });
        self.entries.last_mut().expect("an entry")
    }
}

impl Entry {
    pub(crate) fn is_span(&self) -> bool {
        self.metadata.is_some()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let (_, value) = self.fields.iter().rev().find(|(known, _)| *known == name)?;
        Some(value)
    }
}

struct Recorder;

fn with<T>(change: impl FnOnce(&mut Recorded) -> T) -> Option<T> {
    RECORDED.try_with(|recorded| recorded.try_borrow_mut().ok()?.as_mut().map(change)).ok()?
}

struct Fields<'a>(&'a mut Vec<(&'static str, String)>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.push((field.name(), value.to_owned()));
    }

    // Told apart from signed numbers: OpenTelemetry has no unsigned ones.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.push((field.name(), format!("{value}u64")));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = String::new();
        write!(text, "{value:?}").expect("a text");
        self.0.push((field.name(), text));
    }
}

impl tracing::Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let place = with(|recorded| {
            let place = recorded.entries.len();
            let parent = recorded.entered.last().copied();
            let entry = recorded.add(span.metadata().name(), span.metadata().target(), parent);
            entry.metadata = Some(span.metadata());
            span.record(&mut Fields(&mut entry.fields));
            place
        });
        place.map_or_else(|| Id::from_u64(u64::MAX), id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        with(|recorded| {
            if let Some(entry) = recorded.entries.get_mut(place(span)) {
                values.record(&mut Fields(&mut entry.fields));
            }
        });
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        with(|recorded| {
            let parent = recorded.entered.last().copied();
            let entry = recorded.add("event", event.metadata().target(), parent);
            event.record(&mut Fields(&mut entry.fields));
        });
    }

    fn enter(&self, span: &Id) {
        with(|recorded| recorded.entered.push(place(span)));
    }

    fn exit(&self, _: &Id) {
        with(|recorded| recorded.entered.pop());
    }

    fn current_span(&self) -> Current {
        let current = with(|recorded| {
            let place = recorded.entered.last().copied()?;
            Some(Current::new(id(place), recorded.entries[place].metadata?))
        });
        current.flatten().unwrap_or_else(Current::none)
    }
}

fn id(place: usize) -> Id {
    Id::from_u64(place as u64 + 1)
}

fn place(span: &Id) -> usize {
    usize::try_from(span.into_u64() - 1).expect("a place")
}

impl log::Log for Recorder {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        with(|recorded| {
            let parent = recorded.entered.last().copied();
            let message = record.args().to_string();
            recorded.add("event", record.target(), parent).fields.push(("message", message));
        });
    }

    fn flush(&self) {}
}
