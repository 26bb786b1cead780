//! The references of a machine to others, as its clauses name them.
//!
//! Invariant: no other text is read here. Deliberately elsewhere: resolving a reference (`project`).

use super::LoadError;
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast::{ClauseKind, Machine, MachineReference, Name};

/// The clause of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Refines,
    Sees,
    Uses,
    Includes,
    Extends,
    Imports,
}

impl LinkKind {
    /// Whether the machine becomes a part of the one that refers to it.
    pub(crate) fn is_inclusion(self) -> bool {
        matches!(self, Self::Includes | Self::Extends | Self::Imports)
    }

    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Refines => "REFINES",
            Self::Sees => "SEES",
            Self::Uses => "USES",
            Self::Includes => "INCLUDES",
            Self::Extends => "EXTENDS",
            Self::Imports => "IMPORTS",
        }
    }
}

/// One machine named in a clause.
pub(super) struct Reference {
    pub(super) kind: LinkKind,
    pub(super) prefix: String,
    pub(super) name: Name,
    /// Number of arguments, and position among the references in INCLUDES, EXTENDS and IMPORTS, for one of these clauses.
    pub(super) arguments: Option<(usize, usize)>,
    /// The path that a pragma gives.
    pub(super) file: Option<Name>,
}

/// The machines that a machine names, in the order of the text.
pub(super) fn references(machine: &Machine) -> Vec<Reference> {
    let mut result = Vec::new();
    let mut position = 0;
    for clause in &machine.clauses {
        let (kind, named): (_, &[MachineReference]) = match &clause.kind {
            ClauseKind::Refines(reference) => (LinkKind::Refines, std::slice::from_ref(reference)),
            ClauseKind::Sees(references) => (LinkKind::Sees, references),
            ClauseKind::Uses(references) => (LinkKind::Uses, references),
            ClauseKind::Includes(references) => (LinkKind::Includes, references),
            ClauseKind::Extends(references) => (LinkKind::Extends, references),
            ClauseKind::Imports(references) => (LinkKind::Imports, references),
            _ => continue,
        };
        for MachineReference { prefix, machine, arguments, file } in named {
            let prefix = prefix.as_ref().map_or_else(String::new, |prefix| format!("{}.", prefix.text));
            let arguments = kind.is_inclusion().then_some((arguments.len(), position));
            position += usize::from(kind.is_inclusion());
            result.push(Reference { kind, prefix, name: machine.clone(), arguments, file: file.clone() });
        }
    }
    result
}

/// The diagnostic for a file that could not be loaded.
pub(super) fn missing(what: &str, span: Span, error: LoadError, elsewhere: Option<(String, String)>) -> Diagnostic {
    match error {
        LoadError::Ambiguous(files) => {
            Diagnostic::error(Code::UnknownMachine, span, format!("{what} may be one of several files, which differ"))
                .label("named here")
                .help(files.join(", "))
                .help("say which: /*@file \"path\"*/ behind the name, or --include DIR, where files are looked for first")
        }
        LoadError::NotFound(searched) => {
            let diagnostic = Diagnostic::error(Code::UnknownMachine, span, format!("{what} cannot be found")).label("named here");
            let looked_for = |searched: &[String]| format!("looked for in {}", searched.join(", "));
            match (elsewhere, searched.as_slice()) {
                (_, []) => diagnostic,
                (Some((file, folder)), searched) => diagnostic
                    .help(looked_for(searched))
                    .help(format!("there is {file}: --include {folder} looks there, too, and --project DIR in all folders below DIR")),
                (None, searched) => diagnostic.help(looked_for(searched)).help("other folders are given with --include DIR"),
            }
        }
        LoadError::Known(searched, [known, remedy]) => {
            let diagnostic = Diagnostic::error(Code::UnknownMachine, span, format!("{what} cannot be found")).label("named here");
            diagnostic.help(known).help(remedy).help(format!("looked for in {}", searched.join(", ")))
        }
        LoadError::NotB(file, reason) => Diagnostic::error(Code::UnknownMachine, span, format!("{what} is not B source"))
            .label("named here")
            .help(format!("{file}: {reason}")),
        LoadError::Outside(file) => {
            Diagnostic::error(Code::UnknownMachine, span, format!("{what} is outside of the folders that may be read"))
                .label("named here")
                .help(format!("it would be {file}"))
                .help("--include-only allows the folder of the machine and those of --include DIR, with all below")
        }
        LoadError::Unreadable(reason) => {
            Diagnostic::error(Code::UnknownMachine, span, format!("{what} cannot be read")).label("named here").help(reason)
        }
    }
}
