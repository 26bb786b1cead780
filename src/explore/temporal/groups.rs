//! The formulas of a model, ready to be judged: closed, without quantifiers, in groups that preserve the same symmetries.
//!
//! Invariant: the formulas of a group share one numbering of propositions and one graph. Deliberately elsewhere: which symmetries a
//! formula preserves (`symmetric`), how it is judged (`judge`).

use super::instances::{FormulaInstance, instances};
use super::propositions::{Assumptions, Propositions, TooManyPropositions, Used};
use super::results::Results;
use super::symmetric::keeping;
use crate::Options;
use bcheck_eval::Machine;
use bcheck_ir::LocalId;
use bcheck_ir::temporal::{Logic, Prefix, TemporalFormula, TemporalKind};
use bcheck_symmetry::Symmetry;
use bcheck_temporal::automaton::Automaton;
use bcheck_temporal::expand::{TooLarge, automaton};
use bcheck_temporal::formula::{Branching, Formula};
use bcheck_value::Value;
use std::sync::OnceLock;

/// A closed formula without quantifiers: one of the instances of a formula of the model.
struct Closed {
    /// The number in the model.
    formula: usize,
    /// The number among the instances of that formula.
    instance: usize,
    text: TemporalFormula,
    /// The values of the names quantified in front.
    values: Vec<(LocalId, Value)>,
    symmetry: Symmetry,
}

/// Formulas that are judged on one graph.
pub(super) struct Group<'a> {
    pub(super) members: Vec<Member>,
    pub(super) propositions: Propositions<'a>,
    pub(super) symmetry: Symmetry,
}

impl Group<'_> {
    /// Reports the formulas that are not decided yet as undecided.
    pub(super) fn leave_open(&self, results: &mut Results, reason: &str) {
        self.members.iter().for_each(|member| results.leave_open(member.formula, reason));
    }
}

/// A formula of a group.
pub(super) struct Member {
    /// The number, in the model, of the formula of which this is an instance.
    pub(super) formula: usize,
    /// The number among these.
    pub(super) instance: usize,
    pub(super) text: TemporalFormula,
    /// The values of the names quantified in front.
    pub(super) values: Vec<(LocalId, Value)>,
    pub(super) asked: Asked,
    pub(super) used: Used,
}

/// A formula over numbered propositions.
pub(super) enum Asked {
    /// Of linear time.
    Linear(LinearQuestion),
    /// Of branching time.
    Branching(Branching),
}

/// A formula of linear time, with its assumptions.
pub(super) struct LinearQuestion {
    pub(super) formula: Formula,
    pub(super) assumptions: Assumptions,
    negation: OnceLock<Result<Automaton, TooLarge>>,
}

impl LinearQuestion {
    /// The automaton of the negation, built on first use.
    pub(super) fn negation(&self) -> Result<&Automaton, &TooLarge> {
        self.negation.get_or_init(|| automaton(&Formula::Not(Box::new(self.formula.clone())))).as_ref()
    }
}

/// The groups of the formulas of a model, in the order of the first formula of each. Formulas that cannot be judged get their results.
pub(super) fn groups<'a>(machine: &'a Machine, options: &Options, results: &mut Results) -> Vec<Group<'a>> {
    let mut closed = Vec::new();
    for (formula, text) in machine.model().temporal.iter().enumerate() {
        match instances(machine, text, &|text| keeping(machine, options, &[text])) {
            Ok(texts) => closed.extend(texts.into_iter().enumerate().map(|(instance, FormulaInstance { formula: text, values })| {
                let symmetry = keeping(machine, options, &[&text]);
                Closed { formula, instance, text, values, symmetry }
            })),
            Err(reason) => results.leave_open(formula, &reason.to_string()),
        }
    }
    let mut groups = Vec::new();
    for alike in grouped(machine, options, closed) {
        match numbered(machine, &alike) {
            Ok(group) => groups.push(group),
            // Too many propositions together: each formula becomes a separate group.
            Err(_) => {
                for one in alike {
                    let formula = one.formula;
                    match numbered(machine, &[one]) {
                        Ok(group) => groups.push(group),
                        Err(error) => results.leave_open(formula, &error.to_string()),
                    }
                }
            }
        }
    }
    groups
}

/// Formulas grouped by the symmetries that they preserve; groups are in the order of their first formulas.
///
/// The symmetries that preserve two formulas are a subgroup of those that preserve one of them: with equal orders, they are the same group.
fn grouped(machine: &Machine, options: &Options, closed: Vec<Closed>) -> Vec<Vec<Closed>> {
    let mut groups: Vec<Vec<Closed>> = Vec::new();
    for one in closed {
        let own = one.symmetry.detail();
        let fits = |group: &&mut Vec<Closed>| {
            let other = &group[0];
            let detail = other.symmetry.detail();
            // Where each group is all permutations of its movable elements, equal sets of elements mean equal groups.
            let is_same = || !own.is_narrowed && !detail.is_narrowed && own.fixed == detail.fixed;
            let pair = || keeping(machine, options, &[&other.text, &one.text]);
            // Last, as it reads the text of the machine again.
            detail.order == own.order && (is_same() || pair().detail().order == own.order)
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// A group, with its propositions numbered.
fn numbered<'a>(machine: &'a Machine, closed: &[Closed]) -> Result<Group<'a>, TooManyPropositions> {
    let mut propositions = Propositions::new(machine);
    let mut members = Vec::with_capacity(closed.len());
    for Closed { formula, instance, text, values, .. } in closed {
        // Numbers are shared by the members, their use is recorded for each separately.
        propositions.used = Used::default();
        let asked = asked(&mut propositions, text)?;
        let (text, values) = (text.clone(), values.clone());
        members.push(Member { formula: *formula, instance: *instance, text, values, asked, used: propositions.used });
    }
    Ok(Group { members, propositions, symmetry: closed[0].symmetry.clone() })
}

/// A formula over the numbers of its propositions.
fn asked(propositions: &mut Propositions<'_>, text: &TemporalFormula) -> Result<Asked, TooManyPropositions> {
    let linear = |formula, assumptions| Asked::Linear(LinearQuestion { formula, assumptions, negation: OnceLock::new() });
    Ok(match (text.logic, &text.body.kind) {
        (Logic::Ctl, _) => Asked::Branching(propositions.branching(&text.body)?),
        (Logic::Ltl, TemporalKind::Prefixed(Prefix::Fair(kinds), formula)) => {
            let assumptions = propositions.fairness(kinds)?;
            linear(propositions.linear(formula)?, assumptions)
        }
        (Logic::Ltl, _) => linear(propositions.linear(&text.body)?, propositions.fairness(&[])?),
    })
}
