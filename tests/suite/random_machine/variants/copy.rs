//! A machine as a refinement of itself, and with one change.
//!
//! Invariant: the variables have names of their own, and the gluing invariant says that they are equal.

use super::rewrite::{self, Rewriter, expr_of, name_of, subst_of};
use super::tree;
use crate::dice::Dice;
use bcheck::source::Span;
use bcheck::syntax::ast::{
    BinaryOp, Clause, ClauseKind, Constant, Expr, ExprKind, Machine, MachineKind, MachineReference, Name, Subst, SubstKind,
};

/// A refinement of the machine by a copy of itself, or by one with one change.
pub(super) fn refinement_of(text: &str, is_changed: bool, dice: &mut Dice) -> Machine {
    let variables: Vec<String> = tree(text).clauses.into_iter().find_map(variables_of).unwrap_or_default();
    let renamed = |name: &str| format!("w_{name}");
    let mut copy = tree(&super::rename::with_names(text, |word| variables.iter().any(|name| name == word).then(|| renamed(word))));
    copy.kind = MachineKind::Refinement;
    copy.name = name_of("copy");
    let is_own =
        |clause: &Clause| matches!(clause.kind, ClauseKind::Variables(..) | ClauseKind::Initialisation(_) | ClauseKind::Operations(_));
    copy.clauses.retain(is_own);
    if is_changed {
        let mut counter = Changer { dice, wait: usize::MAX, seen: 0 };
        rewrite::machine(&mut copy, &mut counter);
        counter.wait = counter.dice.below(counter.seen.max(1));
        rewrite::machine(&mut copy, &mut counter);
    }
    let equal = |name: &String| {
        let sides = [renamed(name), name.clone()].map(|name| Box::new(expr_of(ExprKind::Ident(name))));
        let [own, above] = sides;
        expr_of(ExprKind::Binary(BinaryOp::Equal, own, above))
    };
    let gluing = variables.iter().map(equal).reduce(|a, b| expr_of(ExprKind::Binary(BinaryOp::And, Box::new(a), Box::new(b))));
    let nowhere = Span::nowhere();
    let clause = |kind| Clause { kind, span: nowhere, keyword: nowhere };
    let above = MachineReference { prefix: None, machine: name_of("random"), arguments: Vec::new(), file: None };
    copy.clauses.insert(0, clause(ClauseKind::Refines(above)));
    copy.clauses.extend(gluing.map(|gluing| clause(ClauseKind::Invariant(gluing))));
    copy
}

fn variables_of(clause: Clause) -> Option<Vec<String>> {
    match clause.kind {
        ClauseKind::Variables(names, _) => Some(names.into_iter().map(|Name { text, .. }| text).collect()),
        _ => None,
    }
}

/// Changes the place with this number.
struct Changer<'d> {
    dice: &'d mut Dice,
    /// Places to pass before the one to be changed.
    wait: usize,
    seen: usize,
}

impl Changer<'_> {
    fn is_now(&mut self) -> bool {
        self.seen += 1;
        let is_now = self.wait == 0;
        self.wait = self.wait.wrapping_sub(1);
        is_now
    }
}

impl Rewriter for Changer<'_> {
    fn expr(&mut self, expr: Expr) -> Expr {
        let changed = match &expr.kind {
            ExprKind::Binary(op, a, b) => {
                let other = match op {
                    BinaryOp::Plus => BinaryOp::Minus,
                    BinaryOp::Union => BinaryOp::Override,
                    BinaryOp::Intersection => BinaryOp::Union,
                    BinaryOp::Equal => BinaryOp::NotEqual,
                    BinaryOp::NotEqual => BinaryOp::Equal,
                    BinaryOp::Less => BinaryOp::LessEqual,
                    BinaryOp::Greater => BinaryOp::Less,
                    BinaryOp::NotMember => BinaryOp::Member,
                    BinaryOp::Or => BinaryOp::And,
                    BinaryOp::Subset => BinaryOp::StrictSubset,
                    _ => return expr,
                };
                let other = if other == BinaryOp::Override { BinaryOp::Intersection } else { other };
                ExprKind::Binary(other, a.clone(), b.clone())
            }
            ExprKind::Constant(Constant::True) => ExprKind::Constant(Constant::False),
            ExprKind::Constant(Constant::False) => ExprKind::Constant(Constant::True),
            ExprKind::Integer(digits) => ExprKind::Integer(if digits == "1" { "0".to_owned() } else { "1".to_owned() }),
            _ => return expr,
        };
        if self.is_now() { expr_of(changed) } else { expr }
    }

    fn subst(&mut self, subst: Subst) -> Subst {
        let changed = match &subst.kind {
            SubstKind::If(branches, None) => branches[0].1.kind.clone(),
            SubstKind::Choice(branches) => branches[self.dice.below(branches.len())].kind.clone(),
            SubstKind::Select(branches, None) if branches.len() > 1 => SubstKind::Select(vec![branches[0].clone()], None),
            SubstKind::Assign(targets, _) if targets.len() == 1 => SubstKind::Skip,
            _ => return subst,
        };
        if self.is_now() { subst_of(changed) } else { subst }
    }
}
