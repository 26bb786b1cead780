//! What a person, or a script, enters at a prompt.
//!
//! Invariant: plain data, the same with a line editor and without one.

/// A line, or what a person did instead of typing one.
pub(super) enum Typed {
    /// A line.
    Line(String),
    /// Ctrl-C: what was typed so far does not count.
    #[cfg_attr(not(feature = "screen"), allow(dead_code, reason = "without an editor, Ctrl-C is a signal"))]
    Cancelled,
    /// There is no other line.
    End,
}
