//! Positions in source files: byte spans and the map from spans to lines and columns.
//!
//! Invariant: `start <= end <= text.len()`. Offsets are bytes; columns are counted in characters, from 1. Deliberately elsewhere: how files
//! are read and decoded (`cli`).

/// The index of a file in its [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`. Offsets beyond 4 GiB are clamped: no B file is that long.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        // 32 bits: every node of the tree has a span, and a larger file is refused when it is read.
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { file, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The empty span at the start of the first file, for things that no text introduced.
    #[must_use]
    pub fn nowhere() -> Self {
        Self { file: FileId(0), start: 0, end: 0 }
    }

    /// The smallest span that covers both; `self` when they lie in different files.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        // Trees mix files, as the body of a definition occurs where it is used; no span can cover both.
        if self.file != other.file {
            return self;
        }
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right before this one.
    #[must_use]
    pub fn before(self) -> Self {
        Self { end: self.start, ..self }
    }

    /// The empty span right after this one, where something is missing.
    #[must_use]
    pub fn after(self) -> Self {
        Self { start: self.end, ..self }
    }
}

/// A position for people: line and column, both from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One source text and its name as the user gave it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path as the user typed it.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The place of the first character that was not written in UTF-8, when the text was read as Latin-1.
    pub latin1: Option<Span>,
    /// Byte offset of the first character of each line.
    line_starts: Vec<usize>,
}

/// All files of one run; a file may refer to others.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// A map without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        // Only line feeds: a carriage return before one stays part of its line, where nobody sees it.
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        self.files.push(SourceFile { name: name.into(), text, latin1: None, line_starts });
        id
    }

    /// Records that a file is not UTF-8; this is the first byte of its text that shows it.
    ///
    /// # Panics
    /// When `id` comes from another map.
    pub fn mark_latin1(&mut self, id: FileId, at: usize) {
        self.files[id.0 as usize].latin1 = Some(Span::new(id, at, at));
    }

    /// The files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The file with this id.
    ///
    /// # Panics
    /// When `id` comes from another map.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The text that a span covers; empty when the span does not fit its file.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        // Looked up without a panic: the text is for messages, and the span may be `nowhere` in a map without files.
        self.files.get(span.file.0 as usize).and_then(|file| file.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Line and column of the start of a span.
    #[must_use]
    pub fn line_column(&self, span: Span) -> LineColumn {
        let file = self.file(span.file);
        let offset = (span.start as usize).min(file.text.len());
        let (line, line_start) = file.line_at(offset);
        // An offset inside a character can only come from a fault elsewhere: bytes are then as good as characters.
        let column = file.text.get(line_start..offset).map_or(offset - line_start, |before| before.chars().count()) + 1;
        LineColumn { line: line + 1, column }
    }
}

impl SourceFile {
    /// The line around a byte offset: its number from 0, and the offset of its first character.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> (usize, usize) {
        // The number of lines that start at or before the offset: at least one, as the first line starts at 0.
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        (line, self.line_starts[line])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let mut map = SourceMap::new();
        let file = map.add("m.mch", "ab\nx∈S\n");
        let span = Span::new(file, "ab\nx∈".len(), "ab\nx∈S".len());
        assert_eq!(map.line_column(span), LineColumn { line: 2, column: 3 });
        assert_eq!(map.text(span), "S");
    }
}
