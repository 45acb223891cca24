//! Parses the instructions in the walk-through of CONTRIBUTING.md, and applies them.

use std::{fs, path::Path};

/// An instruction from the page: a code block, and what the text before the block says to do with
/// it.
#[derive(Debug)]
pub(super) enum Instruction {
    /// Adds lines to a file, or replaces a line with them.
    Edit { step: u8, file: String, place: Place, lines: String },
    /// Runs commands in a shell, in the repository's root directory.
    Run(String),
}

#[derive(Debug)]
pub(super) enum Place {
    Above(String),
    Below(String),
    InsteadOf(String),
    End,
}

/// Returns the instructions of the walk-through, in the order of the page.
pub(super) fn instructions(page: &str) -> Vec<Instruction> {
    let example = page.split("\n### An example: ").nth(1).unwrap();
    let example = example.split("\n### ").next().unwrap();
    let mut parts = example.split("\n```");
    let (mut text, mut step, mut instructions) = (parts.next().unwrap(), 0, Vec::new());
    while let (Some(block), after) = (parts.next(), parts.next()) {
        let (language, lines) = block.split_once('\n').unwrap();
        let named = text.rsplit("**Step ").next().filter(|_| text.contains("**Step "));
        step = named.map_or(step, |rest| rest[..1].parse().unwrap());
        let lines = format!("{lines}\n");
        instructions.push(match language {
            "sh" => Instruction::Run(lines),
            _ => edit(step, text.trim().lines().last().unwrap(), lines),
        });
        text = after.unwrap_or_default();
    }
    instructions
}

/// Parses an instruction: "In `FILE`, insert above `LINE`:", "In `FILE`, insert below `LINE`:",
/// "In `FILE`, replace `LINE` with:" or "At the end of `FILE`, add:". If the line contains
/// backticks, it's enclosed in double backticks.
fn edit(step: u8, text: &str, lines: String) -> Instruction {
    let (said, rest) = text.split_once('`').unwrap_or_else(|| panic!("no file: {text}"));
    let (file, rest) = rest.split_once('`').unwrap();
    let line = || {
        let (_, line) = rest.split_once('`').unwrap_or_else(|| panic!("no line: {text}"));
        let (line, end) = line.strip_prefix('`').map_or((line, "`"), |line| (line, "``"));
        line.split(end).next().unwrap_or(line).to_owned()
    };
    let place = match rest.split('`').next().unwrap().trim() {
        _ if said.contains("At the end of") => Place::End,
        ", insert above" => Place::Above(line()),
        ", insert below" => Place::Below(line()),
        ", replace" => Place::InsteadOf(line()),
        other => panic!("unknown place {other:?}: {text}"),
    };
    Instruction::Edit { step, file: file.to_owned(), place, lines }
}

/// Applies an edit to a file below the directory `root`.
pub(super) fn apply(root: &Path, file: &str, place: &Place, lines: &str) {
    let path = root.join(file);
    let text = fs::read_to_string(&path).unwrap();
    let (Place::Above(anchor) | Place::Below(anchor) | Place::InsteadOf(anchor)) = place else {
        return fs::write(&path, text + lines).unwrap();
    };
    let is_anchor = |line: &&str| line.trim().trim_end_matches(':') == anchor.trim_end_matches(':');
    let mut all: Vec<&str> = text.split_inclusive('\n').collect();
    let found = all.iter().filter(|line| is_anchor(line)).count();
    assert_eq!(found, 1, "CONTRIBUTING.md: {file} has {found} lines {anchor:?} instead of one");
    let at = all.iter().position(is_anchor).unwrap();
    match place {
        Place::Above(_) => all.insert(at, lines),
        // A blank line below a heading stays directly below the heading.
        Place::Below(_) => all.insert(at + 1 + usize::from(all.get(at + 1) == Some(&"\n")), lines),
        _ => all[at] = lines,
    }
    fs::write(&path, all.concat()).unwrap();
}
