//! Everything whose order means nothing, in another order.

use super::rewrite::{self, Rewriter, expr_of, subst_of};
use crate::dice::Dice;
use bcheck::syntax::ast::{BinaryOp, ClauseKind, Expr, ExprKind, Machine, SetDeclarationKind, Subst, SubstKind};

/// The machine in another order.
pub(super) fn shuffled(mut machine: Machine, dice: &mut Dice) -> Machine {
    rewrite::machine(&mut machine, &mut Shuffler { dice });
    for clause in &mut machine.clauses {
        match &mut clause.kind {
            ClauseKind::Sets(sets) => {
                dice.shuffle(sets);
                for set in sets {
                    if let SetDeclarationKind::Enumerated(elements) = &mut set.kind {
                        dice.shuffle(elements);
                    }
                }
            }
            ClauseKind::Constants(names, _) | ClauseKind::Variables(names, _) => dice.shuffle(names),
            ClauseKind::Assertions(list) => dice.shuffle(list),
            ClauseKind::Definitions(list) => dice.shuffle(list),
            ClauseKind::Operations(list) => {
                dice.shuffle(list);
                list.iter_mut().for_each(|operation| dice.shuffle(&mut operation.parameters));
            }
            _ => {}
        }
    }
    dice.shuffle(&mut machine.clauses);
    machine
}

struct Shuffler<'d> {
    dice: &'d mut Dice,
}

impl Rewriter for Shuffler<'_> {
    fn expr(&mut self, expr: Expr) -> Expr {
        let Expr { kind, span } = expr;
        let kind = match kind {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let mut parts = Vec::new();
                flatten(op, expr_of(ExprKind::Binary(op, a, b)), &mut parts);
                self.dice.shuffle(&mut parts);
                return joined(op, parts);
            }
            ExprKind::Binary(op, a, b) if self.dice.once_in(2) => match turned(op) {
                Some(other) => ExprKind::Binary(other, b, a),
                None => ExprKind::Binary(op, a, b),
            },
            ExprKind::SetExtension(mut items) => {
                self.dice.shuffle(&mut items);
                ExprKind::SetExtension(items)
            }
            ExprKind::Quantified(quantifier, mut names, body) => {
                self.dice.shuffle(&mut names);
                ExprKind::Quantified(quantifier, names, body)
            }
            other => other,
        };
        Expr { kind, span }
    }

    fn subst(&mut self, subst: Subst) -> Subst {
        subst_of(match subst.kind {
            SubstKind::Parallel(mut parts) => {
                self.dice.shuffle(&mut parts);
                SubstKind::Parallel(parts)
            }
            SubstKind::Choice(mut parts) => {
                self.dice.shuffle(&mut parts);
                SubstKind::Choice(parts)
            }
            SubstKind::Select(mut branches, otherwise) => {
                self.dice.shuffle(&mut branches);
                SubstKind::Select(branches, otherwise)
            }
            SubstKind::Case(subject, mut branches, otherwise) => {
                self.dice.shuffle(&mut branches);
                SubstKind::Case(subject, branches, otherwise)
            }
            SubstKind::Assign(targets, values) => {
                let mut both: Vec<(Expr, Expr)> = targets.into_iter().zip(values).collect();
                self.dice.shuffle(&mut both);
                let (targets, values) = both.into_iter().unzip();
                SubstKind::Assign(targets, values)
            }
            other => other,
        })
    }
}

fn flatten(op: BinaryOp, expr: Expr, out: &mut Vec<Expr>) {
    match expr.kind {
        ExprKind::Binary(inner, a, b) if inner == op => {
            flatten(op, *a, out);
            flatten(op, *b, out);
        }
        _ => out.push(expr),
    }
}

fn joined(op: BinaryOp, parts: Vec<Expr>) -> Expr {
    parts.into_iter().reduce(|a, b| expr_of(ExprKind::Binary(op, Box::new(a), Box::new(b)))).expect("there are parts")
}

/// The operator that means the same with its operands exchanged.
fn turned(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equivalent | BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Plus => op,
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        _ => return None,
    })
}
