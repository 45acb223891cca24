//! A sandbox, a directory to write into, and the tool to run on both.

use std::{
    cell::RefCell,
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::Mutex,
    time::Duration,
};

use digital_assets::{
    Operation, operation,
    sandbox::{Fault, Sandbox, SandboxBuilder},
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

/// How long to wait for what must come, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(300);

/// A sandbox that outlives the tool's runs.
pub(crate) struct Tool {
    pub(crate) sandbox: Sandbox,
    directory: PathBuf,
}

/// How a run ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    /// The signal that ended it.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    #[expect(dead_code, reason = "printed where it isn't what was expected")]
    arguments: Vec<String>,
}

impl Ended {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.ends(0)
    }

    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        self
    }

    /// It ended with this status, and stderr is one line that contains these words.
    #[track_caller]
    pub(crate) fn says(&self, status: i32, words: &str) -> &Self {
        assert_eq!((self.status, self.stderr.lines().count()), (Some(status), 1), "{self:?}");
        self.tells(words)
    }

    /// What is on stderr contains these words.
    #[track_caller]
    pub(crate) fn tells(&self, words: &str) -> &Self {
        assert!(self.stderr.contains(words), "{words}: {self:?}");
        self
    }
}

impl Tool {
    pub(crate) async fn with(builder: SandboxBuilder, name: &str) -> Self {
        Self { sandbox: builder.start().await.unwrap(), directory: fresh(name) }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.directory.join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let files = fs::read_dir(&self.directory).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// In its directory, with the sandbox's settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare(arguments);
        set(&mut command, &self.settings()).current_dir(&self.directory);
        command
    }

    /// The sandbox's settings.
    pub(crate) fn settings(&self) -> [(&'static str, String); 5] {
        [
            ("BASE_URL", self.sandbox.base_url().to_owned()),
            ("AUTH_URL", self.sandbox.token_url().to_owned()),
            ("CLIENT_ID", self.sandbox.client_id().to_owned()),
            ("CLIENT_SECRET", self.sandbox.client_secret().to_owned()),
            ("PROFILE_ID", self.sandbox.profile_id().to_string()),
        ]
    }

    /// A line of a shell on a terminal of this width, where `digital-assets` is the tool. What it
    /// prints there is its stdout.
    #[cfg(target_os = "linux")]
    pub(crate) async fn on_a_terminal(&self, width: usize, line: &str) -> Ended {
        let line = format!("stty rows 24 cols {width}; {line}");
        let mut shell = self.in_a_shell(r#"exec script -qec "$LINE" /dev/null"#);
        ended(shell.env("LINE", line).spawn().unwrap()).await
    }

    /// A line of a shell in its directory, with the sandbox's settings.
    pub(crate) fn in_a_shell(&self, line: &str) -> Command {
        let settings = self.command(&[]);
        let settings = settings.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut shell = in_a_shell(line);
        shell.envs(settings).current_dir(&self.directory);
        shell
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with(arguments, &[]).await
    }

    /// The same, with other settings than the sandbox's.
    pub(crate) async fn run_with(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Ended {
        let mut command = self.command(arguments);
        set(&mut command, settings);
        let arguments = arguments.iter().copied().map(str::to_owned).collect();
        Ended { arguments, ..ended(command.spawn().unwrap()).await }
    }

    /// Lets an operation answer 403 once these many answers were whole.
    pub(crate) fn fail_after(&self, answers: usize, operation: Operation) {
        for _ in 0..answers {
            self.sandbox.fault(operation, Fault::Latency(Duration::ZERO));
        }
        self.sandbox.fault(operation, Fault::Status(403));
    }

    /// Runs it while the operation does so, and fails.
    pub(crate) async fn run_failing(
        &self,
        answers: usize,
        operation: Operation,
        arguments: &[&str],
    ) -> Ended {
        self.fail_after(answers, operation);
        self.run(arguments).await.ends(1)
    }

    pub(crate) async fn until(&self, is_so: impl Fn(&Self) -> bool) {
        let waited = async {
            while !is_so(self) {
                sleep(Duration::from_millis(1)).await;
            }
        };
        timeout(PATIENCE, waited).await.unwrap();
    }

    /// The same, or until a run has ended.
    pub(crate) async fn until_ended_or(&self, child: &mut Child, is_so: impl Fn(&Self) -> bool) {
        let child = RefCell::new(child);
        self.until(|tool| child.borrow_mut().try_wait().unwrap().is_some() || is_so(tool)).await;
    }
}

/// An empty directory of this name, which no other test takes.
pub(crate) fn fresh(name: &str) -> PathBuf {
    static TAKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = TAKEN.lock().unwrap().insert(name.to_owned());
    assert!(is_new, "{name} is another test's");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tool").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// The operation's name on the command line.
pub(crate) fn command_of(operation: Operation) -> String {
    let kebab =
        |c: char| if c.is_uppercase() { format!("-{}", c.to_lowercase()) } else { c.into() };
    operation.id().chars().map(kebab).collect()
}

/// The commands of the listings, as the help of `sync` has them.
pub(crate) async fn listings() -> Vec<String> {
    let help = run(&["sync", "--help"]).await.succeeds().stdout;
    let commands = operation::ALL.iter().map(|operation| command_of(*operation));
    commands.filter(|command| help.contains(&format!("\n  {command} "))).collect()
}

/// The tool without any settings.
pub(crate) fn bare(arguments: &[&str]) -> Command {
    let mut command = program(env!("CARGO_BIN_EXE_digital-assets"));
    command.args(arguments);
    command
}

/// Sets these, by their names behind `DIGITAL_ASSETS_`.
pub(crate) fn set<'a, T: AsRef<OsStr>>(
    command: &'a mut Command,
    settings: &[(&str, T)],
) -> &'a mut Command {
    let settings = settings.iter().map(|(name, value)| (format!("DIGITAL_ASSETS_{name}"), value));
    command.envs(settings)
}

/// A line of a shell that knows the tool.
pub(crate) fn in_a_shell(line: &str) -> Command {
    let tool = Path::new(env!("CARGO_BIN_EXE_digital-assets")).parent().unwrap();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap());
    let mut shell = program("sh");
    shell.args(["-c", line]).env("PATH", path);
    shell
}

/// A program without any settings of the tool.
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    let settings = std::env::vars().filter(|(name, _)| name.starts_with("DIGITAL_ASSETS_"));
    for (name, _) in settings {
        command.env_remove(name);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) async fn run(arguments: &[&str]) -> Ended {
    ended(bare(arguments).spawn().unwrap()).await
}

pub(crate) async fn ended(child: Child) -> Ended {
    let output = tokio::task::spawn_blocking(|| child.wait_with_output());
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, output).await.unwrap().unwrap().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended {
        status: status.code(),
        signal: status.signal(),
        stdout: text(stdout),
        stderr: text(stderr),
        arguments: Vec::new(),
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

pub(crate) fn values(records: impl Iterator<Item = impl Serialize>) -> Vec<Value> {
    records.map(|record| serde_json::to_value(record).unwrap()).collect()
}

pub(crate) fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| without_empty(serde_json::from_str(line).unwrap())).collect()
}

pub(crate) fn json_array(text: &str) -> Vec<Value> {
    let records: Vec<Value> = serde_json::from_str(text).unwrap();
    records.into_iter().map(without_empty).collect()
}

/// A record as [`values`] has it: the crate's types leave out empty arrays and objects.
fn without_empty(mut record: Value) -> Value {
    let fields = record.as_object_mut().unwrap();
    fields.retain(|_, value| *value != json!([]) && *value != json!({}));
    record
}
