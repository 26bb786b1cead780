//! Tests of the parser as a whole, by area. Invariant: trees are compared by their shape, without spans.

mod clauses;
mod diagnostics;
mod formulas;
mod lexical;
mod robustness;
mod round_trip;
mod substitutions;
mod temporal;

use super::ast::{Parsed, Subst, SubstKind};
use super::{substitution, whole, with_tokens};
use bcheck_source::{Code, Diagnostic, FileId, Label};

const FILE: FileId = FileId(0);

/// Reads a substitution by itself, sequences included.
fn parse_substitution(file: FileId, text: &str) -> Parsed<Subst> {
    with_tokens(file, text, |input| whole(input, substitution::sequence, |span| Subst { kind: SubstKind::Error, span }))
}

/// The tree of a text that must parse.
fn good<T>(parsed: Parsed<T>, text: &str) -> T {
    assert!(parsed.diagnostics.is_empty(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.tree
}

/// The debug text of a tree without its spans.
fn shape(tree: &impl std::fmt::Debug) -> String {
    let debug = format!("{tree:?}");
    let mut shape = String::new();
    let mut rest = debug.as_str();
    while let Some(at) = rest.find("Span {") {
        shape.push_str(&rest[..at]);
        rest = rest[at..].split_once('}').map_or("", |(_, after)| after);
    }
    shape + rest
}

/// The formula with every operation in parentheses, so that grouping shows.
fn grouped(expr: &super::ast::Expr) -> String {
    use super::ast::ExprKind;
    match &expr.kind {
        ExprKind::Binary(op, left, right) => {
            format!("({} {} {})", grouped(left), super::priority::of(*op).terminal.text(), grouped(right))
        }
        ExprKind::Unary(super::ast::UnaryOp::Negate, operand) => format!("(-{})", grouped(operand)),
        _ => expr.to_string(),
    }
}

/// The codes of diagnostics in order.
fn codes(diagnostics: &[Diagnostic]) -> Vec<Code> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The text under a label.
fn under<'a>(text: &'a str, label: &Label) -> &'a str {
    &text[label.span.start as usize..label.span.end as usize]
}

/// Runs a test on a stack as large as the program's own.
fn on_large_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(test).expect("a thread for the test");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}
