//! Boxed futures.

use std::pin::Pin;

/// A boxed future, which methods of object-safe traits return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
