//! Copies a listing to its output, record by record.

use std::{future::poll_fn, task::Poll};

use digital_assets::Error;

use crate::{
    failure::Failure,
    format::Encode,
    output::Output,
    progress::{Extent, Progress},
    retry_policy::RetryPolicy,
    rows::{Row, Rows},
};

/// The number of bytes to collect before writing.
const BUFFER: usize = 64 << 10;
/// The number of records between two checks for signals.
const LOOK_UP: u64 = 500;

/// A listing and its output.
pub(super) struct Export {
    pub rows: Box<dyn Rows>,
    pub output: Output,
    pub encoder: Box<dyn Encode>,
    pub buffer: Vec<u8>,
    pub progress: Progress,
    pub max: Option<u64>,
    /// Whether the last record that was read is missing from the buffer, because the format can't
    /// represent it.
    pub is_refused: bool,
}

impl Export {
    /// Copies the whole listing to the output. If the listing fails, writes the records before the
    /// failure. The future waits for the service and for the reader of stdout, and retries
    /// temporary failures. It also yields from time to time, so that a signal can cancel it between
    /// records.
    pub(super) async fn run(
        &mut self,
        extent: impl AsyncFnOnce() -> Option<Extent>,
    ) -> Result<(), Failure> {
        let copied = self.copy(extent).await;
        if copied.is_ok() {
            if self.is_full() && self.encoder.is_even() {
                // Saved before the end is written, because a run with a larger --max continues
                // here.
                self.output.write(&mut self.buffer).await?;
                self.output.save(self.rows.checkpoint()?)?;
            }
            self.encoder.end(&mut self.buffer)?;
        } else if !self.encoder.is_even() {
            return copied;
        }
        let written = self.output.write(&mut self.buffer).await;
        copied.and(written)
    }

    async fn copy(&mut self, extent: impl AsyncFnOnce() -> Option<Extent>) -> Result<(), Failure> {
        // Only a progress bar needs the extent, and only a terminal has a bar.
        if self.progress.is_watched() && !self.is_full() {
            self.progress.measure(extent().await, self.max);
        }
        // Nothing has been written yet, in this run or an earlier one.
        if self.output.state.bytes == 0 {
            self.encoder.begin(&mut self.buffer)?;
        }
        let mut policy = RetryPolicy::default();
        while !self.is_full() {
            match self.next().await? {
                None => break,
                Some(Ok(row)) => {
                    if policy.succeeded() {
                        self.progress.goes_on();
                    }
                    let json = row.json().map_err(Failure::from);
                    let encoded = json.and_then(|it| self.encoder.record(it, &mut self.buffer));
                    self.is_refused = encoded.is_err();
                    encoded?;
                    self.output.state.records += 1;
                    self.progress.wrote(row.created_at());
                    if self.buffer.len() >= BUFFER {
                        self.output.write(&mut self.buffer).await?;
                    }
                    if self.output.is_due() && self.encoder.is_even() {
                        self.output.write(&mut self.buffer).await?;
                        self.output.save(self.rows.checkpoint()?)?;
                    }
                    // Otherwise, a signal wouldn't be noticed while records arrive fast.
                    if self.output.state.records.is_multiple_of(LOOK_UP) {
                        tokio::task::yield_now().await;
                    }
                }
                Some(Err(error)) => {
                    let wait = policy.failed(&error).filter(|_| self.output.is_file());
                    let Some(wait) = wait else { return Err(error.into()) };
                    self.progress.waits(wait, &error);
                    tokio::time::sleep(wait).await;
                }
            }
        }
        Ok(())
    }

    /// Whether the output has as many records as `--max` allows.
    pub(super) fn is_full(&self) -> bool {
        self.max.is_some_and(|max| self.output.state.records >= max)
    }

    /// Returns the next record. Before it waits for the record, writes the buffer for the reader of
    /// the output.
    async fn next(&mut self) -> Result<Option<Result<Box<dyn Row>, Error>>, Failure> {
        match poll_fn(|cx| Poll::Ready(self.rows.poll_row(cx))).await {
            Poll::Ready(row) => Ok(row),
            Poll::Pending => {
                self.output.write(&mut self.buffer).await?;
                Ok(poll_fn(|cx| self.rows.poll_row(cx)).await)
            }
        }
    }
}
