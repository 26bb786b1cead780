//! The lines of a result, and the comments at their ends.
//!
//! Invariant: no line ends with a blank, except those inside a pragma, which are part of it. Comments that were aligned at the ends of
//! consecutive lines stay aligned. Deliberately elsewhere: where lines begin and how far they are indented (`layout`).

use super::pieces::{Comment, width};

/// A line whose code is complete.
struct LaidLine {
    code: String,
    /// The comment behind the code, with its column in the text.
    comment: Option<(String, usize)>,
}

/// The lines so far.
#[derive(Default)]
pub(super) struct Lines {
    done: Vec<LaidLine>,
    current: String,
    /// Whether `current` ends inside a pragma.
    is_in_pragma: bool,
    comment: Option<(String, usize)>,
    has_begun: bool,
}

impl Lines {
    /// Whether nothing was written yet.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_begun
    }

    /// Begins a line, behind an empty one on demand.
    pub(super) fn begin(&mut self, indent: usize, behind_empty: bool) {
        if self.has_begun {
            self.close();
            if behind_empty {
                self.done.push(LaidLine { code: String::new(), comment: None });
            }
        }
        self.has_begun = true;
        self.current = " ".repeat(indent);
    }

    fn close(&mut self) {
        let current = std::mem::take(&mut self.current);
        let code = if self.is_in_pragma { current } else { current.trim_end().to_owned() };
        self.done.push(LaidLine { code, comment: self.comment.take() });
    }

    /// Writes a token.
    pub(super) fn put(&mut self, text: &str, behind_blank: bool) {
        self.has_begun = true;
        if behind_blank {
            self.current.push(' ');
        }
        self.current.push_str(text);
    }

    /// Writes a comment behind which its line ends.
    pub(super) fn put_last(&mut self, comment: &Comment<'_>) {
        self.comment = Some((comment.text.to_owned(), comment.column));
    }

    /// Writes any other comment. The lines of a multi-line comment all move as far as the first one.
    pub(super) fn put_comment(&mut self, comment: &Comment<'_>, behind_blank: bool) {
        let mut lines = comment.text.lines();
        // Where the comment will begin: the width of its first line depends on that, if it has tabs.
        let column = width(&self.current) + usize::from(behind_blank);
        self.put(lines.next().unwrap_or_default(), behind_blank);
        for line in lines {
            self.is_in_pragma = comment.is_pragma();
            self.close();
            self.is_in_pragma = false;
            if comment.is_pragma() {
                line.clone_into(&mut self.current);
                continue;
            }
            let words = line.trim_start();
            let indent = width(&line[..line.len() - words.len()]);
            self.current = " ".repeat((indent + column).saturating_sub(comment.column));
            self.current.push_str(words);
        }
    }

    /// The text.
    pub(super) fn finish(mut self, line_end: &str) -> String {
        if self.has_begun {
            self.close();
        }
        let columns = columns(&self.done);
        let mut text = String::new();
        for (mut line, column) in self.done.into_iter().zip(columns) {
            if let (Some((comment, _)), Some(column)) = (line.comment, column) {
                let missing = column.saturating_sub(width(&line.code));
                line.code.push_str(&" ".repeat(missing));
                line.code.push_str(&comment);
            }
            text.push_str(&line.code);
            text.push_str(line_end);
        }
        text
    }
}

/// The column of the comment at the end of each line.
fn columns(lines: &[LaidLine]) -> Vec<Option<usize>> {
    let mut columns = Vec::with_capacity(lines.len());
    let stands_at = |line: &LaidLine| line.comment.as_ref().map(|(_, column)| *column);
    for group in lines.chunk_by(|one, other| stands_at(one).is_some() && stands_at(one) == stands_at(other)) {
        let widest = group.iter().map(|line| width(&line.code)).max().unwrap_or_default();
        columns.extend(group.iter().map(|line| line.comment.as_ref().map(|_| widest + 1)));
    }
    columns
}
