//! Measures the peak heap usage while a million records are listed. Responses arrive either in
//! pieces or at once.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)]

#[path = "scale/report.rs"]
mod report;
#[path = "scale/server.rs"]
mod server;
#[path = "scale/shapes.rs"]
mod shapes;

use std::{
    env, io,
    time::{Duration, Instant},
};

use digital_assets::Follow;
use peak_alloc::PeakAlloc;
use server::Server;
use tokio::{
    io::copy_bidirectional_with_sizes,
    net::{TcpSocket, TcpStream},
    runtime::Builder,
    time::sleep,
};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const RECORDS: u64 = 1_000_000;
const PAGE: i32 = 1_000;
/// A slow consumer pauses after this many records.
const PAUSE: u64 = 200;
/// The size of a piece in bytes, which is also the maximum size of a TLS record.
const PIECE: usize = 16 << 10;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    // On several threads, the peak would depend on the scheduler: on how far the connection is
    // ahead of its reader.
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    match arguments.split_first() {
        Some((word, settings)) if word == "serve" => runtime.block_on(server::serve(settings)),
        Some((word, service)) if word == "relay" => runtime.block_on(relay(&service[0])).unwrap(),
        _ => runtime.block_on(walks()),
    }
}

async fn walks() {
    report::begin("memory");

    let mut server = Server::start(RECORDS, 0, "even");
    println!("each response at once");
    walk(&mut server).await;
    follow(&mut server).await;
    server.stand_behind("relay");
    println!("responses in pieces of {PIECE} bytes");
    walk(&mut server).await;
}

async fn walk(server: &mut Server) {
    let page = server.list().limit(PAGE).send().await.unwrap().into_inner();
    let before = HEAP.current_usage();
    let copy = page.clone();
    let a_page = HEAP.current_usage().saturating_sub(before);
    drop((page, copy));

    println!(
        "peak above an idle client, {RECORDS} records, {PAGE} per page of {} KB:",
        a_page / 1_000
    );
    for (n, slow) in [(1, false), (1, true), (16, false)] {
        server.connect_anew();
        // Separate tasks close the connections of the previous client.
        sleep(Duration::from_millis(100)).await;
        let (idle, begun) = (HEAP.current_usage(), Instant::now());
        HEAP.reset_peak_usage();
        let mut items = server.list().limit(PAGE).items().concurrency(n);
        let (mut count, mut peaks) = (0, Vec::new());
        while let Some(execution) = items.next().await {
            execution.unwrap();
            count += 1;
            if slow && count % PAUSE == 0 {
                sleep(Duration::from_millis(1)).await;
            }
            if count % u64::from(PAGE.unsigned_abs()) == 0 {
                peaks.push(HEAP.peak_usage().saturating_sub(idle));
                HEAP.reset_peak_usage();
            }
        }
        assert_eq!(count, RECORDS);
        peaks.sort_unstable();
        let pages = |bytes: usize| bytes as f64 / a_page as f64;
        let (peak, median) = (peaks[peaks.len() - 1], peaks[peaks.len() / 2]);
        println!(
            "  n = {n}{}: {:.1} MB, {:.1} pages; median of the peaks while a page is returned: {:.1} pages ({:.1} s)",
            if slow { ", slow consumer" } else { "" },
            peak as f64 / 1e6,
            pages(peak),
            pages(median),
            begun.elapsed().as_secs_f64(),
        );
    }
}

/// Measures how much memory a followed listing needs for the records within its overlap.
async fn follow(server: &mut Server) {
    println!("memory of a followed listing with {RECORDS} records:");
    for days in [1, 30, 365] {
        server.connect_anew();
        sleep(Duration::from_millis(100)).await;
        let overlap = Duration::from_secs(days * 24 * 3_600);
        let follow = Follow::every(Duration::from_secs(3_600)).overlap(overlap);
        let idle = HEAP.current_usage();
        let mut changes = server.list().limit(PAGE).items().follow(follow);
        for _ in 0..RECORDS {
            changes.next().await.unwrap().unwrap();
        }
        let kept = HEAP.current_usage().saturating_sub(idle);
        let checkpoint = serde_json::to_value(changes.checkpoint()).unwrap();
        let count = |field: &str| checkpoint[field].as_array().unwrap().len();
        let records = count("closed") + count("open");
        println!(
            "  overlap of {days} days, {records} records: {:.1} MB, {} bytes per record",
            kept as f64 / 1e6,
            kept / records
        );
    }
}

/// Forwards connections to a service, in pieces of at most `PIECE` bytes.
async fn relay(service: &str) -> io::Result<()> {
    let socket = TcpSocket::new_v4()?;
    socket.set_send_buffer_size(PIECE.try_into().unwrap())?;
    socket.bind(([127, 0, 0, 1], 0).into())?;
    let listener = socket.listen(64)?;
    println!("http://{}", listener.local_addr()?);
    loop {
        let (mut client, _) = listener.accept().await?;
        let mut service = TcpStream::connect(service).await?;
        client.set_nodelay(true)?;
        service.set_nodelay(true)?;
        tokio::spawn(async move {
            copy_bidirectional_with_sizes(&mut client, &mut service, PIECE, PIECE).await
        });
    }
}
