//! Substitutions in the core language, and messages about them.

use super::print::Printer;
use super::{messages, model, places};

const CONTEXT: &str = "MACHINE m SETS S VARIABLES x, y, f, g, r INVARIANT x : NAT & y : NAT & f : NAT +-> NAT & g : NAT +-> (NAT +-> NAT) &
    r : struct(a : NAT, b : struct(c : BOOL, d : NAT)) INITIALISATION x, y, f, g, r :: NAT * NAT * {{}} * {{}} * {rec(a : 1, b : rec(c : TRUE, d : 0))}
    OPERATIONS double(p) = PRE p : NAT THEN x := 2 * p END; res, ult <-- two = BEGIN res := x || ult := y END; op = ";

/// The core language of an operation's body.
#[track_caller]
fn lowers(subst: &str, expected: &str) {
    let model = model(&format!("{CONTEXT}{subst} END"));
    assert_eq!(Printer(&model).subst(&model.operations["op"].body), expected, "{subst}");
}

/// The messages about an operation's body.
fn refuses(subst: &str) -> Vec<String> {
    messages(&format!("{CONTEXT}{subst} END"))
}

#[test]
fn updates_write_whole_variables() {
    lowers("BEGIN f(1) := 2 END", "f := Override(f, {Pair(1, 2)})");
    lowers("BEGIN g(1)(2) := 3 END", "g := Override(g, {Pair(1, Override(Apply(g, 1), {Pair(2, 3)}))})");
    lowers("BEGIN r'a := 2 END", "r := rec(a:2, b:r'b)");
    lowers("BEGIN r'b'd := 2 END", "r := rec(a:r'a, b:rec(c:r'b'c, d:2))");
    lowers("BEGIN f(x), y := 1, f(2) END", "f := Override(f, {Pair(x, 1)}), y := Apply(f, 2)");
    lowers("BEGIN x, y := (y, x) END", "x := y, y := x");
}

#[test]
fn choices() {
    lowers("BEGIN x :: NAT END", "x :: NAT");
    lowers("BEGIN x, y :: NAT * NAT END", "x,y :: Product(NAT, NAT)");
    lowers("BEGIN f(1) :: {2, 3} END", "ANY chosen WHERE Member(chosen, {2, 3}) THEN f := Override(f, {Pair(1, chosen)}) END");
    lowers("BEGIN x : (x > x$0 & y = x) END", "x~x : ((Greater(x, x$0) & Equal(y, x)))");
    lowers("BEGIN x, y : (x = y$0 & y = x$0) END", "x~x,y~y : ((Equal(x, y$0) & Equal(y, x$0)))");
    lowers("CHOICE x := 1 OR x := 2 OR skip END", "CHOICE x := 1 OR x := 2 OR skip END");
    lowers("ANY a, b WHERE a : NAT & b = a THEN x := a END", "ANY a,b WHERE (Member(a, NAT) & Equal(b, a)) THEN x := a END");
}

#[test]
fn conditions() {
    lowers("IF x = 1 THEN x := 2 ELSIF x = 2 THEN x := 3 END", "IF Equal(x, 1) THEN x := 2 ELSIF Equal(x, 2) THEN x := 3 END");
    lowers(
        "SELECT x = 1 THEN x := 2 WHEN y = 1 THEN y := 2 ELSE skip END",
        "SELECT Equal(x, 1) THEN x := 2 WHEN Equal(y, 1) THEN y := 2 ELSE skip END",
    );
    lowers("ASSERT x = 1 THEN skip END", "ASSERT Equal(x, 1) THEN skip END");
    lowers(
        "CASE x + 1 OF EITHER 1, 2 THEN x := 3 OR 4 THEN x := 5 ELSE x := 6 END END",
        "LET case=Add(x, 1) IN IF Member(case, {1, 2}) THEN x := 3 ELSIF Member(case, {4}) THEN x := 5 ELSE x := 6 END END",
    );
}

#[test]
fn preconditions_at_the_top_are_guards() {
    lowers("PRE x = 1 THEN PRE y = 1 THEN skip END END", "GUARD Equal(x, 1) THEN GUARD Equal(y, 1) THEN skip END END");
    lowers("BEGIN PRE x = 1 THEN skip END END", "GUARD Equal(x, 1) THEN skip END");
    lowers("SELECT x = 1 THEN PRE y = 1 THEN skip END END", "SELECT Equal(x, 1) THEN PRE Equal(y, 1) THEN skip END END");
    lowers("BEGIN PRE x = 1 THEN skip END || skip END", "(PRE Equal(x, 1) THEN skip END || skip)");
}

#[test]
fn locals() {
    lowers("LET a, b BE a = b & b = x IN x := a END", "LET b=x & a=b IN x := a END");
    lowers("VAR i IN i := 1; x := i END", "VAR i IN (i := 1 ; x := i) END");
    lowers(
        "VAR i IN i := 0; WHILE i < 3 DO i := i + 1 INVARIANT i <= 3 & x$0 = x VARIANT 3 - i END END",
        "VAR i IN (i := 0 ; WHILE Less(i, 3) DO i := Add(i, 1) INVARIANT (LessEqual(i, 3) & Equal(x$0, x)) VARIANT Subtract(3, i) END) END",
    );
}

#[test]
fn calls_are_inlined_with_their_own_names() {
    lowers("double(y)", "LET p=y IN PRE Member(p, NAT) THEN x := Multiply(2, p) END END");
    lowers("x, y <-- two", "VAR res,ult IN ((res := x || ult := y) ; x := res, y := ult) END");
    lowers("BEGIN x, f(1) <-- two END", "VAR res,ult IN ((res := x || ult := y) ; x := res, f := Override(f, {Pair(1, ult)})) END");
    lowers(
        "ANY p WHERE p : NAT THEN double(p + 1) END",
        "ANY p WHERE Member(p, NAT) THEN LET p=Add(p, 1) IN PRE Member(p, NAT) THEN x := Multiply(2, p) END END END",
    );
}

#[test]
fn names_of_the_caller_are_not_seen_by_the_called_operation() {
    let text =
        "MACHINE m VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 OPERATIONS a = BEGIN x := i END; b = VAR i IN i := 1; a END END";
    assert_eq!(places(text), ["B0201 i"]);
}

#[test]
fn calls_that_cannot_be() {
    assert_eq!(refuses("duoble(1)"), ["B0211 there is no operation `duoble` | «duoble» called here | help: a similar name is `double`"]);
    assert_eq!(refuses("BEGIN double END"), ["B0207 `double` has 1 argument, not 0 | «double» 0 arguments given | «double» declared here"]);
    assert_eq!(refuses("x <-- two"), ["B0207 `two` has 2 results, not 1 | «x <-- two» 1 result given | «two» declared here"]);
    assert_eq!(places(&format!("{CONTEXT} op END")), ["B0214 op"]);
    assert_eq!(places("MACHINE m OPERATIONS a = b; b = a END"), ["B0214 b", "B0214 a"]);
}

#[test]
fn targets_must_be_assignable() {
    assert_eq!(
        refuses("ANY a WHERE a : NAT THEN a := 1 END"),
        [
            "B0208 `a` cannot be assigned | «a» this is a parameter or bound name | help: only variables, results and VAR names can be assigned"
        ]
    );
    assert_eq!(
        refuses("BEGIN S := {} END")[0],
        "B0208 `S` cannot be assigned | «S» this is a set | help: only variables, results and VAR names can be assigned"
    );
    let help = "help: declare z in VARIABLES, as a result of the operation, or by VAR z IN S END";
    assert_eq!(refuses("BEGIN z := 1 END"), [format!("B0201 nothing declares `z` | «z» unknown name | {help}")]);
    assert_eq!(refuses("BEGIN S(1) :: {2} END").len(), 2);
    let text = "MACHINE m SETS T = {t} CONSTANTS k PROPERTIES k : NAT OPERATIONS a = BEGIN k := 1 END; b = BEGIN t := 1 END; c(p) = PRE p : NAT THEN p := 1 END END";
    assert_eq!(places(text), ["B0208 k", "B0208 t", "B0208 p"]);
}

#[test]
fn a_variable_is_assigned_once_at_a_time() {
    assert_eq!(
        refuses("BEGIN x := 1 || y := 2 || x := 3 END"),
        [concat!(
            "B0209 `x` is assigned by two parts of || | «x := 3» assigned again here | «x := 1» first assigned here ",
            "| help: both parts of S || T happen at once; S ; T does T after S"
        )]
    );
    assert_eq!(
        refuses("BEGIN x, x := 1, 2 END"),
        ["B0209 `x` is assigned twice at once | «x» assigned again here | «x» first assigned here"]
    );
    assert_eq!(
        refuses("BEGIN f(1), f(2) := 3, 4 END"),
        ["B0209 `f` is assigned twice at once | «f(2)» assigned again here | «f(1)» first assigned here"]
    );
    for text in ["BEGIN x, x :: NAT * NAT END", "BEGIN x, x : (x = 1) END"] {
        assert_eq!(refuses(text), ["B0209 `x` is assigned twice at once | «x» assigned again here | «x» first assigned here"], "{text}");
    }
    assert_eq!(refuses("BEGIN x :: NAT || x : (x = 1) END").len(), 1);
    assert_eq!(refuses("BEGIN IF x = 1 THEN x := 1 END || x := 2 END"), [""; 0]);
}

#[test]
fn numbers_of_targets_and_values_agree() {
    let several = "help: x, y := E, F gives each target a value of its own";
    let pair = "help: the value that is a pair stands in parentheses: x := (E, F), or x := E |-> F";
    let messages = [
        ("BEGIN x, y := 1 END", "B0207 2 targets but 1 value | «x, y := 1» in this assignment", several),
        ("BEGIN x := 1, 2 END", "B0207 1 target but 2 values | «x := 1, 2» in this assignment", pair),
    ];
    for (text, message, help) in messages {
        assert_eq!(refuses(text), [format!("{message} | {help}")]);
    }
}

#[test]
fn old_values_exist_only_where_something_changes() {
    let help = "«x$0» not the target of a substitution x : (P) | help: `x$0` is allowed in x : (P) and for variables in loops; elsewhere write `x`";
    assert_eq!(refuses("BEGIN x := x$0 END"), [format!("B0201 `x` has no old value here | {help}")]);
    assert_eq!(refuses("BEGIN y : (y = x$0) END"), [format!("B0201 `x` has no old value here | {help}")]);
    assert!(
        refuses("ANY a WHERE a : NAT & a$0 = 1 THEN skip END")[0]
            .starts_with("B0201 `a$0` is the old value of a variable, but `a` is not one")
    );
    assert_eq!(places("MACHINE m VARIABLES x INVARIANT x : NAT & x$0 = 1 INITIALISATION x := 0 END"), ["B0201 x$0"]);
}

#[test]
fn a_faulty_target_is_reported_without_a_clash_of_the_set() {
    assert_eq!(refuses("BEGIN x, 1 :: NAT * NAT END"), ["B0208 only variables can be assigned | «1» not a variable"]);
}

#[test]
fn a_bad_let_is_reported_once() {
    assert_eq!(
        refuses("LET a, b BE 1 + a = 2 & b = 1 IN x := a + b END"),
        ["B0124 LET needs exactly one equation `name = expression` for each of its names | «1 + a = 2» not such an equation"]
    );
    assert_eq!(
        refuses("LET a, b BE a = b & b = a IN x := a + b END"),
        ["B0124 the value of `a` depends on itself | «b» LET is not recursive"]
    );
    assert_eq!(
        refuses("LET a, b BE a = b & b = b + 1 IN x := a + b END"),
        ["B0124 the value of `b` depends on itself | «b + 1» LET is not recursive"]
    );
    assert_eq!(
        refuses("LET a, b BE a = 1 IN x := a + b END"),
        ["B0124 LET gives no value to `b` | «b» no equation for this name | help: add `b = …` after BE"]
    );
    assert_eq!(
        refuses("LET a, a BE a = 1 IN x := a END"),
        ["B0202 `a` is declared twice | «a» declared again here | «a» first declared here"]
    );
    assert_eq!(places(&format!("{CONTEXT} LET a BE a = 1 & a = 2 IN x := a END END")), ["B0124 a = 2"]);
}
