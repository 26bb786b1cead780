//! The table of DEFINITIONS by name, and which definition files are ProB's own libraries.
//!
//! Invariant: names are unique; the first definition of a name wins and a second one is reported.
//! Deliberately elsewhere: replacing calls by bodies (`expand`), reading settings from the table (`settings`).

use super::names::repeated;
use bcheck_source::{Code, Diagnostic};
use bcheck_syntax::ast::{Definition, DefinitionBody, Name};
use indexmap::IndexMap;

/// All definitions of a machine by name.
#[derive(Default)]
pub(super) struct Definitions<'a> {
    macros: IndexMap<&'a str, Macro<'a>>,
}

/// `name(parameters) == body`.
#[derive(Clone, Copy)]
pub(super) struct Macro<'a> {
    pub(super) name: &'a Name,
    pub(super) parameters: &'a [Name],
    pub(super) body: &'a DefinitionBody,
}

impl Macro<'_> {
    /// Whether two files hold the same definition.
    fn is_same(&self, other: &Self) -> bool {
        let parameters = |item: &Self| item.parameters.iter().map(|name| name.text.clone()).collect::<Vec<_>>();
        // Compared as printed: trees of equal text differ in their spans.
        let same_body = match (self.body, other.body) {
            (DefinitionBody::Expr(left), DefinitionBody::Expr(right)) => left.to_string() == right.to_string(),
            (DefinitionBody::Subst(left), DefinitionBody::Subst(right)) => left.to_string() == right.to_string(),
            (DefinitionBody::List(left), DefinitionBody::List(right)) => {
                left.iter().map(ToString::to_string).eq(right.iter().map(ToString::to_string))
            }
            _ => false,
        };
        self.name.span.file != other.name.span.file && parameters(self) == parameters(other) && same_body
    }
}

/// Whether a file is one of ProB's libraries, by its name.
pub(super) fn is_library(path: &str) -> bool {
    // Where file systems ignore case, machines spell these names as they like.
    LIBRARIES.iter().any(|library| library.eq_ignore_ascii_case(base_name(path)))
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// The definition files that come with ProB. The functions of theirs that bcheck evaluates are in `external`.
const LIBRARIES: &[&str] = &[
    "CHOOSE.def",
    "CustomDefinitions.def",
    "LibraryBits.def",
    "LibraryCSV.def",
    "LibraryFiles.def",
    "LibraryHash.def",
    "LibraryIO.def",
    "LibraryMath.def",
    "LibraryMeta.def",
    "LibraryProB.def",
    "LibraryRandom.def",
    "LibraryReals.def",
    "LibraryRegex.def",
    "LibrarySCC.def",
    "LibrarySVG.def",
    "LibraryStrings.def",
    "LibraryTemporal.def",
    "LibraryXML.def",
    "SCC.def",
    "SORT.def",
    "SortByCard.def",
    "Sort.def",
    "TLC.def",
];

fn library_not_read(file: &Name) -> Diagnostic {
    Diagnostic::warning(Code::SettingIgnored, file.span, format!("the library {} is not read", base_name(&file.text)))
        .label("a file of ProB's standard library")
        .help("functions of the library that bcheck has built in can be used; others are reported where they are called")
}

impl<'a> Definitions<'a> {
    /// Collects definitions; included files have been inserted before, except for libraries of ProB that are not on disk.
    pub(super) fn collect(items: &'a [Definition], diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut definitions = Self::default();
        for item in items {
            match item {
                Definition::Include(file) => diagnostics.push(library_not_read(file)),
                Definition::Macro { name, parameters, body } => definitions.add(Macro { name, parameters, body }, diagnostics),
            }
        }
        definitions
    }

    fn add(&mut self, item: Macro<'a>, diagnostics: &mut Vec<Diagnostic>) {
        diagnostics.extend(repeated(item.parameters.iter()));
        if let Some(first) = self.macros.get(item.name.text.as_str()) {
            // Files that are included together may hold copies of one definition.
            if first.is_same(&item) {
                return;
            }
            diagnostics.push(
                Diagnostic::error(Code::DuplicateName, item.name.span, format!("`{}` is defined twice", item.name.text))
                    .label("defined again here")
                    .also(first.name.span, "first defined here"),
            );
            return;
        }
        self.macros.insert(&item.name.text, item);
    }

    /// The definition of a name, unless the name is an external function, whose body is only documentation.
    pub(super) fn get(&self, name: &str) -> Option<Macro<'a>> {
        self.macros.get(name).copied().filter(|_| !self.is_external(name))
    }

    /// Whether a definition `EXTERNAL_FUNCTION_name` (or predicate, or substitution) declares the name as external.
    pub(super) fn is_external(&self, name: &str) -> bool {
        ["FUNCTION", "PREDICATE", "SUBSTITUTION"].iter().any(|kind| self.macros.contains_key(format!("EXTERNAL_{kind}_{name}").as_str()))
    }

    /// All definitions in source order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Macro<'a>> + '_ {
        self.macros.values().copied()
    }
}
