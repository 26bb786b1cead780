//! Temporal formulas: grouping, spellings that need no space, places, and print after parse.

use super::{FILE, good, on_large_stack, shape, under};
use crate::ast::{Expr, Name, Quantifier};
use crate::temporal::{
    Counting, Logic, PatternKind, PatternScope, Prefix, Premise, PremiseKind, PropertyPattern, Proposition, StateWord, StepPattern,
    Temporal, TemporalBinary, TemporalKind, TemporalUnary, Trend, parenthesised, parse_temporal, printed,
};
use crate::{parse_expression, parse_predicate};
use bcheck_source::{Code, Span, SplitMix64};

/// Each text with the same formula as it is printed.
const PRINTED: &[(Logic, &str, &str)] = &[
    (Logic::Ltl, "GFXHOY{a=1}", "G F X H O Y {a = 1}"),
    (Logic::Ltl, "Gtrue", "G true"),
    (Logic::Ltl, "notnot false", "not not false"),
    (Logic::Ltl, "G{a=1}U{a=2}", "G {a = 1} U {a = 2}"),
    (Logic::Ltl, "{a=1} R({a=2} S{a=3})T deadlock", "{a = 1} R ({a = 2} S {a = 3}) T deadlock"),
    (Logic::Ltl, "{a=1}or sink&goal", "{a = 1} or sink & goal"),
    (Logic::Ltl, "{a=1}or(sink&goal)", "{a = 1} or (sink & goal)"),
    (Logic::Ltl, "true=>false=>true<=>true", "true => false => true <=> true"),
    (Logic::Ltl, "true=>(false=>true)", "true => (false => true)"),
    (Logic::Ltl, "always eventually{a=1} weakuntil historically once{a=1}", "G F {a = 1} W H O {a = 1}"),
    (Logic::Ltl, "□ ¬ ⋄{a=1}⇒ <>{a=1}∧true∨false", "G not F {a = 1} => F {a = 1} & true or false"),
    (Logic::Ltl, "!{a=1}|!e ( op )", "not {a = 1} or not e(op)"),
    (Logic::Ltl, "{a=1} WF {a=1} SF {a=1}", "{a = 1} W F {a = 1} S F {a = 1}"),
    (Logic::Ltl, "[ op ] /* a } comment */ -> Av(op(1,_)) // to the end", "[op] => e(op(1, _))"),
    (Logic::Ltl, "{a = \"}\" & /* } */ b = {{}}}", "{a = \"}\" & b = {{}}}"),
    (Logic::Ltl, "[op(\")]\", {[1, 2]}, f(x)[{1}])]", "[op(\")]\", {[1, 2]}, f(x)[{1}])]"),
    (Logic::Ltl, "deadlock( a ,b(1, (2, 3)) )", "deadlock(a, b(1, (2, 3)))"),
    (Logic::Ltl, "G deadlock", "G deadlock"),
    (Logic::Ltl, "UNCHANGED({a})&before_after( {a > a$0} )", "unchanged({a}) & BA({a > a$0})"),
    (Logic::Ltl, "!x.({x:S}=>F[op(x)])", "!x.({x : S} => F [op(x)])"),
    (Logic::Ltl, "# x . ({x : S} & true or false)", "#x.({x : S} & true or false)"),
    (Logic::Ltl, "SF(a)&WF(b)=>F{a=1}=>G{a=2}", "SF(a) & WF(b) => F {a = 1} => G {a = 2}"),
    (Logic::Ltl, "((sf(a) or sf(b)))&(wf(c)&wf(d) or wf(e))=>true", "(SF(a) or SF(b)) & ((WF(c) & WF(d)) or WF(e)) => true"),
    (Logic::Ltl, "((WEF&SEF)=>sink)", "WEF & SEF => sink"),
    (Logic::Ltl, "SF(a)&WF(b)or WF(c)=>true", "SF(a) & (WF(b) or WF(c)) => true"),
    (Logic::Ltl, "G(WF(a)=>true)", "G (WF(a) => true)"),
    (Logic::Ltl, "[M.op]", "[M.op]"),
    (Logic::Ltl, "[/*a*/op/*b*/(_ /*c*/, /* , */ _ // d)\n, 1 /*e*/) /*f*/]", "[op(_, _, 1)]"),
    (Logic::Ltl, "deadlock(/* , */ a /*)*/, b(/*none*/) // c\n)", "deadlock(a, b())"),
    (Logic::Ltl, "globally absence({a=1})&G globally true", "globally absence({a = 1}) & G G true"),
    (Logic::Ltl, "before ( sink or true )existence({a=2},at_most 2)", "before(sink or true) existence({a = 2}, at_most 2)"),
    (
        Logic::Ltl,
        "not between(true,sink)response(sink then[op]without e(op),true U sink)",
        "not between(true, sink) response(sink then [op] without e(op), true U sink)",
    ),
    (
        Logic::Ltl,
        "after_until(X true,sink) precedence([a],[b]then[c])U sink",
        "after_until(X true, sink) precedence([a], [b] then [c]) U sink",
    ),
    (
        Logic::Ltl,
        "after(globally universality(sink)) response([a], [b] then [c])",
        "after(globally universality(sink)) response([a], [b] then [c])",
    ),
    (Logic::Ctl, "!x.({x:S}=>AG #y . ({y:T}&EF e(op)))", "!x.({x : S} => AG #y.({y : T} & EF e(op)))"),
    (Logic::Ctl, "AGEFEX[op(1)]EX[op]true", "AG EF EX[op(1)] EX[op] true"),
    (Logic::Ctl, "E X{a=1}", "EX {a = 1}"),
    (Logic::Ctl, "AX [op]", "AX ([op])"),
    (Logic::Ctl, "EX [op]", "EX ([op])"),
    (Logic::Ctl, "EX[op]&AG(EX [op] )or E EX[op] U EX[op]not sink", "EX ([op]) & AG EX ([op]) or E EX ([op]) U EX[op] not sink"),
    (Logic::Ctl, "E{a=1}U{a=2}&AG e(op)", "E {a = 1} U {a = 2} & AG e(op)"),
    (Logic::Ctl, "EEG{a=1}U{a=2}", "E EG {a = 1} U {a = 2}"),
    (Logic::Ctl, "AE{a=1}U{a=2}U EF sink", "A (E {a = 1} U {a = 2}) U EF sink"),
    (Logic::Ctl, "not AF{a=1}<->{a=1}and!goal implies true", "not AF {a = 1} <=> {a = 1} & not goal => true"),
];

#[test]
fn formulas_are_read_as_they_are_printed() {
    for (logic, text, wanted) in PRINTED {
        let tree = good(parse_temporal(FILE, *logic, text), text);
        assert_eq!(printed(&tree).to_string(), *wanted, "{text}");
        assert_eq!(shape(&good(parse_temporal(FILE, *logic, wanted), wanted)), shape(&tree), "{text}");
    }
}

#[test]
fn parentheses_change_nothing() {
    let formulas = [
        (Logic::Ltl, "GF{p=1}=>F[stop]", "(G (F {p = 1})) => (F [stop])"),
        (Logic::Ltl, "G {a = 1} U not X e(op) & deadlock", "((G {a = 1}) U (not (X e(op)))) & deadlock"),
        (Logic::Ltl, "WF(a) or WF(b) => {x = 1} or {y = 1} S H sink", "WF(a) or WF(b) => ({x = 1} or ({y = 1} S (H sink)))"),
        (Logic::Ltl, "!x.({x : 1..2} => #y.({y : 1..2} & G {x = y}))", "!x.({x : 1 .. 2} => (#y.({y : 1 .. 2} & (G {x = y}))))"),
        (Logic::Ltl, "G globally absence(sink U goal or {a = 1})", "G (globally absence(sink U goal or {a = 1}))"),
        (Logic::Ltl, "{a = 1} <=> {b = 1}", "{a = 1} <=> {b = 1}"),
        (Logic::Ctl, "AG EX[op] {a = 1} & E {b = 1} U EF true", "(AG (EX[op] {a = 1})) & (E {b = 1} U (EF true))"),
        (Logic::Ctl, "A not {b = 1} U {c = 1} => AX false", "(A (not {b = 1}) U {c = 1}) => (AX false)"),
        (Logic::Ctl, "EX [op] & E EX [op] U A sink U goal", "(EX [op]) & (E (EX [op]) U (A sink U goal))"),
    ];
    for (logic, text, wanted) in formulas {
        let tree = good(parse_temporal(FILE, logic, text), text);
        let found = parenthesised(&tree).to_string();
        assert_eq!(found, wanted);
        assert_eq!(shape(&good(parse_temporal(FILE, logic, &found), &found)), shape(&tree), "{text}");
    }
}

#[test]
fn each_part_has_the_place_of_its_text() {
    let text = " G ( ( {a = 1} ) U /* c */ [op(a, _)] )  ";
    let tree = good(parse_temporal(FILE, Logic::Ltl, text), text);
    let at = |span: Span| &text[span.start as usize..span.end as usize];
    assert_eq!(at(tree.span), "G ( ( {a = 1} ) U /* c */ [op(a, _)] )");
    let TemporalKind::Unary(_, until) = &tree.kind else { panic!("{tree:?}") };
    assert_eq!(at(until.span), "( {a = 1} ) U /* c */ [op(a, _)]");
    let TemporalKind::Binary(_, left, right) = &until.kind else { panic!("{until:?}") };
    assert_eq!((at(left.span), at(right.span)), ("{a = 1}", "[op(a, _)]"));
    let TemporalKind::Proposition(Proposition::Predicate(pred)) = &left.kind else { panic!("{left:?}") };
    let TemporalKind::Proposition(Proposition::Taken(pattern)) = &right.kind else { panic!("{right:?}") };
    assert_eq!((at(pred.span), at(pattern.span), at(pattern.operation.span)), ("a = 1", "op(a, _)", "op"));
}

#[test]
fn errors_inside_braces_are_collected_and_reading_goes_on() {
    let text = "G {a = } => F {b + 1} U [op(3 +)]";
    let parsed = parse_temporal(FILE, Logic::Ltl, text);
    let places: Vec<(Code, &str)> = parsed.diagnostics.iter().map(|found| (found.code, under(text, &found.labels[0]))).collect();
    assert_eq!(places, [(Code::UnexpectedToken, ""), (Code::ExpectedPredicate, "b + 1"), (Code::UnexpectedToken, "")]);
    assert_ne!(parsed.tree.kind, TemporalKind::Proposition(Proposition::Error));
}

#[test]
fn errors_name_whole_words_and_their_spelling() {
    use Logic::{Ctl, Ltl};
    for (logic, text, word, wanted) in [
        (Ltl, "G (FALSE)", "FALSE", "written false"),
        (Ltl, "TRUE", "TRUE", "written true"),
        (Ltl, "G not GOAL", "GOAL", "written goal"),
        (Ltl, "Globally {a = 1}", "Globally", "written globally"),
        (Ltl, "{a = 1} UNTIL {b = 1}", "UNTIL", "written until"),
        (Ltl, "({a = 1} AND {b = 1})", "AND", "written and"),
        (Ltl, "G {a = 1} AND {b = 1}", "AND", "written and"),
        (Ltl, "{a = 1} Or {b = 1}", "Or", "written or"),
        (Ltl, "Gloablly {a = 1}", "Gloablly", "{Gloablly = 1}"),
        (Ltl, "Allways {a = 1}", "Allways", "{Allways = 1}"),
        (Ltl, "G empty = 1", "empty", "{empty = 1}"),
        (Ctl, "AG GOAL", "GOAL", "written goal"),
        (Ctl, "Error", "Error", "written error"),
        (Ctl, "AG {a = 1} AND AF {b = 1}", "AND", "written and"),
        (Ctl, "Flag = 1", "Flag", "{Flag = 1}"),
        (Ltl, "{s = '''a}", "'''", "close it with '''"),
    ] {
        let parsed = parse_temporal(FILE, logic, text);
        let [found] = &parsed.diagnostics[..] else { panic!("{text}: {:#?}", parsed.diagnostics) };
        assert_eq!(under(text, &found.labels[0]), word, "{found:#?}");
        assert!(found.help.iter().any(|help| help.contains(wanted)), "{found:#?}");
    }
    // Letters without blanks are operators all the same.
    for text in ["{a = 1}SF{b = 1}", "GFtrue", "{a = 1}UGOnot sink", "UNCHANGED({a})"] {
        assert!(parse_temporal(FILE, Ltl, text).diagnostics.is_empty(), "{text}");
    }
}

#[test]
fn a_bracket_is_closed_inside_of_the_one_around_it() {
    for text in ["[op(1] & e(x))", "deadlock(a(1, b) & (true)"] {
        let found = parse_temporal(FILE, Logic::Ltl, text).diagnostics;
        assert!(found.iter().any(|one| one.code == Code::UnclosedBracket), "{text}: {found:?}");
    }
}

#[test]
fn what_is_too_large_is_refused_not_fatal() {
    on_large_stack(|| {
        for part in ["(", "not ", "! ", "X", "!x.({x = 1} => ", "{x = 1} & ", "((SF(a) & ", "{x = 1} => ("] {
            let found = parse_temporal(FILE, Logic::Ltl, &part.repeat(20_000)).diagnostics;
            assert_eq!(found.last().map(|diagnostic| diagnostic.code), Some(Code::TooDeep), "{part}");
        }
        let shallow = format!("{}true{}", "(".repeat(400), ")".repeat(400));
        assert!(parse_temporal(FILE, Logic::Ctl, &shallow).diagnostics.is_empty());
        assert!(!parse_temporal(FILE, Logic::Ctl, &"{".repeat(100_000)).diagnostics.is_empty());
    });
}

#[test]
fn damaged_formulas_give_a_tree_and_diagnostics_inside_the_text() {
    const PIECES: &[&str] =
        &["", "(", ")", "{", "}", "[", "]", "\"", "'''", "/*", "*/", "//", "`", "!", "#", ".", "é", "□", "_", "E", "WF(", "\n"];
    let mut random = SplitMix64::new(40);
    for round in 0..4_000 {
        let (_, text, _) = PRINTED[random.below(PRINTED.len())];
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..=random.below(3) {
            let start = random.below(characters.len() + 1);
            let end = (start + random.below(4)).min(characters.len());
            characters.splice(start..end, PIECES[random.below(PIECES.len())].chars());
        }
        let text: String = characters.into_iter().collect();
        for logic in [Logic::Ltl, Logic::Ctl] {
            let parsed = parse_temporal(FILE, logic, &text);
            let labels = parsed.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels);
            for label in labels {
                assert!(text.get(label.span.start as usize..label.span.end as usize).is_some(), "round {round}: {text:?} {label:?}");
            }
            assert!(
                parsed.tree.kind != TemporalKind::Proposition(Proposition::Error) || !parsed.diagnostics.is_empty(),
                "round {round}: {text:?}"
            );
            let _ = printed(&parsed.tree).to_string();
        }
    }
}

#[test]
fn a_random_tree_is_read_as_it_was_printed() {
    for seed in 0..1_500 {
        let mut random = SplitMix64::new(seed);
        let logic = if random.below(3) == 0 { Logic::Ctl } else { Logic::Ltl };
        let tree = tree(&mut random, logic, 4);
        let text = printed(&tree).to_string();
        assert_eq!(shape(&good(parse_temporal(FILE, logic, &text), &text)), shape(&tree), "seed {seed}: {text}");
        let text = parenthesised(&tree).to_string();
        assert_eq!(shape(&good(parse_temporal(FILE, logic, &text), &text)), shape(&tree), "seed {seed}: {text}");
    }
}

fn pred(random: &mut SplitMix64) -> Box<Expr> {
    let texts = ["a = 1", "{} = {{}} or b", "s = \"}\\\"]\"", "!x.(x : S => #y.(y = x))", "x = x$0 + 1", "r'f : {1, 2}"];
    Box::new(parse_predicate(FILE, texts[random.below(texts.len())]).tree)
}

fn expr(random: &mut SplitMix64) -> Expr {
    let texts = ["a", "f(1, 2)", "{1, 2}", "(a, b)", "\",\"", "[a, b]", "x + 1"];
    parse_expression(FILE, texts[random.below(texts.len())]).tree
}

fn pattern(random: &mut SplitMix64) -> StepPattern {
    let operation = Name { text: ["op", "M.op", "G"][random.below(3)].to_owned(), span: Span::nowhere() };
    let arguments = (random.below(2) == 0).then(|| (0..random.below(3)).map(|_| (random.below(2) == 0).then(|| expr(random))).collect());
    StepPattern { operation, arguments, span: Span::nowhere() }
}

fn premise(random: &mut SplitMix64) -> Premise {
    let kind = match random.below(6) {
        0 => PremiseKind::And(Box::new(of_kind(random, true, 2)), Box::new(of_kind(random, false, 2))),
        1 => PremiseKind::And(Box::new(every(false)), Box::new(of_kind(random, true, 1))),
        2 => every(true).kind,
        _ => of_kind(random, false, 2).kind,
    };
    Premise { kind, span: Span::nowhere() }
}

fn every(is_strong: bool) -> Premise {
    Premise { kind: PremiseKind::Every { is_strong }, span: Span::nowhere() }
}

fn of_kind(random: &mut SplitMix64, is_strong: bool, depth: usize) -> Premise {
    let kind = match random.below(if depth == 0 { 1 } else { 3 }) {
        0 => PremiseKind::Of { is_strong, pattern: pattern(random) },
        joint => {
            let [left, right] = [0, 1].map(|_| Box::new(of_kind(random, is_strong, depth - 1)));
            if joint == 1 { PremiseKind::And(left, right) } else { PremiseKind::Or(left, right) }
        }
    };
    Premise { kind, span: Span::nowhere() }
}

/// A tree of a logic, whose operators nest up to a depth.
fn tree(random: &mut SplitMix64, logic: Logic, depth: usize) -> Temporal {
    use {TemporalBinary as B, TemporalUnary as U};
    let quantifier = [Quantifier::Forall, Quantifier::Exists][random.below(2)];
    let below = |random: &mut SplitMix64| Box::new(tree(random, logic, depth - 1));
    let kind = match (logic, random.below(if depth == 0 { 4 } else { 11 })) {
        (Logic::Ltl, 0) => proposition(linear_proposition(random)),
        (_, 0 | 1) => proposition(Proposition::Predicate(pred(random))),
        (_, 2) => proposition([Proposition::Enabled(pattern(random)), Proposition::Taken(pattern(random))][random.below(2)].clone()),
        (_, 3) => match random.below(3) {
            0 => TemporalKind::Constant(true),
            1 => proposition(Proposition::Word(StateWord::Deadlock)),
            _ => proposition(Proposition::Word(StateWord::Goal)),
        },
        (Logic::Ctl, 4 | 5) => {
            let op = [U::Next, U::Finally, U::Globally][random.below(3)];
            let takes_step = quantifier == Quantifier::Exists && op == U::Next && random.below(2) == 0;
            let step = takes_step.then(|| pattern(random));
            path(quantifier, step, TemporalKind::Unary(op, below(random)))
        }
        (Logic::Ctl, 6) => path(quantifier, None, TemporalKind::Binary(B::Until, below(random), below(random))),
        (Logic::Ltl, 5) => {
            let parts = [(); 4].map(|()| tree(random, logic, depth - 1));
            let pattern = PropertyPattern { scope: scope(random, &parts), kind: pattern_kind(random, parts) };
            proposition(Proposition::Pattern(Box::new(pattern)))
        }
        (Logic::Ctl, 7) => TemporalKind::Unary(U::Not, below(random)),
        (Logic::Ctl, _) => TemporalKind::Binary([B::And, B::Or, B::Implies, B::Equivalent][random.below(4)], below(random), below(random)),
        (Logic::Ltl, 4) => TemporalKind::Prefixed(Prefix::Fair(premise(random)), below(random)),
        (_, 10) => {
            let name = Name { text: "x".to_owned(), span: Span::nowhere() };
            TemporalKind::Prefixed(Prefix::Quantified { quantifier, name, condition: pred(random) }, below(random))
        }
        (Logic::Ltl, 6 | 7) => {
            let ops = [U::Not, U::Globally, U::Finally, U::Next, U::Historically, U::Once, U::Yesterday];
            TemporalKind::Unary(ops[random.below(ops.len())], below(random))
        }
        (Logic::Ltl, _) => {
            let ops = [B::And, B::Or, B::Implies, B::Equivalent, B::Until, B::WeakUntil, B::Release, B::Since, B::Trigger];
            TemporalKind::Binary(ops[random.below(ops.len())], below(random), below(random))
        }
    };
    Temporal { kind, span: Span::nowhere() }
}

fn proposition(proposition: Proposition) -> TemporalKind {
    TemporalKind::Proposition(proposition)
}

fn path(quantifier: Quantifier, step: Option<StepPattern>, kind: TemporalKind) -> TemporalKind {
    TemporalKind::Prefixed(Prefix::Path(quantifier, step), Box::new(Temporal { kind, span: Span::nowhere() }))
}

fn scope(random: &mut SplitMix64, [q, r, ..]: &[Temporal; 4]) -> PatternScope {
    let both = Box::new([q.clone(), r.clone()]);
    let scopes = [PatternScope::Globally, PatternScope::Before(Box::new(r.clone())), PatternScope::After(Box::new(q.clone()))];
    let index = random.below(5);
    scopes.get(index).cloned().unwrap_or(if index == 3 { PatternScope::Between(both) } else { PatternScope::AfterUntil(both) })
}

fn pattern_kind(random: &mut SplitMix64, [p, s, t, z]: [Temporal; 4]) -> PatternKind {
    match random.below(11) {
        0 => PatternKind::Absence(Box::new(p)),
        1 => PatternKind::Universality(Box::new(p)),
        2 => PatternKind::Existence(Box::new(p)),
        3 => PatternKind::BoundedExistence(Box::new(p), 2),
        4 => PatternKind::Precedence(Box::new([s, p])),
        5 => PatternKind::ChainPrecedes(Box::new([s, t, p])),
        6 => PatternKind::PrecedesChain(Box::new([p, s, t])),
        7 => PatternKind::Response(Box::new([s, p])),
        8 => PatternKind::ChainResponds(Box::new([s, t, p])),
        9 => PatternKind::ConstrainedChainResponds(Box::new([s, t, z, p])),
        _ => PatternKind::RespondsToChain(Box::new([p, s, t])),
    }
}

/// A proposition that only LTL has.
fn linear_proposition(random: &mut SplitMix64) -> Proposition {
    match random.below(3) {
        0 => {
            let counting = [Counting::None, Counting::One, Counting::AtMostOne][random.below(3)];
            Proposition::Counted(counting, (0..=random.below(3)).map(|_| pattern(random)).collect())
        }
        1 => {
            let trend = [Trend::Unchanged, Trend::Changed, Trend::Increasing, Trend::Decreasing][random.below(4)];
            Proposition::Compared(trend, Box::new(expr(random)))
        }
        _ => Proposition::BeforeAfter(pred(random)),
    }
}
