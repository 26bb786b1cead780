//! Messages about a user's text: a stable code, a title, labelled places and remedies.
//!
//! Invariant: the first label is the place to look at. Several diagnostics are reported at once, in source order.

use super::{Code, Fix, Span};

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The machine cannot be checked.
    Error,
    /// The machine can be checked, but something looks wrong or is ignored.
    Warning,
    /// For information.
    Note,
}

/// A place in the text with a remark about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark written under it; may be empty.
    pub text: String,
}

/// One message with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, such as `B0203`.
    pub code: Code,
    /// Error, warning or note.
    pub severity: Severity,
    /// One sentence without a final full stop.
    pub title: String,
    /// The main place first, then others (for instance the other origin of a type).
    pub labels: Vec<Label>,
    /// Remedies and explanations, one sentence each.
    pub help: Vec<String>,
    /// The remedies that are definite changes of the text, the most probable one first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(code: Code, span: Span, title: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, title)
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: Code, span: Span, title: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, title)
    }

    /// A note at a place.
    #[must_use]
    pub fn note(code: Code, span: Span, title: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, title)
    }

    fn new(severity: Severity, code: Code, span: Span, title: impl Into<String>) -> Self {
        // The first label exists from the beginning: `label`, `span` and the renderers rely on it.
        Self { code, severity, title: title.into(), labels: vec![Label { span, text: String::new() }], help: Vec::new(), fixes: Vec::new() }
    }

    /// Writes a text under the main place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.labels[0].text = text.into();
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds a remedy that is a change of the text.
    #[must_use]
    pub fn fix(self, fix: Fix) -> Self {
        self.fixes([fix])
    }

    /// Adds the remedies that are changes of the text, if there are any.
    #[must_use]
    pub fn fixes(mut self, fixes: impl IntoIterator<Item = Fix>) -> Self {
        self.fixes.extend(fixes);
        self
    }

    /// The main place.
    #[must_use]
    pub fn span(&self) -> Span {
        self.labels[0].span
    }
}

/// Whether any of these diagnostics is an error.
#[must_use]
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
