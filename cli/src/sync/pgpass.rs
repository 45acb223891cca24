//! The password file of libpq (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::{
    fs::{self, Metadata},
    path::Path,
    sync::Once,
};

use tokio_postgres::{Config, config::Host};

use crate::stdout;

/// The password that the file contains for this server, database and user. If other users can
/// access the file, the file is ignored, and a warning is printed once.
pub(super) fn find(path: &Path, config: &Config) -> Option<String> {
    let file = fs::metadata(path).ok()?;
    if let Err(reason) = check(&file) {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| stdout::say(&format!("the password file {} {reason}", path.display())));
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432).to_string();
    let user = config.get_user().unwrap_or_default();
    let asked = [&host, &port, config.get_dbname().unwrap_or(user), user];
    text.lines().find_map(|line| password(line, asked))
}

/// Checks whether passwords may be read from this file. The error has the same wording as in libpq.
fn check(file: &Metadata) -> Result<(), &'static str> {
    if !file.is_file() {
        return Err("is not a plain file");
    }
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(file) & 0o077 != 0 {
        return Err("has group or world access; permissions should be u=rw (0600) or less");
    }
    Ok(())
}

/// The password in a line, if the line's other fields match the values in `asked`. A field that is
/// `*` matches any value. A backslash escapes the next character.
fn password(line: &str, asked: [&str; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match c {
            ':' if fields.len() <= asked.len() => fields.push(String::new()),
            c => {
                let c = if c == '\\' { characters.next()? } else { c };
                fields.last_mut()?.push(c);
            }
        }
    }
    let password = fields.pop()?;
    let is_it = |(field, asked): (&String, &str)| field == "*" || field == asked;
    let is_whole = fields.len() == asked.len() && !line.starts_with('#');
    (is_whole && fields.iter().zip(asked).all(is_it)).then_some(password)
}

#[cfg(test)]
mod tests {
    use super::password;

    #[test]
    fn a_line_has_the_password_of_what_it_names() {
        let asked = ["host", "5432", "books", "me"];
        for (line, expected) in [
            ("host:5432:books:me:pass", Some("pass")),
            ("*:*:*:*:pa:ss", Some("pa:ss")),
            (r"*:*:*:me:a\:b\\c", Some(r"a:b\c")),
            ("host:5433:*:me:pass", None),
            ("#*:*:*:*:pass", None),
            ("host:5432:books:me", None),
        ] {
            assert_eq!(password(line, asked).as_deref(), expected, "{line}");
        }
    }
}
