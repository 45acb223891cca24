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

/// The number of bytes to collect before they are written to the output.
const BUFFER: usize = 64 << 10;
/// The number of records between two checks for signals.
const LOOK_UP: u64 = 500;

/// A listing that is being copied to its output.
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
    /// Copies the whole listing to the output. If the listing fails, the records before the failure
    /// are still written, provided that the encoder is resumable.
    ///
    /// If the output is a file, requests that fail temporarily are retried.
    ///
    /// The future yields regularly, so that a signal can cancel it between two records.
    pub(super) async fn run(
        &mut self,
        extent: impl AsyncFnOnce() -> Option<Extent>,
    ) -> Result<(), Failure> {
        let copied = self.copy(extent).await;
        if copied.is_ok() {
            if self.is_full() && self.encoder.is_resumable() {
                // The checkpoint is saved before the end of the output is written, because a later
                // run with a larger --max continues at this point.
                self.output.write(&mut self.buffer).await?;
                self.output.save(self.rows.checkpoint()?)?;
            }
            self.encoder.end(&mut self.buffer)?;
        } else if !self.encoder.is_resumable() {
            return copied;
        }
        let written = self.output.write(&mut self.buffer).await;
        copied.and(written)
    }

    async fn copy(&mut self, extent: impl AsyncFnOnce() -> Option<Extent>) -> Result<(), Failure> {
        // The extent is requested only for a progress bar, because it takes two requests.
        if self.progress.is_watched() && !self.is_full() {
            self.progress.measure(extent().await, self.max);
        }
        // The output is empty: neither this run nor an earlier one has written to it.
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
                    if self.output.is_due() && self.encoder.is_resumable() {
                        self.output.write(&mut self.buffer).await?;
                        self.output.save(self.rows.checkpoint()?)?;
                    }
                    // Without this yield, a signal wouldn't be noticed while records arrive fast.
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

    /// Returns the next record. If the record hasn't arrived yet, writes the buffer to the output
    /// before waiting, so that readers of the output get the earlier records without delay.
    async fn next(&mut self) -> Result<Option<Result<Box<dyn Row>, Error>>, Failure> {
        match poll_fn(|cx| Poll::Ready(self.rows.poll_row(cx))).await {
            Poll::Ready(row) => Ok(row),
            Poll::Pending => {
                // A partial file without records is empty, so that it can be removed.
                if self.output.state.records > 0 || !self.output.is_file() {
                    self.output.write(&mut self.buffer).await?;
                }
                Ok(poll_fn(|cx| self.rows.poll_row(cx)).await)
            }
        }
    }
}
