//! What these tests send, for `tests/description/contract`, which lets Prism judge all of it.

use std::{env, fs::File, io::Write as _, ops::Deref, sync::OnceLock, thread};

use digital_assets::sandbox::{Sandbox, SandboxBuilder};
use reqwest::Url;
use serde_json::json;

use crate::server::Received;

/// Appends a request of the service to the file that `RECORDED_REQUESTS` names, if it does.
pub(crate) fn record(received: &Received) {
    let content_type = received.header("content-type");
    let (method, target) = received.line.split_once(' ').expect("a request line");
    // Token requests are in no description, nor is what a layer signs with.
    let is_signed = target.contains("sig=");
    if content_type != Some("application/x-www-form-urlencoded") && !is_signed {
        write(method, target, content_type, &received.body);
    }
}

fn write(method: &str, target: &str, content_type: Option<&str>, body: &str) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let path = env::var_os("RECORDED_REQUESTS")?;
        Some(File::options().create(true).append(true).open(path).expect("a file"))
    });
    if let Some(mut file) = file.as_ref() {
        let line = json!([method, target, content_type, body]);
        // In one piece: other threads write as well.
        file.write_all(format!("{line}\n").as_bytes()).expect("a line");
    }
}

/// A sandbox whose requests are recorded once its test is over.
pub(crate) struct Recorded(Sandbox);

impl Recorded {
    pub(crate) fn of(builder: SandboxBuilder) -> Self {
        Self(builder.build())
    }
}

impl Deref for Recorded {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.0
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let requests = self.requests();
        assert!(requests.len() < 10_000, "the sandbox has forgotten some requests");
        for request in requests {
            // A sandbox keeps no bodies.
            assert_eq!(request.method, "GET");
            let url = format!("{}{}", self.base_url(), request.path);
            let url = Url::parse_with_params(&url, &request.query).expect("a URL");
            let query = url.query().filter(|query| !query.is_empty());
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            write("GET", &format!("{}{query}", request.path), None, "");
        }
    }
}
