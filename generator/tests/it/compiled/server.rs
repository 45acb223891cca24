//! An HTTP server that returns a status and a body for each request.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// Starts a server and returns its URL. The function receives a request's head and body as text.
pub(crate) fn serve(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || {
                let mut stream = stream.expect("a connection");
                let Some(request) = request(&stream) else { return };
                let (status, body) = answer(&request);
                let headers =
                    "content-type: application/json\r\nx-request-id: req-7f\r\nconnection: close";
                let length = body.len();
                // The client may have closed the connection.
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status} X\r\n{headers}\r\ncontent-length: {length}\r\n\r\n{body}"
                );
            });
        }
    });
    url
}

/// Reads a request. `None` if the connection is closed without one.
fn request(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if reader.read_line(&mut request).ok()? == 0 {
            return None;
        }
    }
    let length = request.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length = length.map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(request + &String::from_utf8(body).expect("a text"))
}
