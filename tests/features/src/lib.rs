//! An empty library. This package exists only for its test.
