//! Boxed futures.

use std::pin::Pin;

/// A boxed future, for use as the return type of methods in object-safe traits.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
