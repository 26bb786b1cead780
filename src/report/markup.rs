//! Markup (HTML, SVG, XML): text that is not markup itself is escaped.
//!
//! Invariant: a [`Markup`] is composed by [`markup!`], which escapes every argument that is not a [`Markup`]: first as text that is
//! shown, so that XML can represent it, then the signs of markup. So a text of a machine cannot become a tag or leave an attribute, as
//! long as attributes stand in double quotes. The program's own format strings are taken as they are.

use bcheck_source::{Show, Shown};
use num_bigint::BigUint;
use std::fmt::{self, Display, Formatter, Write};
use std::ops::{Add, AddAssign};

/// Markup that is safe in a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Markup(String);

impl Markup {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The result of [`markup!`].
    pub(super) fn of_arguments(arguments: fmt::Arguments<'_>) -> Self {
        Self(arguments.to_string())
    }

    /// A style of this program.
    pub(super) fn style(style: &'static str) -> Self {
        Self(format!("<style>{}</style>\n", Self::content(style)))
    }

    /// A script of this program.
    pub(super) fn script(script: &'static str) -> Self {
        Self(format!("<script>{}</script>\n", Self::content(script)))
    }

    /// Data for a script of this program, as JSON.
    pub(super) fn data(json: &str) -> Self {
        // Signs of markup occur only in strings there, where JSON has escapes for them. So no text of a machine ends the element.
        let json = json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
        Self(format!("<script type=\"application/json\">{json}</script>\n"))
    }

    /// The text between the tags of a style or a script, to the letter: the page's security policy names it by its hash.
    pub(super) fn content(text: &'static str) -> String {
        // The line break is part of what is hashed: with any other text between the tags, browsers refuse the style.
        format!("\n{text}")
    }

    /// The markup as text.
    #[cfg(test)]
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A page that is written: its line breaks are its own.
impl From<Markup> for Shown {
    fn from(markup: Markup) -> Self {
        Self::lines(&markup.0)
    }
}

impl Add<Markup> for Markup {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl AddAssign for Markup {
    fn add_assign(&mut self, other: Self) {
        self.0.push_str(&other.0);
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        let mut markup = Self::default();
        markup.extend(parts);
        markup
    }
}

impl Extend<Markup> for Markup {
    fn extend<I: IntoIterator<Item = Self>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| *self += part);
    }
}

/// How an argument of [`markup!`] is written.
pub(super) trait AsMarkup {
    /// Writes it.
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// An argument of [`markup!`], as passed to the formatter.
pub(super) struct MarkupArgument<'a, T: AsMarkup + ?Sized>(pub(super) &'a T);

impl<T: AsMarkup + ?Sized> Display for MarkupArgument<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.mark(f)
    }
}

impl AsMarkup for Markup {
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsMarkup for Shown {
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for letter in self.as_str().chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                // An apostrophe stays, as attributes are in double quotes.
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

impl AsMarkup for str {
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // First hidden characters, then signs of markup: the escapes of the former are plain text for the latter. One line, because XML
        // reads a line break in an attribute as a blank.
        Shown::line(self).mark(f)
    }
}

impl AsMarkup for String {
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.as_str().mark(f)
    }
}

impl<T: AsMarkup + ?Sized> AsMarkup for &T {
    fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).mark(f)
    }
}

macro_rules! mark_numbers {
    ($($ty:ty),*) => {
        $(impl AsMarkup for $ty {
            fn mark(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self.show(f)
            }
        })*
    };
}
mark_numbers!(u32, u64, usize, i64, f64, bool, BigUint);

/// Composes a [`Markup`] as `format!` composes a `String`. Arguments that are not a [`Markup`] are escaped. Names cannot be captured in the
/// braces, because a captured name would not be escaped.
macro_rules! markup {
    ($format:literal $(, $argument:expr)* $(,)?) => {
        // In the output of another macro, the compiler does not capture names.
        $crate::markup::Markup::of_arguments(
            format_args!(concat!($format) $(, $crate::markup::MarkupArgument(&$argument))*)
        )
    };
}
pub(super) use markup;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_markup_is_taken_as_it_is() {
        let inner = markup!("<b>{}</b>", "<script>\"&\u{1b}\n");
        assert_eq!(inner.as_str(), "<b>&lt;script&gt;&quot;&amp;\\u{1b}\\n</b>");
        assert_eq!(
            markup!("<p title=\"{}\">{}{:.1}</p>", String::from("\""), inner, 1.25).as_str(),
            "<p title=\"&quot;\"><b>&lt;script&gt;&quot;&amp;\\u{1b}\\n</b>1.2</p>"
        );
        assert_eq!(markup!("{}", Shown::lines("a\n<")).as_str(), "a\n&lt;");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let data = Markup::data("[\"</script>&\"]");
        assert_eq!(data.as_str(), "<script type=\"application/json\">[\"\\u003c/script\\u003e\\u0026\"]</script>\n");
    }
}
