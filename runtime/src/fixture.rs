//! A service with two listings, for unit tests. It is defined in the same way as in a generated
//! client.

use chrono::{DateTime, Utc};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    ClientBuilder, Id, Operation, Record, Timed,
    decode::MayBeRounded,
    listing::{Paging, sealed},
    operation::{
        BodyKind, Details, Listing, Order, OrderKey, PageSize, Service, TimeRange, Token, operation,
    },
};

const FIELDS: &[&str] = &["created_at", "id", "items", "next_page_cursor"];

/// The operation of a listing that supports sorting and filtering by time.
pub(crate) const BY_TIME: Operation = operation(&Details {
    index: 0,
    id: "listByTime",
    method: Method::GET,
    path: "/by-time",
    scopes: &["items:read"],
    token: Token::Always,
    api_keys: &[],
    idempotent: false,
    content_type: "application/json",
    accept: "application/json",
    successes: &[(200, 200)],
    body: BodyKind::Page(&[("items", &["items", "next_page_cursor"])]),
    listing: Some(&Listing {
        cursor: "page_cursor",
        not_with_cursor: &[],
        filters: &[("ids", 100), ("ref_ids", 100)],
        size: Some(PageSize { parameter: "limit", smallest: Some("1") }),
        time: Some("created_at"),
        order: Some(Order {
            parameter: "order",
            ascending: "ASC",
            descending: "DESC",
            ascending_by_default: Some(false),
            key: Some(OrderKey { parameter: "order_by", by_time: "CREATED_AT", is_default: true }),
        }),
        time_range: Some(TimeRange {
            from: "created_at.gte",
            until: "created_at.lte",
            until_inclusive: true,
        }),
    }),
    fields: FIELDS,
});

/// The operation of a listing that supports sorting, but not filtering by time.
pub(crate) const BY_PAGE: Operation = operation(&Details {
    index: 1,
    id: "listByPage",
    method: Method::GET,
    path: "/by-page",
    scopes: &["items:read"],
    token: Token::Always,
    api_keys: &[],
    idempotent: false,
    content_type: "application/json",
    accept: "application/json",
    successes: &[(200, 200)],
    body: BodyKind::Page(&[("items", &["items", "next_page_cursor"])]),
    listing: Some(&Listing {
        cursor: "page_cursor",
        not_with_cursor: &[],
        filters: &[],
        size: Some(PageSize { parameter: "limit", smallest: Some("1") }),
        time: Some("created_at"),
        order: Some(Order {
            parameter: "order",
            ascending: "ASC",
            descending: "DESC",
            ascending_by_default: Some(false),
            key: None,
        }),
        time_range: None,
    }),
    fields: FIELDS,
});

static SERVICE: Service = Service { user_agent: "fixture/0.0.0", operations: &[BY_TIME, BY_PAGE] };

/// Creates a builder for a client of this service.
pub(crate) fn client(base_url: &str) -> ClientBuilder {
    ClientBuilder::new(&SERVICE, base_url.to_owned())
}

/// The type of the records in both listings.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Item {
    id: Uuid,
    created_at: DateTime<Utc>,
}

impl sealed::Record for Item {}

impl Record for Item {
    fn created_at(&self) -> Option<DateTime<Utc>> {
        Some(self.created_at)
    }

    fn id(&self) -> Option<Id> {
        Some(self.id.into())
    }
}

impl Timed for Item {}

#[derive(Deserialize)]
pub(crate) struct ItemPage {
    items: Vec<Item>,
    #[serde(default, deserialize_with = "crate::codegen::or_blank")]
    next_page_cursor: Option<String>,
}

impl MayBeRounded for ItemPage {}

impl Paging for ItemPage {
    type Page = Self;
    type Item = Item;

    fn cursor(page: &Self) -> Option<String> {
        page.next_page_cursor.clone()
    }

    fn records(page: Self) -> Vec<Item> {
        page.items
    }
}
