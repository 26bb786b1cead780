//! Executable plans: the core language with names turned into frame slots and every binder turned into a [`Search`].
//!
//! Invariant: a plan reads only slots of its machine and does not refer to the model. A slot belongs to one binder of the text (locals are
//! unique in a model) and to its copies in conjuncts made by `order`, none of which is inside another; so plans may be run re-entrantly if
//! the slots they bind are saved. Deliberately elsewhere: how a search is ordered (`order`), how plans run (`run`). Plain data: must not
//! know compiler, frame or solver.

pub(super) mod problem;

use super::{EvalError, EvalErrorKind};
use bcheck_ir::{BinaryOp, Binder, Comparison, Expr, ExprKind, ExternalFunction, Type, UnaryOp};
use bcheck_source::Span;
use bcheck_value::{Integer, Value};
use problem::Problem;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Index of a frame slot: constants first, then variables, locals, and temporaries.
pub(super) type Slot = usize;

/// The integers tried for a name that the conjuncts do not bound on both sides, or for the integers in its values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TriedRange {
    /// The reported conjunct: one that mentions the name, or all of them where there is none.
    pub place: Span,
    /// The constant, parameter or local.
    pub name: String,
    /// The least number tried.
    pub from: i64,
    /// The greatest number tried.
    pub to: i64,
    /// Whether an end of the range depends on the state, so that other states have other ranges of the same length.
    pub moves: bool,
}

impl TriedRange {
    /// The error where `what` depends on numbers outside of the range: `whether …`.
    pub fn undecided(&self, what: &str) -> EvalError {
        let Self { place, name, from, to, .. } = self;
        EvalError {
            kind: EvalErrorKind::Untried(format!("{what} depends on `{name}`, which was tried in {from}..{to} only")),
            span: *place,
        }
    }

    /// The error where nothing was found within the range: there may be something outside.
    pub(super) fn none_inside(&self) -> EvalError {
        let Self { place, name, from, to, .. } = self;
        let kind = EvalErrorKind::Unbounded(format!("`{name}` outside {from}..{to} (none of those inside fits)"));
        EvalError { kind, span: *place }
    }
}

/// An expression plan.
#[derive(Debug)]
pub(super) struct ExprPlan {
    pub(super) kind: ExprPlanKind,
    /// The type of its value, by which `packed` decides whether words can hold it.
    pub(super) ty: Type,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum ExprPlanKind {
    /// Known at compile time.
    Value(Value),
    Slot(Slot),
    /// As [`Self::Slot`], but the empty set while the slot has no value: the initial array of `f(x) := E`.
    SlotOrEmpty(Slot),
    Unary(UnaryOp, Box<ExprPlan>),
    Binary(BinaryOp, Box<ExprPlan>, Box<ExprPlan>),
    SetExtension(Vec<ExprPlan>),
    SequenceExtension(Vec<ExprPlan>),
    Record(Vec<(Arc<str>, ExprPlan)>),
    Struct(Vec<(Arc<str>, ExprPlan)>),
    Field(Box<ExprPlan>, Arc<str>),
    BoolOf(Box<PredPlan>),
    If(Box<PredPlan>, Box<ExprPlan>, Box<ExprPlan>),
    Let(Vec<(Slot, ExprPlan)>, Box<ExprPlan>),
    /// A comprehension or lambda, expanded when its search is bounded, else stored as a closure.
    Comprehension(Arc<ClosurePlan>),
    /// As [`Self::Comprehension`], but always a closure, because the context only applies it or tests membership in it.
    Closure(Arc<ClosurePlan>),
    /// UNION, INTER, SIGMA, PI.
    Fold(Fold, Arc<Search>, Arc<ExprPlan>),
    External(ExternalFunction, Vec<ExprPlan>),
    /// `{a |-> b, …}(x)`, a common encoding of a conditional expression: only the selected value is evaluated.
    ApplyExtension(Vec<(ExprPlan, ExprPlan)>, Box<ExprPlan>),
    /// The set of contiguous subsequences; empty for an operand that is not a sequence.
    Parts(Box<ExprPlan>),
}

/// The binders that combine values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Union,
    Inter,
    Sum,
    Product,
}

impl Fold {
    /// The fold of a binder other than a lambda.
    pub(crate) fn of(binder: Binder) -> Self {
        match binder {
            Binder::Union => Self::Union,
            Binder::Inter => Self::Inter,
            Binder::Sigma => Self::Sum,
            Binder::Pi => Self::Product,
            Binder::Lambda => unreachable!("a lambda is a comprehension"),
        }
    }
}

/// A comprehension, with everything needed to enumerate it, test membership and apply it as a function.
#[derive(Debug)]
pub(super) struct ClosurePlan {
    /// Index in the machine's closures; names the plan inside a [`bcheck_value::Symbolic::Closure`].
    pub(super) id: u32,
    /// The comprehension, or the lambda whose domain it is: alpha-equivalent expressions that captured equal values are equal sets.
    pub(super) expr: Arc<Expr>,
    /// Its hash, which alpha-equivalent expressions share; stored so that a compiler that resumes need not walk the expression again.
    pub(super) hash: u64,
    /// For each occurrence of a captured name in the expression, the index of that name in `captured`.
    pub(super) occurrences: Vec<u32>,
    /// Whether the closure is the value of the expression; otherwise it is the domain of that lambda.
    pub(super) whole: bool,
    /// The first closure with an alpha-equivalent expression: values contain its number, so that equal descriptions from different places
    /// of the text are equal values.
    pub(super) canonical: u32,
    /// Estimated number of bindings visited when the set is written out.
    pub(super) cost: f64,
    /// Types of the comprehension's own names.
    pub(super) types: Vec<Type>,
    /// Slots read from outside (locals and variables; constants are always there), by first occurrence.
    pub(super) captured: Vec<Slot>,
    /// The names that are read from outside, as they are written, each with the index of its slot in `captured`.
    pub(super) names: Vec<(ExprKind, usize)>,
    /// Slots bound anywhere inside: saved while the closure runs, so that recursion works.
    pub(super) bound: Vec<Slot>,
    /// The slots of the comprehension's own names.
    pub(super) locals: Vec<Slot>,
    /// Enumerates the bindings.
    pub(super) search: Search,
    /// How an element is built from a binding.
    pub(super) shape: Shape,
    pub(super) span: Span,
}

/// The element that a comprehension builds from a binding.
#[derive(Debug)]
pub(super) enum Shape {
    /// A tuple of the bound variables. `forward` searches the last component from the others (application), `backward` the others from the
    /// last (inverse image, if the domain is unbounded).
    Tuple { forward: Option<Search>, backward: Option<Search> },
    /// `locals |-> body`: a lambda, whose domain is a closure of its own, referred to by its number. `backward`, if nothing bounds the
    /// domain: the slot of a value, and the search for the arguments that have this value.
    Function { body: ExprPlan, domain: u32, backward: Option<(Slot, Search)> },
    /// Any expression. For membership, `search` finds a binding with `target = value`, where `target` is the slot of the element.
    Image { value: ExprPlan, target: Slot, search: Search },
}

/// A predicate plan.
#[derive(Debug)]
pub(super) struct PredPlan {
    pub(super) kind: PredPlanKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum PredPlanKind {
    Constant(bool),
    And(Vec<PredPlan>),
    Or(Vec<PredPlan>),
    Not(Box<PredPlan>),
    Implies(Box<PredPlan>, Box<PredPlan>),
    Equivalent(Box<PredPlan>, Box<PredPlan>),
    Compare(Comparison, Box<ExprPlan>, Box<ExprPlan>),
    /// `e : {a, b, …}` without building the set, or `e /: {a, b, …}` if the flag is set.
    MemberOfExtension(Box<ExprPlan>, Vec<ExprPlan>, bool),
    /// Every binding of the search satisfies the predicate.
    Forall(Arc<Search>, Arc<PredPlan>),
    /// The search has a binding.
    Exists(Arc<Search>),
    If(Box<PredPlan>, Box<PredPlan>, Box<PredPlan>),
    Let(Vec<(Slot, ExprPlan)>, Box<PredPlan>),
    Finite(Box<ExprPlan>),
    Partition(Box<ExprPlan>, Vec<ExprPlan>),
}

/// An ordered enumeration of all bindings of some slots that satisfy a conjunction.
#[derive(Debug)]
pub(super) struct Search {
    /// The actions, in order.
    pub(super) actions: Vec<Action>,
    /// The estimated number of bindings visited by a plain search.
    pub(super) cost: f64,
    /// The conjunction in source order: evaluated at a full binding if an earlier test was ill-defined.
    pub(super) source: Box<PredPlan>,
    pub(super) span: Span,
    /// Whether the bindings are choices of the machine, so that some may be left out if there are too many.
    pub(super) is_choice: bool,
    /// Names that nothing reads but the conjuncts of this search.
    pub(super) unread: BTreeSet<Slot>,
}

impl Search {
    /// This search, if nothing else reads some of its names.
    pub(super) fn with_unread(mut self, unread: &BTreeSet<Slot>) -> Self {
        for action in &mut self.actions {
            if let Action::Solve { plain, .. } = action {
                plain.unread.clone_from(unread);
            }
        }
        Self { unread: unread.clone(), ..self }
    }

    /// Whether a run may reach a name without bounds: nothing bounds it, or only a solver or a sum that may refuse it.
    pub(super) fn is_open(&self) -> bool {
        let is_open = |action: &Action| match action {
            Action::Solve { plain, .. } => plain.cost.is_infinite(),
            Action::Total(plan) => plan.greatest.is_none(),
            _ => false,
        };
        self.cost.is_infinite() || self.actions.iter().any(is_open)
    }

    /// The names that the action at this place and those after it bind.
    pub(super) fn slots_from(&self, place: usize) -> Vec<Slot> {
        self.actions[place..].iter().flat_map(Action::slots).collect()
    }

    /// Whether its bindings are all elements of the product of some sets.
    pub(super) fn takes_all(&self) -> bool {
        self.takes_all_from(0)
    }

    /// As [`Self::takes_all`], for the names that the actions from this index on bind.
    pub(super) fn takes_all_from(&self, place: usize) -> bool {
        self.actions[place..].iter().all(|action| {
            matches!(action, Action::Each(Pattern::Slot(_), _) | Action::EachSubset(..) | Action::Range { .. } | Action::Cut(_))
        })
    }

    /// Whether an action records that numbers are left out, also in a branch.
    pub(super) fn has_cut(&self) -> bool {
        self.actions.iter().any(|action| match action {
            Action::Cut(_) => true,
            Action::EachOf(_, branches) => branches.iter().any(Self::has_cut),
            _ => false,
        })
    }
}

/// One action of a search.
#[derive(Debug)]
pub(super) enum Action {
    /// Only a range of the next name is tried: noted in the frame, as the name may have other values. It neither binds nor tests.
    Cut(Box<TriedRange>),
    /// Go on only if the predicate holds.
    Test(PredPlan),
    /// Match a value against a pattern.
    Bind(Pattern, ExprPlan),
    /// Match each element of a set against a pattern.
    Each(Pattern, ExprPlan),
    /// Each subset of a set.
    EachSubset(Slot, ExprPlan),
    /// Each integer between the largest lower and the smallest upper bound, inclusive.
    Range { slot: Slot, lower: Vec<ExprPlan>, upper: Vec<ExprPlan> },
    /// Each value of the slots in any of the branches, without repetition.
    EachOf(Vec<Slot>, Vec<Search>),
    /// The only function that a recurrence allows.
    Recurrence(Box<RecurrencePlan>),
    /// Each function with a known sum or product.
    Total(Box<TotalPlan>),
    /// Each integer that solves an equation with a product.
    Roots(Box<RootPlan>),
    /// Each model of `problem`; `plain` is the fallback if it cannot be encoded.
    Solve { problem: Box<Problem>, plain: Box<Search>, wanted: Wanted },
    /// Nothing bounds the name. A few sample values are tried, as a witness among them is as good as any; unless the visitor stops at one
    /// of them, the run ends with an error.
    Unbounded { slot: Slot, samples: Vec<Value>, name: String, span: Span },
}

impl Action {
    /// The names that it binds.
    pub(super) fn slots(&self) -> Vec<Slot> {
        match self {
            Self::Cut(_) | Self::Test(_) => Vec::new(),
            Self::Bind(pattern, _) | Self::Each(pattern, _) => pattern.slots(),
            Self::EachSubset(slot, _) | Self::Range { slot, .. } | Self::Unbounded { slot, .. } => vec![*slot],
            Self::EachOf(slots, _) => slots.clone(),
            Self::Recurrence(plan) => vec![plan.slot],
            Self::Total(plan) => vec![plan.slot],
            Self::Roots(plan) => vec![plan.slot],
            Self::Solve { problem, .. } => problem.slots().collect(),
        }
    }
}

/// A function on `from .. to + offset`. `firsts` are its values from `from` on; each further value, at `index + offset`, is that of `step`,
/// which reads the function at smaller arguments.
#[derive(Debug)]
pub(super) struct RecurrencePlan {
    pub(super) slot: Slot,
    pub(super) index: Slot,
    pub(super) offset: Integer,
    pub(super) from: ExprPlan,
    pub(super) to: ExprPlan,
    pub(super) firsts: Vec<ExprPlan>,
    pub(super) step: ExprPlan,
}

/// A total function on `domain` with values from `least` to `greatest`, whose product or weighted sum is `total` (`is_exact`) or at most
/// `total`. The weight of a value is that of its argument, which is in the slot `index`.
#[derive(Debug)]
pub(super) struct TotalPlan {
    pub(super) slot: Slot,
    pub(super) index: Slot,
    pub(super) domain: ExprPlan,
    pub(super) least: i64,
    pub(super) greatest: Option<ExprPlan>,
    pub(super) weight: Option<ExprPlan>,
    pub(super) total: ExprPlan,
    pub(super) is_product: bool,
    pub(super) is_exact: bool,
}

/// The integers x with `factor * x ** exponent = value`, where a factor that is missing is 1. Where the factor is 0 each x may solve it:
/// then those between the largest lower and the smallest upper bound.
#[derive(Debug)]
pub(super) struct RootPlan {
    pub(super) slot: Slot,
    pub(super) factor: Option<ExprPlan>,
    pub(super) exponent: u32,
    pub(super) value: ExprPlan,
    pub(super) lower: Vec<ExprPlan>,
    pub(super) upper: Vec<ExprPlan>,
}

/// Which problems go to the solver; for others the plain search is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Only those in which no conjunct is left out. Set where the plain search is affordable.
    pub(super) whole: bool,
    /// Only those in which nothing can be ill-defined. Set where ill-defined bindings count even if there are solutions.
    pub(super) defined: bool,
}

/// A pattern that a value is matched with.
#[derive(Debug)]
pub(super) enum Pattern {
    /// Binds the slot.
    Slot(Slot),
    /// A pair.
    Pair(Box<Pattern>, Box<Pattern>),
    /// A record, field by field in the order of its type.
    Record(Vec<Pattern>),
    /// Must equal this value.
    Equal(ExprPlan),
    /// A linear expression, solved for its only unbound name: `x + 1` matched with 5 binds x to 4.
    Solved {
        /// The slot that holds the matched value.
        value: Slot,
        /// The slot of the name.
        slot: Slot,
        /// The solution for the name, which reads `value`.
        solved: ExprPlan,
    },
}

impl Pattern {
    /// The names that a match binds, from left to right.
    pub(super) fn slots(&self) -> Vec<Slot> {
        match self {
            Self::Slot(slot) | Self::Solved { slot, .. } => vec![*slot],
            Self::Pair(first, second) => [first.slots(), second.slots()].concat(),
            Self::Record(fields) => fields.iter().flat_map(Self::slots).collect(),
            Self::Equal(_) => Vec::new(),
        }
    }
}

/// A substitution plan.
#[derive(Debug)]
pub(super) struct SubstPlan {
    pub(super) kind: SubstPlanKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum SubstPlanKind {
    Skip,
    /// As [`Action::Cut`]: what follows chooses from a part of a set.
    Cut(Box<TriedRange>),
    Assign(Vec<(Slot, ExprPlan)>),
    /// The targets, the set of their values, and the whole set where that was cut to a range.
    BecomesIn(Vec<Slot>, ExprPlan, Option<ExprPlan>),
    /// The slots of the targets, each with the slot of its new value, and the search for new values.
    BecomesSuchThat(Vec<(Slot, Slot)>, Search),
    /// Each part with the slots it may write.
    Parallel(Vec<(SubstPlan, Vec<Slot>)>),
    Sequence(Vec<SubstPlan>),
    /// Where the condition is false, a guard disables the substitution; any other PRE is then ill-defined.
    Pre {
        pred: PredPlan,
        body: Box<SubstPlan>,
        is_guard: bool,
    },
    Assert(PredPlan, Box<SubstPlan>),
    Choice(Vec<SubstPlan>),
    If(Vec<(PredPlan, SubstPlan)>, Option<Box<SubstPlan>>),
    Select(Vec<(PredPlan, SubstPlan)>, Option<Box<SubstPlan>>),
    Any(Search, Box<SubstPlan>),
    Let(Vec<(Slot, ExprPlan)>, Box<SubstPlan>),
    Var(Vec<Slot>, Box<SubstPlan>),
    While(Box<WhilePlan>),
    Follow(Box<FollowPlan>),
}

/// How refined machines follow a step.
#[derive(Debug)]
pub(super) struct FollowPlan {
    /// The variable with the states that they may be in.
    pub(super) states: Slot,
    /// The components of such a state; the first of them belong to the refined machine.
    pub(super) names: Vec<Slot>,
    pub(super) refined: usize,
    /// Whether there is no previous state.
    pub(super) begins: bool,
    pub(super) parts: Vec<FollowPartPlan>,
    pub(super) related: PredPlan,
}

/// The substitution of one of these machines.
#[derive(Debug)]
pub(super) struct FollowPartPlan {
    pub(super) machine: String,
    pub(super) arguments: Vec<(Slot, ExprPlan)>,
    pub(super) body: Option<SubstPlan>,
    /// Its results, each with that of the machine below.
    pub(super) results: Vec<(Slot, Slot)>,
    pub(super) related: Option<PredPlan>,
}

/// A loop.
#[derive(Debug)]
pub(super) struct WhilePlan {
    pub(super) condition: PredPlan,
    pub(super) body: SubstPlan,
    pub(super) invariant: PredPlan,
    pub(super) variant: ExprPlan,
    /// The variables that are read as `x$0`, each with the slot that saves its value at the start of the loop.
    pub(super) saved: Vec<(Slot, Slot)>,
    /// Slots that the body may write: iterations differ in nothing else.
    pub(super) writes: Vec<Slot>,
}
