//! Definitions: what a use stands for, and messages about definitions and inside them.

use super::print::Printer;
use super::{messages, model, places};

/// The core language of the last property and of the operation `op`.
#[track_caller]
fn lowers(definitions: &str, pred: &str, expected: &str) {
    let text = format!("MACHINE m DEFINITIONS {definitions} CONSTANTS a, b PROPERTIES a : NAT & b : NAT & {pred} END");
    let model = model(&text);
    let found: Vec<String> = model.properties[2..].iter().map(|conjunct| Printer(&model).pred(&conjunct.pred)).collect();
    assert_eq!(found.join(" & "), expected, "{definitions}");
}

#[track_caller]
fn runs(definitions: &str, subst: &str, expected: &str) {
    let text = format!(
        "MACHINE m DEFINITIONS {definitions} VARIABLES x, y INVARIANT x : NAT & y : NAT INITIALISATION x, y := 0, 0 OPERATIONS
        add(p) = PRE p : NAT THEN x := x + p END; op = {subst} END"
    );
    let model = model(&text);
    assert_eq!(Printer(&model).subst(&model.operations["op"].body), expected, "{definitions}");
}

#[test]
fn a_body_acts_as_if_in_parentheses() {
    lowers("sum == a + b", "sum * 2 = 6", "Equal(Multiply(Add(a, b), 2), 6)");
    lowers("either == a = 1 or b = 1", "not(either) & a = 2", "not((Equal(a, 1) or Equal(b, 1))) & Equal(a, 2)");
}

#[test]
fn parameters_stand_for_their_arguments() {
    lowers("twice(v) == 2 * v", "twice(a + b) = 6", "Equal(Multiply(2, Add(a, b)), 6)");
    lowers("less(v, w) == v < w", "less(a, b)", "Less(a, b)");
    lowers("twice(v) == 2 * v", "twice(twice(a)) = 4", "Equal(Multiply(2, Multiply(2, a)), 4)");
    lowers("swap(v, w) == w |-> v; flip(v, w) == swap(w, v)", "flip(a, b) = (1, 2)", "Equal(Pair(a, b), Pair(1, 2))");
}

#[test]
fn a_definition_may_use_later_ones() {
    lowers("outer == inner + 1; inner == a", "outer = 2", "Equal(Add(a, 1), 2)");
}

#[test]
fn there_is_no_hygiene() {
    lowers("later(v) == #x.(x : NAT & x > v)", "later(a)", "#x.(Member(x, NAT) & Greater(x, a))");
    lowers("later(v) == #x.(x : NAT & x > v)", "!x.(x : NAT => later(x))", "!x.(Member(x, NAT) => #x.(Member(x, NAT) & Greater(x, x)))");
    lowers("exists(v) == #v.(v : NAT & v > 3)", "exists(z)", "#z.(Member(z, NAT) & Greater(z, 3))");
    lowers("free == x + 1", "!x.(x : NAT => free > x)", "!x.(Member(x, NAT) => Greater(Add(x, 1), x))");
}

#[test]
fn bound_names_and_parameters_hide_definitions() {
    lowers("x == 5", "!x.(x : NAT => x = a)", "!x.(Member(x, NAT) => Equal(x, a))");
    let text = "MACHINE m DEFINITIONS p == 5 VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 OPERATIONS op(p) = PRE p : NAT THEN x := p END END";
    let model = model(text);
    assert_eq!(Printer(&model).subst(&model.operations["op"].body), "GUARD Member(p, NAT) THEN x := p END");
}

#[test]
fn a_list_stands_for_several_names_arguments_or_elements() {
    lowers("both == a, b", "{both} = {1}", "Equal({a, b}, {1})");
    lowers("both == a, b; sum(v, w) == v + w", "sum(both) = 3", "Equal(Add(a, b), 3)");
    lowers("both == a, b", "(both) = (1, 2)", "Equal(Pair(a, b), Pair(1, 2))");
    lowers("names == v, w", "!(names).(v : NAT & w : NAT => v = w)", "!v,w.((Member(v, NAT) & Member(w, NAT)) => Equal(v, w))");
    runs("both == x, y", "BEGIN both := 1, 2 END", "x := 1, y := 2");
    runs("both == x, y", "BEGIN both :: NAT * NAT END", "x,y :: Product(NAT, NAT)");
}

#[test]
fn definitions_of_substitutions() {
    runs("step == x := x + 1", "BEGIN step END", "x := Add(x, 1)");
    runs("set(v, w) == v := w", "set(y, 3)", "y := 3");
    runs("both == BEGIN x := 1 || y := 2 END", "IF x = 0 THEN both END", "IF Equal(x, 0) THEN (x := 1 || y := 2) END");
    runs("inner == x := 1; outer == BEGIN inner || y := 1 END", "BEGIN outer END", "(x := 1 || y := 1)");
    runs("call(v) == add(v + 1)", "call(2)", "LET p=Add(2, 1) IN PRE Member(p, NAT) THEN x := Add(x, p) END END");
    runs(
        "guard == x = 0; pick == ANY v WHERE v : NAT & guard THEN y := v END",
        "pick",
        "ANY v WHERE (Member(v, NAT) & Equal(x, 0)) THEN y := v END",
    );
}

#[test]
fn a_body_that_can_be_read_both_ways_is_what_its_use_needs() {
    let definitions =
        "A == BEGIN x := 1 END; B(v) == y := v; Q == x > 1; R(v) == v > y; both == IF x = 1 THEN A ELSIF x = 2 THEN B(3) ELSE add(2) END;
        some(p) == IF p = 1 THEN A END; local == LET l BE l = x IN B(l) END; such == x :(Q); calls == x :( R(x) ); two == x, y :(Q);
        value == IF x = 1 THEN c ELSE d END; c == 4; d == 5";
    for (subst, written) in [
        ("both", "IF x = 1 THEN BEGIN x := 1 END ELSIF x = 2 THEN y := 3 ELSE add(2) END"),
        ("some(y)", "IF y = 1 THEN BEGIN x := 1 END END"),
        ("local", "LET l BE l = x IN y := l END"),
        ("such", "x :(x > 1)"),
        ("calls", "x :(x > y)"),
        ("two", "x, y :(x > 1)"),
        ("x := value", "x := IF x = 1 THEN 4 ELSE 5 END"),
    ] {
        let text = |subst: &str| {
            format!(
                "MACHINE m DEFINITIONS {definitions} VARIABLES x, y INVARIANT x : NAT & y : NAT INITIALISATION x, y := 0, 0 OPERATIONS
                add(p) = PRE p : NAT THEN x := x + p END; op = {subst} END"
            )
        };
        let lowered = |text: &str| {
            let model = model(text);
            Printer(&model).subst(&model.operations["op"].body)
        };
        assert_eq!(lowered(&text(subst)), lowered(&text(written)), "{subst}");
    }
    let text = "MACHINE m DEFINITIONS d == x : NAT VARIABLES x INVARIANT d INITIALISATION x := 0 OPERATIONS op = d END";
    assert_eq!(places(text), ["B0123 d"]);
}

#[test]
fn old_values_of_parameters_and_definitions() {
    runs("grows(v) == v > v$0", "BEGIN x : (grows(x)) END", "x~x : (Greater(x, x$0))");
    runs("D == x", "BEGIN x : (D > D$0) END", "x~x : (Greater(x, x$0))");
    runs("D == x; E == D; up(v) == v > v$0", "BEGIN x : (up(E) & E$0 = 1) END", "x~x : ((Greater(x, x$0) & Equal(x$0, 1)))");
}

#[test]
fn recursion_is_an_error_that_shows_the_circle() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS even(n) == odd(n); odd(n) == even(n) PROPERTIES even(2) END"),
        [concat!(
            "B0206 the definition `even` uses itself | «even(n)» even uses odd uses even | «even» defined here ",
            "| help: a definition is replaced by its text, so this would never end; use a constant function for recursion"
        )]
    );
    assert_eq!(places("MACHINE m DEFINITIONS a == a + 1 PROPERTIES a = 1 END"), ["B0206 a"]);
}

#[test]
fn numbers_of_arguments_are_checked() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS sum(v, w) == v + w PROPERTIES sum(1) = 1 END"),
        ["B0207 the definition `sum` takes 2 arguments, not 1 | «sum(1)» 1 argument given | «sum» defined here"]
    );
    assert_eq!(
        messages("MACHINE m DEFINITIONS neg(v) == -v PROPERTIES neg = 1 END"),
        ["B0207 the definition `neg` takes 1 argument, not 0 | «neg» 0 arguments given | «neg» defined here"]
    );
}

#[test]
fn a_definition_of_the_wrong_sort_is_reported_where_it_is_used() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS step == skip CONSTANTS c PROPERTIES c = step END"),
        ["B0122 the definition `step` is a substitution | «step» an expression or predicate is expected here | «step» defined here"]
    );
    assert_eq!(
        messages("MACHINE m DEFINITIONS one == 1 OPERATIONS op = one END"),
        [
            "B0123 the definition `one` does not stand for an operation call here | «one» a substitution is expected here | «one» defined here"
        ]
    );
    // Neither results nor arguments are lost on the way through a second definition.
    let context = "VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 OPERATIONS op =";
    for call in ["x <-- one", "one(2)"] {
        assert_eq!(
            messages(&format!("MACHINE m DEFINITIONS one == two; two == skip {context} BEGIN {call} END END")),
            [format!(
                "B0123 the definition `one` does not stand for an operation call here | «{call}» a substitution is expected here | «one» defined here"
            )]
        );
    }
    assert_eq!(
        messages("MACHINE m DEFINITIONS all(v) == !v.(v : NAT => v >= 0) PROPERTIES all(1 + 2) END"),
        ["B0124 `v` is bound here, so it must stand for a name | «v» bound here | «1 + 2» but this expression takes its place"]
    );
}

#[test]
fn an_error_inside_a_definition_shows_where_it_is_used() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS good == c : NAT & 1 = 1; bad(v) == v > TRUE CONSTANTS c PROPERTIES good & bad(c) END"),
        [concat!(
            "B0203 the types INTEGER and BOOL do not fit | «TRUE» this is BOOL | «bad(c)» in the definition used here ",
            "| help: INTEGER is expected here"
        )]
    );
    assert_eq!(
        messages("MACHINE m DEFINITIONS inner == 1 + nothing; outer == inner * 2 PROPERTIES outer = 1 END"),
        ["B0201 nothing declares `nothing` | «nothing» unknown name | «outer» in the definition used here"]
    );
    let argument = "MACHINE m DEFINITIONS pos(v) == v + 1 > 1 CONSTANTS c PROPERTIES c = {} & pos(c) END";
    assert_eq!(
        messages(argument),
        [concat!(
            "B0203 the types INTEGER and POW(?) do not fit | «c» this is POW(?) | «c = {}» POW(?) comes from here | «pos(c)» in the ",
            "definition used here | help: the union of sets is S \\/ T; s ^ t joins sequences, s <- e adds one element"
        )]
    );
    assert_eq!(
        messages("MACHINE m DEFINITIONS set(v, w) == v := w VARIABLES x INVARIANT x : NAT INITIALISATION set(x, y) END"),
        ["B0201 nothing declares `y` | «y» unknown name"]
    );
}

#[test]
fn an_error_in_a_definition_that_nothing_uses_is_not_reported() {
    assert_eq!(messages("MACHINE m DEFINITIONS unused == nothing + TRUE END"), [""; 0]);
}

#[test]
fn a_name_is_defined_once() {
    assert_eq!(
        messages("MACHINE m DEFINITIONS a == 1; a == 2 PROPERTIES a = 1 END"),
        ["B0202 `a` is defined twice | «a» defined again here | «a» first defined here"]
    );
}

#[test]
fn expansion_is_bounded() {
    super::on_large_stack(|| {
        let chain: String = (1..60).map(|n| format!("d{n} == d{} + d{}; ", n - 1, n - 1)).collect();
        let text = format!("MACHINE m DEFINITIONS d0 == 1; {chain} end == 1 PROPERTIES d59 > 0 END");
        let found = messages(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("B0124 the definitions expand to more text than bcheck handles"), "{found:?}");
    });
}

#[test]
fn the_goal_is_a_definition_whose_name_means_something() {
    let text = "MACHINE m DEFINITIONS far == 3; GOAL == x > far VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END";
    let model = model(text);
    let goal = model.goal.as_ref().expect("the goal");
    assert_eq!(Printer(&model).pred(goal), "Greater(x, 3)");
    let expression = "MACHINE m DEFINITIONS GOAL == x + 1 VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 END";
    assert_eq!(places(expression), ["B0121 x + 1"]);
}

#[test]
fn external_functions_are_not_their_documentation() {
    let text = "MACHINE m DEFINITIONS EXTERNAL_FUNCTION_CHOOSE(T) == (POW(T) --> T); CHOOSE(X) == \"an element of X\" PROPERTIES CHOOSE({1}) = 1 END";
    let model = model(text);
    assert_eq!(Printer(&model).pred(&model.properties[0].pred), "Equal(Choose({1}), 1)");
}
