//! Code in Markdown, the language of the texts in a description.

/// A name as a code span, whatever characters it contains.
pub(crate) fn name(text: &str) -> String {
    if text.is_empty() {
        return "`\"\"`".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    // A code span doesn't contain one space at each end.
    let space = if text.contains('`') || text.starts_with(' ') { " " } else { "" };
    let line: String = text.lines().map(shown).collect::<Vec<_>>().join("\\n");
    format!("{marks}{space}{line}{space}{marks}")
}

/// Code. Characters that change the direction of text are escaped, because code has no entities.
pub(crate) fn shown(code: &str) -> String {
    written(code, |turn| turn.escape_unicode().to_string())
}

pub(crate) fn written(text: &str, turning: fn(char) -> String) -> String {
    let mut made = String::new();
    for c in text.chars() {
        match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => made.push_str(&turning(c)),
            '\n' | '\t' => made.push(c),
            c if c.is_control() => made.push('\u{fffd}'),
            c => made.push(c),
        }
    }
    made
}
