//! The password file of libpq (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::{env, fs, path::PathBuf};

use tokio_postgres::{Config, config::Host};

/// The password for this server, database and user, from `PGPASSFILE` or `~/.pgpass`. `None` from a
/// file that others can read.
pub(super) fn find(config: &Config) -> Option<String> {
    let path = env::var_os("PGPASSFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(env::home_dir()?.join(".pgpass")))?;
    if !is_private(&path) {
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

#[cfg(unix)]
fn is_private(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    const OF_OTHERS: u32 = 0o077;
    fs::metadata(path).is_ok_and(|file| file.permissions().mode() & OF_OTHERS == 0)
}

#[cfg(not(unix))]
fn is_private(_: &std::path::Path) -> bool {
    true
}

/// The password of a line whose other fields are these, or a star. A backslash keeps what follows it.
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
