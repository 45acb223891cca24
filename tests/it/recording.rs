//! Records the requests of these tests for `tests/description/contract`, which validates them with
//! Prism.

use std::{env, fs::File, io::Write as _, sync::OnceLock};

use serde_json::json;

use crate::server::Received;

/// Appends a request to the file that `RECORDED_REQUESTS` names, if this variable is set.
pub(crate) fn record(received: &Received) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let content_type = received.header("content-type");
    let (method, target) = received.line.split_once(' ').expect("a request line");
    // The OpenAPI description doesn't include token requests, a layer's signatures, or requests to
    // another service.
    if content_type == Some("application/x-www-form-urlencoded")
        || target.contains("sig=")
        || !target.contains("/v2/")
    {
        return;
    }
    let file = FILE.get_or_init(|| {
        let path = env::var_os("RECORDED_REQUESTS")?;
        Some(File::options().create(true).append(true).open(path).expect("a file"))
    });
    if let Some(mut file) = file.as_ref() {
        let line = json!([method, target, content_type, received.body]);
        // The line is written in one call, because other threads write as well.
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
    }
}
