//! Failures: which are retried, which errors come back, and what they say.

mod answers;
mod bodies;
mod building;
mod connections;
mod deadlines;
mod errors;
mod heads;
mod holds;
mod limits;
mod retries;
mod runtimes;

use tokio::net::TcpSocket;

use crate::prelude::*;

/// An address at which nobody listens, for as long as the socket lives.
fn unreachable() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a free port");
    let address = socket.local_addr().expect("an address");
    (socket, format!("http://{address}"))
}

/// No deadline other than the test's own.
fn patient(client: ClientBuilder) -> ClientBuilder {
    client.attempt_timeout(seconds(1 << 20)).call_timeout(seconds(1 << 20))
}
