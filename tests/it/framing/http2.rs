//! Frames of HTTP/2 that end a stream, a connection, or the patience of any reader (RFC 9113).

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::Service;
use crate::frames::{
    Connection, DATA, END_HEADERS, END_STREAM, HEADERS, HTTP_1_1_REQUIRED, INTERNAL_ERROR,
    NO_ERROR, OK, REFUSED_STREAM, frame, go_away, ok_of_length, reset_stream,
};

#[derive(Clone, Copy)]
enum Fault {
    Closed,
    Reset,
    /// `REFUSED_STREAM`: the service does nothing, and says so.
    Refused,
    /// The same, for this and all later requests of the connection.
    GoneBefore,
    /// `HTTP_1_1_REQUIRED`, which says as much.
    Http1Required,
    /// `REFUSED_STREAM` amid the answer, when it is no longer true.
    RefusedAmid,
    /// `NO_ERROR` before the end of the answer.
    EndedAmid,
    /// `GOAWAY` amid the answer.
    GoneAmid,
    /// `INTERNAL_ERROR`, before the answer or amid it.
    Broken,
    BrokenAmid,
    /// A frame that is longer than what comes.
    Cut,
    /// Longer than a frame may be.
    TooLong,
    /// `DATA` of no stream.
    Astray,
    /// Headers that can't be unpacked.
    Garbage,
    /// A `content-length` that isn't that of the body.
    AnotherLength,
}

const FAULTS: [Fault; 15] = [
    Fault::Closed,
    Fault::Reset,
    Fault::Refused,
    Fault::Http1Required,
    Fault::RefusedAmid,
    Fault::EndedAmid,
    Fault::GoneBefore,
    Fault::GoneAmid,
    Fault::Broken,
    Fault::BrokenAmid,
    Fault::Cut,
    Fault::TooLong,
    Fault::Astray,
    Fault::Garbage,
    Fault::AnotherLength,
];

#[tokio::test]
async fn over_broken_http2_no_post_is_applied_twice_and_all_is_well_afterwards() {
    Service::over(serve, |client| {
        let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
        client.http_client(http.build().unwrap())
    })
    .await;
}

async fn serve(stream: TcpStream, service: Service) -> io::Result<()> {
    let (mut connection, mut processed) = (Connection::begin(stream).await?, 0);
    loop {
        let (id, body) = connection.request().await?;
        let fault = service.fault(&FAULTS);
        // A service that has processed a later one can't say that it will process none.
        let goes = matches!(fault, Some(Fault::GoneBefore)) && id > processed;
        let sent = if goes {
            go_away(processed)
        } else if matches!(fault, Some(Fault::Http1Required)) {
            reset_stream(id, HTTP_1_1_REQUIRED)
        } else if matches!(fault, Some(Fault::GoneBefore | Fault::Refused)) {
            reset_stream(id, REFUSED_STREAM)
        } else {
            processed = processed.max(id);
            answer(id, processed, fault, &service.apply(None, &body), &service)
        };
        connection.send(&sent).await?;
        let stream = &mut connection.stream;
        match fault {
            Some(Fault::Reset) => return stream.set_zero_linger(),
            None
            | Some(
                Fault::Refused
                | Fault::Http1Required
                | Fault::RefusedAmid
                | Fault::EndedAmid
                | Fault::Broken
                | Fault::BrokenAmid,
            ) => {}
            Some(Fault::GoneBefore) if !goes => {}
            Some(_) => {
                stream.shutdown().await?;
                return stream.read_to_end(&mut Vec::new()).await.map(drop);
            }
        }
    }
}

/// The frames of an answer, as the fault leaves them.
fn answer(id: u32, processed: u32, fault: Option<Fault>, json: &str, service: &Service) -> Vec<u8> {
    let headers = frame(HEADERS, END_HEADERS, id, OK);
    let whole = frame(DATA, END_STREAM, id, json.as_bytes());
    let begun = frame(DATA, 0, id, &json.as_bytes()[..service.below(json.len())]);
    match fault {
        None => [headers, whole].concat(),
        Some(
            Fault::Closed
            | Fault::Reset
            | Fault::Refused
            | Fault::Http1Required
            | Fault::GoneBefore,
        ) => Vec::new(),
        Some(Fault::RefusedAmid) => [headers, begun, reset_stream(id, REFUSED_STREAM)].concat(),
        Some(Fault::EndedAmid) => {
            let headers = frame(HEADERS, END_HEADERS, id, &ok_of_length(json.len()));
            [headers, begun, reset_stream(id, NO_ERROR)].concat()
        }
        Some(Fault::GoneAmid) => [headers, begun, go_away(processed)].concat(),
        Some(Fault::Broken) => reset_stream(id, INTERNAL_ERROR),
        Some(Fault::BrokenAmid) => [headers, begun, reset_stream(id, INTERNAL_ERROR)].concat(),
        Some(Fault::Cut) => {
            let end = service.below(whole.len());
            [headers, whole[..end].to_vec()].concat()
        }
        Some(Fault::TooLong) => {
            let mut long = whole;
            long[..3].fill(0xff);
            [headers, long].concat()
        }
        Some(Fault::Astray) => [headers, frame(DATA, 0, 0, json.as_bytes()), whole].concat(),
        Some(Fault::Garbage) => [frame(HEADERS, END_HEADERS, id, &[0xff; 40]), whole].concat(),
        Some(Fault::AnotherLength) => {
            // A literal of the static table's `content-length`.
            let length = [OK, &[0x0f, 0x0d, 1, b'1']].concat();
            [frame(HEADERS, END_HEADERS, id, &length), whole].concat()
        }
    }
}
