//! Frames of HTTP/2 that end a stream, a connection, or the patience of any reader (RFC 9113).

use std::{collections::HashMap, io};

use digital_assets::Client;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::{Service, listen};
use crate::quick;

#[derive(Clone, Copy)]
enum Fault {
    Closed,
    Reset,
    /// `REFUSED_STREAM`: the service does nothing, and says so.
    Refused,
    /// The same, for this and all later requests of the connection.
    GoneBefore,
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

const FAULTS: [Fault; 12] = [
    Fault::Closed,
    Fault::Reset,
    Fault::Refused,
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

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
const NO_ERROR: u8 = 0;
const INTERNAL_ERROR: u8 = 2;
const REFUSED_STREAM: u8 = 7;
/// `:status: 200` in HPACK.
const OK: &[u8] = &[0x88];

#[tokio::test]
async fn over_broken_http2_no_post_is_applied_twice_and_all_is_well_afterwards() {
    for seed in 0..3 {
        let service = Service::new(seed);
        let serving = service.clone();
        let url = listen(move |stream| serve(stream, serving.clone())).await;
        let http = reqwest::Client::builder().no_proxy().http2_prior_knowledge();
        let client = Client::builder(url).bearer_token("word").retry(quick());
        let client = client.http_client(http.build().unwrap());

        service.meets(&client.build().unwrap()).await;
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn go_away(last: u32) -> Vec<u8> {
    frame(GOAWAY, 0, 0, &[last.to_be_bytes(), [0, 0, 0, NO_ERROR]].concat())
}

fn reset_stream(stream: u32, why: u8) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &[0, 0, 0, why])
}

async fn serve(mut stream: TcpStream, service: Service) -> io::Result<()> {
    stream.read_exact(&mut [0; 24]).await?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await?;
    let (mut bodies, mut processed) = (HashMap::<u32, Vec<u8>>::new(), 0);
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let [_, high, low, kind, flags, id @ ..] = head;
        let mut payload = vec![0; usize::from(high) << 8 | usize::from(low)];
        stream.read_exact(&mut payload).await?;
        if kind == PING && flags & ACK == 0 {
            stream.write_all(&frame(PING, ACK, 0, &payload)).await?;
        }
        let id = u32::from_be_bytes(id);
        match kind {
            DATA => bodies.entry(id).or_default().extend(payload),
            HEADERS => {}
            _ => continue,
        }
        if flags & END_STREAM == 0 {
            continue;
        }
        let body = bodies.remove(&id).unwrap_or_default();
        let fault = service.fault(&FAULTS);
        // A service that has processed a later one can't say that it will process none.
        let goes = matches!(fault, Some(Fault::GoneBefore)) && id > processed;
        let sent = if goes {
            go_away(processed)
        } else if matches!(fault, Some(Fault::GoneBefore | Fault::Refused)) {
            reset_stream(id, REFUSED_STREAM)
        } else {
            processed = processed.max(id);
            answer(id, processed, fault, &service.apply("null", &body), &service)
        };
        stream.write_all(&sent).await?;
        match fault {
            Some(Fault::Reset) => return stream.set_zero_linger(),
            None | Some(Fault::Refused | Fault::Broken | Fault::BrokenAmid) => {}
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
        Some(Fault::Closed | Fault::Reset | Fault::Refused | Fault::GoneBefore) => Vec::new(),
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
