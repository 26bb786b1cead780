//! The state of one elaboration: unknown types, visible names, bound names, diagnostics.
//!
//! Invariant: ids handed out here are those of the model that is being built; every bound name has a type from the start, possibly
//! unknown. Deliberately elsewhere: the walk itself (`infer`, `predicate`, `substitution`).

use super::names::{Bound, Meaning, Names};
use super::one_cause::COMES_FROM_HERE;
use super::overload::Waiting;
use super::records::Labels;
use super::remedy::{Remedy, Site};
use super::types::{Clash, Misfit, Origin, Types, too_large};
use bcheck_ir::{FreeTypeDeclaration, LocalId, NotChecked, Operation, SetId, Type};
use bcheck_source::{Code, Diagnostic, Span};
use bcheck_syntax::ast;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// Where the walk is, for messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The node being elaborated.
    node: Option<Span>,
    /// The use of the definition in whose body that node lies.
    definition_use: Option<Span>,
    /// The predicate, assignment or call whose types are compared: it is the origin of what is learned from it.
    pub(super) reason: Option<Span>,
    /// The innermost construct around, for remedies.
    pub(super) site: Option<Site>,
    /// The expression where a set is expected, for remedies that must not turn it into something else.
    pub(super) wants_set: Option<Span>,
}

/// An expression that replaces a name of another machine.
#[derive(Clone, Copy)]
pub(super) struct Actual<'a> {
    /// The machine in which it is written.
    pub(super) scope: usize,
    pub(super) expr: &'a ast::Expr,
    /// Whether it is being elaborated.
    pub(super) is_open: bool,
}

/// More nodes than this in place of calls and actual parameters come from chains that double at each step, such as `S1 = S0 \/ S0; S2 = S1
/// \/ S1; …` in VALUES, or operations each of which calls the one before twice.
const MOST_COPIED: usize = if cfg!(test) { 100_000 } else { 2_000_000 };

/// The texts that are elaborated again in place of calls and of names with actual parameters.
#[derive(Default)]
pub(super) struct Copies {
    /// How many of them the walk is in.
    pub(super) depth: usize,
    /// Expressions, predicates and substitutions elaborated in them so far.
    nodes: usize,
}

/// The state of one elaboration.
pub(super) struct Elaborator<'a> {
    pub(super) types: Types,
    pub(super) names: Names,
    /// Names of all locals, by id.
    pub(super) locals: Vec<String>,
    /// Their types, possibly unknown.
    pub(super) local_types: Vec<Type>,
    /// Where they are bound.
    pub(super) local_spans: Vec<Span>,
    pub(super) constant_types: Vec<Type>,
    pub(super) variable_types: Vec<Type>,
    pub(super) set_names: Vec<String>,
    /// Free types; those of a machine that is being read have no constructors before `complete_free_types`.
    pub(super) free_types: IndexMap<String, FreeTypeDeclaration>,
    /// The machine that declares each.
    pub(super) free_type_scopes: Vec<usize>,
    /// Operators and fields whose operand types are not known yet.
    pub(super) waiting: Waiting,
    /// The labels of records, for those that are written without.
    pub(super) labels: Labels,
    /// All operations, with the machine that each belongs to.
    pub(super) operations: Vec<(usize, &'a ast::Operation)>,
    /// By operation written in OPERATIONS, its specification in LOCAL_OPERATIONS.
    pub(super) specifications: FxHashMap<usize, &'a ast::Operation>,
    /// Operations that were elaborated for their errors only, as they are not steps.
    pub(super) no_steps: Vec<Operation>,
    /// Parameters and results of calls that were inlined.
    pub(super) inlined: Vec<LocalId>,
    /// Operations being inlined, innermost last.
    pub(super) calls: Vec<usize>,
    /// Actual parameters and VALUES.
    pub(super) actuals: Vec<Actual<'a>>,
    pub(super) copies: Copies,
    /// Loops around the substitution being elaborated: inside, `x$0` has a meaning for every variable.
    pub(super) loops: usize,
    /// Whether a temporal formula is elaborated, where `x$0` has its place in `BA`.
    pub(super) is_temporal: bool,
    pub(super) place: Place,
    /// Stated properties that are left out.
    pub(super) not_checked: Vec<NotChecked>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Elaborator<'_> {
    pub(crate) fn new() -> Self {
        Self {
            types: Types::default(),
            names: Names::default(),
            locals: Vec::new(),
            local_types: Vec::new(),
            local_spans: Vec::new(),
            constant_types: Vec::new(),
            variable_types: Vec::new(),
            set_names: Vec::new(),
            free_types: IndexMap::new(),
            free_type_scopes: Vec::new(),
            waiting: Waiting::default(),
            labels: Labels::default(),
            operations: Vec::new(),
            specifications: FxHashMap::default(),
            no_steps: Vec::new(),
            inlined: Vec::new(),
            calls: Vec::new(),
            actuals: Vec::new(),
            copies: Copies::default(),
            loops: 0,
            is_temporal: false,
            place: Place::default(),
            not_checked: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// A new local that no text can name yet.
    pub(super) fn fresh_local(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.locals.len()).expect("fewer than 2^32 bound names"));
        self.locals.push(name.to_owned());
        self.local_types.push(ty);
        self.local_spans.push(span);
        id
    }

    /// Runs `inside`, and takes the names that it binds out of scope.
    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.names.bound.len();
        let result = inside(self);
        self.names.bound.truncate(mark);
        result
    }

    /// Binds names with unknown types, for the rest of the scope (see [`Self::scoped`]).
    pub(super) fn bind(&mut self, names: &[ast::Name]) -> Vec<(LocalId, Type)> {
        self.bind_as(names, false)
    }

    /// Binds names to locals that there are already.
    pub(super) fn bind_to(&mut self, names: &[ast::Name], locals: impl Iterator<Item = LocalId>, assignable: bool) {
        let bound = names.iter().zip(locals).map(|(name, id)| Bound { name: name.text.clone(), id, assignable, old: None });
        self.names.bound.extend(bound.collect::<Vec<_>>());
    }

    /// Binds names that may be assigned (`assignable`) or not.
    pub(super) fn bind_as(&mut self, names: &[ast::Name], assignable: bool) -> Vec<(LocalId, Type)> {
        let mut locals: Vec<(LocalId, Type)> = Vec::with_capacity(names.len());
        let mut met: FxHashMap<&str, Span> = FxHashMap::default();
        for name in names {
            // A repeated name gets no second local: all uses mean the first, and no further error follows.
            if let Some(first) = met.get(name.text.as_str()) {
                self.report(super::names::duplicate(&name.text, name.span, *first));
                continue;
            }
            met.insert(&name.text, name.span);
            // The type is known to all uses as one unknown, so each of them narrows it for the others.
            let ty = self.types.fresh();
            let id = self.fresh_local(&name.text, ty.clone(), name.span);
            self.names.bound.push(Bound { name: name.text.clone(), id, assignable, old: None });
            locals.push((id, ty));
        }
        locals
    }

    /// Moves to a node; the caller restores the returned place. A definition's body is inserted with its own places, so a node outside the
    /// text of its parent comes from a definition that the parent uses, or is an argument of one.
    pub(super) fn enter(&mut self, span: Span) -> Place {
        let saved = self.place;
        // The root of an expansion has the span of its use, which covers its arguments, but not the definition's body.
        let covers = |outer: Span| outer.file == span.file && outer.start <= span.start && span.end <= outer.end;
        if saved.definition_use.is_some_and(covers) {
            // An argument, where the body uses its parameter: back in the text around the use.
            self.place.definition_use = None;
        } else if let Some(parent) = saved.node.filter(|parent| !covers(*parent)) {
            // Of nested uses the outermost is stored: it is in the clause that the reader is looking at.
            self.place.definition_use = saved.definition_use.or(Some(parent));
        }
        self.place.node = Some(span);
        saved
    }

    /// Counts a node where it belongs to a copied text, and whether it is beyond [`MOST_COPIED`]; then nothing is built of it. Nodes of
    /// a machine's own text are never left out, so their errors are found all the same.
    pub(super) fn is_beyond_limit(&mut self, span: Span) -> bool {
        if self.copies.depth == 0 {
            return false;
        }
        self.copies.nodes += 1;
        // Counting continues, so the limit is reported once.
        if self.copies.nodes == MOST_COPIED {
            let (what, help) = if self.actuals.iter().any(|actual| actual.is_open) {
                (
                    "the values of parameters and of sets in VALUES",
                    "a value replaces each use of its name: in a chain of values, use the one before only once, or make it a constant",
                )
            } else {
                (
                    "the calls of operations",
                    "a body replaces each call of its operation: in a chain of operations, call the one before only once",
                )
            };
            let title = format!("{what} expand to more text than bcheck handles");
            self.report(Diagnostic::error(Code::NotSupportedEver, span, title).label("expansion was stopped here").help(help));
        }
        self.copies.nodes >= MOST_COPIED
    }

    /// Reports a diagnostic; inside a definition also where the definition is used.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        // Entering the place of the message shows whether it lies in a definition's body; the walk's own place is put back at once.
        let here = self.enter(diagnostic.span());
        let inside = std::mem::replace(&mut self.place, here);
        self.diagnostics.push(match inside.definition_use.or(here.definition_use) {
            Some(used) if diagnostic.labels.iter().all(|label| label.span != used) => diagnostic.also(used, "in the definition used here"),
            _ => diagnostic,
        });
    }

    /// Runs `inside` with a predicate or assignment as the origin of the types that it fixes.
    pub(super) fn because<T>(&mut self, reason: Span, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.place.reason.replace(reason);
        let result = inside(self);
        self.place.reason = outer;
        result
    }

    /// Makes two types equal, or reports the clash with both origins and answers false.
    pub(super) fn unify(&mut self, expected: &Type, found: &Type, at: Span) -> bool {
        self.unify_or_help(expected, found, at, None)
    }

    /// As [`Self::unify`], with an explanation for a clash.
    pub(super) fn unify_or_help(&mut self, expected: &Type, found: &Type, at: Span, help: Option<&str>) -> bool {
        // Outside of predicates and assignments an expression is its own reason.
        let origin = Origin { at, reason: self.place.reason.unwrap_or(at) };
        let result = self.types.unify(expected, found, origin);
        if let Err(clash) = &result {
            self.report_clash(expected, found, clash, at, help);
        }
        result.is_ok()
    }

    fn report_clash(&mut self, expected: &Type, found: &Type, clash: &Clash, at: Span, help: Option<&str>) {
        let (wanted, given) = (self.show(expected), self.show(found));
        let (code, title) = match clash.misfit {
            Misfit::Different => (Code::TypeClash, format!("the types {wanted} and {given} do not fit")),
            Misfit::Infinite => (Code::InfiniteType, format!("{wanted} and {given} cannot be one type: it would contain itself")),
            Misfit::TooLarge => (Code::NotSupportedEver, too_large()),
        };
        let mut diagnostic = Diagnostic::error(code, at, title).label(format!("this is {given}"));
        for (origin, ty) in [(clash.left, &wanted), (clash.right, &given)] {
            let Some(origin) = origin else { continue };
            // For a type fixed by the predicate in which it clashes, the expression; for any other, the whole predicate that fixed it.
            let place = if self.place.reason == Some(origin.reason) { origin.at } else { origin.reason };
            let is_inside = place.file == at.file && at.start <= place.start && place.end <= at.end;
            if !is_inside && !diagnostic.labels.iter().any(|label| label.span == place) {
                diagnostic = diagnostic.also(place, format!("{ty}{COMES_FROM_HERE}"));
            }
        }
        if clash.misfit == Misfit::Different && diagnostic.labels.len() == 1 {
            diagnostic = diagnostic.help(format!("{wanted} is expected here"));
        }
        diagnostic.help.extend(help.map(str::to_owned));
        if clash.misfit == Misfit::Different {
            let remedy = self.remedy(expected, found, at);
            let typed = self.subset_meant(expected, found, clash.left);
            for Remedy { help, fixes } in [remedy, typed] {
                diagnostic.help.extend(help);
                diagnostic.fixes.extend(fixes);
            }
        }
        self.report(diagnostic);
    }

    /// Says of a stated property that it is not checked, once however often its text is elaborated.
    pub(super) fn leave_unchecked(&mut self, warning: Diagnostic, stated: NotChecked) {
        if !self.not_checked.contains(&stated) {
            self.not_checked.push(stated);
            self.diagnostics.push(warning);
        }
    }

    /// A type in B notation.
    pub(super) fn show(&self, ty: &Type) -> String {
        self.types.show(ty, &|set: SetId| self.set_names.get(set.index()).cloned().unwrap_or_else(|| "?".to_owned()))
    }

    /// The meaning of a name that may be assigned; nothing for any other name.
    pub(super) fn assignable(&self, name: &str) -> Option<Meaning> {
        // The innermost meaning decides: a parameter hides a variable of its name, which is not assigned in its place.
        if let Some(bound) = self.names.bound(name) {
            return bound.assignable.then_some(Meaning::Local(bound.id));
        }
        self.names.global(name).filter(|entry| entry.is_own && matches!(entry.meaning, Meaning::Variable(_))).map(|entry| entry.meaning)
    }
}

/// A number of things, for messages.
pub(super) fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
