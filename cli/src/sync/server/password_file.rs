//! The password file, by the rules of psql
//! (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::{
    fs::{self, Metadata},
    path::Path,
    sync::Once,
};

use crate::stdout;

/// The directory of sockets that psql uses by default on Debian, Ubuntu and Red Hat. In the file,
/// its name is `localhost`.
const DEFAULT_SOCKETS: &str = "/var/run/postgresql";

/// The password that the file contains for a host or a directory of sockets, a port, a database and
/// a user. If other users can access the file, the file is ignored, and a warning is printed once.
pub(super) fn password(path: &Path, mut asked: [&str; 4]) -> Option<Vec<u8>> {
    let file = fs::metadata(path).ok()?;
    if let Err(reason) = check(&file) {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| stdout::say(&format!("the password file {} {reason}", path.display())));
        return None;
    }
    if asked[0] == DEFAULT_SOCKETS {
        asked[0] = "localhost";
    }
    let text = fs::read(path).ok()?;
    text.split(|byte| *byte == b'\n').find_map(|line| password_in(line, asked))
}

/// Checks whether passwords may be read from this file. The error has the same wording as in psql.
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
/// `*` matches any value. A line is bytes, in which a backslash escapes the next byte.
fn password_in(line: &[u8], asked: [&str; 4]) -> Option<Vec<u8>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut is_escaped = false;
    let is_end = |byte: &u8| {
        let is_end = *byte == b':' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    };
    let fields: Vec<&[u8]> = line.split(is_end).collect();
    let (asked_fields, [password, ..]) = fields.split_at_checked(asked.len())? else { return None };
    let is_it =
        |(field, asked): (&&[u8], &str)| *field == b"*" || unescaped(field) == asked.as_bytes();
    let is_for_all = asked_fields.iter().zip(asked).all(is_it);
    (is_for_all && !line.starts_with(b"#")).then(|| unescaped(password))
}

fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut bytes = field.iter();
    while let Some(byte) = bytes.next() {
        let escaped = if *byte == b'\\' { bytes.next() } else { None };
        plain.push(*escaped.unwrap_or(byte));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::password_in;

    #[test]
    fn a_line_has_the_password_of_what_it_names() {
        let asked = ["/a:b", "5432", "books", "me"];
        for (line, expected) in [
            (&br"/a\:b:5432:books:me:pass"[..], Some(&b"pass"[..])),
            (b"*:*:*:*:pass\r", Some(b"pass")),
            (br"*:*:*:me:a\:b\\c", Some(br"a:b\c")),
            (br"*:*:bo\oks:me:pass\", Some(br"pass\")),
            (b"*:*:*:*:pa:ss", Some(b"pa")),
            (b"*:*:*:*:h\xe9 \xff", Some(b"h\xe9 \xff")),
            (b"*:*:\xe9:*:pass", None),
            (br"\*:*:*:*:pass", None),
            (b"*:5433:*:me:pass", None),
            (b"#*:*:*:*:pass", None),
            (b"*:5432:books:me", None),
            (b"/a:b:5432:books:me:pass", None),
        ] {
            let line_text = String::from_utf8_lossy(line);
            assert_eq!(password_in(line, asked).as_deref(), expected, "{line_text}");
        }
    }
}
