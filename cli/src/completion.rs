//! `digital-assets completions`: clap's scripts, which also complete each entry of a list.

use std::fmt::Write as _;

use clap::ArgMatches;
use clap_complete::Shell;

use crate::{command, failure::Failure, stdout};

pub(crate) fn print(arguments: &ArgMatches) -> Result<(), Failure> {
    let Some(&shell) = arguments.get_one::<Shell>("shell") else { return Ok(()) };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command::tool(), command::NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    stdout::print(&match shell {
        Shell::Bash => of_bash(&script),
        Shell::Zsh => of_zsh(&script),
        Shell::Fish => of_fish(&script),
        _ => script.into_owned(),
    })
}

/// Clap sets a name with a hyphen in one spelling, and looks for it in another.
fn of_bash(script: &str) -> String {
    let set = command::NAME.replace('-', "__");
    let sought = command::NAME.replace('-', "__subcmd__");
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

/// An option with a star may be repeated, and its values separated by commas.
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

/// Each entry of a list is offered behind those that are there.
fn of_fish(script: &str) -> String {
    let lists: Vec<&str> = lists().collect();
    let mut fish = String::new();
    let mut values: Option<Vec<&str>> = None;
    for line in script.lines() {
        if let Some(known) = &mut values {
            known.push(line.split('\\').next().unwrap_or(line));
            if line.ends_with('"') {
                let known = known.join(" ");
                let _ = writeln!(
                    fish,
                    "-a \"(__fish_complete_list , 'printf \\\"%s\\\\n\\\" {known}')\""
                );
                values = None;
            }
            continue;
        }
        let is_list = lists.iter().any(|list| line.contains(&format!(" -l {list} ")));
        match line.rsplit_once("-a \"").filter(|_| is_list) {
            Some((option, first)) => {
                fish += option;
                values = Some(vec![first.split('\\').next().unwrap_or(first)]);
            }
            None => {
                let _ = writeln!(fish, "{line}");
            }
        }
    }
    fish
}

/// The options that take several values, separated by commas.
fn lists() -> impl Iterator<Item = &'static str> {
    let operations = crate::generated::OPERATIONS.iter();
    let parameters = operations.flat_map(|operation| operation.parameters);
    let many = parameters.filter(|parameter| parameter.many).map(|parameter| parameter.option);
    many.chain(["columns"])
}
