//! Which variables a substitution reads and writes, by its text.
//!
//! Invariant: a variable that a run of the substitution reads or writes is named here; one that is named here need not be read or written
//! in any run. Deliberately elsewhere: what a step changes (`report::changes`).

use super::{ExprKind, Node, Pred, Subst, SubstKind, Target, VariableId, walk_pred, walk_subst};
use std::collections::BTreeSet;

/// The variables that a substitution reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Those on which it depends whether the substitution can be executed.
    pub guard: BTreeSet<VariableId>,
    /// Those that it reads, in its guard or elsewhere.
    pub reads: BTreeSet<VariableId>,
    /// Those that it writes.
    pub writes: BTreeSet<VariableId>,
}

impl Access {
    /// Of a substitution.
    #[must_use]
    pub fn of(subst: &Subst) -> Self {
        let mut access = Self::default();
        let mut guards = Vec::new();
        add_guards(subst, &mut guards);
        for guard in guards {
            walk_pred(guard, &mut |node| access.guard.extend(read_by(node)));
        }
        walk_subst(subst, &mut |node| {
            access.reads.extend(read_by(node));
            if let Node::Subst(subst) = node {
                access.writes.extend(written_by(subst));
            }
        });
        access
    }

    /// Whether it writes no variable.
    #[must_use]
    pub fn is_query(&self) -> bool {
        self.writes.is_empty()
    }
}

fn read_by(node: Node<'_>) -> Option<VariableId> {
    match node {
        Node::Expr(expr) => match expr.kind {
            ExprKind::Variable(id) | ExprKind::OldVariable(id) => Some(id),
            _ => None,
        },
        Node::Subst(Subst { kind: SubstKind::Follow(following), .. }) => Some(following.states).filter(|_| !following.begins),
        Node::Pred(_) | Node::Subst(_) => None,
    }
}

/// The variables that a substitution writes itself, not by its parts.
fn written_by(subst: &Subst) -> Vec<VariableId> {
    let targets: Vec<Target> = match &subst.kind {
        SubstKind::Assign(assignments) => assignments.iter().map(|(target, _)| *target).collect(),
        SubstKind::BecomesIn(targets, _) => targets.clone(),
        SubstKind::BecomesSuchThat(targets, _) => targets.iter().map(|(target, ..)| *target).collect(),
        SubstKind::Follow(following) => vec![Target::Variable(following.states)],
        _ => Vec::new(),
    };
    let variable = |target| if let Target::Variable(id) = target { Some(id) } else { None };
    targets.into_iter().filter_map(variable).collect()
}

/// Adds the conditions without which a substitution cannot be executed, as far as they are evaluated before anything is written.
fn add_guards<'a>(subst: &'a Subst, guards: &mut Vec<&'a Pred>) {
    match &subst.kind {
        SubstKind::Pre { pred, body, is_guard: true } | SubstKind::Any(_, pred, body) => {
            guards.push(pred);
            add_guards(body, guards);
        }
        SubstKind::Select(branches, otherwise) => {
            // With an ELSE there is always a branch, which may itself be guarded.
            guards.extend(branches.iter().filter(|_| otherwise.is_none()).map(|(pred, _)| pred));
            branches.iter().for_each(|(_, body)| add_guards(body, guards));
            otherwise.iter().for_each(|body| add_guards(body, guards));
        }
        SubstKind::If(branches, otherwise) => {
            branches.iter().for_each(|(_, body)| add_guards(body, guards));
            otherwise.iter().for_each(|body| add_guards(body, guards));
        }
        SubstKind::Let(_, body) | SubstKind::Var(_, body) => add_guards(body, guards),
        SubstKind::Parallel(parts) | SubstKind::Choice(parts) => parts.iter().for_each(|part| add_guards(part, guards)),
        SubstKind::Sequence(parts) => parts.iter().take(1).for_each(|part| add_guards(part, guards)),
        SubstKind::Skip
        | SubstKind::Assign(_)
        | SubstKind::BecomesIn(..)
        | SubstKind::BecomesSuchThat(..)
        | SubstKind::Pre { .. }
        | SubstKind::Assert(..)
        | SubstKind::While { .. }
        | SubstKind::Follow(_) => {}
    }
}
