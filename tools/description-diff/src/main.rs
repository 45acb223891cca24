//! `description-diff OLD NEW`: names each change from one `openapi.yaml` to the next, and fails
//! when `info.version` doesn't follow: a new major for what breaks, a new minor for what is added,
//! a new patch for words.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::{env, fs, process::ExitCode};

use description_diff::{Level, compare, version_needed};
use serde_json::Value;

fn main() -> ExitCode {
    let files: Vec<String> = env::args().skip(1).collect();
    let [old, new] = files.as_slice() else {
        eprintln!("usage: description-diff OLD NEW");
        return ExitCode::from(2);
    };
    match run(old, new) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(old: &str, new: &str) -> Result<bool, String> {
    let (old, new) = (read(old)?, read(new)?);
    let changes = compare(&old, &new)?;
    for change in &changes {
        println!("{change}");
    }
    let count = |level| changes.iter().filter(|change| change.level == level).count();
    println!(
        "{} breaking, {} added, {} in words",
        count(Level::Breaking),
        count(Level::Addition),
        count(Level::Words)
    );
    match version_needed(&old, &new, &changes)? {
        None => Ok(true),
        Some(needed) => {
            println!("{needed}");
            Ok(false)
        }
    }
}

fn read(path: &str) -> Result<Value, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    serde_saphyr::from_str(&text).map_err(|error| format!("{path}: {error}"))
}
