//! Measures the speed of writing executions and listing checkpoints to SQLite, with one transaction
//! per execution and with one transaction per batch.
//!
//! ```text
//! cargo run --release --package digital-assets-cli --example batches [RECORDS]  # default: 1000000
//! ```

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss)]

use std::{env, fs, path::Path, process, time::Instant};

use digital_assets::{Client, sandbox::Sandbox};
use rusqlite::{Connection, params};

/// The number of runs of each variant. The runs alternate between the two variants, and the median
/// speed of each variant is printed.
const ROUNDS: usize = 3;
const BATCH: usize = 1_000;
const TABLE: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE executions
        (id TEXT PRIMARY KEY, created_at TEXT, market TEXT, price TEXT, base_amount TEXT) WITHOUT ROWID;
    CREATE TABLE place (only INTEGER PRIMARY KEY CHECK (only = 1), checkpoint TEXT);";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let records = env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let sandbox = Sandbox::builder().executions(records).build();
    let (client, profile) = (sandbox.client().unwrap(), sandbox.profile_id());
    let file = env::temp_dir().join(format!("batches-{}.db", process::id()));
    let (mut singly, mut in_batches) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (batch, seconds) in [(1, &mut singly), (BATCH, &mut in_batches)] {
            let database = empty(&file);
            let begun = Instant::now();
            copy(&client, &profile.to_string(), batch, &database).await;
            seconds.push(begun.elapsed().as_secs_f64());
            let count = "SELECT count(*) FROM executions";
            let count: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
            assert_eq!(u64::try_from(count), Ok(records));
        }
    }
    remove(&file);
    let [singly, in_batches] = [singly, in_batches].map(|mut seconds| {
        seconds.sort_by(f64::total_cmp);
        seconds[ROUNDS / 2]
    });
    let rate = |seconds: f64| records as f64 / seconds;
    println!("records per second when writing {records} executions to SQLite:");
    println!("  one by one      {:8.0}", rate(singly));
    println!(
        "  {BATCH} in a batch {:8.0}, {:.1} times as fast",
        rate(in_batches),
        singly / in_batches
    );
}

fn remove(file: &Path) {
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", file.display()));
    }
}

fn empty(file: &Path) -> Connection {
    remove(file);
    let database = Connection::open(file).unwrap();
    database.execute_batch(TABLE).unwrap();
    database
}

/// Copies all executions to the database, in transactions of at most `batch` executions. Each
/// transaction also saves the checkpoint that follows the last of these executions.
async fn copy(client: &Client, profile: &str, batch: usize, database: &Connection) {
    let row = "INSERT INTO executions VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut row = database.prepare(row).unwrap();
    let mut place = database.prepare("INSERT OR REPLACE INTO place VALUES (1, ?1)").unwrap();
    let mut items = client.list_quote_executions().profile_id(profile).limit(1_000).items();
    while let Some(executions) = items.next_batch(batch).await {
        let transaction = database.unchecked_transaction().unwrap();
        for execution in executions.unwrap() {
            let (id, market) = (execution.id.to_string(), execution.market.to_string());
            let time = execution.created_at.to_rfc3339();
            let (price, amount) = (execution.price.as_str(), execution.base_amount.as_str());
            row.execute(params![id, time, market, price, amount]).unwrap();
        }
        place.execute([serde_json::to_string(&items.checkpoint()).unwrap()]).unwrap();
        transaction.commit().unwrap();
    }
}
