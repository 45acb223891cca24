//! What the README shows: its commands run as they stand, its questions asked of a real database.

use std::{env, fmt::Write as _};

use digital_assets::sandbox::Sandbox;
use postgres::{Client, NoTls, SimpleQueryMessage};

use crate::tool::{Tool, ended};

const README: &str = include_str!("../../README.md");

/// The text of each block of this kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let opening = format!("```{kind}\n");
    let parts = README.split(opening.as_str()).skip(1);
    parts.map(|part| part.split("```").next().unwrap()).collect()
}

#[tokio::test]
async fn the_commands_of_the_readme_work_as_they_stand() {
    let tool = Tool::with(Sandbox::builder(), "readme-commands").await;
    // Those that need a server of the reader's own, or install the tool.
    let is_elsewhere = |line: &&str| line.contains("postgres://") || line.starts_with("cargo ");

    let mut commands = 0;
    for block in blocks("console") {
        let lines: Vec<&str> = block.lines().filter(|line| !is_elsewhere(line)).collect();
        commands += lines.iter().filter(|line| line.starts_with("digital-assets ")).count();
        let mut shell = tool.in_a_shell(&format!("set -e\n{}", lines.join("\n")));
        let run = ended(shell.spawn().unwrap()).await;

        assert_eq!(run.status, Some(0), "{block}: {run:?}");
    }
    assert!(commands >= 6, "{commands}");
    assert!(tool.path("executions.csv").exists() && tool.path("books.db").exists());
}

fn answer(query: &str) -> String {
    let server = env::var("TEST_POSTGRES").expect("cli/tests/with-postgres sets it");
    let messages = Client::connect(&server, NoTls).unwrap().simple_query(query).unwrap();
    let mut table = String::new();
    for message in messages {
        match message {
            SimpleQueryMessage::RowDescription(columns) => {
                #[allow(clippy::redundant_closure_for_method_calls)]
                let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
                writeln!(table, "{}", names.join(" | ")).unwrap();
            }
            SimpleQueryMessage::Row(row) => {
                let cells: Vec<&str> = (0..row.len()).map(|at| row.get(at).unwrap_or("")).collect();
                writeln!(table, "{}", cells.join(" | ")).unwrap();
            }
            _ => {}
        }
    }
    table
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn the_questions_of_the_readme_have_its_answers() {
    let tool = Tool::with(Sandbox::builder(), "readme").await;
    let to = env::var("TEST_POSTGRES").expect("cli/tests/with-postgres sets it");
    let schema = "DROP SCHEMA IF EXISTS readme CASCADE; CREATE SCHEMA readme";
    let made = std::thread::spawn(move || answer(schema));
    made.join().unwrap();
    let to = format!("{to}?options=-c%20search_path%3Dreadme");
    for listing in ["list-quote-executions", "list-deposit-addresses"] {
        tool.run(&["sync", listing, "--to", &to]).await.succeeds();
    }

    let (questions, answers) = (blocks("sql"), blocks("text"));
    assert_eq!((questions.len(), answers.len()), (3, 3));
    for (question, expected) in questions.into_iter().zip(answers) {
        let query = format!("SET search_path TO readme; SET TIME ZONE UTC; {question}");
        let given = std::thread::spawn(move || answer(&query)).join().unwrap();
        assert_eq!(given, expected, "{question}\n{given}");
    }
}
