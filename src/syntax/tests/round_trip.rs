//! Printing and reading are inverse: `parse(print(tree)) = tree`, spans aside.

use proptest::prelude::*;

use super::super::ast::{BinaryOp, Binder, Builtin, Constant, Expr, ExprKind, Name, Quantifier, Subst, SubstKind, UnaryOp};
use super::super::{parse_formula, parse_machine};
use super::parse_substitution;
use super::{FILE, good, shape};
use bcheck_source::Span;

fn expr(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::nowhere() }
}

fn boxed(kind: ExprKind) -> Box<Expr> {
    Box::new(expr(kind))
}

fn name(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::nowhere() }
}

fn names() -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(prop::sample::select(vec!["x", "y", "zz", "odd name", "END"]).prop_map(name), 1..3)
}

fn value_leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        prop::sample::select(vec!["a", "f", "pre.c", "größe", "odd name", "min"]).prop_map(|text| expr(ExprKind::Ident(text.to_owned()))),
        (0..999_u32).prop_map(|n| expr(ExprKind::Integer(n.to_string()))),
        "[ -~\n\t]{0,6}".prop_map(|text| expr(ExprKind::String(text))),
        Just(expr(ExprKind::OldValue("v".into()))),
        Just(expr(ExprKind::Real("1.5".into()))),
        prop::sample::select(vec![Constant::True, Constant::Natural1, Constant::MaxInt, Constant::Succ, Constant::String])
            .prop_map(|constant| expr(ExprKind::Constant(constant))),
        Just(expr(ExprKind::SetExtension(Vec::new()))),
        Just(expr(ExprKind::Sequence(Vec::new()))),
    ]
}

const VALUE_OPS: [BinaryOp; 21] = [
    BinaryOp::Compose,
    BinaryOp::ParallelProduct,
    BinaryOp::Relations,
    BinaryOp::TotalFunctions,
    BinaryOp::TotalSurjectiveRelations,
    BinaryOp::Override,
    BinaryOp::Concat,
    BinaryOp::DomainSubtract,
    BinaryOp::InsertFront,
    BinaryOp::InsertTail,
    BinaryOp::Union,
    BinaryOp::Intersection,
    BinaryOp::TakeFirst,
    BinaryOp::DropFirst,
    BinaryOp::Maplet,
    BinaryOp::Interval,
    BinaryOp::Plus,
    BinaryOp::Minus,
    BinaryOp::Times,
    BinaryOp::Modulo,
    BinaryOp::Power,
];

const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Equal, BinaryOp::Member, BinaryOp::NotSubset, BinaryOp::Less, BinaryOp::GreaterEqual, BinaryOp::StrictSubset];

const CONNECTIVES: [BinaryOp; 4] = [BinaryOp::Implies, BinaryOp::And, BinaryOp::Or, BinaryOp::Equivalent];

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

/// Values with predicates inside, and predicates over values, each to a depth of four.
fn value() -> BoxedStrategy<Expr> {
    value_leaf()
        .prop_recursive(5, 40, 3, |value| {
            let predicate = predicate_over(value.clone());
            let pair = (value.clone(), value.clone());
            prop_oneof![
                4 => (prop::sample::select(VALUE_OPS.to_vec()), pair.clone()).prop_map(|(op, (l, r))| binary(op, l, r)),
                1 => value.clone().prop_map(|v| expr(ExprKind::Unary(UnaryOp::Negate, Box::new(v)))),
                1 => value.clone().prop_map(|v| expr(ExprKind::Unary(UnaryOp::Inverse, Box::new(v)))),
                1 => pair.clone().prop_map(|(l, r)| expr(ExprKind::CommaPair(Box::new(l), Box::new(r)))),
                1 => pair.clone().prop_map(|(f, x)| expr(ExprKind::Apply(Box::new(f), vec![x]))),
                1 => pair.clone().prop_map(|(r, s)| expr(ExprKind::Image(Box::new(r), Box::new(s)))),
                1 => value.clone().prop_map(|r| expr(ExprKind::Field(Box::new(r), name("fld")))),
                1 => pair.clone().prop_map(|(a, b)| expr(ExprKind::Builtin(Builtin::Iterate, vec![a, b]))),
                1 => value.clone().prop_map(|a| expr(ExprKind::Builtin(Builtin::Pow1, vec![a]))),
                1 => predicate.clone().prop_map(|p| expr(ExprKind::Builtin(Builtin::BoolOf, vec![p]))),
                1 => prop::collection::vec(value.clone(), 1..4).prop_map(|es| expr(ExprKind::SetExtension(es))),
                1 => prop::collection::vec(value.clone(), 1..4).prop_map(|es| expr(ExprKind::Sequence(es))),
                1 => pair.clone().prop_map(|(a, b)| expr(ExprKind::Record(vec![(name("p"), a), (name("q"), b)]))),
                1 => value.clone().prop_map(|a| expr(ExprKind::Struct(vec![(name("p"), a)]))),
                1 => (names(), predicate.clone()).prop_map(|(ns, p)| expr(ExprKind::Comprehension(ns, Box::new(p)))),
                1 => (names(), predicate.clone(), value.clone())
                    .prop_map(|(ns, p, e)| expr(ExprKind::EventComprehension(ns, Box::new(p), Box::new(e)))),
                1 => (prop::sample::select(vec![Binder::Lambda, Binder::Sigma, Binder::Inter]), names(), predicate.clone(), value.clone())
                    .prop_map(|(b, ns, p, e)| expr(ExprKind::Binder(b, ns, Box::new(p), Box::new(e)))),
                1 => (predicate.clone(), pair.clone())
                    .prop_map(|(p, (a, b))| expr(ExprKind::If(Box::new(p), Box::new(a), Some(Box::new(b))))),
                1 => (names(), predicate, value).prop_map(|(ns, p, e)| expr(ExprKind::Let(ns, Box::new(p), Box::new(e)))),
            ]
        })
        .boxed()
}

fn predicate_over(value: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let leaf = prop_oneof![
        3 => (prop::sample::select(COMPARISONS.to_vec()), value.clone(), value).prop_map(|(op, l, r)| binary(op, l, r)),
        1 => Just(expr(ExprKind::Constant(Constant::BTrue))),
        1 => Just(expr(ExprKind::Ident("Defined".into()))),
    ];
    leaf.prop_recursive(3, 12, 2, |predicate| {
        let pair = (predicate.clone(), predicate.clone());
        prop_oneof![
            4 => (prop::sample::select(CONNECTIVES.to_vec()), pair.clone()).prop_map(|(op, (l, r))| binary(op, l, r)),
            1 => predicate.clone().prop_map(|p| expr(ExprKind::Builtin(Builtin::Not, vec![p]))),
            1 => (names(), predicate.clone()).prop_map(|(ns, p)| expr(ExprKind::Quantified(Quantifier::Exists, ns, Box::new(p)))),
            1 => (names(), pair.clone())
                .prop_map(|(ns, (l, r))| expr(ExprKind::Quantified(Quantifier::Forall, ns, Box::new(binary(BinaryOp::Implies, l, r))))),
            1 => (predicate.clone(), pair).prop_map(|(p, (a, b))| expr(ExprKind::If(Box::new(p), Box::new(a), Some(Box::new(b))))),
            1 => predicate.prop_map(|p| expr(ExprKind::Labelled("lab el".into(), Box::new(p)))),
        ]
    })
    .boxed()
}

fn subst(kind: SubstKind) -> Subst {
    Subst { kind, span: Span::nowhere() }
}

fn target() -> impl Strategy<Value = Expr> {
    prop_oneof![
        Just(expr(ExprKind::Ident("v".into()))),
        value_leaf().prop_map(|x| expr(ExprKind::Apply(boxed(ExprKind::Ident("f".into())), vec![x]))),
        Just(expr(ExprKind::Field(boxed(ExprKind::Ident("r".into())), name("fld")))),
    ]
}

/// Substitutions as the parser builds them: a sequence only inside a construct, no sequence inside a sequence.
fn substitution() -> BoxedStrategy<Subst> {
    let condition = predicate_over(value_leaf().boxed());
    let targets = prop::collection::vec(target(), 1..3).boxed();
    let leaf = prop_oneof![
        Just(subst(SubstKind::Skip)),
        (targets.clone(), prop::collection::vec(value_leaf(), 1..3)).prop_map(|(ts, vs)| subst(SubstKind::Assign(ts, vs))),
        (targets.clone(), value_leaf()).prop_map(|(ts, s)| subst(SubstKind::BecomesIn(ts, Box::new(s)))),
        (targets.clone(), condition.clone()).prop_map(|(ts, p)| subst(SubstKind::BecomesSuchThat(ts, Box::new(p)))),
        (targets, prop::collection::vec(value_leaf(), 0..3))
            .prop_map(|(results, arguments)| { subst(SubstKind::Call { results, name: name("pre.op"), arguments }) }),
        prop::collection::vec(value_leaf(), 0..3).prop_map(|arguments| subst(SubstKind::Call {
            results: Vec::new(),
            name: name("op"),
            arguments
        })),
    ];
    leaf.prop_recursive(3, 20, 3, move |simple| {
        let condition = condition.clone();
        let parallel = prop::collection::vec(simple.clone(), 2..4).prop_map(|parts| subst(SubstKind::Parallel(parts)));
        let step = prop_oneof![simple.clone(), parallel.clone()];
        let sequence = prop::collection::vec(step, 2..4).prop_map(|parts| subst(SubstKind::Sequence(parts)));
        let body = prop_oneof![simple, parallel, sequence].boxed();
        let branches = prop::collection::vec((condition.clone(), body.clone()), 1..3);
        let otherwise = prop::option::of(body.clone().prop_map(Box::new));
        prop_oneof![
            body.clone().prop_map(|s| subst(SubstKind::Block(Box::new(s)))),
            (condition.clone(), body.clone()).prop_map(|(p, s)| subst(SubstKind::Pre(Box::new(p), Box::new(s)))),
            (condition.clone(), body.clone()).prop_map(|(p, s)| subst(SubstKind::Assert(Box::new(p), Box::new(s)))),
            prop::collection::vec(body.clone(), 1..3).prop_map(|bs| subst(SubstKind::Choice(bs))),
            (branches.clone(), otherwise.clone()).prop_map(|(bs, e)| subst(SubstKind::If(bs, e))),
            (branches, otherwise.clone()).prop_map(|(bs, e)| subst(SubstKind::Select(bs, e))),
            (value_leaf(), prop::collection::vec((prop::collection::vec(value_leaf(), 1..3), body.clone()), 1..3), otherwise)
                .prop_map(|(e, bs, other)| subst(SubstKind::Case(Box::new(e), bs, other))),
            (names(), condition.clone(), body.clone()).prop_map(|(ns, p, s)| subst(SubstKind::Any(ns, Box::new(p), Box::new(s)))),
            (names(), condition.clone(), body.clone()).prop_map(|(ns, p, s)| subst(SubstKind::Let(ns, Box::new(p), Box::new(s)))),
            (names(), body.clone()).prop_map(|(ns, s)| subst(SubstKind::Var(ns, Box::new(s)))),
            (condition.clone(), body, condition, value_leaf()).prop_map(|(p, s, i, v)| subst(SubstKind::While {
                condition: Box::new(p),
                body: Box::new(s),
                invariant: Box::new(i),
                variant: Box::new(v),
            })),
        ]
    })
    .boxed()
}

/// A tree that failures show as text.
struct Printed<T>(T);

impl<T: std::fmt::Display> std::fmt::Debug for Printed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

proptest! {
    #[test]
    fn printed_expressions_read_back_as_the_same_tree(tree in value().prop_map(Printed)) {
        let text = tree.0.to_string();
        prop_assert_eq!(shape(&good(parse_formula(FILE, &format!("({text})")), &text)), shape(&tree.0), "{}", text);
    }

    #[test]
    fn printed_predicates_read_back_as_the_same_tree(tree in predicate_over(value()).prop_map(Printed)) {
        let text = tree.0.to_string();
        prop_assert_eq!(shape(&good(parse_formula(FILE, &text), &text)), shape(&tree.0), "{}", text);
    }

    #[test]
    fn printed_substitutions_read_back_as_the_same_tree(tree in substitution().prop_map(Printed)) {
        let text = tree.0.to_string();
        prop_assert_eq!(shape(&good(parse_substitution(FILE, &text), &text)), shape(&tree.0), "{}", text);
    }
}

#[test]
fn a_whole_machine_reads_back_as_the_same_tree() {
    let text = "REFINEMENT M.x(S, n) REFINES A SEES B, c.D INCLUDES p.E(1, S) PROMOTES p.op SETS T; U = {a, `b c`}; V = W
        ABSTRACT_CONSTANTS k CONSTANTS l CONSTRAINTS n = 1 PROPERTIES k : S & l = 2 DEFINITIONS d(x) == x, 1; e == x := 1 ; y := 2; \"f\"
        CONCRETE_VARIABLES v VARIABLES w INVARIANT v = w ASSERTIONS v = 1; w = 1 INITIALISATION v := 1 ; w := 1
        LOCAL_OPERATIONS lo = skip OPERATIONS r <-- op(x) = PRE x = 1 THEN r := x || v := 2 END ; q ref z = skip VALUES S = 1 .. 3 END";
    let machine = good(parse_machine(FILE, text), text).expect("a machine");
    let printed = machine.to_string();
    let again = good(parse_machine(FILE, &printed), &printed).expect("a machine");
    assert_eq!(shape(&machine), shape(&again), "{printed}");
}
