//! `--dry-run` of an operation with a body: checks the parameters and the body, and prints the
//! request that would be sent.

use std::future::poll_fn;

use chrono::Utc;
use clap::ArgMatches;
use digital_assets::reqwest::{Request, header::AUTHORIZATION};
use tokio::sync::mpsc::unbounded_channel;

use crate::{
    args::Args,
    command, defaults,
    failure::Failure,
    operation::{Call, Operation},
    service::Service,
    stdout,
    unsent::Unsent,
};

pub(crate) async fn run(
    operation: &Operation,
    body: Option<String>,
    arguments: &ArgMatches,
    tool: &ArgMatches,
) -> Result<(), Failure> {
    let (unsent, mut requests) = unbounded_channel();
    let service = Service::without_sending(arguments, tool, Unsent(unsent)).await?;
    let values = command::values(operation, Some(arguments), &service.settings)?;
    let values = command::at(operation, &values, Utc::now());
    let values = defaults::of_listing(operation, values, None);
    let args = Args { client: &service.client, values, body };
    let called = async {
        match &operation.call {
            Call::Answer(call) => call(&args)?.await.map(drop)?,
            Call::Listing(listing) => {
                let mut rows = (listing.rows)(&args, 1, None)?;
                poll_fn(|cx| rows.poll_row(cx)).await.transpose().map(drop)?;
            }
        }
        Ok(())
    };
    tokio::select! {
        biased;
        refused = called => refused,
        Some(request) = requests.recv() => stdout::print(text(&request)),
    }
}

/// The request as HTTP/1.1 would show it, without the access token.
fn text(request: &Request) -> Vec<u8> {
    let mut text = format!("{} {}\n", request.method(), request.url()).into_bytes();
    for (name, value) in request.headers().iter().filter(|(name, _)| *name != AUTHORIZATION) {
        text.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\n"].concat());
    }
    let body = request.body().and_then(|body| body.as_bytes()).unwrap_or_default();
    text.extend([b"\n", body, b"\n"].concat());
    text
}
