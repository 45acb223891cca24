//! HTTP/1.1 responses that are cut off, missing or invalid.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::Service;
use crate::server::read;

#[derive(Clone, Copy)]
enum Fault {
    Closed,
    Reset,
    /// A 429. The service doesn't apply the request.
    Refused,
    /// A response that is cut off.
    Cut,
    ChunkedAndCut,
    NoLengthAndCut,
    /// A 200 whose body reports a failure.
    Failed,
    /// Bytes that aren't HTTP.
    Garbage,
    /// A complete response, followed by extra bytes.
    Garnished,
    LengthTwice,
}

const FAULTS: [Fault; 10] = [
    Fault::Closed,
    Fault::Reset,
    Fault::Refused,
    Fault::Cut,
    Fault::ChunkedAndCut,
    Fault::NoLengthAndCut,
    Fault::Failed,
    Fault::Garbage,
    Fault::Garnished,
    Fault::LengthTwice,
];

#[tokio::test]
async fn over_broken_http1_no_post_is_applied_twice_and_all_is_well_afterwards() {
    Service::over(serve, |client| client).await;
}

async fn serve(mut stream: TcpStream, service: Service) -> io::Result<()> {
    let mut unread = Vec::new();
    while let Some(request) = read(&mut stream, &mut unread).await? {
        let fault = service.fault(&FAULTS);
        if matches!(fault, Some(Fault::Refused)) {
            let wait = ["", "retry-after: 0\r\n", "retry-after: 0.0\r\n"][service.below(3)];
            let head = format!("HTTP/1.1 429 No\r\n{wait}content-length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).await?;
            continue;
        }
        let limit = request.query().into_iter().find_map(|it| it.strip_prefix("limit="));
        let json = service.apply(limit, request.body.as_bytes());
        // A byte order mark isn't part of JSON, but a parser may ignore it (RFC 8259, section 8.1).
        let json = ["", "\u{feff}"][service.below(2)].to_owned() + &json;
        let length = json.len();
        let ok = &format!("HTTP/1.1 200 OK\r\n{}", odd_fields(&service));
        let whole = format!("{ok}content-length: {length}\r\n\r\n{json}");
        let part = |text: &str| text[..service.below(text.len())].to_owned();
        let sent = match fault {
            None => {
                // `Transfer-Encoding` overrides `Content-Length` (RFC 9112, section 6.3).
                let chunked = format!("{length:x}\r\n{json}\r\n0\r\n\r\n");
                let larger = format!("content-length: {}\r\n", 2 * length);
                let chunked = format!("{ok}{larger}transfer-encoding: chunked\r\n\r\n{chunked}");
                stream.write_all([whole, chunked][service.below(2)].as_bytes()).await?;
                continue;
            }
            Some(Fault::Closed | Fault::Refused) => return Ok(()),
            Some(Fault::Reset) => return stream.set_zero_linger(),
            Some(Fault::Cut) => part(&whole),
            Some(Fault::ChunkedAndCut) => {
                let chunked = format!("transfer-encoding: chunked\r\n\r\n{length:x}\r\n{json}");
                part(&format!("{ok}{chunked}\r\n0\r\n\r\n"))
            }
            Some(Fault::NoLengthAndCut) => {
                let coding = ["", "transfer-encoding: identity\r\n"][service.below(2)];
                format!("{ok}{coding}\r\n{}", part(&json))
            }
            Some(Fault::Failed) => {
                let json = service.failed();
                format!("{ok}content-length: {}\r\n\r\n{json}", json.len())
            }
            Some(Fault::Garbage) => "\u{0}\u{1}GET / HTTP/9\r\n\r\n".to_owned(),
            Some(Fault::Garnished) => format!("{whole}\u{0}\u{1}"),
            Some(Fault::LengthTwice) => {
                format!("{ok}content-length: 1\r\ncontent-length: {length}\r\n\r\n{json}")
            }
        };
        stream.write_all(sent.as_bytes()).await?;
        // The service closes the connection only after the client does, so that the response isn't
        // lost.
        stream.shutdown().await?;
        return stream.read_to_end(&mut Vec::new()).await.map(drop);
    }
    Ok(())
}

/// Returns header fields that a strict parser would reject, or none.
fn odd_fields(service: &Service) -> String {
    match service.below(7) {
        // This is a folded line (RFC 9112, section 5.2).
        0 => "x-long: one\r\n two\r\n".to_owned(),
        1 => (0..150).map(|n| format!("x-{n}: {n}\r\n")).collect::<Vec<_>>().concat(),
        // An HTTP date has a year of four digits (RFC 9110, section 5.6.7).
        2 => "date: Mon, 31 Dec 262142 23:59:59 GMT\r\nage: 9223372036854775\r\n".to_owned(),
        _ => String::new(),
    }
}
