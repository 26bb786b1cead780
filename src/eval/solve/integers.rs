//! Integers with too many values to be enumerated: variables with bounds, functions to them, and sums of them.
//!
//! Invariant: in every model such an integer has one value, and an integer that is not a name to be solved is determined by those that
//! are. Deliberately elsewhere: propagation of bounds (`sat`), sums of enumerated values (`linear`).

use super::grounding::{Ground, Grounded, Grounding, Images, Members, Open, Stop, SumComparison};
use super::sat::{IntegerVariable, Lit};
use crate::plan::problem::{Bound, Term, TermKind, Unknown};
use crate::thresholds::{IMAGES_EACH, LISTED_INTEGERS, SOLVED_ARGUMENTS};
use bcheck_ir::{FunctionKind, IntegerSet};
use bcheck_source::Span;
use bcheck_value::{Integer, Symbolic, Value};
use std::rc::Rc;

/// Bounds are within this, so that numbers next to a bound also have 64 bits.
pub(super) const GREATEST: i64 = 1 << 62;

impl Grounding<'_, '_> {
    /// Creates bounds instead of enumerated values for a name: an integer variable, or one for each argument of a total function.
    /// Unsupported if a variable would have fewer values than `values`.
    pub(super) fn unlisted(&mut self, unknown: &Unknown, values: u64) -> Grounded<()> {
        let value = if unknown.is_set { self.unlisted_function(unknown, values)? } else { self.unlisted_integer(unknown, values)? };
        self.open.insert(unknown.slot, Ground { value, defined: Lit::TRUE });
        Ok(())
    }

    fn unlisted_integer(&mut self, unknown: &Unknown, values: u64) -> Grounded<Open> {
        let (mut least, mut greatest) = (None, None);
        for bound in &unknown.bounds {
            let ends = match bound {
                Bound::Range(lower, upper) => self.ends(lower, upper),
                Bound::Member(set) => self.interval(set),
                Bound::Subset(_) | Bound::Type(_) => continue,
            };
            match ends {
                Ok((from, to)) => {
                    least = Some(least.map_or(from, |least: i64| least.max(from)));
                    greatest = Some(greatest.map_or(to, |greatest: i64| greatest.min(to)));
                }
                Err(Stop::Unsupported) => {}
                Err(stop) => return Err(stop),
            }
        }
        match (least, greatest) {
            (Some(least), Some(greatest)) if is_wide(least, greatest, values) => {
                Ok(Open::Integer(self.circuit.solver.integer(least, greatest)))
            }
            _ => Err(Stop::Unsupported),
        }
    }

    fn unlisted_function(&mut self, unknown: &Unknown, values: u64) -> Grounded<Open> {
        for bound in &unknown.bounds {
            let Bound::Member(set) = bound else { continue };
            let Some((kind, from, to)) = self.function_space(set)? else { continue };
            if !kind.is_functional() || !kind.is_total() {
                continue;
            }
            let (from, (least, greatest)) = (self.written_out(&from, set.span)?, interval_of(&to)?);
            if from.len() > SOLVED_ARGUMENTS.get() || from.is_empty() || !is_wide(least, greatest, values) {
                return Err(Stop::Unsupported);
            }
            let arguments = from.iter().map(|argument| (argument, self.circuit.solver.integer(least, greatest))).collect();
            return Ok(Open::Function(Rc::new(arguments)));
        }
        Err(Stop::Unsupported)
    }

    /// A known set of functions: its kind, domain and range.
    fn function_space(&mut self, set: &Term) -> Grounded<Option<(FunctionKind, Value, Value)>> {
        let (kind, from, to) = match &set.kind {
            TermKind::Binary(op, from, to) => {
                let Some(kind) = FunctionKind::of(*op) else { return Ok(None) };
                (kind, self.term(from)?.value, self.term(to)?.value)
            }
            _ => match self.term(set)?.value {
                Open::Known(Value::Symbolic(symbolic)) => match &*symbolic {
                    Symbolic::Functions(kind, from, to) => (*kind, Open::Known(from.clone()), Open::Known(to.clone())),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            },
        };
        Ok(match (from, to) {
            (Open::Known(from), Open::Known(to)) => Some((kind, from, to)),
            _ => None,
        })
    }

    /// The ends of a known interval.
    fn interval(&mut self, set: &Term) -> Grounded<(i64, i64)> {
        let Open::Known(value) = self.term(set)?.value else { return Err(Stop::Unsupported) };
        interval_of(&value)
    }

    /// As a list of all its values with their literals.
    pub(super) fn listed(&mut self, variable: IntegerVariable) -> Grounded<Members> {
        let (least, greatest) = self.circuit.solver.bounds(variable);
        if greatest.abs_diff(least) >= LISTED_INTEGERS.get() {
            return Err(Stop::Unsupported);
        }
        if let Some(members) = self.listed.get(&variable) {
            return Ok(members.clone());
        }
        let members: Vec<(Value, Lit)> =
            (least..=greatest).map(|value| (Value::integer(value), self.between(variable, value, value))).collect();
        let members = Rc::new(members);
        self.listed.insert(variable, members.clone());
        Ok(members)
    }

    /// Whether an integer lies within an interval that is not empty.
    fn between(&mut self, variable: IntegerVariable, least: i64, greatest: i64) -> Lit {
        let (most, less) = (self.circuit.solver.at_most(variable, greatest), self.circuit.solver.at_most(variable, least - 1));
        self.circuit.and(most, !less)
    }

    /// Requires that an integer has its least value where none of the literals is true that would determine its value: otherwise it would
    /// be a further choice, with models that differ in nothing else.
    fn least_unless(&mut self, variable: IntegerVariable, mut literals: Vec<Lit>) {
        let (least, _) = self.circuit.solver.bounds(variable);
        literals.push(self.circuit.solver.at_most(variable, least));
        self.circuit.solver.clause(literals);
        self.circuit.solver.propagate_root();
    }

    /// The pairs of a function, each with its literal.
    pub(super) fn pairs_of(&mut self, arguments: &Images) -> Grounded<Members> {
        let mut pairs = Vec::new();
        for (argument, variable) in arguments.iter() {
            let images = self.listed(*variable)?;
            pairs.extend(images.iter().map(|(image, literal)| (Value::pair(argument.clone(), image.clone()), *literal)));
            if pairs.len() as u64 > LISTED_INTEGERS.get() {
                return Err(Stop::Unsupported);
            }
        }
        Ok(Rc::new(pairs))
    }

    /// An integer that equals the number whose literal is true (exactly one of them is), or the least one where none is.
    pub(super) fn channelled(&mut self, choices: &[(i64, Lit)]) -> Grounded<IntegerVariable> {
        let values = || choices.iter().map(|(value, _)| *value);
        let (Some(least), Some(greatest)) = (values().min(), values().max()) else { return Err(Stop::Unsupported) };
        if least < -GREATEST || greatest > GREATEST {
            return Err(Stop::Unsupported);
        }
        let solver = &mut self.circuit.solver;
        let variable = solver.integer(least, greatest);
        for &(value, literal) in choices {
            let (most, less) = (solver.at_most(variable, value), solver.at_most(variable, value - 1));
            solver.clause(vec![!literal, most]);
            solver.clause(vec![!literal, !less]);
        }
        // The value may be ill-defined.
        self.least_unless(variable, choices.iter().map(|(_, literal)| *literal).collect());
        Ok(variable)
    }

    /// Whether an integer belongs to a known set.
    pub(super) fn integer_member(&mut self, variable: IntegerVariable, set: &Value, span: Span) -> Grounded<Lit> {
        if let Value::Symbolic(symbolic) = set
            && let Symbolic::Integers(numbers) = **symbolic
        {
            let least = match numbers {
                IntegerSet::Integer => return Ok(Lit::TRUE),
                IntegerSet::Natural => 0,
                IntegerSet::Natural1 => 1,
                // Within bounds of the scope, these are intervals.
                IntegerSet::Int | IntegerSet::Nat | IntegerSet::Nat1 => return Err(Stop::Unsupported),
            };
            return Ok(!self.circuit.solver.at_most(variable, least - 1));
        }
        if let Ok((least, greatest)) = interval_of(set) {
            return Ok(if least <= greatest { self.between(variable, least, greatest) } else { Lit::FALSE });
        }
        let set = self.written_out(set, span)?;
        let mut cases = Vec::with_capacity(set.len());
        for value in set.iter() {
            // Numbers of more than 64 bits are out of its bounds.
            if let Some(value) = value.as_integer().and_then(Integer::to_i64).filter(|value| value.abs() < GREATEST) {
                cases.push(self.between(variable, value, value));
                self.is_room(span)?;
            }
        }
        Ok(self.circuit.any(cases))
    }

    /// Whether a function to integers belongs to a set of relations or functions.
    pub(super) fn function_member(&mut self, kind: FunctionKind, arguments: &Images, from: &Open, to: &Open, span: Span) -> Grounded<Lit> {
        let mut cases = Vec::new();
        for (argument, variable) in arguments.iter() {
            cases.push(self.contains(from, argument, span)?);
            let Open::Known(to) = to else { return Err(Stop::Unsupported) };
            cases.push(self.integer_member(*variable, to, span)?);
        }
        if kind.is_total() {
            for (argument, literal) in self.members(from, span)?.iter() {
                if arguments.binary_search_by(|(other, _)| other.cmp(argument)).is_err() {
                    cases.push(!*literal);
                }
            }
        }
        // Different images reach as many elements as there are arguments.
        if kind.is_surjective() && !(kind.is_injective() && self.members(to, span)?.len() == arguments.len()) {
            return Err(Stop::Unsupported);
        }
        if kind.is_injective() {
            for (at, (_, one)) in arguments.iter().enumerate() {
                for (_, other) in &arguments[at + 1..] {
                    cases.push(!self.equal_integers(*one, *other)?);
                }
                self.is_room(span)?;
            }
        }
        Ok(self.circuit.all(cases))
    }

    /// Whether the domain of the images is small compared with the number of arguments. All-different then propagates better over a
    /// literal for each pair, as in the direct encoding, than over bounds of differences, which do not represent holes in a domain.
    pub(super) fn is_crowded(&self, arguments: &Images) -> bool {
        let widest = arguments.iter().map(|(_, image)| {
            let (least, greatest) = self.circuit.solver.bounds(*image);
            greatest.abs_diff(least)
        });
        let images = widest.max().unwrap_or(0).saturating_add(1);
        let arguments = arguments.len() as u64;
        images <= IMAGES_EACH.get() * arguments && images * arguments <= LISTED_INTEGERS.get()
    }

    fn equal_integers(&mut self, one: IntegerVariable, other: IntegerVariable) -> Grounded<Lit> {
        self.sum_compared(&[(1, one), (-1, other)], 0, true)
    }

    /// Where a sum is at most a limit, or equal to it. Equal sums have one literal.
    pub(super) fn sum_compared(&mut self, summands: &[(i64, IntegerVariable)], limit: i64, is_exact: bool) -> Grounded<Lit> {
        let (key, is_negated) = normal_form(summands, limit, is_exact).ok_or(Stop::Unsupported)?;
        if is_exact && key.summands.len() < 2 {
            // Bounds of one integer have literals of their own.
            let most = self.sum_compared(&key.summands, key.limit, false)?;
            let less = self.sum_compared(&key.summands, key.limit.checked_sub(1).ok_or(Stop::Unsupported)?, false)?;
            return Ok(self.circuit.and(most, !less));
        }
        let literal = match self.sums.get(&key) {
            Some(literal) => *literal,
            None => {
                let SumComparison { summands, limit, is_exact } = &key;
                let solver = &mut self.circuit.solver;
                let literal = if *is_exact { solver.equal_sum(summands, *limit) } else { solver.at_most_sum(summands, *limit) };
                let literal = literal.ok_or(Stop::Unsupported)?;
                self.circuit.count_constraint(summands.len());
                self.sums.insert(key, literal);
                literal
            }
        };
        Ok(if is_negated { !literal } else { literal })
    }

    /// `f(x)` of a function to integers.
    pub(super) fn apply_to_integers(&mut self, function: &Ground, arguments: &Images, argument: &Ground, span: Span) -> Grounded<Ground> {
        let mut defined = vec![function.defined, argument.defined];
        let choices = self.written_choices(&argument.value, span)?;
        let mut images = Vec::new();
        let mut outside = Vec::new();
        for (value, chosen) in choices.iter() {
            match arguments.binary_search_by(|(other, _)| other.cmp(value)) {
                Ok(at) => images.push((arguments[at].1, *chosen)),
                Err(_) => outside.push(!*chosen),
            }
        }
        defined.extend(outside);
        match images.as_slice() {
            [] => return Ok(Ground::undefined()),
            [(image, Lit::TRUE)] => return Ok(Ground { value: Open::Integer(*image), defined: self.circuit.all(defined) }),
            _ => {}
        }
        let ends: Vec<(i64, i64)> = images.iter().map(|(image, _)| self.circuit.solver.bounds(*image)).collect();
        let least = ends.iter().map(|(least, _)| *least).min().expect("there is an image");
        let greatest = ends.iter().map(|(_, greatest)| *greatest).max().expect("there is an image");
        let result = self.circuit.solver.integer(least, greatest);
        for (image, chosen) in &images {
            let equal = self.equal_integers(result, *image)?;
            self.circuit.solver.clause(vec![!*chosen, equal]);
            self.is_room(span)?;
        }
        // The argument may be outside the domain.
        self.least_unless(result, images.into_iter().map(|(_, chosen)| chosen).collect());
        Ok(Ground { value: Open::Integer(result), defined: self.circuit.all(defined) })
    }
}

/// A comparison of a sum with the summands in order and the first factor positive, and whether it is the negation of the original one.
/// Equality with a limit (`is_exact`) is never negated.
fn normal_form(summands: &[(i64, IntegerVariable)], limit: i64, is_exact: bool) -> Option<(SumComparison, bool)> {
    let mut summands: Vec<_> = summands.iter().copied().filter(|(factor, _)| *factor != 0).collect();
    summands.sort_unstable_by_key(|(_, variable)| *variable);
    if summands.first().is_none_or(|(factor, _)| *factor > 0) {
        return Some((SumComparison { summands, limit, is_exact }, false));
    }
    for (factor, _) in &mut summands {
        *factor = factor.checked_neg()?;
    }
    let limit = limit.checked_neg()?;
    // At most `limit`: the negated sum is not at most `-limit - 1`.
    let limit = if is_exact { limit } else { limit.checked_sub(1)? };
    Some((SumComparison { summands, limit, is_exact }, !is_exact))
}

/// Whether an interval is not empty, has at least `values` elements, and lies within the representable bounds.
fn is_wide(least: i64, greatest: i64, values: u64) -> bool {
    -GREATEST <= least && least <= greatest && greatest <= GREATEST && greatest.abs_diff(least) >= values.saturating_sub(1)
}

/// The ends of an interval, explicit or symbolic.
fn interval_of(set: &Value) -> Grounded<(i64, i64)> {
    let end = |value: &Integer| value.to_i64().filter(|value| value.abs() <= GREATEST).ok_or(Stop::Unsupported);
    match set {
        Value::Symbolic(symbolic) => match &**symbolic {
            Symbolic::Interval(from, to) => Ok((end(from)?, end(to)?)),
            _ => Err(Stop::Unsupported),
        },
        Value::Set(set) => {
            let (Some(first), Some(last)) = (set.first_element(), set.iter().last()) else { return Err(Stop::Unsupported) };
            let (Some(first), Some(last)) = (first.as_integer(), last.as_integer()) else { return Err(Stop::Unsupported) };
            let (first, last) = (end(first)?, end(last)?);
            if last.abs_diff(first) + 1 == set.len() as u64 { Ok((first, last)) } else { Err(Stop::Unsupported) }
        }
        _ => Err(Stop::Unsupported),
    }
}

/// An integer of 64 bits.
pub(super) fn number(value: &Value) -> Grounded<i64> {
    value.as_integer().and_then(Integer::to_i64).ok_or(Stop::Unsupported)
}
