//! The names of the tool's own commands and options. If a name from the OpenAPI description
//! collides with one of them, the tool uses another name for the described command or option.

/// The tool's name.
pub(crate) const NAME: &str = "digital-assets";

const COMMANDS: &[&str] =
    &["check", "completions", "description", "help", "man", "sandbox", "status", "sync", "verify"];

/// The tool's own options. A parameter's option can't have one of these names.
const OPTIONS: &[&str] = &[
    "all",
    "body",
    "columns",
    "concurrency",
    "decimals",
    "dry-run",
    "env-file",
    "every",
    "force",
    "format",
    "from",
    "header",
    "help",
    "max",
    "output",
    "overlap",
    "profile",
    "quiet",
    "rate",
    "recheck",
    "resume",
    "retries",
    "safe-cells",
    "sandbox",
    "timeout",
    "to",
    "verbose",
];

/// The name of an operation's command: `name`, or `other` if the tool itself has a command called
/// `name`.
pub(crate) const fn command(name: &'static str, other: &'static str) -> &'static str {
    if has(COMMANDS, name) { other } else { name }
}

/// The name of a parameter's option: `name`, or `other` if the tool itself has an option called
/// `name`.
pub(crate) const fn option(name: &'static str, other: &'static str) -> &'static str {
    if has(OPTIONS, name) { other } else { name }
}

/// Whether `words` contains `name`. Like `slice::contains`, but a `const fn`.
const fn has(words: &[&str], name: &str) -> bool {
    match words {
        [] => false,
        [word, rest @ ..] => is_same(word.as_bytes(), name.as_bytes()) || has(rest, name),
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([a, one @ ..], [b, other @ ..]) => *a == *b && is_same(one, other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Command;

    use super::{COMMANDS, OPTIONS, command, option};
    use crate::{command::tool, generated::OPERATIONS, operation::Operation};

    #[test]
    fn a_described_name_that_the_tool_has_gives_way() {
        assert_eq!(command("sync", "sync-2"), "sync-2");
        assert_eq!(command("synchronize", "synchronize-2"), "synchronize");
        assert_eq!(option("format", "format-2"), "format-2");
        assert_eq!(option("formats", "formats-2"), "formats");
    }

    #[test]
    fn every_word_of_the_tool_is_kept_from_the_description() {
        let tool = tool();
        let operation = |name: &str| OPERATIONS.iter().find(|operation| operation.command == name);
        let mut commands = BTreeSet::from(["help"]);
        let mut options = BTreeSet::from(["body", "help"]);
        for command in tool.get_subcommands() {
            if let Some(operation) = operation(command.get_name()) {
                options.extend(own_options(command, operation));
            } else {
                commands.insert(command.get_name());
            }
            for inner in command.get_subcommands() {
                let operation = operation(inner.get_name()).unwrap();
                options.extend(own_options(inner, operation));
                // A command such as `sync` has its own options too, for example `--all`.
                options.extend(command.get_arguments().filter_map(clap::Arg::get_long).filter(
                    |word| {
                        !OPERATIONS.iter().any(|it| it.parameters.iter().any(|p| p.option == *word))
                    },
                ));
            }
        }

        assert_eq!(commands, COMMANDS.iter().copied().collect());
        assert_eq!(options, OPTIONS.iter().copied().collect());
    }

    fn own_options<'a>(command: &'a Command, operation: &Operation) -> Vec<&'a str> {
        let options = command.get_arguments().filter_map(clap::Arg::get_long);
        let is_described = |word: &&str| operation.parameters.iter().any(|p| p.option == *word);
        options.filter(|word| !is_described(word)).collect()
    }
}
