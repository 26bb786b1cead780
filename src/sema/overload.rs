//! Operators whose meaning depends on types that are not known yet: `-`, `*`, `^` and record fields.
//!
//! Invariant: a waiting constraint is dropped as soon as one of its types decides it; constraints that still wait at the end of a clause
//! are tried again when a type that they wait for becomes known, and at the end of the machine count as integer arithmetic or as joining
//! sequences (B's older meanings) or are reported (fields).

use super::elaborate::{Elaborator, Place};
use super::types::Unknown;
use bcheck_ir::Type;
use bcheck_source::{Code, Diagnostic, Span, has_errors};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The meaning of `^`.
const JOINS: &str = "`^` joins sequences, or strings where an operand or the result is known to be a string";

/// The constraints that wait for a type.
#[derive(Default)]
pub(super) struct Waiting {
    /// By their numbers, in the order of the text; each with the place that made it.
    constraints: BTreeMap<usize, (Overload, Place)>,
    /// How many constraints have waited so far: the number of the next one.
    count: usize,
    /// By unknown, the constraints to try again when it is bound. A waiting constraint is listed under all unknowns among its deciding
    /// types.
    watchers: FxHashMap<Unknown, Vec<usize>>,
}

/// A constraint that one known type decides.
#[derive(Clone, Debug)]
pub(super) enum Overload {
    /// `a - b = c`: three integers or three sets of one type.
    Minus { types: [Type; 3], span: Span },
    /// `a * b = c`: three integers, or a Cartesian product.
    Times { types: [Type; 3], span: Span },
    /// `s ^ t ^ … = u`: strings, or sequences of one type. Each operand with its place.
    Concat { operands: Vec<(Type, Span)>, result: Type, span: Span },
    /// `r'f`
    Field { record: Type, field: Arc<str>, result: Type, span: Span },
    /// `rec(E, F)`, each value with its place.
    Labels { record: Type, values: Vec<(Type, Span)>, span: Span },
}

impl Overload {
    /// The types one of which, if known, decides the constraint.
    fn deciding(&self) -> Vec<&Type> {
        match self {
            Self::Minus { types, .. } | Self::Times { types, .. } => types.iter().collect(),
            Self::Concat { operands, result, .. } => operands.iter().map(|(ty, _)| ty).chain([result]).collect(),
            // The result does not decide: record types are known by all their fields, not by one.
            Self::Field { record, .. } | Self::Labels { record, .. } => vec![record],
        }
    }
}

impl Elaborator<'_> {
    /// Decides a constraint now or stores it for later.
    pub(super) fn wait(&mut self, constraint: Overload) {
        if !self.decide(&constraint) {
            let number = self.waiting.count;
            self.waiting.count += 1;
            self.keep(number, constraint, self.place);
        }
    }

    /// Stores a constraint of which all deciding types are unknown.
    fn keep(&mut self, number: usize, constraint: Overload, place: Place) {
        for unknown in constraint.deciding().into_iter().filter_map(|ty| self.types.unknown(ty)) {
            self.waiting.watchers.entry(unknown).or_default().push(number);
        }
        self.waiting.constraints.insert(number, (constraint, place));
    }

    /// Decides waiting constraints until none is left that can be decided.
    pub(super) fn resolve_overloads(&mut self) {
        // A decision may bind types that other constraints wait for. Rounds over the waiting constraints in the order of the text would
        // decide them in the same order: `now` has the rest of this round, `next` those that this round has passed. All others wait for
        // unknowns that are not bound, so trying them would change nothing. Each unknown is bound once, so this terminates.
        let here = self.place;
        let (mut now, mut next) = (BTreeSet::new(), BTreeSet::new());
        let mut past = None;
        loop {
            for unknown in self.types.take_bound() {
                for number in self.waiting.watchers.remove(&unknown).into_iter().flatten() {
                    // A decided constraint may still be listed under another unknown.
                    if self.waiting.constraints.contains_key(&number) {
                        if Some(number) > past {
                            now.insert(number)
                        } else {
                            next.insert(number)
                        };
                    }
                }
            }
            let Some(number) = now.pop_first() else {
                if next.is_empty() {
                    break;
                }
                (now, past) = (std::mem::take(&mut next), None);
                continue;
            };
            past = Some(number);
            let Some((constraint, place)) = self.waiting.constraints.remove(&number) else { continue };
            // Consequences and clashes of a decision are reported at the operator, not at the current place of the walk.
            self.place = place;
            if !self.decide(&constraint) {
                // One unknown was made equal to another one, which is waited for from now on.
                self.keep(number, constraint, place);
            }
        }
        self.place = here;
    }

    /// Decides all that still waits: operators that nothing determines are arithmetic, or join sequences.
    pub(super) fn resolve_all_overloads(&mut self) {
        self.resolve_overloads();
        // One default at a time: as `a - b` is arithmetic now, `b - c` is decided by the type of b and needs none. Oldest first, so that
        // the default applies to the first operator in the text.
        while let Some((_, (constraint, place))) = self.waiting.constraints.pop_first() {
            self.place = place;
            match constraint {
                Overload::Minus { types, span } | Overload::Times { types, span } => {
                    for ty in &types {
                        self.unify(&Type::Integer, ty, span);
                    }
                }
                Overload::Concat { operands, result, span } => {
                    let sequence = Type::relation(Type::Integer, self.types.fresh());
                    self.unify_concat(&sequence, &operands, &result, span);
                }
                // After an error the record may only be unknown because of it.
                Overload::Field { .. } | Overload::Labels { .. } if has_errors(&self.diagnostics) => {}
                Overload::Labels { span, .. } => self.labels_unknown(span),
                Overload::Field { field, span, .. } => {
                    self.report(
                        Diagnostic::error(Code::CannotType, span, format!("the record whose field `{field}` is used has no known type"))
                            .help("add a typing predicate such as r : struct(...)"),
                    );
                }
            }
            self.resolve_overloads();
        }
        self.report_ambiguous_labels();
    }

    /// Decides a constraint by the first of its types that is known; false if all are unknown.
    fn decide(&mut self, constraint: &Overload) -> bool {
        match constraint {
            Overload::Minus { types, span } => self.decide_arithmetic(types, *span, |elaborator, [left, right, result]| {
                elaborator.unify(left, right, *span);
                elaborator.unify(left, result, *span);
            }),
            // A product of sets is a set itself, of pairs, so here too the kind of one type is that of all three.
            Overload::Times { types, span } => self.decide_arithmetic(types, *span, |elaborator, [left, right, result]| {
                let (first, second) = (elaborator.types.fresh(), elaborator.types.fresh());
                elaborator.unify(&Type::set(first.clone()), left, *span);
                elaborator.unify(&Type::set(second.clone()), right, *span);
                elaborator.unify(&Type::relation(first, second), result, *span);
            }),
            Overload::Concat { operands, result, span } => {
                let all = operands.iter().map(|(ty, _)| ty).chain([result]);
                let mut known = all.filter(|ty| !self.types.is_unknown(ty)).map(|ty| self.types.shallow(ty)).peekable();
                if known.peek().is_none() {
                    return false;
                }
                // One string is enough, whatever comes first: for `s ^ "a"` with a sequence s the message is that s is not a string.
                let is_string = known.any(|ty| ty == Type::String);
                let expected = if is_string { Type::String } else { Type::relation(Type::Integer, self.types.fresh()) };
                self.unify_concat(&expected, operands, result, *span);
                true
            }
            Overload::Labels { record, values, span } => {
                let is_known = !self.types.is_unknown(record);
                if is_known {
                    self.label(record, values, *span);
                }
                is_known
            }
            Overload::Field { record, field, result, span } => {
                if self.types.is_unknown(record) {
                    return false;
                }
                let found = match self.types.shallow(record) {
                    Type::Record(fields) => fields.iter().find(|(name, _)| name == field).map(|(_, ty)| ty.clone()),
                    _ => None,
                };
                match found {
                    Some(ty) => {
                        self.unify(&ty, result, *span);
                    }
                    None => {
                        let shown = self.show(record);
                        self.report(
                            Diagnostic::error(Code::UnknownField, *span, format!("there is no field `{field}`"))
                                .label(format!("not a field of {shown}")),
                        );
                    }
                }
                true
            }
        }
    }

    /// Decides `-` or `*` by one of its types, which is enough: operands and result are all integers, or all sets, which `of_sets` relates.
    /// If another one contradicts it, or it is neither, unification reports the clash.
    fn decide_arithmetic(&mut self, types: &[Type; 3], span: Span, of_sets: impl FnOnce(&mut Self, &[Type; 3])) -> bool {
        let Some(known) = types.iter().find(|ty| !self.types.is_unknown(ty)) else { return false };
        match self.types.shallow(known) {
            Type::Set(_) => of_sets(self, types),
            _ => types.iter().for_each(|ty| {
                self.unify(&Type::Integer, ty, span);
            }),
        }
        true
    }

    fn unify_concat(&mut self, expected: &Type, operands: &[(Type, Span)], result: &Type, span: Span) {
        for (operand, at) in operands {
            let is_number = self.types.shallow(operand) == Type::Integer;
            let help = if is_number { "the power of numbers is a ** b; `^` joins sequences" } else { JOINS };
            if !self.unify_or_help(expected, operand, *at, Some(help)) {
                // The type of the result depends on the intention.
                return;
            }
        }
        self.unify_or_help(expected, result, span, Some(JOINS));
    }
}
