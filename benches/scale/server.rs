//! The sandbox in a process of its own, so that its time and memory aren't the client's.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
    time::Duration,
};

use digital_assets::{
    Client, ClientCredentials,
    builder::ListQuoteExecutions,
    sandbox::{Sandbox, Times},
};

pub(crate) struct Server {
    pub(crate) client: Client,
    pub(crate) profile: String,
    process: Child,
}

impl Server {
    pub(crate) fn start(executions: u64, latency_ms: u64, times: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["serve", &executions.to_string(), &latency_ms.to_string(), times])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let [base_url, token_url, id, secret, profile] =
            line.split_whitespace().collect::<Vec<_>>()[..]
        else {
            panic!("the server said {line}");
        };
        let credentials = ClientCredentials::new(token_url, id, secret);
        let client = Client::builder(base_url).credentials(credentials).build().unwrap();
        Self { client, profile: profile.to_owned(), process }
    }

    pub(crate) fn list(&self) -> ListQuoteExecutions<'_> {
        self.client.list_quote_executions().profile_id(&self.profile)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Until the parent closes the pipe.
pub(crate) async fn serve(settings: &[String]) {
    let [executions, latency, times] = settings else { panic!("serve what?") };
    let times = if times == "skewed" { Times::Skewed } else { Times::Uniform };
    let latency = Duration::from_millis(latency.parse().unwrap());
    let builder = Sandbox::builder().executions(executions.parse().unwrap()).latency(latency);
    let sandbox = builder.times(times).start().await.unwrap();
    let (base_url, token_url) = (sandbox.base_url(), sandbox.token_url());
    let (id, secret) = (sandbox.client_id(), sandbox.client_secret());
    println!("{base_url} {token_url} {id} {secret} {}", sandbox.profile_id());
    let closed = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let _ = closed.await;
}
