//! Expressions and predicates in the core language.

use super::model;
use super::print::Printer;

/// The core language of a property of some constants.
#[track_caller]
fn lowers(pred: &str, expected: &str) {
    let text = format!(
        "MACHINE m SETS S; T = {{t1, t2}} CONSTANTS s, t, f, n, q, w, g PROPERTIES
        s : POW(S) & t : POW(T) & f : S +-> T & n : NAT & q : seq(S) & w : struct(a : NAT, b : BOOL) & g : NAT * NAT --> NAT & {pred} END"
    );
    let model = model(&text);
    let found: Vec<String> = model.properties[7..].iter().map(|conjunct| Printer(&model).pred(&conjunct.pred)).collect();
    assert_eq!(found.join(" & "), expected, "{pred}");
}

#[test]
fn overloaded_operators_get_their_meaning() {
    lowers("s - s = s", "Equal(Difference(s, s), s)");
    lowers("n - n = n", "Equal(Subtract(n, n), n)");
    lowers("s * t = {}", "Equal(Product(s, t), {})");
    lowers("n * n = n", "Equal(Multiply(n, n), n)");
    lowers("s \\ s = s", "Equal(Difference(s, s), s)");
    lowers("S - s = S", "Equal(Difference(S, s), S)");
    lowers("{x | x : s - {}} = s", "Equal({x | Member(x, Difference(s, {}))}, s)");
}

#[test]
fn arguments_are_left_nested_pairs() {
    lowers("g(1, 2) = 3", "Equal(Apply(g, Pair(1, 2)), 3)");
    lowers("(1, 2, 3) = 1 |-> 2 |-> 3", "Equal(Pair(Pair(1, 2), 3), Pair(Pair(1, 2), 3))");
    lowers("(1, (2, 3)) = (1, (2, 3))", "Equal(Pair(1, Pair(2, 3)), Pair(1, Pair(2, 3)))");
}

#[test]
fn chains_of_connectives_are_flat() {
    lowers("(n = 1 or n = 2 or n = 3)", "(Equal(n, 1) or Equal(n, 2) or Equal(n, 3))");
    lowers("not(n = 1 & (n = 2 & n = 3))", "not((Equal(n, 1) & Equal(n, 2) & Equal(n, 3)))");
    lowers("n = 1 & (n = 2 & n = 3)", "Equal(n, 1) & Equal(n, 2) & Equal(n, 3)");
    lowers("(n = 1 => n = 2)", "(Equal(n, 1) => Equal(n, 2))");
    lowers("(n = 1 <=> n = 2)", "(Equal(n, 1) <=> Equal(n, 2))");
}

#[test]
fn quantifiers_and_binders_bind() {
    lowers("!x.(x : s => x : S)", "!x.(Member(x, s) => Member(x, S))");
    lowers("#(x, y).(x : s & y : t)", "#x,y.(Member(x, s) & Member(y, t))");
    lowers("%x.(x : s | n) = {}", "Equal(%x.(Member(x, s) | n), {})");
    lowers(
        "SIGMA x.(x : 1..n | x) = PI x.(x : 1..n | x)",
        "Equal(SIGMA x.(Member(x, Interval(1, n)) | x), PI x.(Member(x, Interval(1, n)) | x))",
    );
    lowers("UNION x.(x : s | {x}) = INTER x.(x : s | {x})", "Equal(UNION x.(Member(x, s) | {x}), INTER x.(Member(x, s) | {x}))");
    lowers("{x, y | x : s & y : t} = {}", "Equal({x,y | (Member(x, s) & Member(y, t))}, {})");
    lowers("{x . x : s | f(x)} = t", "Equal({x . Member(x, s) | Apply(f, x)}, t)");
}

#[test]
fn every_binder_has_names_of_its_own() {
    let model = model("MACHINE m SETS S PROPERTIES !x.(x : S => #x.(x : S)) & {x | x : S} = S END");
    assert_eq!(model.locals, ["x", "x", "x"]);
}

#[test]
fn let_bindings_are_put_in_an_order_in_which_they_can_be_evaluated() {
    lowers("n = LET a, b BE b = 1 & a = b + 1 IN a + b END", "Equal(n, LET b=1 & a=Add(b, 1) IN Add(a, b) END)");
    lowers("LET a, b, c BE a = b + c & b = c & c = 1 IN a = n END", "LET c=1 & b=c & a=Add(b, c) IN Equal(a, n) END");
    // A name that is bound inside hides the one of LET.
    lowers("LET a BE a = {a | a : s} IN a = s END", "LET a={a | Member(a, s)} IN Equal(a, s) END");
    lowers("LET a, b BE b = 1 & a = %b.(b : s | b)[s] IN a = s END", "LET b=1 & a=Image(%b.(Member(b, s) | b), s) IN Equal(a, s) END");
}

#[test]
fn successor_and_predecessor() {
    lowers("succ(n) = pred(n)", "Equal(Add(n, 1), Subtract(n, 1))");
    lowers("succ[{n}] = {}", "Equal(Image(%x.(Member(x, INTEGER) | Add(x, 1)), {n}), {})");
}

#[test]
fn records_keep_their_fields_in_one_order() {
    lowers("w = rec(b : TRUE, a : 1)", "Equal(w, rec(a:1, b:TRUE))");
    lowers("w'b = TRUE", "Equal(w'b, TRUE)");
    lowers("w : struct(b : BOOL, a : 1..n)", "Member(w, struct(a:Interval(1, n), b:BOOL))");
}

#[test]
fn conditions() {
    lowers(
        "n = IF n = 1 THEN 2 ELSIF n = 2 THEN 3 ELSE 4 END",
        "Equal(n, IF Equal(n, 1) THEN 2 ELSE IF Equal(n, 2) THEN 3 ELSE 4 END END)",
    );
    lowers("IF n = 1 THEN n = 2 ELSE n = 3 END", "IF Equal(n, 1) THEN Equal(n, 2) ELSE Equal(n, 3) END");
    lowers("bool(n = 1) = TRUE", "Equal(bool(Equal(n, 1)), TRUE)");
}

#[test]
fn operators_on_sequences_relations_and_sets() {
    lowers("q <- first(q) = last(q) -> q", "Equal(InsertTail(q, First(q)), InsertFront(Last(q), q))");
    lowers("q /|\\ 1 = q \\|/ 2", "Equal(TakeFirst(q, 1), DropFirst(q, 2))");
    lowers("f[s] = ran(s <| f)", "Equal(Image(f, s), Range(DomainRestrict(s, f)))");
    lowers("f <+ f = f |> t", "Equal(Override(f, f), RangeRestrict(f, t))");
    lowers("@partition(S, s, {})", "partition(S; s, {})");
    lowers("@finite(s)", "finite(s)");
    lowers("s /<: S & s <<: S & s /<<: S", "NotSubset(s, S) & StrictSubset(s, S) & NotStrictSubset(s, S)");
    lowers("prj1(1 |-> 2) = prj2((1, 2))", "Equal(First2(Pair(1, 2)), Second2(Pair(1, 2)))");
    lowers("f : S +-> T", "Member(f, PartialFunctions(S, T))");
}

#[test]
fn strings_are_joined_by_the_operator_of_sequences() {
    lowers("\"a\" ^ \"b\" = \"ab\"", "Equal(StringAppend(\"a\", \"b\"), \"ab\")");
    lowers("STRING_LENGTH(\"a\") = 1", "Equal(StringLength(\"a\"), 1)");
    lowers("TO_STRING(n) = INT_TO_STRING(n)", "Equal(ToString(n), IntToString(n))");
}

#[test]
fn labels_are_kept() {
    let model =
        model("MACHINE m CONSTANTS n PROPERTIES /*@label typed*/ n : NAT & /*@label small*/ n < 3 ASSERTIONS /*@label top*/ n < 4 END");
    let labels: Vec<Option<&str>> = model.properties.iter().map(|conjunct| conjunct.label.as_deref()).collect();
    assert_eq!(labels, [Some("typed"), Some("small")]);
    assert_eq!(model.assertions[0].label.as_deref(), Some("top"));
    assert!(model.assertions[0].is_static);
}

#[test]
fn assertions_over_variables_are_not_static() {
    let model = model("MACHINE m VARIABLES x INVARIANT x : NAT ASSERTIONS 1 = 1; x >= 0 INITIALISATION x := 0 END");
    assert_eq!(model.assertions.iter().map(|assertion| assertion.is_static).collect::<Vec<_>>(), [true, false]);
}
