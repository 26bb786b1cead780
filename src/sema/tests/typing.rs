//! Inferred types, and messages about types that do not fit.

use super::{messages, model, places, show, type_of};

/// The type of the constant c under some properties.
#[track_caller]
fn typed(properties: &str, expected: &str) {
    let text = format!("MACHINE m SETS S; T = {{t1, t2}} CONSTANTS c, r, q PROPERTIES r : S <-> T & q : seq(S) & {properties} END");
    assert_eq!(type_of(&model(&text), "c"), expected, "{properties}");
}

#[test]
fn membership_and_equality_give_types() {
    typed("c : S", "S");
    typed("c = t1", "T");
    typed("c : NAT", "INTEGER");
    typed("c = TRUE", "BOOL");
    typed("c = \"a\"", "STRING");
    typed("c <: S", "POW(S)");
    typed("c : POW(POW(S))", "POW(POW(S))");
    typed("{c} <: S", "S");
    typed("c > 0", "INTEGER");
    typed("c = bool(1 = 2)", "BOOL");
    typed("c = {} & c <: T", "POW(T)");
    typed("S = c", "POW(S)");
}

#[test]
fn products_and_relations() {
    typed("c : S * T", "S*T");
    typed("c : S +-> (T --> BOOL)", "POW(S*POW(T*BOOL))");
    typed("c = r~", "POW(T*S)");
    typed("c = r[{}]", "POW(T)");
    typed("c = (r ; r~)", "POW(S*S)");
    typed("c = (r || r)", "POW(S*S*(T*T))");
    typed("c = r >< r", "POW(S*(T*T))");
    typed("c = dom(r)", "POW(S)");
    typed("c = fnc(r)", "POW(S*POW(T))");
    typed("c = rel(fnc(r))", "POW(S*T)");
    typed("c = prj1(S, T)", "POW(S*T*S)");
    typed("c = prj2(S, T)", "POW(S*T*T)");
    typed("c = closure1(r ; r~)", "POW(S*S)");
    typed("c = iterate((r ; r~), 2)", "POW(S*S)");
    typed("c = id(T)", "POW(T*T)");
    typed("c = (1, TRUE, 2)", "INTEGER*BOOL*INTEGER");
    typed("c = 1 |-> (TRUE |-> 2)", "INTEGER*(BOOL*INTEGER)");
}

#[test]
fn sequences_are_relations_from_integers() {
    typed("c = [t1]", "POW(INTEGER*T)");
    typed("c = first(q)", "S");
    typed("c = q <- first(q)", "POW(INTEGER*S)");
    typed("c = q ^ []", "POW(INTEGER*S)");
    typed("c = conc([q])", "POW(INTEGER*S)");
    typed("c : iseq(BOOL)", "POW(INTEGER*BOOL)");
    typed("c = q(1)", "S");
}

#[test]
fn records_have_their_fields_in_one_order() {
    typed("c : struct(b : BOOL, a : NAT)", "struct(a:INTEGER,b:BOOL)");
    typed("c = rec(b : TRUE, a : 1)'a", "INTEGER");
    typed("c'a = 1 & c : struct(b : BOOL, a : NAT)", "struct(a:INTEGER,b:BOOL)");
}

#[test]
fn binders() {
    typed("c = %x.(x : S | t1)", "POW(S*T)");
    typed("c = %(x, y).(x : S & y : T | 1)", "POW(S*T*INTEGER)");
    typed("c = {x, y | x : S & y : T}", "POW(S*T)");
    typed("c = UNION x.(x : S | {x})", "POW(S)");
    typed("c = SIGMA x.(x : 1..3 | x)", "INTEGER");
    typed("c = {x . x : S | t2}", "POW(T)");
    typed("#x.(x = c & x : S)", "S");
    typed("c = LET x BE x = t1 IN {x} END", "POW(T)");
    typed("c = IF 1 = 1 THEN t1 ELSE t2 END", "T");
}

#[test]
fn minus_and_times_are_decided_by_what_is_known_later() {
    typed("c = S - {}", "POW(S)");
    typed("c - {} = S", "POW(S)");
    typed("c = S * T", "POW(S*T)");
    typed("c * c = 4", "INTEGER");
    typed("c - c = c", "INTEGER");
    typed("!x.(x : c - {} => x : S)", "POW(S)");
}

#[test]
fn types_come_from_later_clauses_too() {
    let text = "MACHINE m SETS S VARIABLES x, y INVARIANT x = y INITIALISATION x :: S || y :: S END";
    assert_eq!(type_of(&model(text), "x"), "S");
    let text = "MACHINE m VARIABLES x INVARIANT x : NAT INITIALISATION x := 0 OPERATIONS r <-- op(p) = PRE p = x THEN r := {p} END END";
    let model = model(text);
    let operation = &model.operations["op"];
    assert_eq!(show(&model, &operation.parameters[0].2), "INTEGER");
    assert_eq!(show(&model, &operation.results[0].2), "POW(INTEGER)");
}

/// The messages about properties of constants in a fixed context.
fn clash(properties: &str) -> Vec<String> {
    messages(&format!("MACHINE m SETS Name; Code CONSTANTS c, d, names PROPERTIES names : POW(Name) & d : Code & {properties} END"))
}

#[test]
fn a_clash_names_both_origins() {
    assert_eq!(
        clash("c = d & c = names"),
        [concat!(
            "B0203 the types Code and POW(Name) do not fit | «names» this is POW(Name) | «c = d» Code comes from here ",
            "| «names : POW(Name)» POW(Name) comes from here"
        )]
    );
    assert_eq!(
        clash("c = 1 & d : names"),
        [concat!(
            "B0203 the types POW(Code) and POW(Name) do not fit | «names» this is POW(Name) | «d : Code» POW(Code) comes from here ",
            "| «names : POW(Name)» POW(Name) comes from here"
        )]
    );
}

#[test]
fn what_is_evident_needs_no_origin() {
    assert_eq!(
        clash("c = TRUE + 1"),
        ["B0203 the types INTEGER and BOOL do not fit | «TRUE» this is BOOL | help: INTEGER is expected here"]
    );
    assert_eq!(
        clash("c = Name \\/ {TRUE}"),
        ["B0203 the types POW(Name) and POW(BOOL) do not fit | «{TRUE}» this is POW(BOOL) | «Name» POW(Name) comes from here"]
    );
}

#[test]
fn a_clash_inside_one_predicate_points_at_its_parts() {
    assert_eq!(
        clash("c = {x, y | x : Name & y = x & y : Code}"),
        ["B0203 the types POW(Name) and POW(Code) do not fit | «Code» this is POW(Code) | «y = x» POW(Name) comes from here"]
    );
}

#[test]
fn an_assignment_is_an_origin_too() {
    let text = "MACHINE m SETS S VARIABLES x, y INVARIANT 1 = 1 INITIALISATION x := 0 || y :: S OPERATIONS op = BEGIN x := TRUE END; op2 = BEGIN y := x END END";
    assert_eq!(
        messages(text),
        [
            "B0203 the types INTEGER and BOOL do not fit | «TRUE» this is BOOL | «x := 0» INTEGER comes from here",
            "B0203 the types S and INTEGER do not fit | «x» this is INTEGER | «y :: S» S comes from here | «x := 0» INTEGER comes from here",
        ]
    );
}

#[test]
fn a_type_cannot_contain_itself() {
    assert_eq!(
        messages("MACHINE m CONSTANTS c PROPERTIES c : c END"),
        ["B0205 POW(?) and ? cannot be one type: it would contain itself | «c» this is ?"]
    );
    let text = "MACHINE m CONSTANTS c, d PROPERTIES c : d & d = c END";
    assert_eq!(
        messages(text),
        ["B0205 POW(?) and ? cannot be one type: it would contain itself | «c» this is ? | «c : d» POW(?) comes from here"]
    );
}

#[test]
fn clashes_in_every_kind_of_substitution_are_found_at_once() {
    let text = "MACHINE m SETS S VARIABLES x, f INVARIANT x : NAT & f : S +-> NAT INITIALISATION x, f := {}, 1
        OPERATIONS
          a = BEGIN x :: S END;
          b = BEGIN f(1) := 2 END;
          c = BEGIN x : (x = TRUE) END;
          d = CASE x OF EITHER TRUE THEN skip END END;
          e = ANY y WHERE y : S & y > 0 THEN skip END;
          g = VAR i IN i := 1; f := i END;
          h = WHILE x < 1 DO x := x - 1 INVARIANT x : NAT VARIANT f END;
          r <-- i(p) = PRE p : S THEN r := p || x := p END
        END";
    // Three uses and more do not fit the typing of x, nor that of f: that is one error each, at the typing.
    let found = ["B0203 x : NAT", "B0203 f : S +-> NAT", "B0203 S", "B0203 1", "B0203 y"];
    assert_eq!(places(text), found);
}

#[test]
fn only_functions_are_applied() {
    assert_eq!(
        clash("c = 2 & c(1) = d"),
        [concat!(
            "B0210 only a function can be applied to arguments | «c» this is INTEGER ",
            "| help: an operator may be missing before the parenthesis"
        )]
    );
    assert_eq!(places("MACHINE m SETS S PROPERTIES S(1) = 2 & (1, 2)(TRUE) = 1 & {}(1) = 2 END"), ["B0210 S", "B0210 (1, 2)"]);
}

#[test]
fn a_name_without_a_type_asks_for_a_predicate() {
    assert_eq!(
        messages("MACHINE m CONSTANTS c PROPERTIES c = {} VARIABLES x INVARIANT 1 = 1 INITIALISATION x := {} END"),
        [
            "B0204 the type of `c` cannot be inferred | «c» nothing says what its values are | help: add a predicate such as `c : S` to PROPERTIES",
            "B0204 the type of `x` cannot be inferred | «x» nothing says what its values are | help: add a predicate such as `x : S` to INVARIANT",
        ]
    );
    assert_eq!(places("MACHINE m PROPERTIES #x.(x = x) & !y.(y = {} => 1 = 1) END"), ["B0204 x", "B0204 y"]);
    assert_eq!(
        messages("MACHINE m CONSTANTS c PROPERTIES c'f = 1 END"),
        [concat!(
            "B0204 the record whose field `f` is used has no known type | «f»  ",
            "| help: add a typing predicate such as r : struct(...)"
        )]
    );
}

#[test]
fn what_nothing_depends_on_needs_no_type() {
    let text = "MACHINE m PROPERTIES {} = {} & card([]) = 0 END";
    assert_eq!(model(text).properties.len(), 2);
}

#[test]
fn joined_strings_and_sequences_are_told_apart_by_whatever_is_known_of_them_anywhere() {
    typed("r = r & c = CHOOSE({\"a\"}) ^ TO_STRING(1)", "STRING");
    for properties in ["c = s ^ t & s = \"a\"", "c = s ^ t & t = \"a\"", "c = s ^ t & c = \"a\"", "c = f(1) ^ f(2) & f = {1 |-> \"a\"}"] {
        let text = format!("MACHINE m CONSTANTS c, s, t, f PROPERTIES {properties} & s : STRING & t : STRING & f : NAT +-> STRING END");
        assert_eq!(type_of(&model(&text), "c"), "STRING", "{properties}");
    }
    let field = "MACHINE m CONSTANTS c PROPERTIES c = rec(n : \"a\") VARIABLES v INVARIANT v : STRING INITIALISATION v := c'n ^ c'n END";
    let model = model(field);
    assert_eq!(super::print::Printer(&model).subst(&model.initialisation), "v := StringAppend(c'n, c'n)");
    let long = format!("c = {}", vec!["f(1)"; 40].join(" ^ "));
    typed_of("c, f", &format!("{long} & f : NAT --> STRING"), "STRING");
    typed_of("c, f", &format!("{long} & f : NAT --> seq(BOOL)"), "POW(INTEGER*BOOL)");
    typed_of("c, s, t", "c = s ^ t & t : seq(BOOL)", "POW(INTEGER*BOOL)");
}

/// The type of the constant c among these constants.
#[track_caller]
fn typed_of(constants: &str, properties: &str, expected: &str) {
    let text = format!("MACHINE m CONSTANTS {constants} PROPERTIES {properties} END");
    assert_eq!(type_of(&model(&text), "c"), expected, "{properties}");
}

#[test]
fn a_sequence_joined_with_a_string_says_what_joins_strings() {
    let text = "MACHINE m PROPERTIES [1] ^ \"a\" = \"b\" END";
    let help = "`^` joins sequences, or strings where an operand or the result is known to be a string";
    assert_eq!(
        messages(text),
        [format!(
            "B0203 the types STRING and POW(INTEGER*INTEGER) do not fit | «[1]» this is POW(INTEGER*INTEGER) | help: STRING is expected here | help: {help}"
        )]
    );
}

#[test]
fn unused_parameters_and_results_are_warned_about() {
    let text = "MACHINE m OPERATIONS r <-- op(p) = skip END";
    assert_eq!(
        messages(text),
        [
            "warning B0204 the type of `r` cannot be inferred | «r» the operation gives it no value | help: a predicate such as `r : S` gives it a type",
            "warning B0204 the type of `p` cannot be inferred | «p» the operation does not use it | help: a predicate such as `p : S` gives it a type",
        ]
    );
    let model = model(text);
    let body = super::print::Printer(&model).subst(&model.operations["op"].body);
    assert_eq!(body, "GUARD Equal(p, \"undefined\") THEN skip END", "a result without a value has none");
    let used = "MACHINE m OPERATIONS r <-- op(p) = BEGIN r := p END; s <-- empty = BEGIN s := {} END END";
    assert_eq!(places(used), ["B0204 r", "B0204 p", "B0204 s"]);
    let errors: Vec<String> = messages(used).into_iter().filter(|line| !line.starts_with("warning")).collect();
    assert_eq!(errors.len(), 1, "only the parameter that is used: {errors:?}");
}

#[test]
fn fields_that_do_not_exist_are_named_with_the_record() {
    let text = "MACHINE m VARIABLES r INVARIANT r : struct(a : NAT, b : BOOL) & r'c = 1 INITIALISATION r := rec(a : 1, b : TRUE)
        OPERATIONS op = BEGIN r'd := 1 END END";
    assert_eq!(
        messages(text),
        [
            "B0212 there is no field `c` | «c» not a field of struct(a:INTEGER,b:BOOL)",
            "B0212 there is no field `d` | «d» not a field of struct(a:INTEGER,b:BOOL)",
        ]
    );
}
