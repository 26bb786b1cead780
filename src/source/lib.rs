//! Floor 0: files, positions, diagnostics, text that may be shown, and what else any floor may need (vocabularies of options, tables of
//! thresholds, types of numbers, the distance of words, columns of a terminal, parts of a text outside of brackets, halves of characters in
//! JSON, random numbers, the tree of temporal formulas). Knows nothing of B but the rows of its operators, its keywords, how its names are
//! written, and what the explanations of codes say.
//!
//! Invariant: every [`Span`] lies inside the text of its file and on character boundaries, so a diagnostic can always be drawn.
//! Deliberately elsewhere: how a diagnostic is drawn (`report`), reading files (`cli`).

mod code;
mod columns;
mod diagnostic;
mod distance;
mod fix;
mod json_text;
mod name;
mod nesting;
mod number;
mod operators;
mod random;
mod shown;
mod span;
mod statistics;
mod temporal;
mod threshold;
mod vocabulary;

pub use code::Code;
pub use columns::{clipped, columns, padded, wrapped};
pub use diagnostic::{Diagnostic, Label, Severity, has_errors};
pub use distance::edit_distance;
pub use fix::{Edit, Fix, Replacement};
pub use json_text::whole_characters;
pub use name::{KEYWORDS, SIGN_LETTERS};
pub use name::{in_back_quotes, split_name, word_in_back_quotes};
pub use name::{is_name_part, is_name_start};
pub use nesting::{outside_strings, split_outside};
pub use random::SplitMix64;
pub use random::{GOLDEN_RATIO, Xorshift64};
pub use shown::{Argument, Message, Show, Shown, escaped, is_hidden, pictured};
pub use span::{FileId, LineColumn, SourceFile, SourceMap, Span};
pub use statistics::{Statistic, StatisticTable, keep_statistics, keeps_statistics};
pub use temporal::{Logic, Temporal, TemporalBinary, TemporalKind, TemporalUnary};
pub use threshold::{Threshold, ThresholdRow, ThresholdTable};
pub use vocabulary::Vocabulary;
