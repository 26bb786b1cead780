//! Changes of a text that remove a mistake: the remedy of a diagnostic as edits.
//!
//! Invariant: edits are made from places alone, on floors that do not have the text; [`Fix::replacements`] looks them up in the text, and
//! returns nothing for a fix whose edits do not fit it, or overlap. Deliberately elsewhere: how fixes are shown and offered (`report`,
//! `cli`).

use super::{FileId, SourceMap, Span};
use std::borrow::Cow;

/// A part of a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(Cow<'static, str>),
    /// The present text at this place.
    Copy(Span),
}

/// The part of its span that an edit replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Extent {
    Whole,
    /// All of it, which must be this name: where a definition expands to a name, the name is not in the text there.
    Name(String),
    /// All of it, and the blanks before it that would otherwise be doubled.
    WithBlanks,
    /// The only sign in it: floors above `syntax` know the operands of an operator, not the position of its sign. It must be one of these,
    /// if any are listed.
    Sign(&'static [&'static str]),
}

/// One replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    span: Span,
    extent: Extent,
    pieces: Vec<Piece>,
}

impl Edit {
    fn of(span: Span, extent: Extent) -> Self {
        Self { span, extent, pieces: Vec::new() }
    }

    /// Replaces a place by a text.
    #[must_use]
    pub fn replace(span: Span, text: impl Into<Cow<'static, str>>) -> Self {
        Self::of(span, Extent::Whole).text(text)
    }

    /// Replaces the name `old`, with its back quotes if it has any, by a text.
    #[must_use]
    pub fn rename(span: Span, old: &str, new: impl Into<Cow<'static, str>>) -> Self {
        Self::of(span, Extent::Name(old.to_owned())).text(new)
    }

    /// Removes a place.
    #[must_use]
    pub fn delete(span: Span) -> Self {
        Self::of(span, Extent::WithBlanks)
    }

    /// Inserts a text before a place.
    #[must_use]
    pub fn before(span: Span, text: impl Into<Cow<'static, str>>) -> Self {
        Self::replace(Span { end: span.start, ..span }, text)
    }

    /// Inserts a text behind a place.
    #[must_use]
    pub fn after(span: Span, text: impl Into<Cow<'static, str>>) -> Self {
        Self::replace(span.after(), text)
    }

    /// Replaces the sign between two places. Blanks and comments around it stay.
    #[must_use]
    pub fn sign(left: Span, right: Span, text: impl Into<Cow<'static, str>>) -> Self {
        Self::sign_of(left, right, &[], text)
    }

    /// As [`Self::sign`], where the sign must be one of several.
    #[must_use]
    pub fn sign_of(left: Span, right: Span, old: &'static [&'static str], text: impl Into<Cow<'static, str>>) -> Self {
        // Places in different texts, or in the wrong order, come from the expansion of a definition: there is no sign between them.
        let span =
            if left.file == right.file && left.end <= right.start { Span { end: right.start, ..left.after() } } else { left.after() };
        Self::of(span, Extent::Sign(old)).text(text)
    }

    /// The two insertions around a place.
    #[must_use]
    pub fn around(span: Span, open: &'static str, close: &'static str) -> [Self; 2] {
        [Self::before(span, open), Self::after(span, close)]
    }

    /// Adds a text to the new text.
    #[must_use]
    pub fn text(mut self, text: impl Into<Cow<'static, str>>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// Appends the present text at a place to the new text.
    #[must_use]
    pub fn copy(mut self, span: Span) -> Self {
        self.pieces.push(Piece::Copy(span));
        self
    }

    fn replacement(&self, sources: &SourceMap) -> Option<Replacement> {
        let content = sources.files().nth(self.span.file.0 as usize)?.text.as_str();
        let place = self.span.start as usize..self.span.end as usize;
        let held = content.get(place.clone())?;
        let mut text: String = self
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.as_ref(),
                Piece::Copy(span) => sources.text(*span),
            })
            .collect();
        let place = match &self.extent {
            Extent::Name(name) if held.trim_matches('`') != name => return None,
            Extent::Whole | Extent::Name(_) => place,
            Extent::WithBlanks => {
                let before = &content[..place.start];
                let kept = before.trim_end_matches([' ', '\t']).len();
                let is_beside_blank = content[place.end..].chars().next().is_none_or(char::is_whitespace);
                if is_beside_blank { kept..place.end } else { place }
            }
            Extent::Sign(old) => {
                let sign = only_sign(held).filter(|sign| old.is_empty() || old.contains(&&held[sign.clone()]))?;
                // Blanks of the text do where there are some.
                let (has_before, has_behind) = (sign.start > 0, sign.end < held.len());
                text = if has_before { text.trim_start().to_owned() } else { text };
                text = if has_behind { text.trim_end().to_owned() } else { text };
                // A word needs a blank to its neighbours: `x%2` becomes `x mod 2`.
                if text.starts_with(char::is_alphabetic) {
                    text.insert_str(0, if sign.start == 0 { " " } else { "" });
                    text.push_str(if sign.end == held.len() { " " } else { "" });
                }
                place.start + sign.start..place.start + sign.end
            }
        };
        Some(Replacement { span: Span::new(self.span.file, place.start, place.end), text })
    }
}

/// The position of the one sign in a text that otherwise has blanks and comments only; a comma separates arguments and is not a sign.
fn only_sign(text: &str) -> Option<std::ops::Range<usize>> {
    let mut found = None;
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let length =
                rest.char_indices().find(|(at, c)| c.is_whitespace() || rest[*at..].starts_with("/*")).map_or(rest.len(), |(at, _)| at);
            if found.replace(at..at + length).is_some() || rest.starts_with(',') {
                return None;
            }
            at += length;
        }
    }
    found
}

/// An edit in the form of a replacement in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The place that is replaced; empty for an insertion.
    pub span: Span,
    /// The new text there.
    pub text: String,
}

/// A change of the text that removes the mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The action, in the imperative: `write -->`.
    pub title: String,
    edits: Vec<Edit>,
}

impl Fix {
    /// A fix of one or more edits that belong together.
    #[must_use]
    pub fn new(title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        Self { title: title.into(), edits: edits.into_iter().collect() }
    }

    /// The edits in the order of the text; none if they do not fit it or overlap.
    #[must_use]
    pub fn replacements(&self, sources: &SourceMap) -> Option<Vec<Replacement>> {
        let mut made = self.edits.iter().map(|edit| edit.replacement(sources)).collect::<Option<Vec<_>>>()?;
        // The sort is stable: several insertions at one place stay in their order.
        made.sort_by_key(|one| (one.span.file, one.span.start, one.span.end));
        let is_apart = |pair: &[Replacement]| pair[0].span.file != pair[1].span.file || pair[0].span.end <= pair[1].span.start;
        (!made.is_empty() && made.windows(2).all(is_apart)).then_some(made)
    }

    /// The text of a file after the fix.
    #[must_use]
    pub fn applied(&self, file: FileId, sources: &SourceMap) -> Option<String> {
        let mut text = sources.file(file).text.clone();
        // From the end on, so that the places before stay where they are.
        for Replacement { span, text: new } in self.replacements(sources)?.into_iter().rev().filter(|one| one.span.file == file) {
            text.replace_range(span.start as usize..span.end as usize, &new);
        }
        Some(text)
    }

    /// Moves all places, of a text that was read as a part of another one. A fix whose text would need an escape there is refused.
    pub fn moved(mut self, moved: impl Fn(&mut Span)) -> Option<Self> {
        for edit in &mut self.edits {
            moved(&mut edit.span);
            for piece in &mut edit.pieces {
                match piece {
                    Piece::Text(text) if text.contains(['\\', '"']) => return None,
                    Piece::Text(_) => {}
                    Piece::Copy(span) => moved(span),
                }
            }
        }
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(text: &str, edits: impl IntoIterator<Item = Edit>) -> Option<String> {
        let mut sources = SourceMap::new();
        let file = sources.add("m.mch", text);
        Fix::new("a fix", edits).applied(file, &sources)
    }

    fn span(start: usize, end: usize) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn a_sign_is_replaced_and_what_stands_around_it_stays() {
        let sign = |text: &str, right: usize| fixed(text, [Edit::sign(span(0, 1), span(right, right + 1), "mod")]);
        assert_eq!(sign("x%2", 2).as_deref(), Some("x mod 2"));
        assert_eq!(sign("x /* % */ % 2", 12).as_deref(), Some("x /* % */ mod 2"));
        assert_eq!(sign("x % // rest\n 2", 13).as_deref(), Some("x mod // rest\n 2"));
        assert_eq!(sign("x, y", 3), None, "a comma is no operator");
        assert_eq!(sign("x + y + z", 8), None, "two signs");
        assert_eq!(fixed("x % 2", [Edit::sign(span(4, 5), span(0, 1), "mod")]), None, "the other order");
    }

    #[test]
    fn a_removal_takes_the_blanks_that_would_be_two() {
        assert_eq!(fixed("x & & y", [Edit::delete(span(4, 5))]).as_deref(), Some("x & y"));
        assert_eq!(fixed("x ;", [Edit::delete(span(2, 3))]).as_deref(), Some("x"));
        assert_eq!(fixed("f(a;)", [Edit::delete(span(3, 4))]).as_deref(), Some("f(a)"));
    }

    #[test]
    fn insertions_at_one_place_stay_in_order_and_overlaps_are_refused() {
        assert_eq!(fixed("ab", [Edit::after(span(0, 1), "x"), Edit::before(span(1, 2), "y")]).as_deref(), Some("axyb"));
        assert_eq!(fixed("abc", [Edit::replace(span(0, 2), "x"), Edit::delete(span(1, 3))]), None);
        assert_eq!(fixed("ab", [Edit::delete(span(1, 9))]), None, "beyond the text");
        assert_eq!(fixed("`a`", [Edit::rename(span(0, 3), "a", "b")]).as_deref(), Some("b"));
        assert_eq!(fixed("D", [Edit::rename(span(0, 1), "a", "b")]), None, "a definition");
        assert_eq!(
            fixed("f - e", [Edit::replace(span(0, 5), "{").copy(span(4, 5)).text("} <<| ").copy(span(0, 1))]).as_deref(),
            Some("{e} <<| f")
        );
    }
}
