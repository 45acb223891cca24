//! What these tests send, for `tests/description/contract`, which lets Prism judge all of it.

use std::{env, fs::File, io::Write as _, sync::OnceLock};

use serde_json::json;

use crate::server::Received;

/// Appends a request of the service to the file that `RECORDED_REQUESTS` names, if it does.
pub(crate) fn record(received: &Received) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let content_type = received.header("content-type");
    let (method, target) = received.line.split_once(' ').expect("a request line");
    // Token requests, signatures of a layer and requests to another service aren't in the description.
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
        // In one piece: other threads write as well.
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
    }
}
