//! A server that plays a script, byte for byte, and remembers what it was asked.

use std::{
    future::pending,
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::{Semaphore, watch},
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep},
};

use crate::{recording::record, within_bounds};

type Script = Arc<Mutex<dyn FnMut(&Received) -> Answer + Send>>;

/// Listens on loopback until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    log: Arc<watch::Sender<Log>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Received>,
    /// How many callers have hung up on an answer that never came.
    hung_up: usize,
}

/// A request as it stood on the wire.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    /// Method and target: `GET /v2/…?…`.
    pub(crate) line: String,
    pub(crate) body: String,
    /// When it came, by the clock that tests can pause.
    pub(crate) at: Instant,
    /// On which connection, counted from 0.
    pub(crate) connection: usize,
    headers: Vec<(String, String)>,
}

impl Server {
    /// Answers with these, one a request, and with 418 when they have run out.
    pub(crate) fn playing(script: impl IntoIterator<Item = Answer>) -> Self {
        let mut script: std::collections::VecDeque<_> = script.into_iter().collect();
        Self::answering(move |_| script.pop_front().unwrap_or_else(|| status(418)))
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

    /// `http://127.0.0.1:…`, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn count(&self) -> usize {
        self.log.borrow().requests.len()
    }

    pub(crate) fn requests(&self) -> Vec<Received> {
        self.log.borrow().requests.clone()
    }

    /// The first lines of all requests.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.line).collect()
    }

    /// The request that has to be the only one.
    pub(crate) fn request(&self) -> Received {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "requests: {requests:#?}");
        requests.remove(0)
    }

    /// Waits until so many requests have come.
    pub(crate) async fn reached(&self, count: usize) {
        self.until(|log| log.requests.len() >= count).await;
    }

    /// Waits until a caller has hung up on an answer that never came.
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

    /// Method and path, without the query.
    pub(crate) fn path(&self) -> &str {
        self.line.split('?').next().unwrap_or_default()
    }

    /// The query's parameters as they came, `name=value`.
    pub(crate) fn query(&self) -> Vec<&str> {
        self.line.split_once('?').map(|(_, query)| query.split('&').collect()).unwrap_or_default()
    }

    /// The query's parameters as a service reads them.
    pub(crate) fn parameters(&self) -> Vec<(String, String)> {
        decoded(self.line.split_once('?').map(|(_, query)| query).unwrap_or_default())
    }

    /// The fields of a form.
    pub(crate) fn form(&self) -> Vec<(String, String)> {
        decoded(&self.body)
    }

    /// The path's segments as a service reads them.
    pub(crate) fn segments(&self) -> Vec<String> {
        let path = self.path().split_once(" /").map(|(_, path)| path).unwrap_or_default();
        // In a path these are themselves.
        let segments = path.split('/').map(|s| s.replace('+', "%2B").replace('&', "%26"));
        segments.flat_map(|segment| decoded(&format!("={segment}"))).map(|(_, text)| text).collect()
    }

    /// The parameters, sorted: no order of theirs means anything.
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

async fn read(stream: &mut TcpStream, unread: &mut Vec<u8>) -> io::Result<Option<Received>> {
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

/// What becomes of a request.
#[derive(Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    gate: Option<Gate>,
    manner: Manner,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    /// Promises ten bytes more than it has, and hangs up.
    Truncated,
    /// Has no length, and hangs up at the end.
    Unmeasured,
    /// One byte a second.
    Drip,
    Silent,
    Reset,
}

/// Holds answers back until it is opened for them, each once.
pub(crate) type Gate = Arc<Semaphore>;

pub(crate) fn gate() -> Gate {
    Arc::new(Semaphore::new(0))
}

pub(crate) fn status(status: u16) -> Answer {
    let (headers, body) = (Vec::new(), Vec::new());
    Answer { status, headers, body, gate: None, manner: Manner::Whole }
}

pub(crate) fn json(code: u16, body: impl Into<Vec<u8>>) -> Answer {
    status(code).header("content-type", "application/json").body(body)
}

/// Reads the request and breaks the connection.
pub(crate) fn reset() -> Answer {
    Answer { manner: Manner::Reset, ..status(200) }
}

/// Reads the request and never answers.
pub(crate) fn silent() -> Answer {
    Answer { manner: Manner::Silent, ..status(200) }
}

impl Answer {
    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    pub(crate) fn truncated(self) -> Self {
        Self { manner: Manner::Truncated, ..self }
    }

    pub(crate) fn unmeasured(self) -> Self {
        Self { manner: Manner::Unmeasured, ..self }
    }

    pub(crate) fn dripping(self) -> Self {
        Self { manner: Manner::Drip, ..self }
    }

    pub(crate) fn behind(self, gate: &Gate) -> Self {
        Self { gate: Some(Arc::clone(gate)), ..self }
    }

    /// Returns whether the connection serves on.
    async fn play(self, stream: &mut TcpStream, log: &watch::Sender<Log>) -> io::Result<bool> {
        if let Some(gate) = &self.gate {
            gate.acquire().await.expect("a gate that isn't closed").forget();
        }
        let mut head = format!("HTTP/1.1 {} Scripted\r\n", self.status);
        for (name, value) in &self.headers {
            head.extend([name, ": ", value, "\r\n"]);
        }
        let measured = self.headers.iter().any(|(name, _)| *name == "content-length");
        if !measured && self.manner != Manner::Unmeasured {
            let missing = if self.manner == Manner::Truncated { 10 } else { 0 };
            let length = (self.body.len() + missing).to_string();
            head.extend(["content-length: ", &length, "\r\n"]);
        }
        head += "\r\n";

        match self.manner {
            Manner::Silent => {
                let hung_up = stream.read(&mut [0]).await;
                log.send_modify(|log| log.hung_up += 1);
                hung_up.map(|_| false)
            }
            Manner::Reset => stream.set_zero_linger().map(|()| false),
            Manner::Drip => {
                stream.write_all(head.as_bytes()).await?;
                for byte in self.body {
                    sleep(Duration::from_secs(1)).await;
                    stream.write_all(&[byte]).await?;
                }
                pending().await
            }
            Manner::Whole | Manner::Truncated | Manner::Unmeasured => {
                stream.write_all(&[head.as_bytes(), &self.body].concat()).await?;
                Ok(self.manner == Manner::Whole)
            }
        }
    }
}
