//! A service that returns a fixed body for each path, and records the requests.

use std::{
    path::Path,
    process::{Command, Output},
    sync::{Arc, Mutex},
};

use crate::{server::serve, tool::set};

pub(super) struct Service {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Starts a service with these paths and bodies. The response for any other path is a 204.
    pub(super) fn of(answers: &'static [(&'static str, &'static str)]) -> Self {
        let requests: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&requests);
        let url = serve(move |request| {
            let request = line_and_body(request);
            let answer = answers.iter().find(|(path, _)| request.contains(path));
            kept.lock().unwrap().push(request);
            answer.map_or((204, String::new()), |(_, body)| (200, (*body).to_owned()))
        });
        Self { url, requests }
    }

    /// Runs the tool with this service.
    pub(super) fn run(&self, tool: &Path, arguments: &[&str]) -> Output {
        let settings = [
            ("BASE_URL", &*self.url),
            ("AUTH_URL", &self.url),
            ("CLIENT_ID", "its-own"),
            ("CLIENT_SECRET", "hush"),
            ("OWNER", "from-a-setting"),
        ];
        set(Command::new(tool).args(arguments), &settings).output().unwrap()
    }

    /// Returns the request lines and bodies since the previous call.
    pub(super) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn line_and_body(request: &str) -> String {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let line = head.lines().next().unwrap().trim_end_matches(" HTTP/1.1");
    let (method, target) = line.split_once(' ').unwrap();
    format!("{} {target} {body}", method.to_lowercase()).trim_end().to_owned()
}
