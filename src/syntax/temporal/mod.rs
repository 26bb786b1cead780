//! Temporal formulas: texts in ProB's syntax of LTL and CTL → trees.
//!
//! Invariant: total, as all of `syntax`: a parse returns a tree and all diagnostics, inside the place of the text. The formulas of B inside
//! (predicates, arguments) are read by the parser of B. Deliberately elsewhere: names, types, where fairness may stand (`sema`).

mod ctl;
mod fairness;
mod lexer;
mod ltl;
mod operators;
mod parts;
mod patterns;
mod print;
mod property_patterns;
mod tree;

pub use print::{Printed, operator, parenthesised, printed};
pub use tree::{
    Counting, Logic, PatternKind, PatternScope, Prefix, Premise, PremiseKind, PropertyPattern, Proposition, StateWord, StepPattern,
    Temporal, TemporalBinary, TemporalKind, TemporalUnary, Trend, operands,
};

use super::anchor::Anchor;
use super::ast::Parsed;
use bcheck_source::FileId;
use lexer::Scanner;
use parts::Parts;

/// Reads a text that is a formula.
///
/// ```
/// use bcheck_source::FileId;
/// use bcheck_syntax::temporal::{Logic, parse_temporal, printed};
///
/// let parsed = parse_temporal(FileId(0), Logic::Ltl, "GF{x=1}=>F[stop]");
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(printed(&parsed.tree).to_string(), "G F {x = 1} => F [stop]");
/// ```
#[must_use]
pub fn parse_temporal(file: FileId, logic: Logic, text: &str) -> Parsed<Temporal> {
    parse_temporal_at(&Anchor::of_file(file), logic, text)
}

/// Whether a text begins like `#x.(…)`: with an existential quantifier, which elsewhere than in formulas could be taken for a comment.
///
/// ```
/// use bcheck_syntax::temporal::begins_with_exists;
///
/// assert!(begins_with_exists("# x .({x : 0..1} & G {v = x})"));
/// assert!(!begins_with_exists("# Note: x. (So far.)") && !begins_with_exists("##x.({x : 0..1} & G {v = x})"));
/// ```
#[must_use]
pub fn begins_with_exists(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    if !scanner.take("#") || scanner.name().is_none() {
        return false;
    }
    // Several names and a brace without its parenthesis are errors of a formula, which the parser explains.
    while scanner.take(",") {
        if scanner.name().is_none() {
            return false;
        }
    }
    scanner.take(".") && (scanner.sees("(") || scanner.sees("{"))
}

/// Reads a formula whose positions the anchor maps to the file.
#[must_use]
pub fn parse_temporal_at(anchor: &Anchor, logic: Logic, text: &str) -> Parsed<Temporal> {
    let mut parts = Parts::new(logic, anchor, text);
    let start = parts.start();
    let read = match logic {
        Logic::Ltl => ltl::formula(&mut parts),
        Logic::Ctl => ctl::formula(&mut parts),
    };
    let read = read.and_then(|tree| {
        let end = parts.start();
        if end == text.len() { Ok(tree) } else { Err(parts.leftover()) }
    });
    let unclosed = parts.unclosed();
    let mut diagnostics = std::mem::take(&mut parts.diagnostics);
    let tree = match (read, unclosed) {
        (Ok(tree), None) => tree,
        (read, unclosed) => {
            diagnostics.extend(unclosed.or(read.err()));
            Temporal { kind: TemporalKind::Proposition(Proposition::Error), span: anchor.span(start, text.trim_end().len().max(start)) }
        }
    };
    diagnostics.sort_by_key(|diagnostic| diagnostic.span().start);
    Parsed { tree, diagnostics }
}
