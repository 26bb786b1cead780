//! Evidence for random predicates in random states: each part is printed with the values of bound names, read and evaluated again.
//!
//! Invariant: seeds are fixed. Deliberately elsewhere: evidence for predicates that people write (`explain`).

use crate::formula_text;
use crate::program::part;
use crate::random_formula::{Dice, Maker, model, scope, state};
use bcheck::eval::{Evidence, Machine, TermValue, TruthValue};
use bcheck::ir::{LocalId, Model, Pred, PredKind, Type};
use bcheck::sema::{Formula, FormulaContext, Macros, analyse_formula};
use bcheck::source::SourceMap;
use bcheck::syntax::parse_formula;
use bcheck::value::display::display;
use bcheck::value::{Valuation, Value};
use std::sync::Arc;

/// The value of a text over a model in a state, if it has one.
fn value_of(model: &Model, text: &str, state: &Valuation) -> Option<Value> {
    let mut sources = SourceMap::default();
    let parsed = parse_formula(sources.add("formula", text), text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let scope = scope();
    let context = FormulaContext { model: Some(model), scope: Some(&scope), expected: None, has_current: false };
    let (formula, model) = analyse_formula(&parsed.tree, context, &Macros::default()).unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let machine = Machine::compile(Arc::new(model), scope.clone());
    match formula {
        Formula::Expr(expr) => machine.evaluate(&expr, state).ok(),
        Formula::Pred(pred) => machine.holds(&pred, state).ok().map(Value::Bool),
    }
}

/// What was seen, so that a test that sees nothing fails.
#[derive(Debug, Default)]
struct Seen {
    parts: usize,
    terms: usize,
    witnesses: usize,
    rejections: usize,
    ill_defined: usize,
}

struct Verifier<'a> {
    seed: u64,
    model: &'a Model,
    state: &'a Valuation,
    seen: Seen,
}

impl Verifier<'_> {
    /// A text with values of names around it.
    fn within(&self, bound: &[(LocalId, Value)], text: &str) -> String {
        if bound.is_empty() {
            return text.to_owned();
        }
        let names: Vec<String> = bound.iter().map(|(id, _)| format!("x{}", id.0)).collect();
        let equations: String = bound.iter().map(|(id, value)| format!("x{} = {} & ", id.0, display(value, self.model))).collect();
        format!("#({}).({equations}({text}))", names.join(", "))
    }

    fn holds(&self, bound: &[(LocalId, Value)], text: &str) -> Option<bool> {
        value_of(self.model, &self.within(bound, text), self.state).map(|value| value == Value::Bool(true))
    }

    /// How many bindings satisfy a predicate, if that has a value.
    fn count(&self, bound: &[(LocalId, Value)], locals: &[(LocalId, Type)], text: &str, count: usize) {
        let names: Vec<String> = locals.iter().map(|(id, _)| format!("x{}", id.0)).collect();
        let Some((_, Type::Given(set))) = locals.first() else { return };
        let typing = format!("{} : {}", names[0], self.model.set_name(*set));
        let text = format!("card({{{} | {typing} & ({text})}}) = {count}", names.join(", "));
        // Ill-defined for some binding that the quantifier need not look at.
        assert_ne!(self.holds(bound, &text), Some(false), "seed {}: {text} with {bound:?}", self.seed);
    }

    fn verify(&mut self, evidence: &Evidence, bound: &[(LocalId, Value)]) {
        let text = formula_text::predicate(self.model, &evidence.pred);
        let expected = match &evidence.truth {
            TruthValue::True => Some(true),
            TruthValue::False => Some(false),
            TruthValue::IllDefined(_) => None,
            // Values that cannot be enumerated have no other value by the text.
            TruthValue::Unknown(_) => return,
        };
        assert_eq!(self.holds(bound, &text), expected, "seed {}: {text} with {bound:?}", self.seed);
        self.seen.parts += 1;
        self.seen.ill_defined += usize::from(expected.is_none());
        let mut below = bound.to_vec();
        if let Some(witness) = &evidence.witness {
            below.extend(witness.values.iter().cloned());
            self.seen.witnesses += 1;
            if let (PredKind::Forall(locals, body), Some(false), true) = (&evidence.pred.kind, expected, witness.is_all) {
                let refuted = format!("not({})", formula_text::predicate(self.model, body));
                self.count(bound, locals, &refuted, witness.count);
                self.is_least(bound, locals, &refuted, &witness.values);
            }
        }
        evidence.parts.iter().for_each(|part| self.verify(part, &below));
        evidence.terms.iter().for_each(|term| self.verify_term(term, bound));
        let (PredKind::Exists(_, body), Some(tried)) = (&evidence.pred.kind, &evidence.tried) else { return };
        assert!(tried.is_all, "seed {}: {text}", self.seed);
        assert_eq!(tried.rejections.iter().map(|rejection| rejection.count).sum::<usize>(), tried.count, "seed {}: {text}", self.seed);
        let conjuncts = flat(body);
        for rejection in &tried.rejections {
            let example = [bound, &rejection.example[..]].concat();
            assert_eq!(rejection.evidence.truth, TruthValue::False, "seed {}: {text}", self.seed);
            self.verify(&rejection.evidence, &example);
            let at = conjuncts.iter().position(|conjunct| **conjunct == rejection.evidence.pred).expect("a conjunct");
            for before in &conjuncts[..at] {
                let before = formula_text::predicate(self.model, before);
                assert_ne!(self.holds(&example, &before), Some(false), "seed {}: {before} rejects before", self.seed);
            }
            self.seen.rejections += 1;
        }
    }

    /// No lesser value of the only name satisfies the text; unless that is ill-defined.
    fn is_least(&self, bound: &[(LocalId, Value)], locals: &[(LocalId, Type)], text: &str, found: &[(LocalId, Value)]) {
        let ([(id, _)], [(_, Value::Element(least))]) = (locals, found) else { return };
        for index in 0..least.index {
            let lesser = [bound, &[(*id, Value::element(least.set, index))]].concat();
            assert_ne!(self.holds(&lesser, text), Some(true), "seed {}: {text} for a lesser value than {found:?}", self.seed);
        }
    }

    fn verify_term(&mut self, term: &TermValue, bound: &[(LocalId, Value)]) {
        let text = formula_text::expression(self.model, &term.expr);
        match &term.value {
            // Descriptions of sets are no texts.
            Ok(value) if value.holds_description() => {}
            Ok(value) => {
                let shown = display(value, self.model);
                assert_eq!(self.holds(bound, &format!("{text} = {shown}")), Some(true), "seed {}: {text} = {shown}", self.seed);
                self.seen.terms += 1;
            }
            Err(_) => {}
        }
        term.parts.iter().for_each(|part| self.verify_term(part, bound));
    }
}

fn flat(pred: &Pred) -> Vec<&Pred> {
    if let PredKind::And(parts) = &pred.kind { parts.iter().flat_map(flat).collect() } else { vec![pred] }
}

#[test]
fn the_evidence_for_random_predicates_is_as_it_says() {
    let model = model();
    let machine = Machine::compile(Arc::new(model.clone()), scope());
    let mut seen = Seen::default();
    for seed in 0..part(2_000, 3) {
        let mut dice = Dice::new(seed);
        let pred = Maker::new(&mut dice).pred(4);
        let state = state(&mut dice);
        let evidence = machine.evidence(&pred, &state);
        let holds = machine.holds(&pred, &state);
        match &evidence.truth {
            TruthValue::True | TruthValue::False => assert_eq!(holds, Ok(evidence.truth == TruthValue::True), "seed {seed}"),
            TruthValue::IllDefined(error) => assert_eq!(holds.as_ref(), Err(error), "seed {seed}"),
            TruthValue::Unknown(reason) => assert_eq!(holds.map_err(|error| error.kind).as_ref(), Err(reason), "seed {seed}"),
        }
        let mut verifier = Verifier { seed, model: &model, state: &state, seen };
        verifier.verify(&evidence, &[]);
        seen = verifier.seen;
    }
    let counts = [seen.parts, seen.terms, seen.witnesses, seen.rejections, seen.ill_defined];
    assert!(counts.iter().all(|count| *count > 20), "{seen:?}");
}
