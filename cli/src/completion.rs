//! `digital-assets completions`: clap's completion scripts, changed so that they also complete each
//! value of a comma-separated list.

use clap::ArgMatches;
use clap_complete::Shell;

use crate::{command, failure::Failure, stdout, words::NAME};

pub(crate) fn print(arguments: &ArgMatches) -> Result<(), Failure> {
    let Some(&shell) = arguments.get_one::<Shell>("shell") else { return Ok(()) };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command::tool(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    stdout::print(&match shell {
        Shell::Bash => of_bash(&script),
        Shell::Zsh => of_zsh(&script),
        Shell::Fish => of_fish(&script),
        _ => script.into_owned(),
    })
}

/// Changes clap's Bash script so that it completes each value of a comma-separated list.
///
/// Because of the hyphen in the tool's name, clap's script contains two spellings of the name. This
/// function also replaces one spelling with the other.
fn of_bash(script: &str) -> String {
    let set = NAME.replace('-', "__");
    let sought = NAME.replace('-', "__subcmd__");
    let lines = script.replace(&sought, &set);
    let lines = lines.lines().map(|line| {
        if line.trim_start().starts_with("COMPREPLY=($(compgen -W \"") && !line.contains("${opts}")
        {
            line.replace("-- \"${cur}\"", "-P \"${cur%\"${cur##*,}\"}\" -- \"${cur##*,}\"")
        } else {
            line.to_owned()
        }
    });
    lines.map(|line| line + "\n").collect()
}

/// Changes clap's Zsh script so that it completes each value of a comma-separated list. In the
/// script, an asterisk marks an option that may be repeated.
fn of_zsh(script: &str) -> String {
    let line = |line: &str| {
        let is_list = line.starts_with("'*--") && line.ends_with(")' \\");
        match line.rsplit_once(":(").filter(|_| is_list) {
            Some((option, values)) => {
                let values = values.trim_end_matches(")' \\");
                format!("{option}:_sequence compadd - {values}' \\\n")
            }
            None => format!("{line}\n"),
        }
    };
    script.lines().map(line).collect()
}

/// Changes clap's Fish script so that it completes each value of a comma-separated list. In the
/// script, the values of an option are at the end of the option's `complete` command, in quotes,
/// one per line.
fn of_fish(script: &str) -> String {
    let lists: Vec<String> = lists().map(|list| format!(" -l {list} ")).collect();
    let commands = script.split("\ncomplete ").map(|command| {
        let is_list = lists.iter().any(|list| command.contains(list));
        match command.split_once("-a \"").filter(|_| is_list) {
            Some((option, values)) => {
                let known = values.lines().filter_map(|line| line.split('\\').next());
                let known = known.collect::<Vec<_>>().join(" ");
                format!(r#"{option}-a "(__fish_complete_list , 'printf \"%s\\n\" {known}')""#)
            }
            None => command.to_owned(),
        }
    });
    commands.collect::<Vec<_>>().join("\ncomplete ")
}

/// The names of the options that take several values.
fn lists() -> impl Iterator<Item = &'static str> {
    let operations = crate::generated::OPERATIONS.iter();
    let parameters = operations.flat_map(|operation| operation.parameters);
    let many = parameters.filter(|parameter| parameter.many).map(|parameter| parameter.option);
    many.chain(["columns"])
}
