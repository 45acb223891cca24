//! A proxy that counts the requests under way: connections that have been sent to and haven't
//! begun to answer.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use digital_assets::sandbox::Sandbox;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

pub(super) struct Proxy {
    pub(super) base_url: String,
    counts: Arc<Counts>,
    server: AbortHandle,
}

#[derive(Default)]
struct Counts {
    under_way: AtomicUsize,
    most: AtomicUsize,
}

impl Proxy {
    pub(super) async fn to(sandbox: &Sandbox) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let service = sandbox.base_url().trim_start_matches("http://").to_owned();
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        let server = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let service = TcpStream::connect(&service).await.unwrap();
                tokio::spawn(carry(client, service, Arc::clone(&counted)));
            }
        });
        Self { base_url, counts, server: server.abort_handle() }
    }

    pub(super) fn most_under_way(&self) -> usize {
        self.counts.most.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn carry(mut client: TcpStream, mut service: TcpStream, counts: Arc<Counts>) {
    let (mut asked, mut answered) = (vec![0; 16 << 10], vec![0; 64 << 10]);
    let mut waits = false;
    loop {
        tokio::select! {
            Ok(length @ 1..) = client.read(&mut asked) => {
                if !waits {
                    waits = true;
                    let under_way = counts.under_way.fetch_add(1, Ordering::SeqCst) + 1;
                    counts.most.fetch_max(under_way, Ordering::SeqCst);
                }
                if service.write_all(&asked[..length]).await.is_err() {
                    break;
                }
            }
            Ok(length @ 1..) = service.read(&mut answered) => {
                if waits {
                    waits = false;
                    counts.under_way.fetch_sub(1, Ordering::SeqCst);
                }
                if client.write_all(&answered[..length]).await.is_err() {
                    break;
                }
            }
            else => break,
        }
    }
    if waits {
        counts.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}
