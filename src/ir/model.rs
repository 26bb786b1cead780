//! A whole machine, flat and typed.
//!
//! Invariant: ids index the lists in declaration order; that order is the order of all output. Deliberately elsewhere: both machines of a
//! refinement check in one model (`refinement`).

use super::temporal::TemporalFormula;
use super::{ConstantId, Expr, ExprKind, LocalId, OperationId, Pred, SetId, Subst, SubstKind, Type, VariableId};
use bcheck_source::{Span, in_back_quotes};
use indexmap::IndexMap;
use std::sync::Arc;

/// A machine ready to be compiled and checked.
#[derive(Clone, Debug)]
pub struct Model {
    /// The machine's name.
    pub name: String,
    /// Given sets by name; [`SetId`] is the index.
    pub sets: IndexMap<String, GivenSet>,
    /// Free types by name.
    pub free_types: IndexMap<String, FreeTypeDeclaration>,
    /// Constants by name; [`ConstantId`] is the index.
    pub constants: IndexMap<String, Declaration>,
    /// Variables by name; [`VariableId`] is the index.
    pub variables: IndexMap<String, Declaration>,
    /// Conjuncts of PROPERTIES (and CONSTRAINTS).
    pub properties: Vec<Conjunct>,
    /// Whether the machine has a PROPERTIES clause, which makes a set-up node even without constants.
    pub has_properties: bool,
    /// Conjuncts of INVARIANT.
    pub invariant: Vec<Conjunct>,
    /// ASSERTIONS in order.
    pub assertions: Vec<Assertion>,
    /// INITIALISATION; skip when there are no variables.
    pub initialisation: Subst,
    /// Operations by name; [`OperationId`] is the index.
    pub operations: IndexMap<String, Operation>,
    /// The `GOAL` definition or `--goal` predicate.
    pub goal: Option<Pred>,
    /// The `SCOPE` definition: a state where it is false is examined, but not expanded and not a deadlock.
    pub expanded: Option<Pred>,
    /// Temporal formulas to check.
    pub temporal: Vec<TemporalFormula>,
    /// The settings in DEFINITIONS.
    pub settings: Settings,
    /// For a refinement by itself: the machines that it refines, upwards. A call that one of them forbids is not a step.
    pub within: Vec<String>,
    /// For a refinement by itself, if each of its operations has a precondition further up: that some call is allowed. A state where none
    /// is allowed waits forever, as it may in the refined machine, and is not a deadlock.
    pub callable: Option<Pred>,
    /// Properties that the text states and no check of this model decides.
    pub not_checked: Vec<NotChecked>,
    /// Whether all operations are those of seen machines: such a machine need not make progress.
    pub only_seen: bool,
    /// The name of each [`LocalId`], as the user wrote it, for messages.
    pub locals: Vec<String>,
    /// The comprehensions of symbolic values of a compiled machine, by the number in the value; empty before compilation.
    pub comprehensions: Arc<[Comprehension]>,
}

/// A comprehension or lambda as values print it.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// The comprehension or lambda.
    pub expr: Arc<Expr>,
    /// Whether it is the domain of the lambda.
    pub is_domain: bool,
    /// The names that it captures, each with the index of its value among the captured values.
    pub captured: Vec<(ExprKind, usize)>,
}

/// A given set.
#[derive(Clone, Debug)]
pub struct GivenSet {
    /// Deferred or enumerated.
    pub kind: GivenSetKind,
    /// The prefix of the printed names of its elements, before their numbers, if it is deferred: its name, or a similar one.
    pub element_prefix: String,
    /// Where it is declared.
    pub span: Span,
}

/// The kinds of given sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenSetKind {
    /// Size chosen by the user.
    Deferred,
    /// The names of its elements, in order.
    Enumerated(Vec<String>),
}

/// A free type.
#[derive(Clone, Debug)]
pub struct FreeTypeDeclaration {
    /// The type itself.
    pub ty: Type,
    /// Its constructors in order, with the types of their arguments.
    pub cases: Vec<(Arc<str>, Option<Type>)>,
    /// Where it is declared.
    pub span: Span,
}

/// A constant or variable.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// One conjunct of a clause.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The predicate.
    pub pred: Pred,
    /// The `/*@label …*/` and `/*@desc …*/` around it, the outermost first, if there is any. The predicate has none.
    pub label: Option<String>,
    /// In CONSTRAINTS, the reference that passes the machine its parameters, up to the last of them.
    pub given: Option<Span>,
}

/// One item of ASSERTIONS.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// The predicate.
    pub pred: Pred,
    /// The `/*@label …*/` and `/*@desc …*/` around it, the outermost first, if there is any. The predicate has none.
    pub label: Option<String>,
    /// Whether it mentions no variable, so that it belongs to the constants.
    pub is_static: bool,
}

/// A property that a machine states and that is not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotChecked {
    /// Its name: that of a definition or operation, a label, or the clause.
    pub name: String,
    /// The formula; a definition may have it in a string.
    pub formula: Span,
    /// The place that a report points at.
    pub span: Span,
    /// Why it is not checked.
    pub reason: &'static str,
    /// Whether it was to be checked, so that nothing is verified without it.
    pub leaves_open: bool,
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Parameters with types, in order.
    pub parameters: Vec<(String, LocalId, Type)>,
    /// Results with types, in order.
    pub results: Vec<(String, LocalId, Type)>,
    /// The body.
    pub body: Subst,
    /// Header and body.
    pub span: Span,
}

/// Sizes and bounds from DEFINITIONS and PROPERTIES, as ProB reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    // Ordered maps, because no order of hashes may reach the outside.
    /// `scope_S == n`, by set.
    pub scope: IndexMap<SetId, usize>,
    /// Sizes that PROPERTIES imply, by set.
    pub hints: IndexMap<SetId, SizeHint>,
    /// `SET_PREF_MININT`.
    pub minint: Option<i64>,
    /// `SET_PREF_MAXINT`.
    pub maxint: Option<i64>,
    /// `SET_PREF_DEFAULT_SETSIZE`.
    pub default_size: Option<usize>,
    /// `SET_PREF_MAX_OPERATIONS`: ProB would truncate; bcheck does not, and warns.
    pub max_operations: Option<i64>,
    /// `SET_PREF_MAX_INITIALISATIONS`: like `max_operations`.
    pub max_initialisations: Option<i64>,
}

impl Settings {
    /// The size of a deferred set for which none is given or implied.
    pub const DEFAULT_SIZE: usize = 2;
}

/// A size that PROPERTIES imply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeHint {
    /// `card(S) = n`, or a list of distinct constants that exhausts S.
    Exactly(usize),
    /// `S = {a, b}`: between these numbers of elements, because some of the constants may be equal. Without a request the default size, if
    /// it lies between them.
    Listed(usize, usize),
    /// `card(S) = MAXINT`
    MaxInt,
    /// At least this many distinct named elements.
    AtLeast(usize),
    /// Conditions on cardinalities hold with this size, and possibly with others too.
    Suggested(usize),
}

/// MININT unless it is set.
pub const DEFAULT_MININT: i64 = -1;
/// MAXINT unless it is set.
pub const DEFAULT_MAXINT: i64 = 3;

/// The sizes and bounds of one run: everything that the machine leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Cardinality of each given set, by [`SetId`].
    pub sizes: Vec<u32>,
    /// MININT.
    pub minint: i64,
    /// MAXINT.
    pub maxint: i64,
}

impl Scope {
    /// The cardinality of a given set.
    #[must_use]
    pub fn size(&self, set: SetId) -> u32 {
        self.sizes[set.index()]
    }
}

impl Model {
    /// A model that declares nothing; the span is the place of its initialisation, which is `skip`.
    #[must_use]
    pub fn empty(name: &str, span: Span) -> Self {
        Self {
            name: name.to_owned(),
            sets: IndexMap::new(),
            free_types: IndexMap::new(),
            constants: IndexMap::new(),
            variables: IndexMap::new(),
            properties: Vec::new(),
            has_properties: false,
            invariant: Vec::new(),
            assertions: Vec::new(),
            initialisation: Subst { kind: SubstKind::Skip, span },
            operations: IndexMap::new(),
            goal: None,
            expanded: None,
            temporal: Vec::new(),
            settings: Settings::default(),
            within: Vec::new(),
            callable: None,
            not_checked: Vec::new(),
            only_seen: false,
            locals: Vec::new(),
            comprehensions: Arc::default(),
        }
    }

    /// Whether it has any operation: a context has none, so that states without steps are correct.
    #[must_use]
    pub fn has_operations(&self) -> bool {
        !self.operations.is_empty() && !self.only_seen
    }

    /// Reads each precondition of a called operation as a guard of the call.
    pub fn guard_calls(&mut self) {
        self.operations.values_mut().for_each(|operation| operation.body.guard_calls());
        self.initialisation.guard_calls();
    }

    /// The operation with this name.
    #[must_use]
    pub fn operation(&self, name: &str) -> Option<OperationId> {
        self.operations.get_index_of(name).map(|index| OperationId(u32::try_from(index).expect("operations have 32-bit ids")))
    }

    /// The name of a given set.
    #[must_use]
    pub fn set_name(&self, set: SetId) -> &str {
        // Here and below `?` is returned for an id of another model: names are for messages, which are not worth a panic.
        self.sets.get_index(set.index()).map_or("?", |(name, _)| name)
    }

    /// The given set's declaration.
    ///
    /// # Panics
    /// When `set` is from another model.
    #[must_use]
    pub fn set(&self, set: SetId) -> &GivenSet {
        &self.sets[set.index()]
    }

    /// The printed name of an element: its own name, or a prefix and its number from 1 for a deferred set; as B text.
    #[must_use]
    pub fn element_name(&self, set: SetId, index: u32) -> String {
        let given = self.set(set);
        let name = match &given.kind {
            GivenSetKind::Enumerated(names) => names.get(index as usize),
            GivenSetKind::Deferred => None,
        };
        match name {
            Some(name) => in_back_quotes(name).into_owned(),
            // Numbers from 1, as ProB names these elements. Also if a scope is larger than the declared list, which would be a fault
            // elsewhere: a message still shows something.
            None => in_back_quotes(&format!("{}{}", given.element_prefix, index + 1)).into_owned(),
        }
    }

    /// The name of a constant.
    #[must_use]
    pub fn constant_name(&self, id: ConstantId) -> &str {
        self.constants.get_index(id.index()).map_or("?", |(name, _)| name)
    }

    /// The name of a variable.
    #[must_use]
    pub fn variable_name(&self, id: VariableId) -> &str {
        self.variables.get_index(id.index()).map_or("?", |(name, _)| name)
    }

    /// The number of steps of a run that set up the constants, before the initialisation: one if there are constants.
    #[must_use]
    pub fn set_up_steps(&self) -> usize {
        usize::from(!self.constants.is_empty())
    }

    /// The name of an operation.
    #[must_use]
    pub fn operation_name(&self, id: OperationId) -> &str {
        self.operations.get_index(id.index()).map_or("?", |(name, _)| name)
    }

    /// The name of a bound variable as the user wrote it.
    #[must_use]
    pub fn local_name(&self, id: LocalId) -> &str {
        self.locals.get(id.index()).map_or("?", String::as_str)
    }

    /// The types of a full valuation: constants, then variables.
    #[must_use]
    pub fn valuation_types(&self) -> Vec<Type> {
        // Every valuation, layout and permutation of a state relies on this order.
        self.constants.values().chain(self.variables.values()).map(|declaration| declaration.ty.clone()).collect()
    }
}
