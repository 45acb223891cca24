//! A service that answers each path with a body of its own, and keeps the requests.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    sync::{Arc, Mutex},
};

pub(super) struct Service {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Without a body, an answer is a 204.
    pub(super) fn of(answers: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                let request = request(&stream);
                let answer = answers.iter().find(|(path, _)| request.contains(path));
                kept.lock().unwrap().push(request);
                answer_with(&stream, answer.map_or("", |(_, body)| body));
            }
        });
        Self { url, requests }
    }

    /// Runs the tool on it.
    pub(super) fn run(&self, tool: &Path, arguments: &[&str]) -> Output {
        let mut command = Command::new(tool);
        command.args(arguments).env("DIGITAL_ASSETS_OWNER", "from-a-setting");
        for (name, value) in
            [("BASE_URL", &*self.url), ("AUTH_URL", &self.url), ("CLIENT_ID", "its-own")]
        {
            command.env(format!("DIGITAL_ASSETS_{name}"), value);
        }
        command.env("DIGITAL_ASSETS_CLIENT_SECRET", "hush").output().unwrap()
    }

    /// The request lines since the last time, with the bodies.
    pub(super) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

/// The line of a request, and its body.
fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        assert_ne!(reader.read_until(b'\n', &mut head).unwrap(), 0);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    let line = head.lines().next().unwrap().trim_end_matches(" http/1.1");
    format!("{line} {}", String::from_utf8(body).unwrap()).trim_end().to_owned()
}

fn answer_with(mut stream: &TcpStream, body: &str) {
    let status = if body.is_empty() { "204 No Content" } else { "200 OK" };
    let headers = "content-type: application/json\r\nconnection: close";
    let length = body.len();
    write!(stream, "HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {length}\r\n\r\n{body}")
        .unwrap();
}
