//! Tests of failures: which are retried, which errors are returned, and what the errors say.

mod answers;
mod bodies;
mod building;
mod connections;
mod deadlines;
mod environment;
mod errors;
mod heads;
mod holds;
mod limits;
mod retries;
mod runtimes;

use tokio::net::TcpSocket;

use crate::prelude::*;

/// Returns an address at which no server listens. The socket keeps the address reserved.
fn unreachable() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let address = socket.local_addr().expect("an address");
    (socket, format!("http://{address}"))
}

/// Sets deadlines that are longer than any test.
fn patient(client: ClientBuilder) -> ClientBuilder {
    client.attempt_timeout(seconds(1 << 20)).call_timeout(seconds(1 << 20))
}
