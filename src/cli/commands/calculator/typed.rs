//! The input at a prompt.
//!
//! Invariant: plain data, the same with and without a line editor.

/// A line, or what the user did instead of typing one.
pub(super) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C: the text typed so far is discarded.
    #[cfg_attr(not(feature = "screen"), allow(dead_code, reason = "without an editor, Ctrl-C is a signal"))]
    Cancelled,
    /// End of the input.
    End,
}
