//! The sandbox in a separate process, so that its time and memory aren't added to the client's.

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
    /// The words that the server printed: its base URL, the token URL, the client's id and secret,
    /// and the profile's identifier.
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

    /// Starts another process of this benchmark, and makes the client connect through that process.
    #[allow(dead_code, reason = "only one of the benchmarks uses it")]
    pub(crate) fn stand_behind(&mut self, process: &str) {
        let address = self.said[0].trim_start_matches("http://");
        let (process, mut relay) = start(&[process, address]);
        self.processes.push(process);
        self.base_url = relay.remove(0);
        self.connect_anew();
    }

    /// Replaces the client with a new one that has no connections yet.
    #[allow(dead_code, reason = "only one of the benchmarks uses it")]
    pub(crate) fn connect_anew(&mut self) {
        self.client = client(&self.base_url, &self.said);
    }

    /// Returns how many requests for executions the server has received.
    #[allow(dead_code, reason = "only one of the benchmarks uses it")]
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

/// Starts another process of this program, and reads the first line that it prints.
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

/// Runs the sandbox until the parent process closes the pipe.
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
