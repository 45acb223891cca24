//! The names that identify the cursor of a listing.

/// The query parameter that takes the cursor of a page.
pub(crate) const CURSOR: &str = "page_cursor";

/// The property of a page that contains the cursor of the next page.
pub(crate) const NEXT_CURSOR: &str = "next_page_cursor";
