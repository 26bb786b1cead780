//! Where a text is outside of quoted strings, and how deep in brackets: for texts that are split before they are parsed.
//!
//! Invariant: every character outside of strings is visited once, in order. Deliberately elsewhere: tokens (`syntax`).

/// The characters of a text outside of strings, with the depth of brackets before each.
pub(crate) fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char, i32)> + '_ {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    text.char_indices().filter_map(move |(at, letter)| {
        if in_string {
            // A quote ends the string unless a backslash is before it; a backslash escapes the next letter unless it is escaped itself.
            in_string = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            return None;
        }
        let before = depth;
        match letter {
            '"' => in_string = true,
            '(' | '[' | '{' => depth += 1,
            // Below 0 nothing counts as outside of brackets any more: whoever parses the text reports the bracket.
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        Some((at, letter, before))
    })
}

/// The parts of a text between separators that stand outside of brackets and strings; at least one.
pub(crate) fn split_outside<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
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
        assert_eq!(split_outside("a, {b, c}, \"d, \\\" e\", f(g, h)", ", "), ["a", "{b, c}", "\"d, \\\" e\"", "f(g, h)"]);
        assert_eq!(split_outside("a) , b, \"\\\\\", c", ","), ["a) , b, \"\\\\\", c"]);
        assert_eq!(split_outside("", ","), [""]);
        assert_eq!(split_outside("a,", ","), ["a", ""]);
    }
}
