//! Text that may be shown: text from a machine, a trace, a graph, a file name or the command line has its control characters and
//! bidirectional overrides escaped, so that it can neither command a terminal, nor forge a line of a format, nor read other than it is.
//!
//! Invariant: a [`Shown`] holds no such character, but line breaks of its own and, where it was asked for, sequences that set colours. It
//! is composed by [`shown!`], which escapes every argument that is not a [`Shown`] itself, line breaks included; whatever writes text takes
//! a [`Shown`], so forgetting to escape does not compile. Deliberately elsewhere: markup, which has characters of its own to escape
//! (`report`).

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::{Add, AddAssign, Deref};
use std::sync::Arc;

/// Text that may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shown(String);

/// Whether a character is never shown as it is: control characters, marks and overrides of the direction of writing, separators of lines
/// and paragraphs, and characters that XML cannot represent.
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// The text with every hidden character written as an escape, in the notation of B's strings: `\n`, `\t`, `\r`, `\u{1b}`.
#[must_use]
pub fn escaped(text: &str) -> Cow<'_, str> {
    escaped_but(text, |_| false)
}

/// The text with its hidden characters escaped, except those for which `is_kept` holds.
fn escaped_but(text: &str, is_kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |letter: char| is_hidden(letter) && !is_kept(letter);
    // Nearly all texts are borrowed unchanged. A backslash is not escaped, so that escaping is idempotent.
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        match letter {
            letter if !is_escaped(letter) => escaped.push(letter),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            letter => write!(escaped, "\\u{{{:x}}}", u32::from(letter)).expect("writing to a string cannot fail"),
        }
    }
    Cow::Owned(escaped)
}

/// The text with every hidden character but line breaks replaced by one visible character, so that columns stay what they are: excerpts are
/// underlined. A carriage return before a line break is part of it.
#[must_use]
pub fn pictured(text: &str) -> Cow<'_, str> {
    let is_seen = |(at, letter): (usize, char)| match letter {
        '\n' | '\t' => true,
        '\r' => text[at + 1..].starts_with('\n'),
        letter => !is_hidden(letter),
    };
    if text.char_indices().all(is_seen) {
        return Cow::Borrowed(text);
    }
    let mut letters = text.chars().peekable();
    let mut pictured = String::with_capacity(text.len() + 8);
    while let Some(letter) = letters.next() {
        pictured.push(match letter {
            '\n' | '\t' => letter,
            '\r' if letters.peek() == Some(&'\n') => letter,
            // Unicode has a picture of each control character of ASCII, in the same order from U+2400 on.
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            letter if is_hidden(letter) => '\u{fffd}',
            letter => letter,
        });
    }
    Cow::Owned(pictured)
}

impl Shown {
    /// No text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A text on one line: line breaks are escaped as well.
    #[must_use]
    pub fn line(text: &str) -> Self {
        Self(escaped(text).into_owned())
    }

    /// A text of a format in which line breaks carry no meaning, or whose line breaks are its own.
    #[must_use]
    pub fn lines(text: &str) -> Self {
        Self(escaped_but(text, |letter| letter == '\n').into_owned())
    }

    /// A text of JSON. Hidden characters get the escapes of JSON, so that it means the same to its readers.
    #[must_use]
    pub fn json(text: &str) -> Self {
        // JSON text has no control character but line breaks; all others are inside strings.
        if !text.contains(|letter| is_hidden(letter) && letter != '\n') {
            return Self(text.to_owned());
        }
        let mut json = String::with_capacity(text.len() + 8);
        for letter in text.chars() {
            if is_hidden(letter) && letter != '\n' {
                // Four digits are enough: every hidden character is in the basic plane, which needs no surrogates.
                write!(json, "\\u{:04x}", u32::from(letter)).expect("writing to a string cannot fail");
            } else {
                json.push(letter);
            }
        }
        Self(json)
    }

    /// A text that a library has laid out in lines; with colours, the sequences that set them are kept.
    #[must_use]
    pub fn laid_out(text: &str, has_colours: bool) -> Self {
        if !has_colours {
            return Self::lines(text);
        }
        let mut shown = Self::default();
        // A colour is set by ESC [, numbers with semicolons, m (SGR of ECMA-48). Any other sequence that begins so is escaped.
        let mut parts = text.split("\u{1b}[");
        shown += Self::lines(parts.next().unwrap_or(""));
        for part in parts {
            let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != ';').unwrap_or(part.len());
            if part[end..].starts_with('m') {
                shown.0.push_str("\u{1b}[");
                shown.0.push_str(&part[..=end]);
                shown += Self::lines(&part[end + 1..]);
            } else {
                shown += Self::lines("\u{1b}[");
                shown += Self::lines(part);
            }
        }
        shown
    }

    /// The text in a colour, given as an SGR parameter of ANSI terminals.
    #[must_use]
    pub fn painted(&self, rendition: &'static str) -> Self {
        // A literal of the program, by its lifetime, and so not escaped; the same holds for the separator of `join`.
        Self(format!("\u{1b}[{rendition}m{}\u{1b}[0m", self.0))
    }

    /// The text of a format whose arguments [`shown!`] has wrapped: each of them escapes itself.
    #[doc(hidden)]
    #[must_use]
    pub fn of_arguments(arguments: fmt::Arguments<'_>) -> Self {
        // Not escaped as a whole: the line breaks of the format itself are intended.
        Self(arguments.to_string())
    }

    /// The text with blanks up to a width, in characters.
    #[must_use]
    pub fn left(self, width: usize) -> Self {
        Self(format!("{:<width$}", self.0))
    }

    /// Blanks up to a width, in characters, and the text.
    #[must_use]
    pub fn right(self, width: usize) -> Self {
        Self(format!("{:>width$}", self.0))
    }

    /// These texts with a separator between them.
    #[must_use]
    pub fn join(parts: impl IntoIterator<Item = Self>, separator: &'static str) -> Self {
        Self(parts.into_iter().map(|part| part.0).collect::<Vec<_>>().join(separator))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Shown {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Add<Shown> for Shown {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Shown {
    fn add_assign(&mut self, other: Self) {
        if self.0.is_empty() {
            *self = other;
        } else {
            self.0.push_str(&other.0);
        }
    }
}

impl AddAssign<&Shown> for Shown {
    fn add_assign(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }
}

impl FromIterator<Shown> for Shown {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut shown = Self::default();
        shown.extend(parts);
        shown
    }
}

impl Extend<Shown> for Shown {
    fn extend<I: IntoIterator<Item = Self>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| *self += part);
    }
}

/// A message of one line; a line break at its end is its own.
impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        match text.strip_suffix('\n') {
            Some(line) => Self(escaped(line).into_owned() + "\n"),
            None => Self::line(text),
        }
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl PartialEq<str> for Shown {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Shown {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// A message of one line: a [`Shown`] unchanged, or a text in which everything but a final line break is escaped.
pub trait Message {
    /// The text to be shown.
    fn message(&self) -> Shown;
}

impl Message for str {
    fn message(&self) -> Shown {
        Shown::from(self)
    }
}

impl Message for String {
    fn message(&self) -> Shown {
        Shown::from(self.as_str())
    }
}

impl Message for Shown {
    fn message(&self) -> Shown {
        self.clone()
    }
}

/// How an argument of `shown!` is written.
pub trait Show {
    /// Writes the argument with its hidden characters escaped.
    ///
    /// # Errors
    /// When the formatter fails.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// An argument of [`shown!`], which the formatter writes escaped.
#[doc(hidden)]
pub struct Argument<'a, T: Show + ?Sized>(pub &'a T);

impl<T: Show + ?Sized> Display for Argument<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

impl Show for str {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Padded after escaping, so that a width is that of the visible text.
        f.pad(&escaped(self))
    }
}

impl Show for Shown {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Show for char {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.encode_utf8(&mut [0; 4]).show(f)
    }
}

impl<T: Show + ?Sized> Show for &T {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).show(f)
    }
}

impl<T: Show + ?Sized> Show for &mut T {
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).show(f)
    }
}

macro_rules! show_as_text {
    ($($ty:ty),*) => {
        $(impl Show for $ty {
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                let text: &str = self;
                text.show(f)
            }
        })*
    };
}
show_as_text!(String, Cow<'_, str>, Box<str>, Arc<str>);

// Displayed texts, which may contain names, of files for instance: made first, then escaped.
macro_rules! show_as_displayed {
    ($($ty:ty),*) => {
        $(impl Show for $ty {
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self.to_string().show(f)
            }
        })*
    };
}
show_as_displayed!(std::path::Display<'_>, fmt::Arguments<'_>, std::io::Error, super::Code);

// Texts without hidden characters, written with the precision and sign that the format asks for.
macro_rules! show_numbers {
    ($($ty:ty),*) => {
        $(impl Show for $ty {
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Display::fmt(self, f)
            }
        })*
    };
}
show_numbers!(u8, u16, u32, u64, usize, i32, i64, f64, bool, num_bigint::BigUint, num_bigint::BigInt);

/// Composes a [`Shown`] as `format!` composes a `String`. Arguments that are no [`Shown`] are escaped. Names cannot be captured in the
/// braces, because a captured name would not be escaped.
#[macro_export]
macro_rules! shown {
    ($format:literal $(, $argument:expr)* $(,)?) => {
        // In the output of another macro, the compiler does not capture names.
        $crate::Shown::of_arguments(format_args!(concat!($format) $(, $crate::Argument(&$argument))*))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[2J\n\tb\r\u{7f}\u{9b}\u{61c}\u{200f}\u{2028}\u{202e}\u{2066}c";
    const ESCAPED: &str = "a\\u{1b}[2J\\n\\tb\\r\\u{7f}\\u{9b}\\u{61c}\\u{200f}\\u{2028}\\u{202e}\\u{2066}c";

    #[test]
    fn arguments_are_escaped_and_what_is_shown_already_is_not() {
        assert_eq!(shown!("{}: {:.1}\n", HOSTILE, 1.25), format!("{ESCAPED}: 1.2\n").as_str());
        let inner = shown!("{}\n", HOSTILE);
        assert_eq!(shown!("<{}>", inner), format!("<{ESCAPED}\n>").as_str());
        assert_eq!(shown!("{:>4}|{:<4}|", "ab", String::from("c")), "  ab|c   |");
        assert_eq!(shown!("{}", format_args!("{HOSTILE}")), ESCAPED);
        assert_eq!(escaped(ESCAPED), ESCAPED, "escaping twice is escaping once");
    }

    #[test]
    fn a_message_keeps_only_the_line_break_at_its_end() {
        assert_eq!(Shown::from("a\nb\n"), "a\\nb\n");
        assert_eq!(Shown::lines("a\nb\u{1b}"), "a\nb\\u{1b}");
    }

    #[test]
    fn json_stays_what_it_is_for_its_reader() {
        let text = serde_json::to_string(HOSTILE).expect("a string");
        let shown = Shown::json(&text);
        assert!(!shown.contains(is_hidden), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).expect("JSON"), HOSTILE);
    }

    #[test]
    fn of_sequences_only_those_of_colours_are_kept_where_they_are_wanted() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}[2J \u{1b}]0;title\u{7} \u{1b}[";
        assert_eq!(Shown::laid_out(text, true), "\u{1b}[1;31mred\u{1b}[0m \\u{1b}[2J \\u{1b}]0;title\\u{7} \\u{1b}[");
        assert!(!Shown::laid_out(text, false).contains('\u{1b}'));
    }

    #[test]
    fn pictures_take_as_many_columns() {
        let text = "a\u{1b}b\u{9b}c\u{202e}\r\nd\r";
        assert_eq!(pictured(text), "a␛b�c�\r\nd␍");
        assert!(matches!(pictured("a\r\n\tb\r\n"), Cow::Borrowed(_)), "lines of other systems are left as they are");
        assert_eq!(pictured(text).chars().count(), text.chars().count());
    }
}
