//! The reference: truth values of Kleene's strong logic on trees, substitutions run by their definitions, states in a list.
//!
//! Invariant: it shares nothing with bcheck but the tree that both get. A step exists if all conditions on its way are true; one that rests on
//! an unknown condition may exist, so its state is no deadlock and the run is incomplete.

use super::{Formula, Name, Substitution};
use std::collections::BTreeSet;

/// A machine with the variables x and y, both 0 at first.
pub(super) struct Model {
    pub(super) properties: Option<Formula>,
    pub(super) invariant: Vec<Formula>,
    pub(super) assertion: Option<Formula>,
    /// Whether there is a parameter of 0..1, the guard, and the body.
    pub(super) operations: Vec<(bool, Formula, Substitution)>,
}

/// What a run over the whole space must report.
#[derive(Debug, Default)]
pub(super) struct Expected {
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) deadlocks: u64,
    pub(super) violations: u64,
    pub(super) false_assertions: u64,
    pub(super) verdict: &'static str,
    /// The same, if an unknown guard before something that is infeasible all the same counts as false.
    pub(super) precise: (u64, &'static str),
}

/// The names that a formula may speak of.
#[derive(Clone, Copy)]
struct Names {
    x: i64,
    y: i64,
    parameter: i64,
    bound: i64,
}

/// True, false, or unknown.
type Truth = Option<bool>;

fn not(truth: Truth) -> Truth {
    truth.map(|holds| !holds)
}

fn all(parts: impl Iterator<Item = Truth>) -> Truth {
    let parts: Vec<Truth> = parts.collect();
    if parts.contains(&Some(false)) {
        Some(false)
    } else if parts.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn any(parts: impl Iterator<Item = Truth>) -> Truth {
    not(all(parts.map(not)))
}

fn value(formula: &Formula, names: Names) -> Truth {
    let of = |inner: &Formula| value(inner, names);
    match formula {
        Formula::Known(holds) => Some(*holds),
        Formula::Open(_) => None,
        Formula::Compare(name, sign, number) => {
            let name = match name {
                Name::X => names.x,
                Name::Y => names.y,
                Name::Parameter => names.parameter,
                Name::Bound => names.bound,
            };
            Some([name == *number, name < *number, name >= *number][*sign])
        }
        Formula::And(parts) => all(parts.iter().map(of)),
        Formula::Or(parts) => any(parts.iter().map(of)),
        Formula::Not(inner) => not(of(inner)),
        Formula::Implies(left, right) => any([not(of(left)), of(right)].into_iter()),
        Formula::Equivalent(left, right) => of(left).zip(of(right)).map(|(left, right)| left == right),
        Formula::ForAll(inner) => all((0..=2).map(|bound| value(inner, Names { bound, ..names }))),
        Formula::Exists(inner) => any((0..=2).map(|bound| value(inner, Names { bound, ..names }))),
        Formula::Bool(inner) => of(inner),
    }
}

/// The outcomes that surely exist; sets `is_open` where there may be others: where a guard is unknown, and where it is and what follows has
/// an outcome.
fn outcomes(body: &Substitution, names: Names, is_open: &mut [bool; 2]) -> Vec<Names> {
    match body {
        Substitution::SetX(number) => vec![Names { x: *number, ..names }],
        Substitution::AddX(number) => vec![Names { x: (names.x + number) % 5, ..names }],
        Substitution::SetY(number) => vec![Names { y: *number, ..names }],
        Substitution::Skip => vec![names],
        Substitution::If(condition, then, otherwise) => match value(condition, names) {
            Some(true) => outcomes(then, names, is_open),
            Some(false) => outcomes(otherwise, names, is_open),
            None => {
                *is_open = [true; 2];
                Vec::new()
            }
        },
        Substitution::Select(branches, otherwise) => {
            let guards: Vec<Truth> = branches.iter().map(|(guard, _)| value(guard, names)).collect();
            // ELSE is open where no guard is true and one is unknown.
            let of_else = all(guards.iter().map(|guard| guard.map(|guard| !guard)));
            let guarded = branches.iter().zip(&guards).map(|((_, body), guard)| (body, *guard));
            let guarded = guarded.chain(otherwise.iter().map(|body| (&**body, of_else)));
            let mut found = Vec::new();
            for (body, guard) in guarded {
                let mut of_body = [false; 2];
                let reached = outcomes(body, names, &mut of_body);
                match guard {
                    Some(true) => {
                        found.extend(reached);
                        *is_open = [is_open[0] || of_body[0], is_open[1] || of_body[1]];
                    }
                    Some(false) => {}
                    None => *is_open = [true, is_open[1] || of_body[1] || !reached.is_empty()],
                }
            }
            found
        }
        Substitution::Any(condition) => {
            let values = (0..=2).map(|bound| (bound, value(condition, Names { bound, ..names })));
            let mut found = Vec::new();
            for (bound, holds) in values {
                *is_open = is_open.map(|is_open| is_open || holds.is_none());
                found.extend((holds == Some(true)).then_some(Names { x: bound, ..names }));
            }
            found
        }
        Substitution::Choice(parts) => parts.iter().flat_map(|part| outcomes(part, names, is_open)).collect(),
        Substitution::Sequence(first, then) => {
            let middle = outcomes(first, names, is_open);
            middle.into_iter().flat_map(|names| outcomes(then, names, is_open)).collect()
        }
    }
}

/// Runs the machine.
pub(super) fn expected(model: &Model) -> Expected {
    let names = |(x, y): (i64, i64)| Names { x, y, parameter: 0, bound: 0 };
    let properties = model.properties.as_ref().map_or(Some(true), |properties| value(properties, names((0, 0))));
    if properties == Some(false) {
        let verdict = "unsatisfiable_properties";
        return Expected { verdict, precise: (0, verdict), ..Expected::default() };
    }
    let mut found = Expected::default();
    let mut is_open = [properties.is_none(); 2];
    let (mut met, mut waiting) = (BTreeSet::from([(0, 0)]), vec![(0, 0)]);
    while let Some(state) = waiting.pop() {
        found.states += 1;
        let invariant = all(model.invariant.iter().map(|conjunct| value(conjunct, names(state))));
        found.violations += u64::from(invariant == Some(false));
        let assertion = model.assertion.as_ref().map_or(Some(true), |assertion| value(assertion, names(state)));
        found.false_assertions += u64::from(assertion == Some(false));
        let is_unknown = invariant.is_none() || assertion.is_none();
        is_open = is_open.map(|is_open| is_open || is_unknown);
        let (mut steps, mut may_be_enabled) = (0, [false; 2]);
        for (has_parameter, guard, body) in &model.operations {
            for parameter in 0..=i64::from(*has_parameter) {
                let names = Names { parameter, ..names(state) };
                let mut is_partial = [false; 2];
                let mut reached = outcomes(body, names, &mut is_partial);
                let guard = value(guard, names);
                let feasible = [guard.is_none(), guard.is_none() && (is_partial[1] || !reached.is_empty())];
                if guard != Some(true) {
                    (is_partial, reached) = ([false; 2], Vec::new());
                }
                for ((may_be, feasible), is_partial) in may_be_enabled.iter_mut().zip(feasible).zip(is_partial) {
                    *may_be |= is_partial || feasible;
                }
                let next: BTreeSet<(i64, i64)> = reached.into_iter().map(|names| (names.x, names.y)).collect();
                steps += next.len() as u64;
                waiting.extend(next.into_iter().filter(|next| met.insert(*next)));
            }
        }
        found.transitions += steps;
        found.deadlocks += u64::from(steps == 0 && !may_be_enabled[0]);
        found.precise.0 += u64::from(steps == 0 && !may_be_enabled[1]);
        for (is_open, may_be) in is_open.iter_mut().zip(may_be_enabled) {
            *is_open |= may_be;
        }
    }
    let verdict = |deadlocks: u64, is_open: bool| match () {
        () if properties.is_none() => "incomplete",
        () if found.violations + found.false_assertions + deadlocks > 0 => "a finding",
        () if is_open => "incomplete",
        () => "verified",
    };
    let verdicts = (verdict(found.deadlocks, is_open[0]), verdict(found.precise.0, is_open[1]));
    (found.verdict, found.precise.1) = verdicts;
    found
}
