//! Evidence: of false, true and ill-defined predicates of every kind, each part is evaluated once more as text.
//!
//! Invariant: nothing is taken from the evidence unchecked: truth values of parts, bindings, values of terms, elements that a clue names,
//! and how many values a conjunct rejects are asked of the library in a formula of their own.

use bcheck::eval::{Clue, Evidence, ListedValues, Machine, Side, TermValue, TruthValue};
use bcheck::ir::{Comparison, Expr, Model, Pred, PredKind};
use bcheck::sema::{Analysis, Formula, FormulaContext, Macros, NoFiles, analyse_parsed, read_formula};
use bcheck::source::{FileId, SourceMap, Span};
use bcheck::syntax::parse_machine;
use bcheck::value::display::display;
use bcheck::value::{Valuation, Value};
use bcheck::{Compiled, Request};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A machine with one initial state, in which the formulas are asked about.
pub(crate) const MACHINE: &str = "MACHINE doors
SETS DOOR = {d1, d2, d3}; MODE = {open, closed, moving}
VARIABLES door, count, queue, inside, next, r, n
INVARIANT door : DOOR --> MODE & count : DOOR --> 0..3 & queue : seq(DOOR) & inside <: DOOR & next : DOOR <-> DOOR &
  r : struct(a : 0..3, b : BOOL) & n : NATURAL
INITIALISATION door := {d1 |-> open, d2 |-> closed, d3 |-> moving} || count := {d1 |-> 2, d2 |-> 0, d3 |-> 3} || queue := [d1, d2] ||
  inside := {d1, d3} || next := {d1 |-> d2, d1 |-> d3, d2 |-> d3} || r := rec(a : 1, b : TRUE) || n := 4
OPERATIONS
  move(d) = PRE d : inside & door(d) = closed & count(d) < 3 THEN door(d) := moving END;
  wait = PRE n > 4 & inside /= {} THEN skip END
END";

const FALSE: &[&str] = &[
    "!d.(d : DOOR => door(d) /= moving)",
    "!d.(d : inside => count(d) < 3)",
    "!(a, b).(a : DOOR & b : DOOR & a /= b => count(a) /= 3 or count(b) > 0)",
    "!a.(a : DOOR => #b.(b : DOOR & a |-> b : next))",
    "!a.(a : inside => !b.(b : DOOR => count(a) >= count(b)))",
    "!x.(x : 1..5 => (x > 2 => x mod 2 = 0))",
    "!s.(s <: inside => card(s) < 2)",
    "#d.(d : DOOR & count(d) > 3)",
    "#d.(d : DOOR - inside & count(d) > 0 & door(d) = open)",
    "#(a, b).(a : DOOR & b : DOOR & a |-> b : next & count(a) < count(b) & door(b) = open)",
    "#x.(x : 1..3 & x * x = 5)",
    "#s.(s : POW(inside) & card(s) = 3)",
    "#d.(count(d) = 1)",
    "#d.(d : inside - DOOR & count(d) = 2)",
    "inside = DOOR",
    "door : DOOR --> {open, closed}",
    "next : DOOR +-> DOOR",
    "{1 |-> d1, 2 |-> d2, 3 |-> d1} : 1..3 >-> DOOR",
    "count : {d1, d2} --> 0..3",
    "{d1 |-> open} : DOOR --> MODE",
    "{d1 |-> open, d2 |-> open} : {d1, d2} -->> {open, closed}",
    "[d1, d1] : iseq(DOOR)",
    "queue : seq(inside)",
    "{2 |-> d1} : seq(DOOR)",
    "tail(tail(queue)) : seq1(DOOR)",
    "queue : perm(DOOR)",
    "inside <: {d1, d2}",
    "inside <<: {d1, d3}",
    "inside : POW({d1})",
    "inside - DOOR : POW1(DOOR)",
    "d2 |-> d1 : inside * inside",
    "inside - DOOR /= {}",
    "n /= card(inside) + 2",
    "d1 /: inside",
    "inside /<: DOOR",
    "inside /<<: DOOR",
    "n <= card(inside) + 1",
    "n > count(d3) + 1",
    "r = rec(a : 1, b : FALSE)",
    "r'a = 2",
    "r : struct(a : 2..3, b : BOOL)",
    "door = door <+ {d1 |-> closed, d2 |-> open}",
    "next = next~",
    "inside \\/ {d2} = {d1, d3}",
    "@partition(DOOR, inside, {d1, d2})",
    "@partition(DOOR, {d1}, {d2})",
    "n = 4 => inside = {}",
    "inside = {d1} or n < 4",
    "n = 4 <=> d2 : inside",
    "not(d1 : inside or n = 9)",
    "n > 3 & card(inside) = 3 & d1 : inside & d2 : inside",
    "IF n > 3 THEN inside = {} ELSE n = 3 END",
    "LET k BE k = n + 1 IN k < 5 END",
    "bool(n > 9) = TRUE",
    "door[inside] <: {open}",
    "{x | x : DOOR & count(x) > 0} = {d1}",
    "SIGMA(x).(x : DOOR | count(x)) < 4",
    "n : 5..9",
];

const TRUE: &[&str] = &[
    "#d.(d : DOOR & count(d) = 3)",
    "n = 4 & (inside = {} or card(inside) = 2)",
    "n = 5 => inside = {}",
    "!d.(d : DOOR => count(d) < 9)",
    "not(n = 5)",
];

const ILL_DEFINED: &[&str] = &[
    "count(d2) / (n - 4) = 1",
    "!d.(d : DOOR => 6 / count(d) > 0)",
    "n = 4 & first(tail(tail(queue))) = d1",
    "inside = {} or max(count[inside - inside]) = 1",
];

/// A formula read in the machine above, with what is needed to ask about it.
struct Asked {
    compiled: Compiled,
    machine: Machine,
    sources: SourceMap,
    pred: Pred,
    state: Valuation,
}

struct Reading {
    model: Model,
    macros: Macros,
    sources: SourceMap,
}

fn reading() -> Reading {
    let mut sources = SourceMap::new();
    let file = sources.add("doors.mch", MACHINE);
    let Analysis { model, macros, diagnostics, .. } = analyse_parsed(parse_machine(file, MACHINE), &mut NoFiles);
    Reading { model: model.unwrap_or_else(|| panic!("{diagnostics:?}")), macros, sources }
}

impl Asked {
    fn new(formula: &str) -> Self {
        let compiled = Compiled::of_text("doors.mch", MACHINE, &Request::default()).unwrap_or_else(|rejected| panic!("{rejected}"));
        let Reading { model, macros, mut sources } = reading();
        let file: FileId = sources.add("formula", formula);
        let context = FormulaContext { model: Some(&model), scope: Some(compiled.machine().scope()), ..FormulaContext::default() };
        let (read, model) = read_formula(file, formula, context, &macros).unwrap_or_else(|list| panic!("{formula}: {list:?}"));
        let Formula::Pred(pred) = read else { panic!("{formula} is a predicate") };
        let machine = Machine::compile(Arc::new(model), compiled.machine().scope().clone());
        let mut state = Valuation::new();
        machine
            .for_each_initial(&[], &mut |initial| {
                state = initial;
                ControlFlow::Break(())
            })
            .expect("an initial state");
        Self { compiled, machine, sources, pred, state }
    }

    fn evidence(&self) -> Evidence {
        self.machine.evidence(&self.pred, &self.state)
    }

    fn text(&self, span: Span) -> &str {
        self.sources.text(span)
    }

    fn value(&self, value: &Value) -> String {
        display(value, self.machine.model())
    }

    /// The value of a predicate with these values of names; nothing if it is ill-defined.
    fn ask(&self, bound: &[(String, String)], text: &str) -> Option<bool> {
        let formula = if bound.is_empty() {
            text.to_owned()
        } else {
            let names: Vec<&str> = bound.iter().map(|(name, _)| name.as_str()).collect();
            let equations: String = bound.iter().map(|(name, value)| format!("{name} = {value} & ")).collect();
            format!("#({}).({equations}({text}))", names.join(","))
        };
        self.compiled.evaluate(&formula, &self.state).ok().map(|value| value == Value::Bool(true))
    }

    #[track_caller]
    fn assert(&self, bound: &[(String, String)], text: &str) {
        assert_eq!(self.ask(bound, text), Some(true), "{text} with {bound:?}");
    }

    fn names(&self, values: &[(bcheck::ir::LocalId, Value)]) -> Vec<(String, String)> {
        values.iter().map(|(id, value)| (self.machine.model().local_name(*id).to_owned(), self.value(value))).collect()
    }

    /// Checks a part and all below it; returns how many facts were asked about.
    fn verify(&self, evidence: &Evidence, bound: &[(String, String)]) -> usize {
        let text = self.text(evidence.pred.span);
        assert!(!text.is_empty(), "{evidence:?}");
        let truth = match &evidence.truth {
            TruthValue::True => Some(true),
            TruthValue::False => Some(false),
            TruthValue::IllDefined(_) => None,
            TruthValue::Unknown(reason) => panic!("{text}: {reason}"),
        };
        assert_eq!(self.ask(bound, text), truth, "{text} with {bound:?}");
        let within = |more: Vec<(String, String)>| [bound.to_vec(), more].concat();
        let of_parts = evidence.witness.as_ref().map_or_else(|| bound.to_vec(), |witness| within(self.names(&witness.values)));
        let mut facts = 1;
        // Names of LET have values in its body, which are those of terms.
        let of_parts = if let PredKind::Let(bindings, _) = &evidence.pred.kind {
            let names = bindings.iter().zip(&evidence.terms).map(|((id, _), term)| (*id, term.value.clone().expect("a value")));
            [of_parts, self.names(&names.collect::<Vec<_>>())].concat()
        } else {
            of_parts
        };
        facts += evidence.parts.iter().map(|part| self.verify(part, &of_parts)).sum::<usize>();
        facts += evidence.terms.iter().map(|term| self.verify_term(term, bound)).sum::<usize>();
        facts += evidence.clues.iter().map(|clue| self.verify_clue(clue, evidence, bound)).sum::<usize>();
        if let (PredKind::Exists(_, body), Some(_)) = (&evidence.pred.kind, &evidence.tried) {
            facts += self.verify_tried(evidence, body, bound);
        }
        facts
    }

    fn verify_tried(&self, evidence: &Evidence, body: &Pred, bound: &[(String, String)]) -> usize {
        let (PredKind::Exists(locals, _), Some(tried)) = (&evidence.pred.kind, &evidence.tried) else { return 0 };
        assert!(tried.is_all);
        let names: Vec<&str> = locals.iter().map(|(id, _)| self.machine.model().local_name(*id)).collect();
        let conjuncts: Vec<&Pred> = if let PredKind::And(parts) = &body.kind { parts.iter().collect() } else { vec![body] };
        let counted = |parts: &[String], count: usize| {
            // A condition that is always true types the names where no conjunct does.
            let typing = names.iter().map(|name| format!("{name} = {name}")).collect::<Vec<_>>();
            let types = if parts.is_empty() { vec![format!("({} or 0 = 0)", self.text(body.span))] } else { Vec::new() };
            let all = [typing, types, parts.iter().map(|part| format!("({part})")).collect()].concat().join(" & ");
            self.assert(bound, &format!("card({{{} | {all}}}) = {count}", names.join(",")));
        };
        let texts = |preds: &[&Pred]| preds.iter().map(|pred| self.text(pred.span).to_owned()).collect::<Vec<_>>();
        let satisfied: Vec<&Pred> = tried.satisfied.iter().collect();
        counted(&texts(&satisfied), tried.count);
        let mut total = 0;
        for rejection in &tried.rejections {
            let at = conjuncts.iter().position(|conjunct| conjunct.span == rejection.evidence.pred.span).expect("a conjunct");
            let mut parts = texts(&conjuncts[..at]);
            parts.push(format!("not({})", self.text(conjuncts[at].span)));
            counted(&parts, rejection.count);
            let example = [bound.to_vec(), self.names(&rejection.example)].concat();
            self.verify(&rejection.evidence, &example);
            total += rejection.count;
        }
        assert_eq!(total, tried.count, "each value is rejected by one conjunct");
        1 + 2 * tried.rejections.len()
    }

    fn verify_term(&self, term: &TermValue, bound: &[(String, String)]) -> usize {
        let text = self.text(term.expr.span);
        match &term.value {
            Ok(value) => self.assert(bound, &format!("({text}) = {}", self.value(value))),
            Err(_) => assert_eq!(self.ask(bound, &format!("({text}) = ({text})")), None, "{text}"),
        }
        1 + term.parts.iter().map(|part| self.verify_term(part, bound)).sum::<usize>()
    }

    fn verify_clue(&self, clue: &Clue, evidence: &Evidence, bound: &[(String, String)]) -> usize {
        let sides = if let PredKind::Compare(_, left, right) = &evidence.pred.kind { Some((&**left, &**right)) } else { None };
        let text = |expr: &Expr| format!("({})", self.text(expr.span));
        let (left, right) = sides.map(|(left, right)| (text(left), text(right))).unwrap_or_default();
        if let Some(fact) = self.single_fact(clue, &left, &right) {
            self.assert(bound, &fact);
            return 1;
        }
        let each = |values: &ListedValues, fact: &dyn Fn(&str) -> String| {
            for value in &values.first {
                self.assert(bound, &fact(&self.value(value)));
            }
            values.first.len()
        };
        match clue {
            Clue::NotIn(side, set, values) => {
                let whole = match side {
                    Side::Itself => left.clone(),
                    Side::Domain => format!("dom({left})"),
                    Side::Range | Side::Items => format!("ran({left})"),
                };
                // Of a set, its elements; of an element of a product or a record, one of its parts.
                let is_of_set = sides.is_some_and(|(left, _)| left.ty.element().is_some());
                let inside = |value: &str| if is_of_set { format!(" & {value} : {whole}") } else { String::new() };
                each(values, &|value| format!("{value} /: {}{}", text(set), inside(value)))
            }
            Clue::OnlyIn(set, values) => match sides {
                Some((one, _)) => {
                    let other = if one.span == set.span { &right } else { &left };
                    each(values, &|value| format!("{value} : {} & {value} /: {other}", text(set)))
                }
                None => each(values, &|value| format!("{value} : {}", text(set))),
            },
            Clue::NoImage(values) => each(values, &|value| format!("{value} /: dom({left})")),
            Clue::NotReached(values) => each(values, &|value| format!("{value} /: ran({left})")),
            Clue::Overlap(one, other, values) => each(values, &|value| format!("{value} : {} & {value} : {}", text(one), text(other))),
            other => panic!("a clue that is no single fact, and lists no values: {other:?}"),
        }
    }

    /// What a clue says that names no list of values.
    fn single_fact(&self, clue: &Clue, left: &str, right: &str) -> Option<String> {
        let of = |value: &Value| self.value(value);
        Some(match clue {
            Clue::Same => format!("{left} = {right}"),
            Clue::Images(argument, one, other) => {
                format!("{left}({0}) = {1} & {right}({0}) = {2} & {1} /= {2}", of(argument), of(one), of(other))
            }
            Clue::Field(name, one, other) => format!("{left}'{name} = {0} & {right}'{name} = {1} & {0} /= {1}", of(one), of(other)),
            Clue::TwoImages(argument, one, other) => {
                format!("{{{1}, {2}}} <: {left}[{{{0}}}] & {1} /= {2}", of(argument), of(one), of(other))
            }
            Clue::SameImage(one, other, image) => {
                format!("{{{0}, {1}}} <: {left}~[{{{2}}}] & {0} /= {1}", of(one), of(other), of(image))
            }
            Clue::Empty => format!("{left} = {{}}"),
            Clue::NotASequence(index) => format!("card({left}[{{{index}}}]) /= 1"),
            Clue::Repeated(item) => format!("card({left}~[{{{}}}]) > 1", of(item)),
            Clue::NotIn(..) | Clue::OnlyIn(..) | Clue::NoImage(_) | Clue::NotReached(_) | Clue::Overlap(..) => return None,
        })
    }
}

/// The words for what an explanation consists of.
fn means(evidence: &Evidence, words: &mut Vec<&'static str>) {
    let truth = match &evidence.truth {
        TruthValue::True => "true",
        TruthValue::False => "false",
        TruthValue::IllDefined(_) => "ill-defined",
        TruthValue::Unknown(_) => "unknown",
    };
    words.push(truth);
    words.extend(evidence.witness.as_ref().map(|_| "witness"));
    words.extend(evidence.tried.as_ref().map(|_| "tried"));
    words.extend((!evidence.terms.is_empty()).then_some("terms"));
    words.extend(evidence.clues.iter().map(|clue| match clue {
        Clue::NotIn(Side::Itself, ..) => "not in",
        Clue::NotIn(Side::Domain, ..) => "not in, domain",
        Clue::NotIn(Side::Range, ..) => "not in, range",
        Clue::NotIn(Side::Items, ..) => "not in, items",
        Clue::OnlyIn(..) => "only in",
        Clue::Same => "same",
        Clue::Images(..) => "images",
        Clue::Field(..) => "field",
        Clue::TwoImages(..) => "two images",
        Clue::SameImage(..) => "same image",
        Clue::NoImage(_) => "no image",
        Clue::NotReached(_) => "not reached",
        Clue::Empty => "empty",
        Clue::NotASequence(_) => "no sequence",
        Clue::Repeated(_) => "repeated",
        Clue::Overlap(..) => "overlap",
    }));
    evidence.parts.iter().for_each(|part| means(part, words));
    let rejections = evidence.tried.iter().flat_map(|tried| &tried.rejections);
    rejections.for_each(|rejection| means(&rejection.evidence, words));
}

#[test]
fn each_part_of_the_evidence_for_a_false_predicate_is_as_it_says() {
    let mut words = Vec::new();
    for formula in FALSE {
        let asked = Asked::new(formula);
        let evidence = asked.evidence();
        assert_eq!(evidence.truth, TruthValue::False, "{formula}");
        let facts = asked.verify(&evidence, &[]);
        assert!(facts > 1, "{formula} is not explained: {evidence:?}");
        means(&evidence, &mut words);
    }
    for word in ["witness", "tried", "terms", "not in", "not in, domain", "not in, range", "not in, items", "only in", "same", "images"] {
        assert!(words.contains(&word), "{word}");
    }
    for word in ["field", "two images", "same image", "no image", "not reached", "empty", "no sequence", "repeated", "overlap", "true"] {
        assert!(words.contains(&word), "{word}");
    }
}

#[test]
fn a_universal_quantifier_is_refuted_by_the_first_binding_in_the_order_of_values() {
    for (formula, names, count) in [
        ("!d.(d : DOOR => count(d) = 3)", "d = d1", 2),
        ("!x.(x : 1..9 => x mod 3 /= 1)", "x = 1", 3),
        ("!x.(x : {9, 4, 7} => x < 5)", "x = 7", 2),
        ("!(a, b).(a |-> b : next => count(a) > count(b))", "a = d1, b = d3", 2),
        ("!s.(s <: inside & s /= {} => card(s) = 2)", "s = {d1}", 2),
    ] {
        let asked = Asked::new(formula);
        let witness = asked.evidence().witness.unwrap_or_else(|| panic!("{formula} has a witness"));
        let found: Vec<String> = asked.names(&witness.values).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        assert_eq!((found.join(", ").as_str(), witness.count, witness.is_all), (names, count, true), "{formula}");
    }
}

#[test]
fn true_and_ill_defined_predicates_are_explained_too() {
    for (formulas, is_true) in [(TRUE, true), (ILL_DEFINED, false)] {
        for formula in formulas {
            let asked = Asked::new(formula);
            let evidence = asked.evidence();
            assert_eq!(evidence.truth == TruthValue::True, is_true, "{formula}: {:?}", evidence.truth);
            assert_eq!(matches!(evidence.truth, TruthValue::IllDefined(_)), !is_true, "{formula}");
            asked.verify(&evidence, &[]);
        }
    }
    // The first argument for which the division has no value.
    let witness = Asked::new(ILL_DEFINED[1]).evidence().witness.expect("a witness");
    assert_eq!(witness.values.iter().map(|(_, value)| value).collect::<Vec<_>>(), [&Value::element(bcheck::ir::SetId(0), 1)]);
}

#[test]
fn the_guard_of_an_operation_is_explained_with_and_without_arguments() {
    let asked = Asked::new("n = 0");
    let evidence = |name: &str, arguments: &[Option<Value>]| {
        let operation = asked.machine.model().operation(name).expect("an operation");
        asked.machine.guard_evidence(&asked.state, operation, arguments).expect("a guard")
    };
    let wait = evidence("wait", &[]);
    assert_eq!((wait.truth.clone(), wait.parts.len()), (TruthValue::False, 1), "only the false conjunct");
    assert_eq!(asked.text(wait.parts[0].pred.span), "n > 4");
    let tried = evidence("move", &[None]).tried.expect("values were tried");
    let rejected: Vec<(usize, &str)> =
        tried.rejections.iter().map(|rejection| (rejection.count, asked.text(rejection.evidence.pred.span))).collect();
    assert_eq!((tried.count, rejected), (2, vec![(2, "door(d) = closed")]));
    let given = evidence("move", &[Some(Value::element(bcheck::ir::SetId(0), 2))]);
    let parts: Vec<&str> = given.parts.iter().map(|part| asked.text(part.pred.span)).collect();
    assert_eq!(parts, ["door(d) = closed", "count(d) < 3"]);
}

#[test]
fn evidence_ends_where_its_budget_does_and_says_so() {
    let asked = Asked::new("!(a, b, c).(a : 1..400 & b : 1..400 & c : 1..400 => a + b + c /= 1200)");
    let evidence = asked.evidence();
    assert!(matches!(evidence.truth, TruthValue::Unknown(_)) || evidence.witness.is_some_and(|witness| !witness.is_all));
    let parts: Vec<String> = (0..30).map(|number| format!("n = {}", 100 + number)).collect();
    let wide = Asked::new(&parts.join(" or ")).evidence();
    assert!(wide.parts.len() < 30 && wide.parts.len() + wide.left_out == 30, "{}", wide.left_out);
    let many = Asked::new("1..100 <: {0}").evidence();
    assert!(matches!(&many.clues[..], [Clue::NotIn(_, _, ListedValues { first, more })] if first.len() + more == 100 && *more > 50));
}

#[test]
fn a_comparison_that_holds_is_no_clue() {
    for comparison in [Comparison::Equal, Comparison::Subset] {
        let sign = if comparison == Comparison::Equal { "=" } else { "<:" };
        let evidence = Asked::new(&format!("inside {sign} {{d1, d3}}")).evidence();
        assert!(matches!(&evidence.pred.kind, PredKind::Compare(found, ..) if *found == comparison));
        assert_eq!((evidence.truth, evidence.clues), (TruthValue::True, Vec::new()));
    }
}
