//! A text in the project's layout: indentation by structure, single blanks, the author's line breaks.
//!
//! The text is not printed from its tree, which has no comments: tokens are copied, and only the white space between them is new. `pieces`
//! cuts the text, `sections` derives required line breaks from the tree, `spacing` inserts blanks, `layout` indents lines, `lines` joins
//! them.
//! Invariant: tokens and comments are those of the text, in its order; the result has the same tree, and formatting is idempotent. The
//! first two are checked each time, as a text with another meaning would be worse than any layout. Deliberately elsewhere: reading and
//! writing files (`cli`).

mod layout;
mod lines;
pub(super) mod pieces;
mod sections;
mod spacing;
#[cfg(test)]
mod tests;

use super::ast::{Definition, Machine, Parsed};
use super::{begins_definitions, lexer, parse_definitions_file, parse_machine};
use bcheck_source::{Diagnostic, FileId, has_errors};
use pieces::Cut;

/// The result of formatting.
#[derive(Debug)]
pub enum Formatted {
    /// The text in the layout; equal to the input if that is formatted already.
    Text(String),
    /// It has errors, so nothing is changed.
    Refused(Vec<Diagnostic>),
    /// A fault of this formatter: the result would have another meaning.
    Unfaithful,
}

/// The tree of a file.
#[derive(PartialEq, Eq)]
enum Tree {
    Machine(Machine),
    Definitions(Vec<Definition>),
}

impl Tree {
    fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let Parsed { tree, diagnostics } = if begins_definitions(text) {
            let parsed = parse_definitions_file(FileId(0), text);
            Parsed { tree: Some(Self::Definitions(parsed.tree)), diagnostics: parsed.diagnostics }
        } else {
            let parsed = parse_machine(FileId(0), text);
            Parsed { tree: parsed.tree.map(Self::Machine), diagnostics: parsed.diagnostics }
        };
        tree.filter(|_| !has_errors(&diagnostics)).ok_or(diagnostics)
    }

    /// The tree as text, which is equal for equal trees only.
    fn printed(&self) -> String {
        match self {
            Self::Machine(machine) => machine.to_string(),
            Self::Definitions(definitions) => {
                let lines: Vec<String> = definitions.iter().map(ToString::to_string).collect();
                lines.join(";\n")
            }
        }
    }
}

/// Formats a machine, refinement, implementation or file of definitions.
///
/// ```
/// use bcheck_syntax::{Formatted, format_text};
/// let Formatted::Text(text) = format_text("MACHINE m VARIABLES x\nINVARIANT x:0 .. 3&x/=2 // not two\nINITIALISATION x:=0 END") else {
///     panic!("it has no errors");
/// };
/// assert_eq!(text, "MACHINE m\nVARIABLES x\nINVARIANT x : 0..3 & x /= 2 // not two\nINITIALISATION x := 0\nEND\n");
/// ```
#[must_use]
pub fn format_text(text: &str) -> Formatted {
    let tree = match Tree::parse(text) {
        Ok(tree) => tree,
        Err(diagnostics) => return Formatted::Refused(diagnostics),
    };
    let cut = Cut::of(text);
    let sections = sections::of(&cut, &tree);
    let formatted = layout::laid_out(&cut, &sections);
    if says_the_same(&cut, &tree, &formatted) { Formatted::Text(formatted) } else { Formatted::Unfaithful }
}

/// Whether a text has these tokens, these comments and this tree.
fn says_the_same(before: &Cut<'_>, tree: &Tree, text: &str) -> bool {
    let after = Cut::of(text);
    let same_tokens = before.pieces.len() == after.pieces.len()
        && before.pieces.iter().zip(&after.pieces).all(|(one, other)| one.token == other.token && one.text.trim() == other.text.trim());
    let same_pragmas = {
        let (one, other) = (lexer::lex(FileId(0), before.text), lexer::lex(FileId(0), text));
        one.lexemes.iter().zip(&other.lexemes).all(|(one, other)| {
            one.pragmas.len() == other.pragmas.len() && one.pragmas.iter().zip(&other.pragmas).all(|(one, other)| one.0.is_alike(&other.0))
        })
    };
    same_tokens
        && same_pragmas
        && before.comments().eq(after.comments())
        // A pragma over several lines gets the line ends of the text.
        && Tree::parse(text).is_ok_and(|again| again.printed().replace('\r', "") == tree.printed().replace('\r', ""))
}
