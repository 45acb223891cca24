//! Collects everything that the client prints: its log, its errors, and the `Debug` output of a
//! program's values.

use std::{
    cell::RefCell,
    fmt::{Debug, Write},
    mem,
    sync::OnceLock,
};

use tracing::{
    Dispatch, Event, Metadata, Subscriber,
    dispatcher::{self, DefaultGuard},
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};

thread_local! {
    static PRINTED: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Starts to collect the log events of this thread, at every level.
pub(super) fn listen() -> DefaultGuard {
    static LISTENER: OnceLock<Dispatch> = OnceLock::new();
    dispatcher::set_default(LISTENER.get_or_init(|| Dispatch::new(Listener)))
}

pub(crate) fn add(value: &dyn Debug) {
    PRINTED.with_borrow_mut(|printed| {
        let _ = writeln!(printed, "{value:?}");
    });
}

pub(super) fn take() -> String {
    PRINTED.with_borrow_mut(mem::take)
}

struct Listener;

struct Fields;

impl Visit for Fields {
    fn record_debug(&mut self, _: &Field, value: &dyn Debug) {
        add(value);
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut Fields);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
