//! Tests of prefetching, and of streams that are dropped.

use virtual_service::{BEGIN, Endpoint, Service, URL};

use crate::{
    at_scale::walk::{asking, number, numbers},
    prelude::*,
};

const LATENCY: Duration = Duration::from_secs(1);

/// Starts a service with `records` records and `page` records per page, which takes `LATENCY` to
/// respond. Returns it with a client.
fn serve(records: usize, page: usize) -> (Endpoint, Client) {
    let service = Service { page, takes: LATENCY..=LATENCY, ..Service::of(vec![BEGIN; records]) };
    let endpoint = service.serve();
    let client = asking(&endpoint);
    (endpoint, client)
}

#[tokio::test(start_paused = true)]
async fn who_takes_one_record_or_one_page_causes_one_request() -> Result<(), Error> {
    let ((of_items, one), (of_pages, other)) = (serve(4, 3), serve(4, 3));
    let mut records = one.list_deposit_addresses().items();
    let mut pages = other.list_deposit_addresses().pages();

    records.next().await.transpose()?;
    pages.next().await.transpose()?;
    sleep(10 * LATENCY).await;

    assert_eq!((of_items.count(), of_pages.count()), (1, 1));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_next_page_is_on_its_way_while_records_are_handed_out() -> Result<(), Error> {
    let (endpoint, client) = serve(200, 100);
    let mut records = client.list_deposit_addresses().items();
    records.next().await.transpose()?;
    let first_came = Instant::now();

    records.next().await.transpose()?;
    assert_eq!(endpoint.under_way(), 1);
    numbers(&mut records, 98).await?;

    // While the next page is requested, records are still returned without delay.
    assert_eq!(first_came.elapsed(), Duration::ZERO);
    records.next().await.transpose()?;
    assert_eq!((first_came.elapsed(), endpoint.count()), (LATENCY, 2));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn no_more_than_one_page_is_fetched_ahead() -> Result<(), Error> {
    let (endpoint, client) = serve(500, 50);

    let mut records = client.list_deposit_addresses().items();
    for _ in 0..50 {
        records.next().await.transpose()?;
        sleep(2 * LATENCY).await;
    }

    assert_eq!(endpoint.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_dropped_asks_for_nothing_more() -> Result<(), Error> {
    let (endpoint, client) = serve(9, 3);
    let mut records = client.list_deposit_addresses().items();
    numbers(&mut records, 3).await?;
    assert_eq!(endpoint.under_way(), 1);

    drop(records);

    assert_eq!(endpoint.under_way(), 0);
    sleep(10 * LATENCY).await;
    assert_eq!(endpoint.count(), 2);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_poll_that_is_given_up_loses_nothing() -> Result<(), Error> {
    let (endpoint, client) = serve(2, 1);
    let mut records = client.list_deposit_addresses().items();
    assert!(timeout(LATENCY / 2, records.next()).await.is_err());

    let walked = numbers(&mut records, usize::MAX).await?;

    assert_eq!(walked, endpoint.listed(""));
    assert_eq!(endpoint.count(), 2);
    Ok(())
}

// The records of a page are returned even if the next page fails.
#[tokio::test(start_paused = true)]
async fn a_page_that_fails_ahead_costs_none_of_the_records_before_it() {
    let (endpoint, client) = serve(5, 4);
    endpoint.change(|service| service.failing = 2);

    let mut records = client.list_deposit_addresses().items();
    let mut seen = Vec::new();
    while let Some(record) = records.next().await {
        seen.push(record.as_ref().map(number).map_err(Error::kind));
        // This is long enough for the request for the next page to fail.
        sleep(2 * LATENCY).await;
    }

    let mut expected: Vec<_> = endpoint.listed("").into_iter().map(Ok).collect();
    expected.insert(4, Err(ErrorKind::Transport));
    assert_eq!(seen, expected);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_the_first_poll() {
    let (endpoint, _) = serve(1, 1);
    let token_url = format!("{URL}/oauth2/token");
    let credentials = ClientCredentials::new(token_url, "backoffice", "sesame");
    let client = Client::builder(URL).http_service(endpoint.clone());
    let client = client.credentials(credentials.http_service(endpoint.clone())).build().unwrap();

    let listings =
        (client.list_deposit_addresses().pages(), client.list_deposit_addresses().items());
    sleep(LATENCY).await;
    drop(listings);

    assert_eq!(endpoint.count(), 0);
}
