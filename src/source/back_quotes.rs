//! Names in back quotes, as B writes those that are no plain identifiers.
//!
//! Invariant: of a text that begins with a name written by [`in_back_quotes`], [`split_name`] gives the name and the rest back, as no name
//! holds a back quote. Deliberately elsewhere: names that are keywords, which the printer of formulas quotes as well (`syntax::pretty`).

use std::borrow::Cow;

/// The sign around such a name.
const QUOTE: char = '`';

/// A name as B text: in back quotes if it holds anything but letters, digits, `_`, `'`, `$` and the dots of a renamed machine.
#[must_use]
pub fn in_back_quotes(name: &str) -> Cow<'_, str> {
    // Combining marks belong to the letters before them.
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '$' | '.' | '\u{300}'..='\u{36F}');
    if name.chars().all(is_part) { Cow::Borrowed(name) } else { Cow::Owned(format!("{QUOTE}{name}{QUOTE}")) }
}

/// The name in back quotes with which a text begins, and the rest; `None` if it begins with none.
#[must_use]
pub fn split_name(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(QUOTE)?.split_once(QUOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["x", "a.b", "$initialise_machine", "x'", "é", "e\u{301}", "do it", "a = b", "f(x", "{"] {
            let written = in_back_quotes(name);
            let is_quoted = written != name;
            assert_eq!(is_quoted, name.contains([' ', '(', '{']), "{name}");
            let text = format!("{written}(x = 1)");
            let read = if is_quoted { split_name(&text) } else { text.split_at_checked(name.len()) };
            assert_eq!(read, Some((name, "(x = 1)")));
        }
        assert_eq!((split_name("a`b`"), split_name("`a")), (None, None));
    }
}
