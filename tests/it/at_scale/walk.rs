//! A walk through the deposit addresses of a virtual service.

use digital_assets::{
    Checkpoint, Items, Record,
    types::{DepositAddress, Order},
};
use virtual_service::{Endpoint, Service, URL};

use crate::prelude::*;

/// A client that asks a virtual service, once per call.
pub(crate) fn asking(endpoint: &Endpoint) -> Client {
    let client = Client::builder(URL).bearer_token("word").http_service(endpoint.clone());
    client.retry(Retry::none()).build().unwrap()
}

/// The record's number.
pub(crate) fn number(record: &impl Record) -> usize {
    virtual_service::number(record.id().unwrap().to_string().parse().unwrap())
}

/// The numbers of the next records, at most so many.
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

/// The checkpoint as another process would read it.
pub(crate) fn kept(checkpoint: &Checkpoint) -> Checkpoint {
    let text = serde_json::to_string(checkpoint).unwrap();
    let read: Checkpoint = serde_json::from_str(&text).unwrap();
    assert_eq!(read, *checkpoint, "{text}");
    read
}

/// Where a program stands that has read so many records.
pub(crate) async fn checkpoint_after<T: Record>(mut items: Items<T>, most: usize) -> Checkpoint {
    numbers(&mut items, most).await.unwrap();
    kept(&items.checkpoint())
}

/// What programs are handed out that read so many records, each from where the one before stood.
/// Whoever comes to the end is the last.
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
    /// Of the consumer, after an error.
    pub(crate) pause: Duration,
}

/// What a walk hands out, and what it takes.
#[derive(Debug)]
pub(crate) struct Walked {
    pub(crate) numbers: Vec<usize>,
    pub(crate) errors: Vec<ErrorKind>,
    pub(crate) time: Duration,
    pub(crate) endpoint: Endpoint,
}

impl Walk {
    /// One request after the other, the oldest first.
    pub(crate) const ALONE: Self =
        Self { ascending: true, concurrency: 1, page: 100, pause: Duration::ZERO };

    /// Walks with these settings, in both directions.
    pub(crate) fn both(concurrency: usize, page: i32) -> [Self; 2] {
        [true, false].map(|ascending| Self { ascending, concurrency, page, ..Self::ALONE })
    }

    pub(crate) fn items(self, client: &Client) -> Items<DepositAddress> {
        let order = if self.ascending { Order::Asc } else { Order::Desc };
        let list = client.list_deposit_addresses().order(order).limit(self.page);
        list.items().concurrency(self.concurrency)
    }

    /// What it is to hand out.
    pub(crate) fn expected(self, endpoint: &Endpoint) -> Vec<usize> {
        endpoint.listed(if self.ascending { "order=ASC" } else { "order=DESC" })
    }

    /// To its end, without an error: it hands out what it is to.
    pub(crate) async fn whole(self, service: Service) -> Walked {
        let walked = self.through(service).await;
        let expected = self.expected(&walked.endpoint);
        assert_eq!(walked.errors, [], "{:?} {self:?}", walked.endpoint);
        assert!(walked.numbers == expected, "{:?} {self:?}", walked.endpoint);
        walked
    }

    /// To its end, errors or not.
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
