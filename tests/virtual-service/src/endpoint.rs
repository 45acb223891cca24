//! A running service, which responds to requests and records them.

use std::{
    collections::VecDeque,
    fmt,
    future::Future,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::{Duration, SystemTime},
};

use reqwest::{Request, Response, StatusCode, Url};
use tokio::time::{Instant, sleep};

use crate::{
    fault::{Answer, Fault},
    listing::Listing,
    page::{Orders, Page},
    query::{self, Query},
    service::{Service, URL},
    time::SECOND,
};

/// A request that the service has received.
#[derive(Clone, Debug)]
pub struct Asked {
    /// When the request arrived, as the time since the service started.
    pub at: Duration,
    /// The URL's path.
    pub path: String,
    /// The names and values of the query parameters, in the order of the URL.
    pub query: Vec<(String, String)>,
    /// The length of the URL in bytes.
    pub length: usize,
    /// When the service responded, as the time since the service started; `None` before.
    pub answered: Option<Duration>,
    /// The numbers of the records in the response; empty before the response.
    pub records: Vec<usize>,
    /// The cursor in the response, if another page follows.
    pub next: Option<String>,
    /// How many programs had ended before this request.
    pub program: usize,
}

impl Asked {
    /// Returns the first value of a query parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// A handle to a running service. Pass it to a client's `http_service`.
#[derive(Clone)]
pub struct Endpoint {
    state: Arc<Mutex<State>>,
}

struct State {
    service: Service,
    began: Instant,
    orders: Orders,
    faults: VecDeque<Fault>,
    asked: Vec<Asked>,
    /// The number of programs that have ended.
    programs: usize,
    under_way: usize,
    most_under_way: usize,
}

impl Endpoint {
    pub(crate) fn new(service: Service) -> Self {
        let state = State {
            service,
            began: Instant::now(),
            orders: Orders::default(),
            faults: VecDeque::new(),
            asked: Vec::new(),
            programs: 0,
            under_way: 0,
            most_under_way: 0,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Returns all requests so far, in the order in which they arrived.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.state().asked.clone()
    }

    /// Returns the number of requests so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.state().asked.len()
    }

    /// Marks the end of a program. Clears [`Asked::records`] of the requests whose responses the
    /// program can't have used.
    ///
    /// Those are the responses sent at this instant, or all responses if the program has found
    /// nothing.
    pub fn end_program(&self, has_found: bool) {
        let mut state = self.state();
        state.programs += 1;
        let now = Some(state.began.elapsed());
        let unread = state.asked.iter_mut().filter(|asked| asked.answered == now || !has_found);
        unread.for_each(|asked| asked.records.clear());
    }

    /// Returns how many requests are waiting for a response. A request that its caller drops stops
    /// waiting.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.state().under_way
    }

    /// Returns the largest number of requests that have waited for a response at the same time.
    #[must_use]
    pub fn most_under_way(&self) -> usize {
        self.state().most_under_way
    }

    /// Queues a fault. Each request takes one fault from the queue.
    pub fn fault(&self, fault: Fault) {
        self.state().faults.push_back(fault);
    }

    /// Replaces the service with another one, and forgets all requests.
    pub fn become_another(&self, service: Service) {
        let mut state = self.state();
        state.orders.forget();
        state.asked.clear();
        state.service = service;
    }

    /// Makes the most recently returned cursor expire. Later cursors are different strings.
    pub fn expire(&self) {
        let mut state = self.state();
        let State { service, asked, .. } = &mut *state;
        service.expired.extend(asked.iter().rev().find_map(|asked| asked.next.clone()));
        service.ballast = service.expired.len().to_string();
    }

    /// Changes the service's records or settings. Existing cursors stay valid.
    pub fn change<T>(&self, change: impl FnOnce(&mut Service) -> T) -> T {
        let mut state = self.state();
        state.orders.forget();
        change(&mut state.service)
    }

    /// Returns the time since the service started.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.state().began.elapsed()
    }

    /// Returns the time on the service's own clock, in nanoseconds since 1970.
    #[must_use]
    pub fn now(&self) -> i128 {
        let state = self.state();
        state.service.now + state.began.elapsed().as_nanos().cast_signed()
    }

    /// Returns the numbers of the records that a query (`order=ASC&ids=…`) lists now, in the order
    /// of its pages.
    ///
    /// # Panics
    ///
    /// If `query` doesn't make a valid URL.
    #[must_use]
    pub fn listed(&self, query: &str) -> Vec<usize> {
        let url = Url::parse(&format!("{URL}?{query}")).expect("a query");
        let mut state = self.state();
        let now = state.began.elapsed();
        let State { service, orders, .. } = &mut *state;
        orders.listed(service, &Query::of(Listing::ByTime, &url), now, usize::MAX)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request. Returns its number, the time until its response, and its fault.
    fn take_in(&self, url: &Url) -> (usize, Duration, Option<Fault>) {
        let mut state = self.state();
        let asked = Asked {
            at: state.began.elapsed(),
            path: url.path().to_owned(),
            query: query::pairs(url),
            length: url.as_str().len(),
            answered: None,
            records: Vec::new(),
            next: None,
            program: state.programs,
        };
        state.asked.push(asked);
        state.under_way += 1;
        state.most_under_way = state.most_under_way.max(state.under_way);
        let (number, takes) = (state.asked.len(), state.service.takes.clone());
        let mut random = fastrand::Rng::with_seed(state.service.seed ^ number as u64);
        let takes = random.u64(millis(*takes.start())..=millis(*takes.end()));
        (number, Duration::from_millis(takes), state.faults.pop_front())
    }

    async fn answer(self, url: Url) -> io::Result<Response> {
        let (number, takes, mut fault) = self.take_in(&url);
        let _under_way = UnderWay(Arc::clone(&self.state));
        let first = Duration::from_millis(millis(takes) / 2);
        pause(first).await;
        let (answer, page) = self.state().answer(&url, number, &mut fault);
        pause(takes.saturating_sub(first)).await;
        self.state().answered(number, page);
        answer.send(fault).await
    }
}

impl State {
    fn answered(&mut self, number: usize, page: Page) {
        let asked = &mut self.asked[number - 1];
        asked.answered = Some(self.began.elapsed());
        (asked.records, asked.next) = (page.numbers, page.next);
    }

    /// Returns the response to a request, and the page in that response.
    fn answer(&mut self, url: &Url, number: usize, fault: &mut Option<Fault>) -> (Answer, Page) {
        let (now, listing) = (self.began.elapsed(), Listing::of(url.path()));
        let Self { service, orders, asked, .. } = self;
        let refused = |status: StatusCode| {
            let (status, date) = (status.as_u16(), service.date(number, now));
            (Answer { status, body: "{}".to_owned(), date }, Page::default())
        };
        let Some(listing) = listing else { return refused(StatusCode::NOT_FOUND) };
        let query = Query::of(listing, url);
        let (is_long, cursor) = (url.as_str().len() > service.longest_url, query.cursor());
        let is_gone = cursor.is_some_and(|it| service.expired.iter().any(|expired| expired == it));
        let refusal = query.refusal();
        let refusal = refusal.or_else(|| is_long.then_some(StatusCode::URI_TOO_LONG));
        let refusal = refusal.or_else(|| is_gone.then_some(StatusCode::GONE));
        let on_demand = || StatusCode::from_u16((service.refuses)(&asked[number - 1])?).ok();
        if let Some(status) = refusal.or_else(on_demand) {
            return refused(status);
        }
        let fails = service.failing > 0 && number.is_multiple_of(service.failing);
        if fails || service.down.iter().any(|down| down.contains(&now)) {
            *fault = Some(Fault::Reset);
        }
        let is_empty =
            service.empty > 0 && number % service.empty == 1 || *fault == Some(Fault::EmptyPage);
        let mut page = orders.page(service, &query, now, is_empty, number);
        if *fault == Some(Fault::RepeatedCursor)
            && let Some(cursor) = cursor
        {
            page.next = Some(cursor.to_owned());
        }
        service.leave_out(&mut page.numbers, now);
        let is_unknown = *fault == Some(Fault::UnknownValue);
        let body = Orders::json(service, listing, &page, now, is_unknown);
        (Answer { status: 200, body, date: service.date(number, now) }, page)
    }
}

impl Service {
    /// Returns the `Date` header of the node that responds to this request.
    fn date(&self, number: usize, now: Duration) -> Option<String> {
        let ahead = self.nodes.get(number.checked_rem(self.nodes.len())?)?;
        let time = self.now + ahead + now.as_nanos().cast_signed();
        let seconds = u64::try_from(time / SECOND).ok()?;
        Some(httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
    }
}

/// A request that is waiting for a response, until this value is dropped.
struct UnderWay(Arc<Mutex<State>>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).under_way -= 1;
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}

impl tower_service::Service<Request> for Endpoint {
    type Response = Response;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(self.clone().answer(request.url().clone()))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state().service.fmt(f)
    }
}
