//! Runs the README's commands unchanged, and its SQL queries in a real database.

use std::fmt::Write as _;

use digital_assets::sandbox::Sandbox;
use postgres::{Client, SimpleQueryMessage};
use tokio_postgres::SimpleColumn;

use crate::{
    sync::postgres::Database,
    tool::{Tool, ended},
};

const README: &str = include_str!("../../README.md");

/// Returns the text of each code block in this language.
fn blocks(kind: &str) -> Vec<&'static str> {
    let opening = format!("```{kind}\n");
    let parts = README.split(opening.as_str()).skip(1);
    parts.map(|part| part.split("```").next().unwrap()).collect()
}

#[tokio::test]
async fn the_commands_of_the_readme_work_as_they_stand() {
    let tool = Tool::with(Sandbox::builder(), "readme-commands").await;
    // Commands that need the reader's own server, or install the tool, aren't run.
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

/// Returns the result of a query as a table.
fn answer(client: &mut Client, question: &str) -> Result<String, postgres::Error> {
    let mut table = String::new();
    for message in client.simple_query(question)? {
        let cells: Vec<&str> = match &message {
            SimpleQueryMessage::RowDescription(columns) => {
                columns.iter().map(SimpleColumn::name).collect()
            }
            SimpleQueryMessage::Row(row) => {
                (0..row.len()).map(|at| row.get(at).unwrap_or("")).collect()
            }
            _ => continue,
        };
        writeln!(table, "{}", cells.join(" | ")).unwrap();
    }
    Ok(table)
}

#[tokio::test]
#[ignore = "needs a server: cli/tests/with-postgres cargo test … -- --ignored"]
async fn the_questions_of_the_readme_have_its_answers() {
    let tool = Tool::with(Sandbox::builder(), "readme").await;
    let database = Database::with("readme", "");
    for listing in ["list-quote-executions", "list-deposit-addresses"] {
        tool.run(&["sync", listing, "--to", &database.url]).await.succeeds();
    }

    let (questions, answers) = (blocks("sql"), blocks("text"));
    assert_eq!((questions.len(), answers.len()), (3, 3));
    for (question, expected) in questions.into_iter().zip(answers) {
        let given = database.ask(format!("SET TIME ZONE UTC; {question}"), answer);
        assert_eq!(given, expected, "{question}\n{given}");
    }
}
