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

/// Bytes to collect before writing.
const BUFFER: usize = 64 << 10;
/// Records between two checks for signals.
const LOOK_UP: u64 = 500;

/// A listing and its output.
pub(super) struct Export {
    pub rows: Box<dyn Rows>,
    pub output: Output,
    pub encoder: Box<dyn Encode>,
    pub buffer: Vec<u8>,
    pub progress: Progress,
    pub max: Option<u64>,
    /// Whether the listing's last record isn't in the buffer, because the format can't hold it.
    pub is_refused: bool,
}

impl Export {
    /// Copies the listing and its end, or the records before a failure. It waits for the service,
    /// for the reader of stdout, and for failures to pass. It also yields, so that a signal can
    /// drop it between records.
    pub(super) async fn run(
        &mut self,
        extent: impl AsyncFnOnce() -> Option<Extent>,
    ) -> Result<(), Failure> {
        let copied = self.copy(extent).await;
        if copied.is_ok() {
            if self.is_full() && self.encoder.is_even() {
                // Before the end, because a larger --max continues here.
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
        // Only a terminal has a bar.
        if self.progress.is_watched() && !self.is_full() {
            self.progress.measure(extent().await, self.max);
        }
        // Nothing has been written yet, in any run.
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
                    // Otherwise, a signal would wait while records arrive fast.
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

    /// Whether it has as many records as `--max` allows.
    pub(super) fn is_full(&self) -> bool {
        self.max.is_some_and(|max| self.output.state.records >= max)
    }

    /// The next record. Flushes the output for its reader before waiting.
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
