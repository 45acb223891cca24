//! The sandbox in a process of its own, so that its time and memory aren't the client's.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::Duration,
};

use digital_assets::{Client, ClientCredentials, builder::ListQuoteExecutions, sandbox::Sandbox};

use crate::shapes;

pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) profile: String,
    base_url: String,
    /// Where it serves, where it gives tokens, and the client's id and secret.
    said: Vec<String>,
    processes: Vec<Child>,
}

impl Server {
    pub(crate) fn start(executions: u64, latency_ms: u64, shape: &str) -> Self {
        let settings = ["serve", &executions.to_string(), &latency_ms.to_string(), shape];
        let (process, said) = start(&settings);
        let [_, _, _, _, profile] = &said[..] else { panic!("the server said {said:?}") };
        let (base_url, profile) = (said[0].clone(), profile.to_owned());
        let client = client(&base_url, &said);
        Self { client, profile, base_url, said, processes: vec![process] }
    }

    /// Leads the client through this benchmark's own process of that name.
    #[allow(dead_code, reason = "one benchmark has one")]
    pub(crate) fn stand_behind(&mut self, process: &str) {
        let address = self.said[0].trim_start_matches("http://");
        let (process, mut relay) = start(&[process, address]);
        self.processes.push(process);
        self.base_url = relay.remove(0);
        self.connect_anew();
    }

    /// Goes on with a client that has no connection yet.
    #[allow(dead_code, reason = "one benchmark has one")]
    pub(crate) fn connect_anew(&mut self) {
        self.client = client(&self.base_url, &self.said);
    }

    /// The requests for executions so far.
    #[allow(dead_code, reason = "one benchmark has one")]
    pub(crate) async fn requests(&self) -> u64 {
        let answer = reqwest::get(format!("{}/sandbox", self.base_url)).await.unwrap();
        let state = answer.text().await.unwrap();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        state["request_counts"]["listQuoteExecutions"].as_u64().unwrap()
    }

    pub(crate) fn list(&self) -> ListQuoteExecutions {
        self.client.list_quote_executions().profile_id(&self.profile)
    }
}

/// Starts this program once more, and reads the line that it begins with.
fn start(arguments: &[&str]) -> (Child, Vec<String>) {
    let mut process = Command::new(env::current_exe().unwrap())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (process, line.split_whitespace().map(str::to_owned).collect())
}

fn client(base_url: &str, said: &[String]) -> Client {
    let credentials = ClientCredentials::new(&said[1], &said[2], &said[3]);
    Client::builder(base_url).credentials(credentials).build().unwrap()
}

impl Drop for Server {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Until the parent closes the pipe.
pub(crate) async fn serve(settings: &[String]) {
    let [executions, latency, shape] = settings else { panic!("serve what?") };
    let latency = Duration::from_millis(latency.parse().unwrap());
    let sandbox = Sandbox::builder().latency(latency);
    let sandbox = shapes::start(sandbox, shape, executions.parse().unwrap()).await;
    let (base_url, token_url) = (sandbox.base_url(), sandbox.token_url());
    let (id, secret) = (sandbox.client_id(), sandbox.client_secret());
    println!("{base_url} {token_url} {id} {secret} {}", sandbox.profile_id());
    let closed = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let _ = closed.await;
}
