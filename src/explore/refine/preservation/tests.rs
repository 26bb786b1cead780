//! Formulas of refined machines on their refinements: what is kept holds there, and what is missing matters.

mod random;
mod words;

use super::{CheckedRefinement, Gap, Lemma, Obstacle, Preservation, Preserved, preserved};
use crate::refine::{Demands, Matching, RefinementCheck};
use crate::{Options, Silent, TemporalResult, TemporalVerdict, explore};
use bcheck_eval::Machine;
use bcheck_ir::{Model, Precondition, Scope};
use bcheck_sema::{Files, FormulaContext, LoadError, Macros, RefinementRequest, analyse_parsed, analyse_refinement, read_temporal};
use bcheck_source::{FileId, SourceMap};
use bcheck_syntax::ast::{self, Definition, Parsed};
use bcheck_syntax::parse_machine;
use bcheck_syntax::temporal::Logic;
use std::sync::Arc;

/// The refined machine, under whatever name.
struct Above<'t>(FileId, &'t str);

impl Files for Above<'_> {
    fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<ast::Machine>>, LoadError> {
        Ok(parse_machine(self.0, self.1))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

/// A machine and its refinement as texts.
struct Pair<'t> {
    refined: &'t str,
    refinement: &'t str,
}

/// What a refinement check demands by default.
const PLAIN: Demands = Demands { matching: Matching::Simulation, refusals: false, divergence: false };

fn scope(model: &Model) -> Scope {
    Scope { sizes: vec![2; model.sets.len()], minint: -1, maxint: 3 }
}

/// A machine with formulas, and what they are worth; `None` if it has no operation that one of them names.
fn judged(mut model: Model, macros: &Macros, formulas: &[String]) -> Option<(Machine, Vec<TemporalResult>)> {
    let mut sources = SourceMap::new();
    let scope = scope(&model);
    for text in formulas {
        let (logic, text) = text.strip_prefix("CTL ").map_or((Logic::Ltl, text.as_str()), |text| (Logic::Ctl, text));
        let file = sources.add("formula", text);
        let context = FormulaContext { model: Some(&model), scope: Some(&scope), ..FormulaContext::default() };
        let (formula, extended) = read_temporal(file, logic, "formula", text, context, macros).ok()?;
        model = extended;
        model.temporal.push(formula);
    }
    let options = Options { deadlock: false, invariant: false, ..Options::default() };
    let machine = Machine::compile(Arc::new(model), scope);
    let outcome = explore(&machine, &options.symmetry_of(&machine), &options, &mut Silent);
    assert_eq!(outcome.internal_error, None, "{formulas:?}");
    Some((machine, outcome.temporal))
}

impl Pair<'_> {
    /// What becomes of formulas of the refined machine; none where the refinement is refused.
    fn preserved(&self, demands: Demands, formulas: &[String]) -> Vec<Preserved> {
        let mut sources = SourceMap::new();
        let file = sources.add("r.ref", self.refinement);
        let above = sources.add("m.mch", self.refined);
        let tree = parse_machine(file, self.refinement).tree.expect("a refinement");
        let request = RefinementRequest { precondition: Precondition::Contract, hidden: &[] };
        let analysis = analyse_refinement(&tree, &mut Above(above, self.refined), request);
        let (model, refinement) = analysis.refinement.unwrap_or_else(|| panic!("{:?}\n{}", analysis.diagnostics, self.refinement));
        let scope = scope(&model);
        let machine = Machine::compile(Arc::new(model), scope);
        let options = Options::default();
        let symmetry = options.symmetry_of(&machine);
        let (_, facts) = RefinementCheck { machine: &machine, refinement: &refinement, symmetry: &symmetry, demands, options: &options }
            .run_for_facts(&mut Silent);
        let own = analyse_parsed(parse_machine(above, self.refined), &mut Above(above, self.refined));
        let model = own.model.unwrap_or_else(|| panic!("{:?}\n{}", own.diagnostics, self.refined));
        let (alone, results) = judged(model, &own.macros, formulas).expect("formulas of the refined machine");
        let checked = CheckedRefinement { model: machine.model(), refinement: &refinement, demands, facts: &facts };
        preserved(checked, &alone, &results)
    }

    /// What the same formulas are worth of the refinement.
    fn direct(&self, formulas: &[String]) -> Option<Vec<TemporalVerdict>> {
        let mut sources = SourceMap::new();
        let file = sources.add("r.ref", self.refinement);
        let above = sources.add("m.mch", self.refined);
        let analysis = analyse_parsed(parse_machine(file, self.refinement), &mut Above(above, self.refined));
        let (_, results) = judged(analysis.model.expect("a machine"), &analysis.macros, formulas)?;
        Some(results.into_iter().map(|result| result.verdict).collect())
    }

    /// The only formula.
    fn one(&self, demands: Demands, formula: &str) -> Preserved {
        self.preserved(demands, &[formula.to_owned()]).remove(0)
    }

    fn fails(&self, formula: &str) -> bool {
        self.direct(&[formula.to_owned()]) == Some(vec![TemporalVerdict::Violated])
    }

    /// The formula is kept by this lemma, and does hold.
    fn keeps(&self, demands: Demands, formula: &str, lemma: Lemma) {
        let preserved = self.one(demands, formula);
        assert_eq!((preserved.answer, preserved.lemma), (Preservation::Kept, Some(lemma)), "{formula}: {preserved:?}");
        assert_eq!(self.direct(&[formula.to_owned()]), Some(vec![TemporalVerdict::Holds]), "{formula}");
    }

    /// The formula is not kept for this reason, and does fail.
    fn loses(&self, demands: Demands, formula: &str, gaps: &[Gap]) {
        let preserved = self.one(demands, formula);
        assert_eq!((preserved.answer, preserved.gaps.as_slice()), (Preservation::NotKept, gaps), "{formula}: {preserved:?}");
        assert!(self.fails(formula), "{formula}");
    }

    /// No lemma covers the formula, and it does fail.
    fn is_left(&self, demands: Demands, formula: &str, obstacle: &Obstacle) {
        let preserved = self.one(demands, formula);
        assert_eq!((preserved.answer, preserved.obstacle.as_ref()), (Preservation::OwnCheck, Some(obstacle)), "{formula}");
        assert!(self.fails(formula), "{formula}");
    }
}

/// A switch that is turned on and off for ever.
const SWITCH: &str = "MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS
    on = SELECT x = 0 THEN x := 1 END; off = SELECT x = 1 THEN x := 0 END END";
/// It takes time to go on; the timer ends.
const TIMER: &str = "REFINEMENT r REFINES m VARIABLES x, y INVARIANT y : 0..1 INITIALISATION x := 0 || y := 0 OPERATIONS
    on = SELECT x = 0 & y = 1 THEN x := 1 || y := 0 END; off = SELECT x = 1 & y = 1 THEN x := 0 || y := 0 END;
    tick = SELECT y = 0 THEN y := 1 END END";
/// It may tick for ever.
const CLOCK: &str = "REFINEMENT r REFINES m VARIABLES x, y INVARIANT y : 0..1 INITIALISATION x := 0 || y := 0 OPERATIONS
    on = SELECT x = 0 THEN x := 1 END; off = SELECT x = 1 THEN x := 0 END; tick = BEGIN y := 1 - y END END";
/// It wears out.
const WORN: &str = "REFINEMENT r REFINES m VARIABLES x, y INVARIANT y : 0..2 INITIALISATION x := 0 || y := 2 OPERATIONS
    on = SELECT x = 0 & y > 0 THEN x := 1 || y := y - 1 END; off = SELECT x = 1 & y > 0 THEN x := 0 || y := y - 1 END END";

#[test]
fn without_new_operations_and_deadlocks_everything_linear_is_kept() {
    let same = "REFINEMENT r REFINES m VARIABLES x INITIALISATION x := 0 OPERATIONS
        on = SELECT x = 0 THEN x := 1 END; off = SELECT x = 1 THEN x := 0 END END";
    let pair = Pair { refined: SWITCH, refinement: same };
    pair.keeps(PLAIN, "G ({x = 0} => X {x = 1})", Lemma::Runs);
    pair.keeps(PLAIN, "G F [on]", Lemma::Runs);
    pair.keeps(PLAIN, "G ([on] => Y [off] or {x = 0})", Lemma::Prefixes);
    pair.keeps(PLAIN, "G not deadlock", Lemma::Runs);
    pair.keeps(PLAIN, "CTL AG (not {x = 0} or AX {x = 1})", Lemma::Prefixes);
    pair.keeps(Demands { refusals: true, ..PLAIN }, "G ({x = 0} => e(on))", Lemma::Prefixes);
}

#[test]
fn internal_steps_that_end_keep_what_does_not_speak_of_the_next_step() {
    let pair = Pair { refined: SWITCH, refinement: TIMER };
    pair.keeps(PLAIN, "G F {x = 1}", Lemma::Runs);
    pair.keeps(PLAIN, "G ([on] => {x = 0})", Lemma::Prefixes);
    pair.keeps(PLAIN, "G ([on] => X {x = 1})", Lemma::Prefixes);
    pair.keeps(PLAIN, "G ([on] => F [off])", Lemma::Runs);
    pair.keeps(PLAIN, "G not ({x = 0} & e(off))", Lemma::Prefixes);
    pair.keeps(PLAIN, "CTL AG (not {x = 0} or AF {x = 1})", Lemma::Runs);
    pair.loses(PLAIN, "G ({x = 0} => X {x = 1})", &[Gap::InternalSteps]);
    pair.loses(PLAIN, "G ({x = 0} => [on])", &[Gap::InternalSteps]);
    pair.loses(PLAIN, "[on]", &[Gap::InternalSteps]);
    pair.loses(PLAIN, "CTL AX {x = 1}", &[Gap::InternalSteps]);
    pair.loses(PLAIN, "G ({x = 1} => Y {x = 0})", &[Gap::InternalSteps]);
    pair.loses(PLAIN, "G ({x = 0} => O [on])", &[Gap::InternalSteps]);
}

#[test]
fn divergence_and_new_deadlocks_break_what_is_to_come() {
    let pair = Pair { refined: SWITCH, refinement: CLOCK };
    pair.loses(PLAIN, "G F {x = 1}", &[Gap::Divergence]);
    pair.loses(PLAIN, "CTL AF {x = 1}", &[Gap::Divergence]);
    pair.loses(PLAIN, "F [on]", &[Gap::Divergence]);
    pair.keeps(PLAIN, "not [off] W [on]", Lemma::Prefixes);
    let pair = Pair { refined: SWITCH, refinement: WORN };
    pair.loses(PLAIN, "G F {x = 1}", &[Gap::Deadlock]);
    pair.loses(PLAIN, "G not deadlock", &[Gap::Deadlock]);
    pair.loses(PLAIN, "G ({x = 0} => [on])", &[Gap::Deadlock]);
    pair.keeps(PLAIN, "G ([on] => X {x = 1})", Lemma::Prefixes);
}

#[test]
fn guards_may_be_stronger_so_what_is_possible_need_not_stay_so() {
    let refined = "MACHINE m VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS
        on = SELECT x = 0 THEN x := 1 END; off = SELECT x = 1 THEN x := 0 END; stay = skip END";
    let refinement = "REFINEMENT r REFINES m VARIABLES x INITIALISATION x := 0 OPERATIONS
        on = SELECT x = 0 THEN x := 1 END; off = SELECT x = 2 THEN x := 0 END; stay = SELECT x = 1 THEN skip END END";
    let pair = Pair { refined, refinement };
    pair.loses(PLAIN, "G e(stay)", &[Gap::Refusals]);
    pair.loses(PLAIN, "G not deadlock(on, off, stay) & G controller(on, off)", &[Gap::Refusals]);
    pair.keeps(PLAIN, "G ({x = 0} => not e(off))", Lemma::Prefixes);
    pair.keeps(PLAIN, "G deterministic(on, off)", Lemma::Prefixes);
    // That it does refuse calls is a finding of the check, so nothing is passed on.
    let refusals = Demands { refusals: true, ..PLAIN };
    assert_eq!(pair.one(refusals, "G {x < 2}").gaps, [Gap::Simulation]);
}

/// At first it is decided, out of sight, which of two ways it goes; the refinement decides late.
const EARLY: &str = "MACHINE m VARIABLES x, h INVARIANT x : 0..3 & h : 0..1 INITIALISATION x := 0 || h := 0 OPERATIONS
    go = ANY way WHERE way : 0..1 & x = 0 THEN x := 1 || h := way END;
    left = SELECT x = 1 & h = 0 THEN x := 2 END; right = SELECT x = 1 & h = 1 THEN x := 3 END;
    stay = SELECT x > 1 THEN skip END END";
const LATE: &str = "REFINEMENT r REFINES m VARIABLES x INITIALISATION x := 0 OPERATIONS
    go = SELECT x = 0 THEN x := 1 END; left = SELECT x = 1 THEN x := 2 END; right = SELECT x = 1 THEN x := 3 END;
    stay = SELECT x > 1 THEN skip END END";

#[test]
fn late_decisions_keep_runs_and_not_branches() {
    let pair = Pair { refined: EARLY, refinement: LATE };
    let branches = "CTL AG (not {x = 1} or (AX {x = 2} or AX {x = 3}))";
    pair.loses(PLAIN, branches, &[Gap::Choices]);
    pair.loses(PLAIN, "G deterministic(left, right)", &[Gap::Choices]);
    pair.keeps(PLAIN, "CTL AG (not {x = 1} or AX {x : 2..3})", Lemma::Prefixes);
    pair.keeps(PLAIN, "G ({x = 1} => ([left] or [right]))", Lemma::Runs);
    // Each related state by itself does not follow; where it does, branches are kept.
    let each = Demands { matching: Matching::SimulationAll, ..PLAIN };
    assert_eq!(pair.one(each, branches).gaps, [Gap::Simulation]);
    let same = EARLY.replace("MACHINE m", "REFINEMENT r REFINES m");
    let pair = Pair { refined: EARLY, refinement: &same };
    pair.keeps(PLAIN, branches, Lemma::Simulation);
    pair.keeps(each, branches, Lemma::Simulation);
}

#[test]
fn existence_and_fairness_and_sinks_need_a_check_of_their_own() {
    // What is possible for ever in the refined machine is possible again and again in the refinement.
    let blinking = "REFINEMENT r REFINES m VARIABLES x, y INVARIANT y : 0..1 INITIALISATION x := 0 || y := 0 OPERATIONS
        on = SELECT x = 0 & y = 1 THEN x := 1 END; off = SELECT x = 1 & y = 1 THEN x := 0 END; tick = BEGIN y := 1 - y END END";
    let pair = Pair { refined: SWITCH, refinement: blinking };
    pair.is_left(PLAIN, "WF(on) & WF(off) => F [on]", &Obstacle::Fairness);
    let less = "REFINEMENT r REFINES m VARIABLES x INITIALISATION x := 0 OPERATIONS
        on = SELECT x = 2 THEN x := 1 END; off = SELECT x = 1 THEN x := 0 END END";
    let pair = Pair { refined: SWITCH, refinement: less };
    pair.is_left(PLAIN, "CTL EF {x = 1}", &Obstacle::Existence);
    pair.is_left(PLAIN, "CTL AG (EF {x = 1} <=> {x : 0..1})", &Obstacle::Existence);
    pair.is_left(PLAIN, "G not sink", &Obstacle::Sink);
    pair.is_left(PLAIN, "WF(on) => F {x = 1}", &Obstacle::Fairness);
}

#[test]
fn names_are_those_of_the_refined_machine() {
    let pair = Pair { refined: EARLY, refinement: LATE };
    let glued = pair.one(PLAIN, "G ({h = 1} => not [left])");
    assert_eq!((glued.answer, glued.glued), (Preservation::Kept, vec!["h".to_owned()]));
    // Without the gluing invariant nothing is known of variables, but of calls.
    let calls = Demands { matching: Matching::Trace, ..PLAIN };
    assert_eq!(pair.one(calls, "G {x < 4}").obstacle, Some(Obstacle::Calls));
    pair.keeps(calls, "not [left] W [go]", Lemma::Prefixes);
    // Nothing refines `stay`, and an operation that is new has a name of the refined machine's by chance only.
    let fewer = "REFINEMENT r REFINES m VARIABLES x INITIALISATION x := 0 OPERATIONS go = SELECT x = 0 THEN x := 1 END END";
    let pair = Pair { refined: EARLY, refinement: fewer };
    assert_eq!(pair.one(PLAIN, "F e(stay)").obstacle, Some(Obstacle::NotRefined("stay".to_owned())));
    let failing = pair.one(PLAIN, "G {x < 3}");
    assert_eq!((failing.answer, failing.gaps), (Preservation::Fails, Vec::new()));
}
