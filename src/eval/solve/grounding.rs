//! The grounding of a problem: the open values of its names, and the bindings of its quantifiers.
//!
//! Invariant: each binding of a quantifier is visited once, with its names set in the frame or among the open values. Deliberately
//! elsewhere: the formulas and terms in it (`truth`, `terms`, `linear`), the inputs of names (`domain`), operations on values (`encoder`).

use super::encoder::Encoder;
use super::open::{Ground, Grounded, Stop, Truth};
use super::sat::Lit;
use super::terms::value_of;
use super::truth::truth_of;
use crate::plan::problem::{Binding, Bindings, Formula, Term};
use crate::plan::{Pattern, Slot};
use crate::run::frame::{Flow, Frame};
use crate::thresholds::GATED_BINDINGS;
use bcheck_value::Value;
use rustc_hash::FxHashMap;

/// The translation of a problem into gates.
pub(super) struct Grounding<'g, 'm> {
    pub(super) encoder: Encoder<'g, 'm>,
    /// The open values of names: those to be solved, definitions encoded so far, and names that LET bound to open terms.
    pub(super) open: FxHashMap<Slot, Ground>,
    definitions: FxHashMap<Slot, &'g Term>,
    /// Bindings of quantifiers encoded for the present conjunct.
    bindings: u64,
}

impl<'g, 'm> Grounding<'g, 'm> {
    pub(super) fn new(frame: &'g mut Frame<'m>, definitions: FxHashMap<Slot, &'g Term>) -> Self {
        Grounding { encoder: Encoder::new(frame), open: FxHashMap::default(), definitions, bindings: 0 }
    }

    /// The truth of a conjunct of the problem.
    pub(super) fn conjunct(&mut self, formula: &Formula) -> Grounded<Truth> {
        self.bindings = 0;
        truth_of(self, formula)
    }
}

/// Visits the bindings of a quantifier, with the truth of its conditions. Each binding is visited once.
pub(super) fn each_binding(
    grounding: &mut Grounding<'_, '_>,
    bindings: &Bindings,
    visit: &mut dyn FnMut(&mut Grounding<'_, '_>, Truth) -> Grounded<()>,
) -> Grounded<()> {
    each_element(grounding, &bindings.elements, Truth::TRUE, &mut |grounding, element| {
        // Collected first, because encoding the conditions needs the frame that runs this search.
        let mut known: Vec<Vec<Value>> = Vec::new();
        let slots = &bindings.slots;
        // The known conjuncts of the binding bound its names; the rest are `conditions`, encoded for each binding.
        grounding.encoder.frame.run(&bindings.known, &mut |frame| {
            known.push(slots.iter().map(|&slot| frame.get(slot, bindings.known.span).cloned()).collect::<Result<_, _>>()?);
            Ok(if known.len() as u64 > GATED_BINDINGS.get() { Flow::Stop } else { Flow::Continue })
        })?;
        for values in known {
            grounding.bindings += 1;
            if grounding.bindings > GATED_BINDINGS.get() {
                return Err(Stop::Unsupported);
            }
            grounding.encoder.frame.tick(bindings.known.span)?;
            grounding.encoder.is_room(bindings.known.span)?;
            for (&slot, value) in slots.iter().zip(values) {
                grounding.encoder.frame.set(slot, value);
            }
            let truth = conditions(grounding, element, &bindings.conditions)?;
            // A binding whose conditions are false in every model adds nothing to any quantifier or fold.
            if truth.fails != Lit::TRUE {
                visit(grounding, truth)?;
            }
        }
        Ok(())
    })
}

/// The conjunction of conditions as a search evaluates it: one that is false outweighs those that are ill-defined, in any order.
fn conditions(grounding: &mut Grounding<'_, '_>, element: Truth, conditions: &[Formula]) -> Grounded<Truth> {
    let (mut holds, mut fails) = (vec![element.holds], vec![element.fails]);
    for condition in conditions {
        let truth = truth_of(grounding, condition)?;
        holds.push(truth.holds);
        fails.push(truth.fails);
    }
    // Then `fails` is the negation of `holds` for the conjunction too.
    let is_total = holds.iter().zip(&fails).all(|(holds, fails)| *holds == !*fails);
    let holds = grounding.encoder.circuit.all(holds);
    Ok(if is_total { Truth::total(holds) } else { Truth { holds, fails: grounding.encoder.circuit.any(fails) } })
}

/// Matches the patterns with the elements that their sets may have, one pattern after the other: a later set may depend on names bound
/// by an earlier pattern.
fn each_element(
    grounding: &mut Grounding<'_, '_>,
    elements: &[(Pattern, Term)],
    outer: Truth,
    visit: &mut dyn FnMut(&mut Grounding<'_, '_>, Truth) -> Grounded<()>,
) -> Grounded<()> {
    let Some(((pattern, term), rest)) = elements.split_first() else { return visit(grounding, outer) };
    let set = value_of(grounding, term)?;
    let members = grounding.encoder.members(&set.value, term.span)?;
    for (value, literal) in members.iter() {
        if grounding.encoder.frame.matches(pattern, value)? {
            // An element is bound where the outer binding holds, the set has a value, and the element is in it.
            let holds = grounding.encoder.circuit.all(vec![outer.holds, *literal, set.defined]);
            let truth = if outer.is_total() && set.defined == Lit::TRUE {
                Truth::total(holds)
            } else {
                // An ill-defined set has neither this element nor not.
                let fails = grounding.encoder.circuit.and(!*literal, set.defined);
                Truth { holds, fails: grounding.encoder.circuit.or(outer.fails, fails) }
            };
            grounding.encoder.is_room(term.span)?;
            each_element(grounding, rest, truth, visit)?;
        }
    }
    Ok(())
}

/// The open value of a name: an input, or its definition, which is encoded at its first use. Definitions need only earlier ones, so
/// this ends.
pub(super) fn value_of_name(grounding: &mut Grounding<'_, '_>, slot: Slot) -> Grounded<Ground> {
    if let Some(ground) = grounding.open.get(&slot) {
        return Ok(ground.clone());
    }
    let definition = *grounding.definitions.get(&slot).ok_or(Stop::Unsupported)?;
    let ground = value_of(grounding, definition)?;
    grounding.open.insert(slot, ground.clone());
    Ok(ground)
}

/// Gives names of LET their values.
pub(super) fn bind(grounding: &mut Grounding<'_, '_>, bindings: &[(Slot, Binding)]) -> Grounded<()> {
    for (slot, binding) in bindings {
        match binding {
            // It depends on no name to be solved: evaluated once, here, under the bindings around it.
            Binding::Known(plan) => {
                let value = grounding.encoder.frame.eval(plan)?;
                grounding.encoder.frame.set(*slot, value);
            }
            Binding::Open(term) => {
                let value = value_of(grounding, term)?;
                grounding.open.insert(*slot, value);
            }
        }
    }
    Ok(())
}
