//! JSON → a tree with places, for files beside a machine whose strings contain formulas of B.
//!
//! Invariant: each string has the places of its characters, so that a formula in it can be parsed in place. Total: a text is a tree, or
//! there is one diagnostic, at the first character that does not fit. Deliberately elsewhere: what the keys mean (`sema`); JSON whose
//! places are not needed, which `serde` reads.

use super::anchor::Anchor;
use bcheck_source::{Code, Diagnostic, FileId, Span};

/// Lists and objects nest no deeper: reading them is recursive.
const DEEPEST: usize = 64;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonTree {
    /// Its kind.
    pub kind: JsonKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as written.
    Number(String),
    /// A string.
    Text(JsonText),
    /// `[…]`
    List(Vec<JsonTree>),
    /// `{…}`, in the order of the file.
    Object(Vec<(JsonText, JsonTree)>),
}

/// The content of a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    /// Its characters, without escapes.
    pub text: String,
    /// Their places in the file.
    pub anchor: Anchor,
}

impl JsonTree {
    /// The value of a key of an object; for a repeated key, the last one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let JsonKind::Object(entries) = &self.kind else { return None };
        entries.iter().rev().find(|(name, _)| name.text == key).map(|(_, value)| value)
    }

    /// The string that it is.
    #[must_use]
    pub fn as_text(&self) -> Option<&JsonText> {
        if let JsonKind::Text(text) = &self.kind { Some(text) } else { None }
    }
}

/// Reads a text of JSON.
///
/// # Errors
/// A warning at the first place that is not JSON.
pub fn parse_json(file: FileId, text: &str) -> Result<JsonTree, Box<Diagnostic>> {
    let mut reader = JsonReader { file, text, at: 0, depth: 0 };
    let tree = reader.value().and_then(|tree| if reader.next().is_none() { Ok(tree) } else { Err("the end of the file") });
    tree.map_err(|expected| {
        // At the character that does not fit, or behind the last one.
        let length = reader.rest().chars().next().map_or(0, char::len_utf8);
        let place = Span::new(file, reader.at, reader.at + length);
        let title = "this is not JSON, so no picture is made from it";
        Box::new(Diagnostic::warning(Code::LeftOutOfPictures, place, title).label(format!("{expected} is expected here")))
    })
}

struct JsonReader<'t> {
    file: FileId,
    text: &'t str,
    at: usize,
    depth: usize,
}

/// A value, or what is expected instead.
type Expected<T> = Result<T, &'static str>;

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is not a blank, without consuming it.
    fn next(&mut self) -> Option<char> {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.rest().chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.next() == Some(wanted);
        if is_there {
            self.at += wanted.len_utf8();
        }
        is_there
    }

    fn value(&mut self) -> Expected<JsonTree> {
        let first = self.next();
        let start = self.at;
        let kind = match first {
            Some('"') => JsonKind::Text(self.string()?),
            Some('[') => JsonKind::List(self.nested(']', |reader| reader.value())?),
            Some('{') => JsonKind::Object(self.nested('}', Self::entry)?),
            Some('-' | '0'..='9') => JsonKind::Number(self.number()?),
            _ => {
                let words = [("null", JsonKind::Null), ("true", JsonKind::Bool(true)), ("false", JsonKind::Bool(false))];
                let found = words.into_iter().find(|(word, _)| self.rest().starts_with(word));
                let (word, kind) = found.ok_or("a value: \"…\", a number, […], {…}, true, false or null")?;
                self.at += word.len();
                kind
            }
        };
        Ok(JsonTree { kind, span: Span::new(self.file, start, self.at) })
    }

    fn entry(&mut self) -> Expected<(JsonText, JsonTree)> {
        if self.next() != Some('"') {
            return Err("a key in double quotes");
        }
        let key = self.string()?;
        if !self.take(':') {
            return Err("a colon");
        }
        Ok((key, self.value()?))
    }

    /// The items between brackets, separated by commas.
    fn nested<T>(&mut self, closing: char, item: impl Fn(&mut Self) -> Expected<T>) -> Expected<Vec<T>> {
        if self.depth >= DEEPEST {
            return Err("less nesting");
        }
        self.depth += 1;
        self.at += 1;
        let mut items = Vec::new();
        while !self.take(closing) {
            if !items.is_empty() && !self.take(',') {
                return Err(if closing == ']' { "a comma or a closing bracket" } else { "a comma or a closing brace" });
            }
            items.push(item(self)?);
        }
        self.depth -= 1;
        Ok(items)
    }

    fn number(&mut self) -> Expected<String> {
        let length =
            self.rest().find(|letter: char| !matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(self.rest().len());
        let number = &self.rest()[..length];
        if number.parse::<f64>().is_err() {
            return Err("a number");
        }
        let number = number.to_owned();
        self.at += length;
        Ok(number)
    }

    fn string(&mut self) -> Expected<JsonText> {
        self.at += 1;
        let start = self.at;
        let mut characters = Vec::new();
        loop {
            match self.rest().chars().next() {
                None | Some('\n') => return Err("the closing quote of a string"),
                Some('"') => break,
                Some('\\') => {
                    let (letter, length) = escape(self.rest()).ok_or("an escape that JSON has")?;
                    characters.push((letter, length));
                    self.at += length;
                }
                Some(letter) => {
                    characters.push((letter, letter.len_utf8()));
                    self.at += letter.len_utf8();
                }
            }
        }
        self.at += 1;
        let (anchor, text) = Anchor::of_characters(self.file, start, characters.into_iter());
        Ok(JsonText { text, anchor })
    }
}

/// The character that a text begins with as an escape, and the number of its bytes.
fn escape(text: &str) -> Option<(char, usize)> {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let letter = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
        b'u' => {
            let first = unit(2)?;
            if let Some(letter) = char::from_u32(first) {
                return Some((letter, 6));
            }
            // A surrogate pair; an unpaired surrogate denotes no character.
            let high = first.checked_sub(0xD800).filter(|high| *high < 0x400);
            let second = text[6..].starts_with("\\u").then(|| unit(8)).flatten();
            let low = second.and_then(|second| second.checked_sub(0xDC00)).filter(|low| *low < 0x400);
            let pair = high.zip(low).and_then(|(high, low)| char::from_u32(0x1_0000 + (high << 10) + low));
            return Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |letter| (letter, 12)));
        }
        _ => return None,
    };
    Some((letter, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places_and_texts_those_of_their_characters() {
        let file = r#" {"a": [1, -2.5e3, "x\u0041\"\ud83d\ude00y"], "b": {"c": true}, "b": null} "#;
        let tree = parse_json(FileId(3), file).expect("JSON");
        let written = |span: Span| &file[span.start as usize..span.end as usize];
        let JsonKind::List(items) = &tree.get("a").expect("a key").kind else { panic!("{tree:?}") };
        assert_eq!((written(items[1].span), items[1].span.file), ("-2.5e3", FileId(3)));
        let JsonText { text, anchor } = items[2].as_text().expect("a text");
        assert_eq!(text, "xA\"\u{1f600}y");
        assert_eq!((written(anchor.span(1, 2)), written(anchor.span(2, 3)), written(anchor.span(7, 8))), ("\\u0041", "\\\"", "y"));
        assert_eq!(tree.get("b").map(|value| &value.kind), Some(&JsonKind::Null), "the last one counts");
    }

    #[test]
    fn what_is_no_json_is_said_at_its_place() {
        let deep = "[".repeat(200);
        for (text, at, expected) in [
            ("", 0, "a value"),
            ("{\"a\" 1}", 5, "a colon"),
            ("{a: 1}", 1, "a key"),
            ("[1, ]", 4, "a value"),
            ("[1 2]", 3, "a comma"),
            ("[1] x", 4, "the end"),
            ("[\"a\n\"]", 3, "the closing quote"),
            ("[\"\\x\"]", 2, "an escape"),
            ("[\"\\u12é\"]", 2, "an escape"),
            ("[--]", 1, "a number"),
            (deep.as_str(), 64, "less nesting"),
        ] {
            let fault = parse_json(FileId(0), text).expect_err(text);
            assert_eq!(fault.span().start, at, "{text}");
            assert!(fault.labels[0].text.starts_with(expected), "{text}: {fault:?}");
        }
    }
}
