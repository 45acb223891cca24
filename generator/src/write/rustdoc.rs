//! Converts the Markdown in an OpenAPI description to Markdown for rustdoc, which would otherwise
//! run code blocks as tests.

use crate::model::markdown::{shown, written};

/// Whether a character can belong to a list marker, to a quote marker, or to the space around a
/// marker.
const MARKS: fn(char) -> bool = |c| c.is_ascii_digit() || " \t>-*+.)".contains(c);

/// Converts Markdown so that rustdoc runs no code blocks, creates no accidental links and reports
/// no warnings.
pub(crate) fn doc(text: &str) -> String {
    let (mut doc, mut paragraph) = (String::new(), String::new());
    // The fence that ends the current code block.
    let mut open = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        // A code block in a quotation or a list becomes a separate code block.
        let unquoted = line.trim_start_matches(MARKS);
        let fence = ["```", "~~~"].into_iter().find(|mark| unquoted.starts_with(mark));
        // A line that begins with backticks and contains another backtick is a code span.
        let is_span = unquoted.starts_with('`') && unquoted.trim_start_matches('`').contains('`');
        let fence = fence.filter(|_| !is_span);
        match (open, fence) {
            (None, Some(mark)) => {
                flush(&mut doc, &mut paragraph);
                doc.extend([mark, "text\n"]);
                open = fence;
            }
            (Some(mark), _) if fence == open => {
                doc.extend([mark, "\n"]);
                open = None;
            }
            (Some(_), _) => {
                doc.push_str(&shown(line));
                doc.push('\n');
            }
            (None, None) if trimmed.is_empty() => {
                flush(&mut doc, &mut paragraph);
                doc.push('\n');
            }
            (None, None) if trimmed.starts_with('>') => {
                // Five spaces after a quote marker would start a code block.
                let rest = trimmed.trim_start_matches(['>', ' ', '\t']);
                let marks = trimmed[..trimmed.len() - rest.len()].matches('>').count();
                let quoted = format!("{}{}", "> ".repeat(marks), narrow(rest));
                paragraph.push_str(quoted.trim_end());
                paragraph.push('\n');
            }
            (None, None) => {
                // Four spaces can start a code block, which rustdoc would run.
                let indent = line.len() - trimmed.len();
                paragraph.extend(std::iter::repeat_n(' ', indent.min(3)));
                paragraph.push_str(&narrow(trimmed));
                paragraph.push('\n');
            }
        }
    }
    flush(&mut doc, &mut paragraph);
    doc.extend(open);
    doc.trim_end().to_owned()
}

/// Reduces the space after each list marker or quote marker to one space, because five spaces would
/// start a code block.
fn narrow(line: &str) -> String {
    let rest = line.trim_start_matches(MARKS);
    let marks = &line[..line.len() - rest.len()];
    let space = if marks.ends_with([' ', '\t']) { " " } else { "" };
    format!("{}{space}{rest}", marks.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn flush(doc: &mut String, paragraph: &mut String) {
    doc.push_str(&inline(paragraph));
    paragraph.clear();
}

/// Escapes the characters in a paragraph that could create accidental links or HTML. Code spans and
/// web links still work.
fn inline(text: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = if first == '`' {
            code(rest)
        } else if first == '[' {
            link(rest)
        } else if rest.starts_with("https://") || rest.starts_with("http://") {
            url(rest).map(|url| (format!("<{}>", visible(url)), url.len()))
        } else {
            None
        };
        let (written, length) = taken.unwrap_or_else(|| match first {
            '[' | ']' | '<' | '`' | '\\' => (format!("\\{first}"), 1),
            _ => (visible(&rest[..first.len_utf8()]), first.len_utf8()),
        });
        made.push_str(&written);
        rest = &rest[length..];
    }
    made
}

/// Converts the code span at the start of `text`. Returns the result and the length of the original
/// span, or `None` if the span isn't closed.
fn code(text: &str) -> Option<(String, usize)> {
    let open = text.len() - text.trim_start_matches('`').len();
    let marks = &text[..open];
    let mut at = open;
    loop {
        at += text[at..].find('`')?;
        let run = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += run;
        if run == open {
            let inner = &text[open..at - run];
            return Some((format!("{marks}{}{marks}", shown(inner)), at));
        }
    }
}

/// Converts the web link at the start of `text`, such as `[words](https://…)`. Returns the result
/// and the length of the original link, or `None` if `text` doesn't start with a web link.
fn link(text: &str) -> Option<(String, usize)> {
    let close = text.find("](")?;
    let (words, target) = (&text[1..close], &text[close + 2..]);
    let end = target.find(')')?;
    let url = &target[..end];
    let plain = !words.contains(['[', '\n']) && !url.contains(char::is_whitespace);
    (plain && ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme)))
        .then(|| (format!("[{}]({})", inline(words), visible(url)), close + 2 + end + 1))
}

fn url(text: &str) -> Option<&str> {
    let end = text.find(|c: char| c.is_whitespace() || "<>`\"|()[]{}".contains(c));
    let url = text[..end.unwrap_or(text.len())]
        .trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
    url.split_once("://").is_some_and(|(_, host)| !host.is_empty()).then_some(url)
}

/// Replaces the control characters in plain text. Bidirectional control characters become HTML
/// entities, because rustc rejects the characters themselves.
fn visible(text: &str) -> String {
    written(text, |turn| format!("&#x{:X};", u32::from(turn)))
}
