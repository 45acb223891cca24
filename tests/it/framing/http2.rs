//! HTTP/2 frames that end a stream or a connection, or that violate the protocol (RFC 9113).

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
    /// `REFUSED_STREAM`: the service doesn't process the request.
    Refused,
    /// `GOAWAY`: the service processes neither this request nor later ones on the connection.
    GoneBefore,
    /// `HTTP_1_1_REQUIRED`: the service doesn't process the request over HTTP/2.
    Http1Required,
    /// `REFUSED_STREAM` in the middle of a response, although the request was processed.
    RefusedAmid,
    /// `NO_ERROR` before the end of the response.
    EndedAmid,
    /// `GOAWAY` in the middle of the response.
    GoneAmid,
    /// `INTERNAL_ERROR` before the response.
    Broken,
    BrokenAmid,
    /// A frame that is cut off.
    Cut,
    /// A frame that is longer than allowed.
    TooLong,
    /// A `DATA` frame that belongs to no stream.
    Astray,
    /// Headers that HPACK can't decode.
    Garbage,
    /// A `content-length` that differs from the body's length.
    AnotherLength,
    /// A response that ends with its headers.
    NoBody,
}

const FAULTS: [Fault; 16] = [
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
    Fault::NoBody,
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
        // A service that has processed a later request can't claim that it won't process this one.
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
                | Fault::BrokenAmid
                | Fault::NoBody,
            ) => {}
            Some(Fault::GoneBefore) if !goes => {}
            Some(_) => {
                stream.shutdown().await?;
                return stream.read_to_end(&mut Vec::new()).await.map(drop);
            }
        }
    }
}

/// Returns the frames of a response, modified according to the fault.
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
        Some(Fault::NoBody) => frame(HEADERS, END_HEADERS | END_STREAM, id, OK),
        Some(Fault::AnotherLength) => {
            // This is a `content-length` with its name from the static table.
            let length = [OK, &[0x0f, 0x0d, 1, b'1']].concat();
            [frame(HEADERS, END_HEADERS, id, &length), whole].concat()
        }
    }
}
