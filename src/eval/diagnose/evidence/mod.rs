//! Evidence: why a predicate is true, false or ill-defined in a state, as a tree of the parts that decide it.
//!
//! Invariant: each part has its truth value in this state with the values bound above it; a witness is a binding for which the body of its
//! quantifier has been evaluated. Omitted parts are counted. Work is limited by a budget, not by time, so the result is deterministic.
//! Deliberately elsewhere: the texts (`report`), and which conjunct of a guard disables an operation (`obstacle`).

mod bindings;
mod comparison;
mod difference;
mod explainer;
mod terms;
mod tree;

use crate::{EvalError, EvalErrorKind, Machine};
use bcheck_ir::{Expr, LocalId, OperationId, Pred, PredKind, Type};
use bcheck_source::Span;
use bcheck_value::Value;
use explainer::Explainer;

/// Why a predicate has its truth value.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The predicate.
    pub pred: Pred,
    /// Its truth value.
    pub truth: TruthValue,
    /// The binding that decides a quantifier: the first one, in the order of values.
    pub witness: Option<Witness>,
    /// Of a false `#`: what rejects the values that were tried.
    pub tried: Option<TriedBindings>,
    /// The values of the terms that decide it.
    pub terms: Vec<TermValue>,
    /// Why a comparison is false.
    pub clues: Vec<Clue>,
    /// The parts that decide it; for a quantifier, its body for the witness.
    pub parts: Vec<Evidence>,
    /// How many parts, or terms, there are besides.
    pub left_out: usize,
}

/// A truth value, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TruthValue {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// It has no truth value.
    IllDefined(EvalError),
    /// The evaluation was not completed, for this reason; an interrupt means that the budget was exhausted.
    Unknown(EvalErrorKind),
}

/// A binding that decides a quantifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The values of the bound names.
    pub values: Vec<(LocalId, Value)>,
    /// How many bindings decide it likewise, among those that were visited.
    pub count: usize,
    /// Whether all were visited: then it is the first one, and there are no more.
    pub is_all: bool,
}

/// The values that were tried for the names of a false `#`.
#[derive(Clone, Debug, PartialEq)]
pub struct TriedBindings {
    /// How many of its first conjuncts the values satisfy.
    pub satisfied: Vec<Pred>,
    /// How many values there are, and whether all were visited.
    pub count: usize,
    /// Whether all were visited.
    pub is_all: bool,
    /// Which further conjunct is false for how many of them.
    pub rejections: Vec<Rejection>,
}

/// A conjunct that is the first false one for some values.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// For how many values.
    pub count: usize,
    /// The first of these values.
    pub example: Vec<(LocalId, Value)>,
    /// Why the conjunct is false for that value.
    pub evidence: Evidence,
}

/// A term with its value, and those of its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct TermValue {
    /// The term.
    pub expr: Expr,
    /// Its value, or why it has none.
    pub value: Result<Value, EvalErrorKind>,
    /// Terms in it that are not literals.
    pub parts: Vec<TermValue>,
}

/// A clue why a comparison is false.
#[derive(Clone, Debug, PartialEq)]
pub enum Clue {
    /// Elements of the left side, of its domain or of its range, that are not in this set.
    NotIn(Side, Box<Expr>, ListedValues),
    /// Elements that only this one of two compared sets has.
    OnlyIn(Box<Expr>, ListedValues),
    /// Both sides have the same value.
    Same,
    /// An argument that two compared functions map to different values.
    Images(Value, Value, Value),
    /// A field in which two compared records differ.
    Field(String, Value, Value),
    /// An argument with two images: the relation is not a function.
    TwoImages(Value, Value, Value),
    /// Two arguments with one image: the function is not an injection.
    SameImage(Value, Value, Value),
    /// Elements without an image, which need one.
    NoImage(ListedValues),
    /// Elements that are not images, but must be.
    NotReached(ListedValues),
    /// A set or sequence that must not be empty.
    Empty,
    /// A relation that is not a sequence: the first index without exactly one item.
    NotASequence(usize),
    /// An item that occurs at two positions.
    Repeated(Value),
    /// Elements that two parts of a partition have in common.
    Overlap(Box<Expr>, Box<Expr>, ListedValues),
}

/// The side that elements belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The value, or the set, itself.
    Itself,
    /// The domain of a relation.
    Domain,
    /// Its range.
    Range,
    /// The items of a sequence.
    Items,
}

/// The first of several values, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedValues {
    /// The ones that are shown.
    pub first: Vec<Value>,
    /// How many more there are.
    pub more: usize,
}

impl Machine {
    /// Why a predicate over the names of this machine's model has its truth value in a state.
    #[must_use]
    pub fn evidence(&self, pred: &Pred, state: &[Value]) -> Evidence {
        Explainer::new(self, state, Vec::new()).evidence(pred)
    }

    /// Why the guard of an operation is false, for these arguments and any values of the others.
    #[must_use]
    pub fn guard_evidence(&self, state: &[Value], operation: OperationId, arguments: &[Option<Value>]) -> Option<Evidence> {
        let (_, operation) = self.model().operations.get_index(operation.index())?;
        let given = |index: usize| arguments.get(index).and_then(Option::as_ref);
        let parameters = || operation.parameters.iter().enumerate();
        let bound = parameters().filter_map(|(index, (_, id, _))| Some((*id, given(index)?.clone())));
        let open: Vec<(LocalId, Type)> =
            parameters().filter(|(index, _)| given(*index).is_none()).map(|(_, (_, id, ty))| (*id, ty.clone())).collect();
        let guard = self.guard_of(operation)?;
        let is_open = !open.is_empty();
        let pred = if is_open { Pred { kind: PredKind::Exists(open, Box::new(guard)), span: Span::nowhere() } } else { guard };
        Some(Explainer::new(self, state, bound.collect()).evidence(&pred))
    }

    /// The value of an expression in a state with these values of bound names, and those of its parts; names that have no value yet are
    /// left out.
    #[must_use]
    pub fn term_value(&self, expr: &Expr, state: &[Value], bound: &[(LocalId, Value)]) -> TermValue {
        Explainer::new(self, state, bound.to_vec()).term_value(expr)
    }
}

impl Evidence {
    fn of(pred: &Pred, truth: TruthValue) -> Self {
        let pred = pred.clone();
        Self { pred, truth, witness: None, tried: None, terms: Vec::new(), clues: Vec::new(), parts: Vec::new(), left_out: 0 }
    }
}

impl TruthValue {
    fn of(result: Result<bool, EvalError>) -> Self {
        match result {
            Ok(true) => Self::True,
            Ok(false) => Self::False,
            Err(error) if error.kind.is_ill_defined() => Self::IllDefined(error),
            Err(error) => Self::Unknown(error.kind),
        }
    }

    /// Whether it is ill-defined.
    fn is_ill_defined(&self) -> bool {
        matches!(self, Self::IllDefined(_))
    }
}

/// The values of bound names.
type BoundValues = Vec<(LocalId, Value)>;

/// The most values of a list that are stored.
const LISTED: usize = 5;

impl ListedValues {
    fn of(values: impl IntoIterator<Item = Value>) -> Option<Self> {
        let mut values = values.into_iter();
        let first: Vec<Value> = values.by_ref().take(LISTED).collect();
        let more = values.count();
        (!first.is_empty()).then_some(Self { first, more })
    }
}
