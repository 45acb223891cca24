//! Futures behind a pointer.

use std::pin::Pin;

/// A boxed future, as methods of object-safe traits return it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
