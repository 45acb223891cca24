//! Runs the tool with a sandbox and a directory for its files.

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

/// The longest time that a test waits, which is enough even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A sandbox and a directory that are used by several runs of the tool.
pub(crate) struct Tool {
    pub(crate) sandbox: Sandbox,
    directory: PathBuf,
}

/// The exit status and the output of a run.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    /// The signal that terminated the process.
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    #[expect(dead_code, reason = "printed if a test fails")]
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

    /// Checks the exit status, and that stderr is one line that contains these words.
    #[track_caller]
    pub(crate) fn says(&self, status: i32, words: &str) -> &Self {
        assert_eq!((self.status, self.stderr.lines().count()), (Some(status), 1), "{self:?}");
        self.tells(words)
    }

    /// Checks that stderr contains these words.
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

    /// Returns a command that runs the tool in its directory, with the sandbox's settings.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare(arguments);
        set(&mut command, &self.settings()).current_dir(&self.directory);
        command
    }

    /// Returns the settings for the sandbox, without the prefix of their names.
    pub(crate) fn settings(&self) -> [(&'static str, String); 5] {
        [
            ("BASE_URL", self.sandbox.base_url().to_owned()),
            ("AUTH_URL", self.sandbox.token_url().to_owned()),
            ("CLIENT_ID", self.sandbox.client_id().to_owned()),
            ("CLIENT_SECRET", self.sandbox.client_secret().to_owned()),
            ("PROFILE_ID", self.sandbox.profile_id().to_string()),
        ]
    }

    /// Runs a shell command on a terminal of this width. The terminal's output becomes the stdout
    /// of the run.
    #[cfg(target_os = "linux")]
    pub(crate) async fn on_a_terminal(&self, width: usize, line: &str) -> Ended {
        ended(self.start_on_a_terminal(width, line)).await
    }

    /// Starts a shell command as `on_a_terminal` does.
    #[cfg(target_os = "linux")]
    pub(crate) fn start_on_a_terminal(&self, width: usize, line: &str) -> Child {
        let line = format!("stty rows 24 cols {width}; {line}");
        let mut shell = self.in_a_shell(r#"exec script -qec "$LINE" /dev/null"#);
        shell.env("LINE", line).spawn().unwrap()
    }

    /// Returns a shell command that runs in the tool's directory, with the sandbox's settings.
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

    /// Like `run`, but with additional settings.
    pub(crate) async fn run_with(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Ended {
        let mut command = self.command(arguments);
        set(&mut command, settings);
        let arguments = arguments.iter().copied().map(str::to_owned).collect();
        Ended { arguments, ..ended(command.spawn().unwrap()).await }
    }

    /// Makes an operation return 403 after this many successful responses.
    pub(crate) fn fail_after(&self, answers: usize, operation: Operation) {
        for _ in 0..answers {
            self.sandbox.fault(operation, Fault::Latency(Duration::ZERO));
        }
        self.sandbox.fault(operation, Fault::Status(403));
    }

    /// Runs the tool while the operation fails after this many responses. The tool must exit with
    /// 1.
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

    /// Waits like `until`, but also stops when the process has finished.
    pub(crate) async fn until_ended_or(&self, child: &mut Child, is_so: impl Fn(&Self) -> bool) {
        let child = RefCell::new(child);
        self.until(|tool| child.borrow_mut().try_wait().unwrap().is_some() || is_so(tool)).await;
    }
}

/// Creates an empty directory. Panics if another test uses the same name.
pub(crate) fn fresh(name: &str) -> PathBuf {
    static TAKEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let is_new = TAKEN.lock().unwrap().insert(name.to_owned());
    assert!(is_new, "another test uses the name {name}");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tool").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Returns the operation's name on the command line.
pub(crate) fn command_of(operation: Operation) -> String {
    let kebab =
        |c: char| if c.is_uppercase() { format!("-{}", c.to_lowercase()) } else { c.into() };
    operation.id().chars().map(kebab).collect()
}

/// Returns the commands for listings that the help of `sync` contains.
pub(crate) async fn listings() -> Vec<String> {
    let help = run(&["sync", "--help"]).await.succeeds().stdout;
    let commands = operation::ALL.iter().map(|operation| command_of(*operation));
    commands.filter(|command| help.contains(&format!("\n  {command} "))).collect()
}

/// Returns a command that runs the tool without any settings.
pub(crate) fn bare(arguments: &[&str]) -> Command {
    let mut command = program(env!("CARGO_BIN_EXE_digital-assets"));
    command.args(arguments);
    command
}

/// Sets environment variables. Each name is without its prefix `DIGITAL_ASSETS_`.
pub(crate) fn set<'a, T: AsRef<OsStr>>(
    command: &'a mut Command,
    settings: &[(&str, T)],
) -> &'a mut Command {
    let settings = settings.iter().map(|(name, value)| (format!("DIGITAL_ASSETS_{name}"), value));
    command.envs(settings)
}

/// Returns a shell command that can call the tool by name.
pub(crate) fn in_a_shell(line: &str) -> Command {
    let tool = Path::new(env!("CARGO_BIN_EXE_digital-assets")).parent().unwrap();
    let path = format!("{}:{}", tool.display(), std::env::var("PATH").unwrap());
    let mut shell = program("sh");
    shell.args(["-c", line]).env("PATH", path);
    shell
}

/// Returns a command without any of the tool's settings.
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

/// Removes empty arrays and objects from a record, as the crate's types do. So the record can be
/// compared with one from [`values`].
fn without_empty(mut record: Value) -> Value {
    let fields = record.as_object_mut().unwrap();
    fields.retain(|_, value| *value != json!([]) && *value != json!({}));
    record
}
