//! The names by which a listing's cursor is known.

/// The parameter of the query that takes the cursor of a page.
pub(crate) const CURSOR: &str = "page_cursor";

/// The property of a page that has the cursor of the next one.
pub(crate) const NEXT_CURSOR: &str = "next_page_cursor";
