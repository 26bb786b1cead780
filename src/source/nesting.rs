//! Where a text is outside of quoted strings, and how deep in brackets: for texts that are split before they are parsed.
//!
//! Invariant: every character outside of strings is visited once, in order. Deliberately elsewhere: tokens (`syntax`).

/// The characters of a text outside of strings and names in back quotes, with the depth of brackets before each.
pub fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char, i32)> + '_ {
    // The quote that ends the string or name around a character.
    let (mut depth, mut inside, mut escaped) = (0, None, false);
    text.char_indices().filter_map(move |(at, letter)| {
        if let Some(quote) = inside {
            // A quote behind a backslash does not end the string, unless the backslash is itself escaped; names have no escapes.
            inside = inside.filter(|_| escaped || letter != quote);
            escaped = !escaped && letter == '\\' && quote == '"';
            return None;
        }
        let before = depth;
        match letter {
            '"' | '`' => inside = Some(letter),
            '(' | '[' | '{' => depth += 1,
            // Below 0 nothing counts as outside of brackets any more: the parser of the text reports the bracket.
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        Some((at, letter, before))
    })
}

/// The parts of a text between separators outside of brackets and strings; at least one.
pub fn split_outside<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _, depth) in outside_strings(text) {
        if depth == 0 && at >= start && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_in_brackets_and_strings_split_nothing() {
        assert_eq!(split_outside("a, {b, c}, \"d, \\\" e\", f(g, h), `i, j`", ", "), ["a", "{b, c}", "\"d, \\\" e\"", "f(g, h)", "`i, j`"]);
        assert_eq!(split_outside("a) , b, \"\\\\\", c", ","), ["a) , b, \"\\\\\", c"]);
        assert_eq!(split_outside("", ","), [""]);
        assert_eq!(split_outside("a,", ","), ["a", ""]);
    }
}
