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
//! Floors, from the bottom: [`source`], [`syntax`], [`sema`], [`ir`] and [`value`], [`eval`] with [`state`] and [`symmetry`],
//! [`mod@explore`], [`report`], [`cli`]. A module uses its own floor and those below, never one above.

#[cfg(feature = "cli")]
pub mod cli;
pub mod eval;
pub mod explore;
pub mod ir;
pub mod report;
pub mod sema;
pub mod source;
pub mod state;
pub mod symmetry;
pub mod syntax;
pub mod value;

use eval::Machine;
use explore::{Options, Outcome, Silent, explore};
use sema::scope::{AskedSize, ScopeRequest, resolve};
use source::{Diagnostic, SourceMap, has_errors};
use std::sync::Arc;

/// What to check and at which sizes; the default is that of the command line, with one worker.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The size of all deferred sets that `sizes` leaves out; else what the machine says, else 2.
    pub size: Option<u32>,
    /// The size of single deferred sets.
    pub sizes: Vec<(String, u32)>,
    /// MININT; else what the machine says, else -1.
    pub minint: Option<i64>,
    /// MAXINT; else what the machine says, else 3.
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

/// A finished check.
pub struct Checked {
    /// The machine as compiled; names the elements of the values in traces.
    pub machine: Machine,
    /// What the search found.
    pub outcome: Outcome,
    /// What was said about the text.
    pub warnings: Vec<Diagnostic>,
}

/// Checks a machine given as text; `name` stands for its file in messages.
///
/// # Errors
/// All diagnostics, when the text is not a correct machine or a size cannot be used, with the texts they point into.
pub fn check_text(name: &str, text: &str, request: &Request) -> Result<Checked, (Vec<Diagnostic>, SourceMap)> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let parsed = syntax::parse_machine(file, text);
    let mut diagnostics = parsed.diagnostics;
    let Some(tree) = parsed.tree.filter(|_| !has_errors(&diagnostics)) else { return Err((diagnostics, sources)) };
    let (model, found) = sema::analyse(&tree);
    diagnostics.extend(found);
    let Some(model) = model else { return Err((diagnostics, sources)) };
    let scope = match resolve(&model, &request.scope(), &mut sources, &mut diagnostics) {
        Ok(scope) => scope,
        Err(refusal) => return Err((refusal.diagnostics, sources)),
    };
    let machine = Machine::compile(Arc::new(model), scope);
    let symmetry = request.options.symmetry_of(&machine);
    let outcome = explore(&machine, &symmetry, &request.options, &mut Silent);
    Ok(Checked { machine, outcome, warnings: diagnostics })
}
