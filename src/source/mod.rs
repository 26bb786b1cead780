//! Floor 0: files, positions, diagnostics, text that may be shown, and the distance of words. Knows nothing of B.
//!
//! Invariant: every [`Span`] lies inside the text of its file and on character boundaries, so a diagnostic can always be drawn.
//! Deliberately elsewhere: how a diagnostic is drawn (`report`), reading files (`cli`).

mod code;
mod diagnostic;
mod distance;
mod shown;
mod span;
mod vocabulary;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity, has_errors};
pub(crate) use distance::edit_distance;
pub(crate) use shown::shown;
pub use shown::{Argument, Message, Show, Shown, escaped, is_hidden, pictured};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use vocabulary::Vocabulary;
pub(crate) use vocabulary::vocabulary;
