//! A walk through the deposit addresses of a virtual service.

use digital_assets::{
    Checkpoint, Items, Record,
    types::{DepositAddress, Order},
};
use virtual_service::{Endpoint, Service, URL};

use crate::prelude::*;

/// Returns a client for a virtual service. The client doesn't retry.
pub(crate) fn asking(endpoint: &Endpoint) -> Client {
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    client.retry(Retry::none()).build().unwrap()
}

/// Returns the record's number in the virtual service.
pub(crate) fn number(record: &impl Record) -> usize {
    virtual_service::number(record.id().unwrap().to_string().parse().unwrap())
}

/// Reads up to `most` more records, and returns their numbers.
pub(crate) async fn numbers<T: Record>(
    items: &mut Items<T>,
    most: usize,
) -> Result<Vec<usize>, Error> {
    let mut numbers = Vec::new();
    while numbers.len() < most
        && let Some(record) = items.next().await
    {
        numbers.push(number(&record?));
    }
    Ok(numbers)
}

/// Converts the checkpoint to JSON and back, as if another process read it.
pub(crate) fn kept(checkpoint: &Checkpoint) -> Checkpoint {
    let text = serde_json::to_string(checkpoint).unwrap();
    let read: Checkpoint = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *checkpoint, "{text}");
    read
}

/// Reads up to `most` records, and returns the checkpoint after them.
pub(crate) async fn checkpoint_after<T: Record>(mut items: Items<T>, most: usize) -> Checkpoint {
    numbers(&mut items, most).await.unwrap();
    kept(&items.checkpoint())
}

/// Runs programs one after another, each from the previous one's checkpoint, until one reaches the
/// end. Returns the numbers of all records.
pub(crate) async fn in_turn<T: Record>(
    programs: impl IntoIterator<Item = (Items<T>, usize)>,
) -> Result<Vec<usize>, Error> {
    let (mut walked, mut checkpoint) = (Vec::new(), None);
    for (mut items, most) in programs {
        if let Some(checkpoint) = &checkpoint {
            items = items.resume(kept(checkpoint));
        }
        let records = numbers(&mut items, most).await?;
        walked.extend(&records);
        if records.len() < most {
            break;
        }
        checkpoint = Some(items.checkpoint());
    }
    Ok(walked)
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Walk {
    pub(crate) ascending: bool,
    pub(crate) concurrency: usize,
    pub(crate) page: i32,
    /// How long the consumer pauses after an error.
    pub(crate) pause: Duration,
}

/// The result of a walk: the records' numbers, the errors and the duration.
#[derive(Debug)]
pub(crate) struct Walked {
    pub(crate) numbers: Vec<usize>,
    pub(crate) errors: Vec<ErrorKind>,
    pub(crate) time: Duration,
    pub(crate) endpoint: Endpoint,
}

impl Walk {
    /// A walk in ascending order, with one request after another.
    pub(crate) const ALONE: Self =
        Self { ascending: true, concurrency: 1, page: 100, pause: Duration::ZERO };

    /// Returns an ascending walk and a descending walk with these settings.
    pub(crate) fn both(concurrency: usize, page: i32) -> [Self; 2] {
        [true, false].map(|ascending| Self { ascending, concurrency, page, ..Self::ALONE })
    }

    pub(crate) fn items(self, client: &Client) -> Items<DepositAddress> {
        let order = if self.ascending { Order::Asc } else { Order::Desc };
        let list = client.list_deposit_addresses().order(order).limit(self.page);
        list.items().concurrency(self.concurrency)
    }

    /// Returns the numbers of the records that the walk must return, in order.
    pub(crate) fn expected(self, endpoint: &Endpoint) -> Vec<usize> {
        endpoint.listed(if self.ascending { "order=ASC" } else { "order=DESC" })
    }

    /// Walks to the end of the listing. Panics if there is an error or if the records differ from
    /// the expected ones.
    pub(crate) async fn whole(self, service: Service) -> Walked {
        let walked = self.through(service).await;
        let expected = self.expected(&walked.endpoint);
        assert_eq!(walked.errors, [], "{:?} {self:?}", walked.endpoint);
        assert!(walked.numbers == expected, "{:?} {self:?}", walked.endpoint);
        walked
    }

    /// Walks to the end of the listing, and collects the records and the errors.
    pub(crate) async fn through(self, service: Service) -> Walked {
        let (endpoint, began) = (service.serve(), Instant::now());
        let (mut numbers, mut errors) = (Vec::new(), Vec::new());
        let mut items = self.items(&asking(&endpoint));
        while let Some(item) = items.next().await {
            match item {
                Ok(record) => numbers.push(number(&record)),
                Err(error) => {
                    errors.push(error.kind());
                    sleep(self.pause).await;
                }
            }
            assert!(errors.len() < 10_000, "no end of errors");
        }
        Walked { numbers, errors, time: began.elapsed(), endpoint }
    }
}
