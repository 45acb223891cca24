//! A handwritten listing for this service, with serde and reqwest.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

#[allow(dead_code)]
#[derive(Deserialize)]
pub(crate) struct Execution {
    id: Uuid,
    profile_id: Uuid,
    quote_id: Uuid,
    status: String,
    market: String,
    side: String,
    price: String,
    base_amount: String,
    base_asset: String,
    quote_amount: String,
    quote_asset: String,
    created_at: DateTime<Utc>,
    settled_at: Option<DateTime<Utc>>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

#[allow(dead_code)]
#[derive(Deserialize)]
pub(crate) struct Page {
    total_count: i32,
    items: Vec<Execution>,
    next_page_cursor: Option<String>,
}

/// Calls `each` with every record, reading one page after the other.
pub(crate) async fn walk(
    http: &reqwest::Client,
    url: &str,
    token: &str,
    mut each: impl FnMut(Execution),
) {
    let mut cursor = None;
    loop {
        let mut request = http.get(url).bearer_auth(token);
        if let Some(cursor) = &cursor {
            request = request.query(&[("page_cursor", cursor)]);
        }
        let body = request.send().await.unwrap().bytes().await.unwrap();
        let page: Page = serde_json::from_slice(&body).unwrap();
        page.items.into_iter().for_each(&mut each);
        let Some(next) = page.next_page_cursor else { return };
        cursor = Some(next);
    }
}
