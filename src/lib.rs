//! bcheck: an explicit-state model checker for the B-Method with exact symmetry reduction.
//!
//! Elements of a deferred set are interchangeable, so a machine's states fall into classes of symmetric states. bcheck explores
//! one state of each class, and still reports the exact size of the full state space, by orbit sizes.
//!
//! ```
//! use bcheck::{Request, check_text, explore::Verdict};
//!
//! let machine = r"
//!     MACHINE access
//!     SETS USER
//!     VARIABLES inside
//!     INVARIANT inside <: USER
//!     INITIALISATION inside := {}
//!     OPERATIONS
//!       enter(u) = PRE u : USER - inside THEN inside := inside \/ {u} END;
//!       leave(u) = PRE u : inside THEN inside := inside - {u} END
//!     END";
//! let checked = check_text("access.mch", machine, &Request { size: Some(10), ..Request::default() }).expect("a correct machine");
//! assert_eq!(checked.outcome.verdict, Verdict::Verified);
//! assert_eq!(checked.outcome.explored.states, 11); // how many are inside
//! assert_eq!(checked.outcome.full.states, 1024u32.into()); // who is inside
//! ```
//!
//! [`check_text`] is the main job in one call. A [`Compiled`] machine answers more: it is checked, its states are walked, formulas are
//! evaluated in them, and representatives of them are found. Without the feature `cli` (on by default), the command line with its
//! dependencies is left out.
//!
//! # Reading
//!
//! [`syntax::parse_machine`] always returns a tree and all diagnostics. A text that is no correct machine is [`Rejected`], with places:
//!
//! ```
//! use bcheck::{Compiled, Request};
//!
//! let text = "MACHINE lamp VARIABLES on INVARIANT on : BOOL INITIALISATION on := 0 END";
//! let rejected = Compiled::of_text("lamp.mch", text, &Request::default()).expect_err("0 is no BOOL");
//! assert!(rejected.to_string().starts_with("lamp.mch:1:68: error[B0203]: "), "{rejected}");
//! ```
//!
//! # A finding and its trace
//!
//! [`explore::Outcome`] is what a check ends with. Values are printed with the names of the machine's elements:
//!
//! ```
//! use bcheck::explore::Verdict;
//! use bcheck::report::{named_steps, violation_of};
//! use bcheck::{Compiled, Request};
//!
//! let text = "MACHINE hotel SETS GUEST; ROOM VARIABLES stays INVARIANT stays : GUEST +-> ROOM INITIALISATION stays := {}
//!     OPERATIONS arrive(g, r) = PRE g : GUEST & r : ROOM THEN stays := stays \\/ {g |-> r} END END";
//! let hotel = Compiled::of_text("hotel.mch", text, &Request::default())?;
//! let outcome = hotel.check();
//! assert_eq!(outcome.verdict, Verdict::InvariantViolation);
//! let finding = outcome.finding.expect("what the verdict is about");
//! let model = hotel.machine().model();
//! let violation = violation_of(model, hotel.warnings().1, &finding.fault).expect("it is about one machine");
//! assert_eq!(violation.formula.as_deref(), Some("stays : GUEST +-> ROOM"));
//! let steps = named_steps(model, &finding.trace);
//! let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
//! assert_eq!(names, ["$initialise_machine", "arrive", "arrive"]);
//! assert_eq!(steps[2].state, [("stays".to_owned(), "{GUEST1|->ROOM1,GUEST1|->ROOM2}".to_owned())]);
//! # Ok::<(), bcheck::Rejected>(())
//! ```
//!
//! # States and formulas
//!
//! [`Compiled::walk`] visits the graph of representatives, [`Compiled::evaluate`] gives the value of a formula in one of them, and
//! [`eval::Machine::successors`] the steps of any state, without symmetry:
//!
//! ```
//! use bcheck::value::{Value, display::display};
//! use bcheck::{Compiled, Request};
//! use std::ops::ControlFlow;
//!
//! let text = "MACHINE stack SETS ITEM VARIABLES pile INVARIANT pile : seq(ITEM) INITIALISATION pile := []
//!     OPERATIONS push(x) = PRE x : ITEM & size(pile) < 2 THEN pile := pile <- x END;
//!       x <-- pop = PRE pile /= [] THEN x := last(pile) || pile := front(pile) END END";
//! let stack = Compiled::of_text("stack.mch", text, &Request { size: Some(3), ..Request::default() })?;
//! let machine = stack.machine();
//! let mut first = None;
//! machine.for_each_initial(&[], &mut |state| {
//!     first = Some(state);
//!     ControlFlow::Break(())
//! }).expect("the initialisation can be enumerated");
//! let first = first.expect("an initial state");
//! let push = machine.model().operation("push").expect("an operation");
//! let steps = machine.successors(&first, push).expect("a guard with a value").steps;
//! assert_eq!(steps.len(), 3);
//! let next = &steps[0].next;
//! assert_eq!(display(&next[0], machine.model()), "[ITEM1]");
//! assert_eq!(stack.evaluate("size(pile)", next)?, Value::integer(1));
//! // All that differs between the three is a name, so one state stands for them.
//! assert!(steps.iter().all(|step| stack.representative(&step.next) == stack.representative(next)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Floors
//!
//! Floors, from the bottom: [`source`], [`syntax`] and `durable`, [`sema`], [`ir`] and [`value`], [`eval`] with [`state`] and [`symmetry`],
//! [`mod@explore`], [`report`], `cli`. A module uses its own floor and those below, never one above.

#[cfg(feature = "cli")]
pub use bcheck_cli as cli;
pub use bcheck_eval as eval;
pub use bcheck_explore as explore;
pub use bcheck_ir as ir;
pub use bcheck_report as report;
pub use bcheck_sema as sema;
pub use bcheck_source as source;
pub use bcheck_state as state;
pub use bcheck_symmetry as symmetry;
pub use bcheck_syntax as syntax;
pub use bcheck_temporal as temporal;
pub use bcheck_value as value;

/// What fuzz targets read that no other user of the library does: files of checkpoints, and what other processes send.
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing {
    /// Reads bytes as a file of a checkpoint.
    pub fn checkpoint(bytes: &[u8]) {
        bcheck_durable::any_bytes::read_as_checkpoint(bytes);
    }

    /// Reads bytes as what another process sends.
    pub fn process(bytes: &[u8]) {
        bcheck_mesh::any_bytes::refusal_of(bytes);
        bcheck_mesh::any_bytes::messages_in(bytes);
    }
}

use eval::{EvalError, Machine, Unset, fitting_scope};
use explore::{GraphTotals, GraphVisitor, Options, Outcome, Silent, explore, walk_graph};
use ir::Settings;
use sema::scope::{AskedSize, ScopeRequest, resolve, unset_sizes};
use sema::{Analysis, Formula, FormulaContext, Macros, NoFiles, analyse_parsed, read_formula};
use source::{Diagnostic, Severity, SourceMap};
use std::sync::Arc;
use symmetry::{Scratch, Symmetry};
use value::{Valuation, Value};

/// What to check and at which sizes; the default is that of the command line, with one worker.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The size of all deferred sets that `sizes` leaves out; else the machine's setting, else 2.
    pub size: Option<u32>,
    /// The size of single deferred sets.
    pub sizes: Vec<(String, u32)>,
    /// MININT; else the machine's setting, else -1.
    pub minint: Option<i64>,
    /// MAXINT; else the machine's setting, else 3.
    pub maxint: Option<i64>,
    /// What is searched for, and how.
    pub options: Options,
}

impl Request {
    fn scope(&self) -> ScopeRequest {
        let all = self.size.map(|size| AskedSize::new(None, size.into()));
        let single = self.sizes.iter().map(|(set, size)| AskedSize::new(Some(set), (*size).into()));
        ScopeRequest { origin: "<request>", sizes: all.into_iter().chain(single).collect(), minint: self.minint, maxint: self.maxint }
    }
}

/// A text that is not a correct machine or formula, or a size that cannot be used.
#[derive(Debug)]
pub struct Rejected {
    /// The errors, and the warnings beside them.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts they point into.
    pub sources: SourceMap,
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.diagnostics.iter().filter(|one| one.severity == Severity::Error);
        let lines: Vec<String> = errors.map(|one| report::diagnostics::headline(one, &self.sources).to_string()).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Rejected {}

/// Why a formula has no value.
#[derive(Debug, thiserror::Error)]
pub enum FormulaError {
    /// It is no formula over the names of the machine.
    #[error("{0}")]
    Rejected(Rejected),
    /// It is ill-defined in the state, or cannot be enumerated.
    #[error("{kind}", kind = .0.kind)]
    Evaluation(EvalError),
}

/// A machine that was read, typed and compiled at some sizes, with its symmetries.
///
/// ```
/// use bcheck::explore::{GraphState, GraphVisitor};
/// use bcheck::{Compiled, Request, value::Value};
/// use std::ops::ControlFlow;
///
/// let machine = "MACHINE lift SETS FLOOR VARIABLES open, at INVARIANT open <: FLOOR & at : FLOOR
///     INITIALISATION open := {} || at :: FLOOR
///     OPERATIONS
///       go(f) = PRE f : FLOOR & open = {} THEN at := f END;
///       doors = IF open = {} THEN open := {at} ELSE open := {} END
///     END";
/// let lift = Compiled::of_text("lift.mch", machine, &Request { size: Some(4), ..Request::default() })?;
/// assert_eq!(lift.check().full.states, 8u32.into());
///
/// // Walk the representatives and the steps between them, and keep the states with an open door.
/// #[derive(Default)]
/// struct Open(Vec<Vec<Value>>);
/// impl GraphVisitor for Open {
///     fn state(&mut self, state: &GraphState<'_>) -> ControlFlow<()> {
///         if state.depth == 1 {
///             self.0.push(state.state.to_vec());
///         }
///         ControlFlow::Continue(())
///     }
/// }
/// let mut open = Open::default();
/// let totals = lift.walk(1_000, &mut open)?;
/// assert_eq!((totals.states, open.0.len()), (2, 1));
///
/// // Ask what holds in one of them, and which state stands for it.
/// let state = &open.0[0];
/// assert_eq!(lift.evaluate("card(open) + 1", state)?, Value::integer(2));
/// assert_eq!(lift.evaluate("at : open & open /= FLOOR", state)?, Value::Bool(true));
/// assert_eq!(lift.representative(state), *state);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Compiled {
    machine: Machine,
    symmetry: Symmetry,
    macros: Macros,
    options: Options,
    warnings: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Compiled {
    /// Reads, types and compiles a machine given as text; `name` stands for its file in messages.
    ///
    /// # Errors
    /// When the text is not a correct machine or a size cannot be used.
    pub fn of_text(name: &str, text: &str, request: &Request) -> Result<Self, Rejected> {
        let mut sources = SourceMap::new();
        let file = sources.add(name, text);
        let Analysis { model, macros, mut diagnostics, .. } = analyse_parsed(syntax::parse_machine(file, text), &mut NoFiles);
        let Some(model) = model else { return Err(Rejected { diagnostics, sources }) };
        let scope = match resolve(&model, &request.scope(), &mut sources, &mut diagnostics) {
            Ok(scope) => scope,
            Err(refusal) => return Err(Rejected { diagnostics: refusal.diagnostics, sources }),
        };
        let Settings { minint, maxint, .. } = model.settings;
        let unset = Unset {
            bounds: [request.minint, request.maxint, minint, maxint].iter().all(Option::is_none),
            sizes: unset_sizes(&model, &request.scope().sizes),
        };
        let mut scope_with = |minint, maxint| {
            let asked = ScopeRequest { minint, maxint, ..request.scope() };
            resolve(&model, &asked, &mut sources, &mut Vec::new()).ok()
        };
        let (scope, notes) = fitting_scope(&model, scope, &unset, &mut scope_with);
        diagnostics.extend(notes);
        let machine = Machine::compile(Arc::new(model), scope);
        let symmetry = request.options.symmetry_of(&machine);
        Ok(Self { machine, symmetry, macros, options: request.options.clone(), warnings: diagnostics, sources })
    }

    /// The machine: it names the elements of values, and makes the successors of states.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Warnings about the text, and the texts that they point into.
    #[must_use]
    pub fn warnings(&self) -> (&[Diagnostic], &SourceMap) {
        (&self.warnings, &self.sources)
    }

    /// Searches the states of the machine as the request asks.
    #[must_use]
    pub fn check(&self) -> Outcome {
        explore(&self.machine, &self.symmetry, &self.options, &mut Silent)
    }

    /// Walks the graph of representatives, at most `limit` of them.
    ///
    /// # Errors
    /// When something cannot be enumerated.
    pub fn walk(&self, limit: usize, visitor: &mut dyn GraphVisitor) -> Result<GraphTotals, EvalError> {
        walk_graph(&self.machine, &self.symmetry, &self.options, limit, visitor)
    }

    /// The value of an expression, or of a predicate, in a state: constants and variables in declaration order.
    ///
    /// # Errors
    /// When it is no formula over the names of the machine, or has no value in the state.
    pub fn evaluate(&self, formula: &str, state: &[Value]) -> Result<Value, FormulaError> {
        let mut sources = SourceMap::new();
        let file = sources.add("<formula>", formula);
        let context =
            FormulaContext { model: Some(self.machine.model()), scope: Some(self.machine.scope()), expected: None, has_current: false };
        let (formula, model) = read_formula(file, formula, context, &self.macros)
            .map_err(|diagnostics| FormulaError::Rejected(Rejected { diagnostics, sources }))?;
        // Compiled again, because the names that the formula binds need places in the frame.
        let machine = Machine::compile(Arc::new(model), self.machine.scope().clone());
        match formula {
            Formula::Expr(expr) => machine.evaluate(&expr, state),
            Formula::Pred(pred) => machine.holds(&pred, state).map(Value::Bool),
        }
        .map_err(FormulaError::Evaluation)
    }

    /// The state that stands for all that symmetries make of this one.
    #[must_use]
    pub fn representative(&self, state: &[Value]) -> Valuation {
        self.symmetry.canonical(state, &mut Scratch::default()).state
    }
}

/// A finished check.
pub struct Checked {
    /// The machine as compiled; names the elements of the values in traces.
    pub machine: Machine,
    /// What the search found.
    pub outcome: Outcome,
    /// Warnings about the text.
    pub warnings: Vec<Diagnostic>,
}

/// Checks a machine given as text; `name` stands for its file in messages.
///
/// # Errors
/// When the text is not a correct machine or a size cannot be used.
pub fn check_text(name: &str, text: &str, request: &Request) -> Result<Checked, Rejected> {
    let compiled = Compiled::of_text(name, text, request)?;
    let outcome = compiled.check();
    Ok(Checked { machine: compiled.machine, outcome, warnings: compiled.warnings })
}
