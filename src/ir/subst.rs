//! Substitutions of the core language.
//!
//! Invariant: calls are inlined (parameters become [`SubstKind::Let`], results become [`SubstKind::Var`] locals), CASE is an
//! IF over memberships, `f(x) := E` is an override, ELSIF chains are branch lists.

use super::{Expr, LocalId, Pred, Type, VariableId};
use bcheck_source::Span;

/// A substitution.
#[derive(Clone, Debug, PartialEq)]
pub struct Subst {
    /// Its form.
    pub kind: SubstKind,
    /// Its place in the text.
    pub span: Span,
}

impl Subst {
    /// Makes a guard of each precondition that must hold when it is reached: of those of called operations.
    pub fn guard_calls(&mut self) {
        match &mut self.kind {
            SubstKind::Skip | SubstKind::Assign(_) | SubstKind::BecomesIn(..) | SubstKind::BecomesSuchThat(..) => {}
            SubstKind::Follow(following) => {
                following.parts.iter_mut().filter_map(|part| part.body.as_mut()).for_each(Self::guard_calls);
            }
            SubstKind::Parallel(parts) | SubstKind::Sequence(parts) | SubstKind::Choice(parts) => {
                parts.iter_mut().for_each(Self::guard_calls)
            }
            SubstKind::Pre { body, is_guard: true, .. }
            | SubstKind::Assert(_, body)
            | SubstKind::Any(_, _, body)
            | SubstKind::Let(_, body)
            | SubstKind::Var(_, body)
            | SubstKind::While { body, .. } => body.guard_calls(),
            // A SELECT with one branch and no ELSE is a guard: it has no step if the predicate is false.
            SubstKind::Pre { pred, body, is_guard: false } => {
                body.guard_calls();
                let nothing = Self { kind: SubstKind::Skip, span: body.span };
                let branch = (pred.clone(), std::mem::replace(&mut **body, nothing));
                self.kind = SubstKind::Select(vec![branch], None);
            }
            SubstKind::If(branches, otherwise) | SubstKind::Select(branches, otherwise) => {
                branches.iter_mut().for_each(|(_, body)| body.guard_calls());
                if let Some(otherwise) = otherwise {
                    otherwise.guard_calls();
                }
            }
        }
    }
}

/// The target of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A state variable.
    Variable(VariableId),
    /// A result parameter or VAR local.
    Local(LocalId),
}

/// The kinds of substitutions.
#[derive(Clone, Debug, PartialEq)]
pub enum SubstKind {
    /// `skip`
    Skip,
    /// Simultaneous assignment; all right-hand sides are evaluated in the old state. Targets are distinct.
    Assign(Vec<(Target, Expr)>),
    /// `x :: S`, `x, y :: S`: the targets become the components (left-nested pairs) of some element of the set.
    BecomesIn(Vec<Target>, Expr),
    // New values are locals so that the predicate is solved like that of any choice, and no flag has to distinguish them from old values.
    /// `x, y : (P)`: in P the targets' new values are the given locals (with types), `x$0` is [`super::ExprKind::OldVariable`].
    /// In P, plain occurrences of a target were replaced by its local.
    BecomesSuchThat(Vec<(Target, LocalId, Type)>, Pred),
    /// `S || T || …`: all start in the same state, their writes are united.
    Parallel(Vec<Subst>),
    /// `S ; T ; …`
    Sequence(Vec<Subst>),
    /// PRE at the top of an operation is a guard; the flag is false for a PRE elsewhere (in a call or nested), which must hold when it is
    /// reached: otherwise the run is ill-defined there.
    Pre {
        /// The condition.
        pred: Pred,
        /// The body.
        body: Box<Subst>,
        /// Whether it acts as a guard.
        is_guard: bool,
    },
    /// `ASSERT P THEN S END`: ill-defined when P is false.
    Assert(Pred, Box<Subst>),
    /// `CHOICE S OR T END`
    Choice(Vec<Subst>),
    // A list, as ELSIF chains are written: nested IFs would make the recursion of every pass as deep as the chain is long.
    /// IF: the first branch whose condition is true, else the last part (absent: skip).
    If(Vec<(Pred, Subst)>, Option<Box<Subst>>),
    /// SELECT: any branch whose guard is true; ELSE if none is; infeasible without ELSE.
    Select(Vec<(Pred, Subst)>, Option<Box<Subst>>),
    /// `ANY x WHERE P THEN S END`
    Any(Vec<(LocalId, Type)>, Pred, Box<Subst>),
    /// `LET x BE x = E IN S END`, bindings evaluated in order; also the parameters of an inlined call.
    Let(Vec<(LocalId, Expr)>, Box<Subst>),
    /// `VAR x IN S END`; locals start undefined.
    Var(Vec<(LocalId, Type)>, Box<Subst>),
    /// WHILE; the old values of `x$0` inside are those at the loop's start.
    While {
        /// The loop condition.
        condition: Pred,
        /// The loop body.
        body: Box<Subst>,
        /// Checked before each iteration; false is ill-defined.
        invariant: Pred,
        /// Must be a natural number that decreases; otherwise ill-defined.
        variant: Expr,
    },
    // Not written in any text: the knowledge of a refinement by itself about the machines that it refines.
    /// The states that refined machines may be in follow a step.
    Follow(Box<Following>),
}

/// How the machines that a refinement refines follow its step.
///
/// A variable holds the set of their possible joint states, as tuples of their variables. From each of these, machine by machine upwards,
/// the same call is executed; the variable gets the set of all resulting states.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// The variable with the set of tuples.
    pub states: VariableId,
    /// The names that the components of a tuple have in all parts below.
    pub names: Vec<(LocalId, Type)>,
    /// The first variables, this many, are those of the refined machine, the others those of machines further up.
    pub refined: usize,
    /// Whether this is the initialisation: there is no previous state, and the names have no values.
    pub begins: bool,
    /// The substitutions of the refined machine, then of the machine that it refines, and so on; empty where the operation refines skip.
    pub parts: Vec<FollowingPart>,
    /// The gluing invariant. If some states satisfy it, the others are removed; if none does, all stay, and the invariant of the model is
    /// false.
    pub related: Pred,
}

/// The substitution of one of these machines.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowingPart {
    /// Its name.
    pub machine: String,
    /// Its parameters, with the values of the call.
    pub arguments: Vec<(LocalId, Expr)>,
    /// Its body; `None` if its state does not change.
    pub body: Option<Subst>,
    /// Its results, each with that of the machine below. They are equal, unless this machine leaves its result undefined.
    pub results: Vec<(LocalId, LocalId)>,
    /// The part of its invariant and that of the machine below about both, if any.
    pub related: Option<Pred>,
}

impl FollowingPart {
    /// All of it but the results, as one substitution.
    #[must_use]
    pub fn as_subst(&self) -> Subst {
        let span = self.body.as_ref().map_or_else(Span::nowhere, |body| body.span);
        let skip = |span: Span| Subst { kind: SubstKind::Skip, span };
        let related = |pred: &Pred| Subst { kind: SubstKind::Select(vec![(pred.clone(), skip(span))], None), span };
        let parts = self.body.iter().cloned().chain(self.related.as_ref().map(related)).collect();
        let sequence = Subst { kind: SubstKind::Sequence(parts), span };
        Subst { kind: SubstKind::Let(self.arguments.clone(), Box::new(sequence)), span }
    }
}
