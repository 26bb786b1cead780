//! Substitutions as text.
//!
//! Invariant: a substitution that binds less tightly than its place demands gets BEGIN and END. Trees of the parser never need that: they
//! have a block wherever the text had one.

use std::fmt::{Display, Formatter, Result};

use super::super::ast::{Expr, Subst, SubstKind};
use super::formula::{write_list, write_top};
use super::{names, separated, used};

impl Display for Subst {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_bare(self, f)
    }
}

/// The outermost connective of a substitution, from tight to loose.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Simple,
    Parallel,
    Sequence,
}

fn shape(subst: &Subst) -> Shape {
    match subst.kind {
        SubstKind::Sequence(_) => Shape::Sequence,
        SubstKind::Parallel(_) => Shape::Parallel,
        _ => Shape::Simple,
    }
}

fn write_at(subst: &Subst, loosest: Shape, f: &mut Formatter<'_>) -> Result {
    if shape(subst) <= loosest { write_bare(subst, f) } else { write!(f, "BEGIN {subst} END") }
}

/// Writes the body of an operation, which is not a sequence.
pub(super) fn write_body(subst: &Subst, f: &mut Formatter<'_>) -> Result {
    write_at(subst, Shape::Parallel, f)
}

// A list: the text of each kind of substitution.
fn write_bare(subst: &Subst, f: &mut Formatter<'_>) -> Result {
    match &subst.kind {
        SubstKind::Skip => f.write_str("skip"),
        SubstKind::Assign(targets, values) => {
            write_list(targets, f)?;
            f.write_str(" := ")?;
            write_list(values, f)
        }
        SubstKind::BecomesIn(targets, set) => {
            write_list(targets, f)?;
            f.write_str(" :: ")?;
            write_top(set, f)
        }
        SubstKind::BecomesSuchThat(targets, condition) => {
            write_list(targets, f)?;
            f.write_str(" : (")?;
            write_top(condition, f)?;
            f.write_str(")")
        }
        SubstKind::Call { results, name, arguments } => {
            if !results.is_empty() {
                write_list(results, f)?;
                f.write_str(" <-- ")?;
            }
            used(&name.text, f)?;
            if !arguments.is_empty() {
                f.write_str("(")?;
                write_list(arguments, f)?;
                f.write_str(")")?;
            }
            Ok(())
        }
        // A part that has the same connective is written as a block: without one, the text would read as one flat tree.
        SubstKind::Parallel(parts) => separated(parts, " || ", f, |part, f| write_at(part, Shape::Simple, f)),
        SubstKind::Sequence(parts) => separated(parts, " ; ", f, |part, f| write_at(part, Shape::Parallel, f)),
        SubstKind::Block(body) => write!(f, "BEGIN {body} END"),
        SubstKind::Pre(condition, body) => guarded("PRE ", condition, body, f),
        SubstKind::Assert(condition, body) => guarded("ASSERT ", condition, body, f),
        SubstKind::Choice(branches) => {
            f.write_str("CHOICE ")?;
            separated(branches, " OR ", f, write_bare)?;
            f.write_str(" END")
        }
        SubstKind::If(branches, otherwise) => branching("IF ", " ELSIF ", branches, otherwise.as_deref(), f),
        SubstKind::Select(branches, otherwise) => branching("SELECT ", " WHEN ", branches, otherwise.as_deref(), f),
        SubstKind::Case(subject, branches, otherwise) => {
            f.write_str("CASE ")?;
            write_top(subject, f)?;
            f.write_str(" OF EITHER ")?;
            separated(branches, " OR ", f, |(values, body), f| {
                write_list(values, f)?;
                write!(f, " THEN {body}")
            })?;
            write_otherwise(otherwise.as_deref(), f)?;
            // One END for EITHER, one for CASE.
            f.write_str(" END END")
        }
        SubstKind::Any(variables, condition, body) => {
            f.write_str("ANY ")?;
            names(variables, f)?;
            guarded(" WHERE ", condition, body, f)
        }
        SubstKind::Let(variables, equations, body) => {
            f.write_str("LET ")?;
            names(variables, f)?;
            f.write_str(" BE ")?;
            write_top(equations, f)?;
            write!(f, " IN {body} END")
        }
        SubstKind::Var(variables, body) => {
            f.write_str("VAR ")?;
            names(variables, f)?;
            write!(f, " IN {body} END")
        }
        SubstKind::While { condition, body, invariant, variant } => {
            f.write_str("WHILE ")?;
            write_top(condition, f)?;
            write!(f, " DO {body} INVARIANT ")?;
            write_top(invariant, f)?;
            f.write_str(" VARIANT ")?;
            write_top(variant, f)?;
            f.write_str(" END")
        }
        SubstKind::Error => f.write_str("?"),
    }
}

/// `keyword P THEN S END`
fn guarded(keyword: &str, condition: &Expr, body: &Subst, f: &mut Formatter<'_>) -> Result {
    f.write_str(keyword)?;
    write_top(condition, f)?;
    write!(f, " THEN {body} END")
}

fn branching(first: &str, next: &str, branches: &[(Expr, Subst)], otherwise: Option<&Subst>, f: &mut Formatter<'_>) -> Result {
    f.write_str(first)?;
    separated(branches, next, f, |(condition, body), f| {
        write_top(condition, f)?;
        write!(f, " THEN {body}")
    })?;
    write_otherwise(otherwise, f)?;
    f.write_str(" END")
}

fn write_otherwise(otherwise: Option<&Subst>, f: &mut Formatter<'_>) -> Result {
    match otherwise {
        Some(body) => write!(f, " ELSE {body}"),
        None => Ok(()),
    }
}
