//! Exports a listing to a JSON Lines file. After an interruption, the next run continues the file.
//!
//! ```console
//! cargo run -p integration-tests --example export
//! ```

use std::{
    error::Error,
    fs::{self, OpenOptions},
    io::{ErrorKind, Seek, SeekFrom, Write},
    path::Path,
};

use digital_assets::{Checkpoint, Client, sandbox::Sandbox, types::Order};
use serde::{Deserialize, Serialize};

/// The length of the file, and the listing's position after the last line of the file.
#[derive(Serialize, Deserialize)]
struct State {
    bytes: u64,
    checkpoint: Checkpoint,
}

pub(crate) async fn export(client: &Client, path: &Path) -> Result<(), Box<dyn Error>> {
    let list = client.list_deposit_addresses().order(Order::Asc).limit(1_000);
    let (mut addresses, mut begin) = (list.items(), 0);
    let state_path = path.with_extension("state");
    match fs::read(&state_path) {
        Ok(kept) => {
            let State { bytes, checkpoint } = serde_json::from_slice(&kept)?;
            (addresses, begin) = (addresses.resume(checkpoint), bytes);
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    // Removes the lines that an interrupted run wrote after it last saved its state.
    file.set_len(begin)?;
    file.seek(SeekFrom::End(0))?;
    while let Some(batch) = addresses.next_batch(1_000).await {
        let mut lines = Vec::new();
        for address in batch? {
            serde_json::to_writer(&mut lines, &address)?;
            lines.push(b'\n');
        }
        file.write_all(&lines)?;
        file.sync_data()?;
        let state = State { bytes: file.stream_position()?, checkpoint: addresses.checkpoint() };
        // Renaming replaces the old state file atomically.
        fs::write(path.with_extension("new"), serde_json::to_vec(&state)?)?;
        fs::rename(path.with_extension("new"), &state_path)?;
    }
    // Without a state file, the next run starts from the beginning.
    fs::remove_file(&state_path).or_else(|_| file.sync_all()).map_err(Into::into)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    export(&Sandbox::start().await?.client()?, Path::new("deposit-addresses.jsonl")).await
}
