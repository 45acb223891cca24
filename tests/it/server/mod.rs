//! A server that plays a script byte for byte, and records its requests.

mod answer;
pub(crate) use answer::{Answer, Gate, gate, json, reset, silent, status, throttled};

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    net::TcpStream,
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::Instant,
};

use crate::{recording::record, within_bounds};

type Script = Arc<Mutex<dyn FnMut(&Received) -> Answer + Send>>;

/// A server that listens on loopback until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<watch::Sender<Log>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Received>,
    /// The number of clients that closed their connection before they got a response.
    hung_up: usize,
}

/// A request, exactly as it was received.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// The method and the request target: `GET /v2/…?…`.
    pub(crate) line: String,
    pub(crate) body: String,
    /// When the request arrived, according to the clock that tests can pause.
    pub(crate) at: Instant,
    /// The number of the request's connection, counted from 0.
    pub(crate) connection: usize,
    headers: Vec<(String, String)>,
}

impl Server {
    /// Starts a server that sends these responses, one per request, and 418 after the last one.
    pub(crate) fn playing(script: impl IntoIterator<Item = Answer>) -> Self {
        let mut script: std::collections::VecDeque<_> = script.into_iter().collect();
        Self::answering(move |_| script.pop_front().unwrap_or_else(|| status(418)))
    }

    /// Starts a server that sends the same response to every request.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::answering(move |_| answer.clone())
    }

    pub(crate) fn answering(script: impl FnMut(&Received) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a listener that doesn't block");
        let listener = tokio::net::TcpListener::from_std(listener).expect("a runtime");
        let log = Arc::new(watch::Sender::new(Log::default()));
        let (script, written): (Script, _) = (Arc::new(Mutex::new(script)), Arc::clone(&log));
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            let mut number = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let (script, log) = (Arc::clone(&script), Arc::clone(&written));
                connections.spawn(serve(stream, number, script, log));
                number += 1;
            }
        });
        Self { address, log, task }
    }

    /// Returns the server's URL, `http://127.0.0.1:…`, without a trailing slash.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn count(&self) -> usize {
        self.log.borrow().requests.len()
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.log.borrow().requests.clone()
    }

    /// Returns the first lines of all requests.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.line).collect()
    }

    /// Returns the tokens in the requests, in order.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let tokens = self.requests().into_iter().filter_map(|request| {
            let header = request.header("authorization")?;
            Some(header.trim_start_matches("Bearer ").to_owned())
        });
        tokens.collect()
    }

    /// Returns the only request. Panics if there isn't exactly one.
    pub(crate) fn request(&self) -> Received {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "requests: {requests:#?}");
        requests.remove(0)
    }

    /// Waits until the server has received `count` requests.
    pub(crate) async fn reached(&self, count: usize) {
        self.until(|log| log.requests.len() >= count).await;
    }

    /// Waits until a client closes its connection before it gets a response.
    pub(crate) async fn hung_up(&self) {
        self.until(|log| log.hung_up > 0).await;
    }

    async fn until(&self, condition: impl FnMut(&Log) -> bool) {
        let mut log = self.log.subscribe();
        within_bounds(log.wait_for(condition)).await.expect("a server that listens");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    /// Returns the method and the path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.line.split('?').next().unwrap_or_default()
    }

    /// Returns the query's parameters exactly as they were sent, `name=value`.
    pub(crate) fn query(&self) -> Vec<&str> {
        self.line.split_once('?').map(|(_, query)| query.split('&').collect()).unwrap_or_default()
    }

    /// Returns the query's parameters, decoded.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        decoded(self.line.split_once('?').map(|(_, query)| query).unwrap_or_default())
    }

    /// Returns the decoded fields of the form in the body.
    pub(crate) fn form(&self) -> Vec<(String, String)> {
        decoded(&self.body)
    }

    /// Returns the segments of the path, decoded.
    pub(crate) fn segments(&self) -> Vec<String> {
        let path = self.path().split_once(" /").map(|(_, path)| path).unwrap_or_default();
        // In a path, `+` and `&` have no special meaning.
        let segments = path.split('/').map(|s| s.replace('+', "%2B").replace('&', "%26"));
        segments.flat_map(|segment| decoded(&format!("={segment}"))).map(|(_, text)| text).collect()
    }

    /// Returns the query's parameters in sorted order, because their own order has no meaning.
    pub(crate) fn sorted_query(&self) -> Vec<&str> {
        let mut query = self.query();
        query.sort_unstable();
        query
    }
}

fn decoded(form: &str) -> Vec<(String, String)> {
    let url = reqwest::Url::parse(&format!("data:,?{form}")).expect("a form");
    url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// Calls `serve` for each connection to a free port of 127.0.0.1. Returns the port.
pub(crate) async fn listen<F>(mut serve: impl FnMut(TcpStream) -> F + Send + 'static) -> u16
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream));
        }
    });
    port
}

async fn serve(
    mut stream: TcpStream,
    connection: usize,
    script: Script,
    log: Arc<watch::Sender<Log>>,
) {
    let mut unread = Vec::new();
    while let Ok(Some(received)) = read(&mut stream, &mut unread).await {
        let received = Received { connection, ..received };
        record(&received);
        let answer = script.lock().expect("a script that doesn't panic")(&received);
        log.send_modify(|log| log.requests.push(received));
        if !matches!(answer.play(&mut stream, &log).await, Ok(true)) {
            return;
        }
    }
}

/// Reads the next request from a connection. Returns `None` if the client has closed the
/// connection.
pub(crate) async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    unread: &mut Vec<u8>,
) -> io::Result<Option<Received>> {
    loop {
        if let Some(end) = unread.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&unread[..end]).into_owned();
            let mut lines = head.lines();
            let line = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
            let headers = lines.filter_map(|line| line.split_once(':'));
            let headers = headers.map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
            let received = Received {
                line,
                headers: headers.collect(),
                body: String::new(),
                at: Instant::now(),
                connection: 0,
            };
            let length = received.header("content-length").and_then(|length| length.parse().ok());
            let (start, length) = (end + 4, length.unwrap_or(0));
            if unread.len() >= start + length {
                let body = unread.drain(..start + length).skip(start).collect();
                let body = String::from_utf8(body).expect("a body of text");
                return Ok(Some(Received { body, ..received }));
            }
        }
        if stream.read_buf(unread).await? == 0 {
            return Ok(None);
        }
    }
}
