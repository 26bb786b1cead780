//! Random machines and refinements whose texts are symmetric in elements that they name: with reduction in every mode, and without, they
//! have one verdict, one conjunct, assertion or operation that it is about, and traces of one length.

use crate::program::part;
use crate::random_formula::Dice;
use bcheck::eval::Machine;
use bcheck::explore::refine::{Demands, Matching, RefinementCheck};
use bcheck::explore::{Fault, FaultKind, FaultyPart, Finding, Options, Outcome, Silent, Verdict, replay};
use bcheck::ir::{Precondition, Scope};
use bcheck::sema::{Files, LoadError, RefinementRequest, analyse_refinement};
use bcheck::source::Vocabulary;
use bcheck::source::{FileId, SourceMap};
use bcheck::symmetry::Mode;
use bcheck::syntax::ast::{self, Parsed};
use bcheck::syntax::parse_machine;
use bcheck::{Request, check_text};
use std::collections::BTreeSet;
use std::sync::Arc;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Writes texts over the set S = {a, b, ...}.
struct Writer<'d> {
    dice: &'d mut Dice,
    names: &'static [&'static str],
    /// How many of them are mostly named together.
    moving: usize,
    /// Whether f changes; few states otherwise.
    has_function: bool,
}

impl Writer<'_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.dice.below(of.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.dice.below(100) < percent
    }

    /// Elements that are named together, in any order.
    fn elements(&mut self) -> Vec<&'static str> {
        let mut names = self.names[..self.moving].to_vec();
        for at in (1..names.len()).rev() {
            names.swap(at, self.dice.below(at + 1));
        }
        if self.chance(3) {
            names.pop();
        }
        names
    }

    /// The one element that is named alone, if there is one; hardly ever another one.
    fn alone(&mut self) -> &'static str {
        let at = if self.chance(95) { self.names.len() - 1 } else { 0 };
        self.names[at]
    }

    /// A predicate about one element, `@`. `x`, `s` and `f` stand for themselves, `x` may be a parameter.
    fn about_one(&mut self) -> &'static str {
        const FORMS: [&str; 17] = [
            "x /= @",
            "x /= @",
            "@ /: s",
            "@ : s => x /= @",
            "@ : s => x = @",
            "x = @ => @ : s",
            "s /= {@}",
            "s /= S - {@}",
            "@ /: dom(f)",
            "@ /: ran(f)",
            "@ : dom(f) => f(@) /= @",
            "@ : dom(f) => f(@) /= x",
            "f(@) /= x",
            "f(x) /= @",
            "card(s) < 2 or @ /: s",
            "(@ |-> @) /: f",
            "bool(@ : s) = bool(@ = x)",
        ];
        let forms: Vec<&'static str> = FORMS.into_iter().filter(|form| self.has_function || !form.contains('f')).collect();
        self.one(&forms)
    }

    /// Conjuncts that are images of each other, or nearly so.
    fn conjuncts(&mut self, many: usize) -> Vec<String> {
        let mut found = Vec::new();
        for _ in 0..many {
            let form = self.about_one();
            let mut elements = self.elements();
            if self.chance(10) && self.moving < self.names.len() {
                elements = vec![self.alone()];
            }
            let mut own: Vec<String> = elements.iter().map(|element| format!("({})", form.replace('@', element))).collect();
            if self.chance(15) {
                let glue = self.one(&[" & ", " or "]);
                own = vec![format!("({})", own.join(glue))];
            }
            found.append(&mut own);
        }
        // Mostly the images stay side by side, as only neighbours may change places where one may be ill-defined.
        if self.chance(30) {
            for at in (1..found.len()).rev() {
                found.swap(at, self.dice.below(at + 1));
            }
        }
        found
    }

    fn predicate(&mut self) -> String {
        let many = 1 + self.dice.below(2);
        self.conjuncts(many).join(" & ")
    }

    fn set(&mut self) -> String {
        format!("{{{}}}", self.elements().join(", "))
    }

    /// A substitution for x, s and f, where y and z are known.
    fn substitution(&mut self) -> String {
        let set = self.set();
        let one = if self.moving < self.names.len() { self.alone() } else { "x" };
        match self.dice.below(12) {
            0..=2 => "x := y".to_owned(),
            3 => "s := s \\/ {y}".to_owned(),
            4 => "s := s - {y}".to_owned(),
            5 if self.has_function => "f(y) := z".to_owned(),
            6 if self.has_function => "x := f(y)".to_owned(),
            5 | 6 => "s := s \\/ {z} - {y}".to_owned(),
            7 => format!("x :: {set}"),
            8 => format!("s := s \\/ {set} || x := z"),
            9 => format!("IF y : {set} THEN x := y ELSE s := s \\/ {{y}} END"),
            10 => {
                let branches: Vec<String> = self.elements().iter().map(|name| format!("x := {name}")).collect();
                format!("CHOICE {} END", branches.join(" OR "))
            }
            _ => format!("ASSERT y /= {one} or z : {set} THEN x := z END"),
        }
    }

    fn operation(&mut self, name: &str, has_parameters: bool) -> String {
        let set = self.set();
        let guard = match self.dice.below(5) {
            0 => format!(" & ({})", self.about_one().replace('@', "y")),
            1 => format!(" & y : {set}"),
            2 => format!(" & x : {set}"),
            3 => format!(" & {}", self.predicate()),
            _ => String::new(),
        };
        let body = self.substitution();
        if !has_parameters {
            format!("{name} = ANY y, z WHERE y : S & z : S{guard} THEN {body} END")
        } else {
            format!("{name}(y, z) = PRE y : S & z : S{guard} THEN {body} END")
        }
    }

    fn any_operation(&mut self, name: &str) -> String {
        let has_parameters = self.chance(60);
        self.operation(name, has_parameters)
    }

    fn initialisation(&mut self) -> String {
        let set = self.set();
        let x = match self.dice.below(4) {
            0 | 1 if self.moving < self.names.len() => format!("x := {}", self.alone()),
            2 => format!("x :: {set}"),
            _ => "x :: S".to_owned(),
        };
        let s = self.one(&["s := {}", "s := {@}", "s := S", "s :: {{}, S}"]).replace("{@}", &set);
        let f = self.one(&["f := {}", "f := {}", "f := id(S)"]);
        format!("{x} || {s} || {f}")
    }

    fn machine(&mut self) -> String {
        let goal = if self.chance(15) { format!("DEFINITIONS GOAL == ({})\n", self.predicate()) } else { String::new() };
        let constant = if self.chance(25) {
            let set = self.set();
            format!("CONSTANTS k PROPERTIES k : {set}\n")
        } else {
            String::new()
        };
        let mut invariant = vec!["x : S".to_owned(), "s <: S".to_owned(), "f : S +-> S".to_owned()];
        let many = self.dice.below(3);
        invariant.extend(self.conjuncts(many));
        let many = self.dice.below(3);
        let mut assertions = self.conjuncts(many);
        if !constant.is_empty() && self.chance(50) {
            let set = self.elements();
            assertions.extend(set.iter().map(|name| format!("k /= {name}")));
        }
        let assertions = if assertions.is_empty() { String::new() } else { format!("ASSERTIONS {}\n", assertions.join("; ")) };
        let initialisation = self.initialisation();
        let operations: Vec<String> = (0..1 + self.dice.below(3)).map(|at| self.any_operation(&format!("o{at}"))).collect();
        format!(
            "MACHINE M SETS S = {{{}}}\n{goal}{constant}VARIABLES x, s, f\nINVARIANT {}\n{assertions}INITIALISATION {initialisation}\nOPERATIONS\n{}\nEND",
            self.names.join(", "),
            invariant.join(" & "),
            operations.join(";\n"),
        )
    }

    /// A machine, and a refinement that mostly does what it does.
    fn refinement(&mut self) -> (String, String) {
        let elements = self.names.join(", ");
        let operations: Vec<String> = (0..1 + self.dice.below(2)).map(|at| self.any_operation(&format!("o{at}"))).collect();
        let initialisation = self.initialisation();
        let base = format!(
            "MACHINE Base SETS S = {{{elements}}}\nVARIABLES x, s, f\nINVARIANT x : S & s <: S & f : S +-> S\nINITIALISATION {initialisation}\nOPERATIONS\n{}\nEND",
            operations.join(";\n")
        );
        let mut gluing = vec!["v : S".to_owned(), "t <: S".to_owned(), "g : S +-> S".to_owned(), "v = x".to_owned(), "g = f".to_owned()];
        let many = self.dice.below(2);
        let renamed = |text: String| -> String {
            let words = text.split_inclusive(|letter: char| !letter.is_alphanumeric());
            words.map(rename).collect()
        };
        gluing.extend(self.conjuncts(many).into_iter().map(renamed));
        let own: Vec<String> = operations
            .iter()
            .map(|operation| match self.chance(30) {
                true => self.operation(&operation[..2], operation[2..].starts_with('(')),
                false => operation.clone(),
            })
            .map(renamed)
            .collect();
        let other = if self.chance(20) { self.initialisation() } else { initialisation.clone() };
        let refinement = format!(
            "REFINEMENT R REFINES Base\nVARIABLES v, t, g\nINVARIANT {}\nINITIALISATION {}\nOPERATIONS\n{}\nEND",
            gluing.join(" & "),
            renamed(other),
            own.join(";\n")
        );
        (base, refinement)
    }
}

/// The names of the refinement's variables.
fn rename(word: &str) -> String {
    let (name, rest) = word.split_at(word.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(word.len()));
    let name = match name {
        "x" => "v",
        "s" => "t",
        "f" => "g",
        other => other,
    };
    format!("{name}{rest}")
}

/// What must not depend on reduction.
#[derive(Debug, PartialEq)]
struct Told {
    verdict: Verdict,
    part: Option<String>,
    length: Option<usize>,
}

fn told(outcome: &Outcome) -> Told {
    let part = outcome.finding.as_ref().map(|Finding { fault, .. }| {
        // Which one it is, without values and errors, which differ by names of elements.
        let which = match &fault.part {
            FaultyPart::Obligation(mismatch) => format!("{:?} {:?}", mismatch.operation, mismatch.obligation),
            FaultyPart::Body(operation, _) | FaultyPart::Guard(operation) => format!("{operation:?}"),
            other => format!("{:?}", other.number()),
        };
        format!("{} {} {which}", fault.part.row().name, fault.is_ill_defined())
    });
    assert_eq!(outcome.internal_error, None);
    Told { verdict: outcome.verdict, part, length: outcome.finding.as_ref().map(|finding| finding.trace.steps.len()) }
}

/// Whether the finding is one in the plain evaluator.
fn holds(machine: &Machine, finding: &Finding) -> bool {
    let Fault { part, kind } = &finding.fault;
    if let FaultyPart::StaticAssertion(_) | FaultyPart::Properties = part {
        return true;
    }
    let Some(last) = finding.trace.steps.last() else { return true };
    let is_run = replay(machine, &finding.trace) == Ok(());
    is_run
        && match (part, kind) {
            (FaultyPart::Invariant(index), FaultKind::Violated) => machine.violated_invariant(&last.state) == Ok(Some(*index)),
            (FaultyPart::Invariant(index), FaultKind::IllDefined(error)) => {
                machine.violated_invariant(&last.state) == Err((*index, error.clone()))
            }
            (FaultyPart::Assertion(index), FaultKind::Violated) => machine.violated_assertion(&last.state, false) == Ok(Some(*index)),
            (FaultyPart::Goal, FaultKind::Violated) => machine.is_goal(&last.state) == Ok(true),
            (FaultyPart::Body(operation, arguments), FaultKind::IllDefined(error)) => {
                let found = machine.successors(&last.state, *operation).map(|found| found.ill_defined).unwrap_or_default();
                found.contains(&(arguments.clone(), error.clone()))
            }
            _ => true,
        }
}

/// How many texts are tried.
fn cases(default: u64) -> u64 {
    std::env::var("BCHECK_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

#[derive(Debug, Default)]
struct Seen {
    machines: u64,
    moving: u64,
    reduced: u64,
    kinds: BTreeSet<&'static str>,
}

impl Seen {
    fn note(&mut self, generators: usize, plain: &Outcome, reduced: &Outcome) {
        self.machines += 1;
        self.moving += u64::from(generators > 0);
        self.reduced += u64::from(reduced.explored.states < plain.explored.states);
        self.kinds.insert(plain.verdict.word());
    }
}

fn options(symmetry: Mode, keep_going: bool, workers: usize, strict_guards: bool) -> Options {
    Options { symmetry, keep_going, workers, strict_guards, ..Request::default().options }
}

#[test]
fn random_machines_with_symmetric_texts_are_told_alike_with_and_without_reduction() {
    let mut seen = Seen::default();
    for seed in 0..cases(part(150, 2)) {
        let mut dice = Dice::new(1_000 + seed);
        let names = &NAMES[..2 + dice.below(3)];
        let (keep_going, strict) = (dice.below(3) == 0, dice.below(4) == 0);
        let moving = 2 + dice.below(names.len() - 1);
        let has_function = names.len() < 4 && dice.below(2) == 0;
        let text = Writer { dice: &mut dice, names, moving, has_function }.machine();
        let run = |mode, workers| {
            let request = Request { options: options(mode, keep_going, workers, strict), ..Request::default() };
            check_text("M.mch", &text, &request).unwrap_or_else(|rejected| panic!("{text}\n{rejected}"))
        };
        let plain = run(Mode::Off, 1);
        let expected = told(&plain.outcome);
        for (mode, workers) in [(Mode::Exact, 1), (Mode::Exact, 2), (Mode::Fast, 1), (Mode::Sorted, 1), (Mode::Exhaustive, 1)] {
            let reduced = run(mode, workers);
            assert_eq!(told(&reduced.outcome), expected, "{mode:?}, seed {seed}\n{text}");
            assert!(reduced.outcome.finding.iter().all(|finding| holds(&reduced.machine, finding)), "{mode:?}, seed {seed}\n{text}");
            if mode == Mode::Exact && reduced.outcome.full.exact && plain.outcome.full.exact {
                assert_eq!(reduced.outcome.full, plain.outcome.full, "seed {seed}\n{text}");
            }
            if (mode, workers) == (Mode::Exact, 1) {
                let symmetry = options(mode, keep_going, 1, strict).symmetry_of(&reduced.machine);
                seen.note(symmetry.detail().generators.len(), &plain.outcome, &reduced.outcome);
            }
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.moving * 3 > seen.machines && seen.reduced * 4 > seen.machines && seen.kinds.len() > 4, "{seen:?}");
}

/// The refined machine of a refinement, wherever it is asked for.
struct Refined<'a>(&'a mut SourceMap, &'a str);

impl Files for Refined<'_> {
    fn machine(&mut self, _: FileId, _: &str, _: Option<&str>) -> Result<Parsed<Option<ast::Machine>>, LoadError> {
        let file = self.0.add("Base.mch", self.1);
        Ok(parse_machine(file, self.1))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<ast::Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

#[test]
fn random_refinements_with_symmetric_texts_are_told_alike_with_and_without_reduction() {
    let mut seen = Seen::default();
    for seed in 0..cases(part(150, 2)) {
        let mut dice = Dice::new(50_000 + seed);
        let names = &NAMES[..2 + dice.below(2)];
        let matching = [Matching::Simulation, Matching::Trace, Matching::SimulationAll][dice.below(3)];
        let moving = 2 + dice.below(names.len() - 1);
        let has_function = names.len() < 3;
        let (base, text) = Writer { dice: &mut dice, names, moving, has_function }.refinement();
        let mut sources = SourceMap::new();
        let file = sources.add("R.ref", text.as_str());
        let tree = parse_machine(file, &text).tree.unwrap_or_else(|| panic!("{text}"));
        let request = RefinementRequest { precondition: Precondition::Guard, hidden: &[] };
        let analysis = analyse_refinement(&tree, &mut Refined(&mut sources, &base), request);
        let (model, refinement) = analysis.refinement.unwrap_or_else(|| panic!("{base}\n{text}\n{:?}", analysis.diagnostics));
        let scope = Scope { sizes: vec![u32::try_from(names.len()).expect("few")], minint: -1, maxint: 3 };
        let machine = Machine::compile(Arc::new(model), scope);
        let run = |mode| {
            let options = options(mode, false, 1, false);
            let demands = Demands { matching, refusals: false, divergence: false };
            let symmetry = options.symmetry_of(&machine);
            let check = RefinementCheck { machine: &machine, refinement: &refinement, symmetry: &symmetry, demands, options: &options };
            (check.run(&mut Silent), symmetry)
        };
        let (plain, _) = run(Mode::Off);
        let expected = told(&plain);
        for mode in [Mode::Exact, Mode::Fast, Mode::Exhaustive] {
            let (reduced, symmetry) = run(mode);
            assert_eq!(told(&reduced), expected, "{mode:?}, seed {seed}\n{base}\n{text}");
            if mode == Mode::Exact {
                seen.note(symmetry.detail().generators.len(), &plain, &reduced);
            }
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.moving * 3 > seen.machines && seen.reduced * 5 > seen.machines && seen.kinds.len() > 2, "{seen:?}");
}
