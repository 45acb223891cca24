//! Formats names and code for Markdown, the format of the texts in an OpenAPI description.

/// Formats a name as a Markdown code span, even if the name contains backticks or control
/// characters.
pub(crate) fn name(text: &str) -> String {
    if text.is_empty() {
        return "`\"\"`".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let marks = "`".repeat(longest + 1);
    // Markdown removes one space from each end of a code span.
    let space = if text.contains('`') || text.starts_with(' ') { " " } else { "" };
    let line: String = text.lines().map(shown).collect::<Vec<_>>().join("\\n");
    format!("{marks}{space}{line}{space}{marks}")
}

/// Formats code for Markdown. Bidirectional control characters become Rust escapes, because
/// Markdown doesn't decode entities in code.
pub(crate) fn shown(code: &str) -> String {
    written(code, |turn| turn.escape_unicode().to_string())
}

/// Replaces each bidirectional control character with the result of `turning`. Replaces all other
/// control characters, except line breaks and tabs, with U+FFFD.
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
