//! Settings in DEFINITIONS and sizes in PROPERTIES.

use super::{messages, model};
use bcheck_ir::{GivenSetKind, SetId, Settings, SizeHint};

fn settings(definitions: &str) -> Settings {
    model(&format!("MACHINE m DEFINITIONS {definitions} SETS S; T END")).settings
}

fn scope(definitions: &str) -> Option<usize> {
    settings(definitions).scope.get(&SetId(0)).copied()
}

#[test]
fn a_scope_is_a_number_or_the_length_of_an_interval() {
    assert_eq!(scope("scope_S == 4"), Some(4));
    assert_eq!(scope("scope_S == 1..3"), Some(3));
    assert_eq!(scope("scope_S == 5..6"), Some(2));
    assert_eq!(scope("scope_T == 3"), None);
}

#[test]
fn values_are_computed_through_definitions_and_arithmetic() {
    assert_eq!(scope("N == 4; scope_S == N"), Some(4));
    assert_eq!(scope("scope_S == 1..N + 1; N == M * 2; M == 3"), Some(7));
    assert_eq!(scope("double(x) == 2 * x; scope_S == double(3)"), Some(6));
    let found = settings("SET_PREF_MAXINT == 2 * 5; SET_PREF_MININT == 0 - 3");
    assert_eq!((found.minint, found.maxint), (Some(-3), Some(10)));
    let found = settings("SET_PREF_MAXINT == 2**31 - 1; SET_PREF_MININT == -2**31");
    assert_eq!((found.minint, found.maxint), (Some(-2_147_483_648), Some(2_147_483_647)), "as B reads -2**31: an odd power");
    assert_eq!(settings("SET_PREF_MININT == -9223372036854775808").minint, Some(i64::MIN));
    assert_eq!(settings("SET_PREF_DEFAULT_SETSIZE == 17 / 5 mod 4").default_size, Some(3));
}

#[test]
fn arithmetic_that_overflows_is_no_size() {
    for body in ["-9223372036854775807..9223372036854775807", "2**64", "9999999999999999999", "1/0", "5 mod 0", "-(-9223372036854775808)"] {
        let text = format!("MACHINE m DEFINITIONS scope_S == {body} SETS S END");
        assert_eq!(
            messages(&text),
            [
                "warning B0401 scope_S is not a size | «scope_S» a number or an interval of numbers is expected | help: the default size is used"
            ],
            "{body}"
        );
    }
    assert_eq!(
        messages("MACHINE m DEFINITIONS SET_PREF_MAXINT == 2**64 END"),
        [
            "warning B0402 the value of SET_PREF_MAXINT cannot be used | «SET_PREF_MAXINT» a number of 64 bits is expected | help: the default is used"
        ]
    );
}

#[test]
fn a_set_cannot_be_empty() {
    for body in ["0", "3..2", "-1"] {
        let text = format!("MACHINE m DEFINITIONS scope_S == {body} SETS S END");
        let found = messages(&text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("B0401 `S` cannot have "), "{found:?}");
        assert!(found[0].ends_with("«scope_S» this is the size of a set | «S» declared here | help: sets in B have at least one element"));
    }
}

#[test]
fn sizes_of_other_sets_are_dropped_with_a_warning() {
    let text = "MACHINE m DEFINITIONS scope_Colour == 5; scope_Coulor == 2 SETS Colour = {red, green} END";
    assert_eq!(
        messages(text),
        [
            "warning B0402 `Colour` is an enumerated set: its size is 2 | «scope_Colour» this size is ignored | «Colour» declared here",
            "warning B0402 the machine has no set `Coulor` | «scope_Coulor» this size is for no set and is ignored | help: a similar name is `Colour`",
        ]
    );
    assert!(model(text).settings.scope.is_empty());
}

#[test]
fn ignored_settings_give_one_note() {
    let text =
        "MACHINE m DEFINITIONS SET_PREF_CLPFD == TRUE; VISB_SVG_CONTENTS == \"\"; ANIMATION_IMG0 == \"a.gif\"; ANIMATION_CLICK == 1 END";
    assert_eq!(
        messages(text),
        [concat!(
            "note B0402 ignored settings: SET_PREF_CLPFD, VISB_SVG_CONTENTS, ANIMATION_CLICK | «SET_PREF_CLPFD»  ",
            "| help: they steer ProB's display or search and do not change what is checked here"
        )]
    );
}

#[test]
fn temporal_formulas_are_not_checked_unless_asked_for() {
    let text = "MACHINE m DEFINITIONS ASSERT_LTL1 == \"G {x = 1}\"; ASSERT_CTL_live == \"AG EF {1 = 1}\" END";
    let note = "note B0408 2 temporal formulas are not checked; `bcheck check` checks them | «ASSERT_LTL1»  | «ASSERT_CTL_live» ";
    assert_eq!(messages(text), [note]);
    let stated = model(text).not_checked;
    let part = |span: bcheck_source::Span| &text[span.start as usize..span.end as usize];
    let shown: Vec<_> = stated.iter().map(|stated| (stated.name.as_str(), part(stated.formula))).collect();
    assert_eq!(shown, [("ASSERT_LTL1", "\"G {x = 1}\""), ("ASSERT_CTL_live", "\"AG EF {1 = 1}\"")]);
    let one = "MACHINE m DEFINITIONS ASSERT_LTL == \"true\" END";
    assert_eq!(messages(one), ["note B0408 1 temporal formula is not checked; `bcheck check` checks it | «ASSERT_LTL» "]);
}

#[test]
fn a_temporal_formula_that_is_no_string_is_a_warning() {
    let text = "MACHINE m DEFINITIONS ASSERT_CTL_x == 1 = 1 END";
    let warning = "warning B0408 the property `ASSERT_CTL_x` is not checked | «ASSERT_CTL_x» not a string";
    assert_eq!(messages(text), [format!("{warning} | help: write the formula as a string: ASSERT_CTL_x == \"AG {{x = 1}}\"")]);
    assert_eq!(model(text).not_checked.len(), 1, "it stays among what is not checked");
    let text = "MACHINE m DEFINITIONS ASSERT_LTL_of(x) == \"G {x = 1}\" END";
    let warning = "warning B0408 the property `ASSERT_LTL_of` is not checked | «ASSERT_LTL_of» has parameters";
    assert!(messages(text)[0].starts_with(warning), "{:?}", messages(text));
    assert_eq!((messages(text).len(), model(text).not_checked.len()), (1, 1));
}

#[test]
fn truncating_settings_are_not_obeyed() {
    let text = "MACHINE m DEFINITIONS SET_PREF_MAX_OPERATIONS == 10 END";
    assert_eq!(model(text).settings.max_operations, Some(10));
    assert!(messages(text)[0].starts_with("note B0402 SET_PREF_MAX_OPERATIONS is not obeyed"));
}

fn hint(properties: &str) -> Option<SizeHint> {
    model(&format!("MACHINE m SETS S CONSTANTS a, b, c, n PROPERTIES n : NAT & a : S & b : S & c : S & {properties} END"))
        .settings
        .hints
        .get(&SetId(0))
        .copied()
}

#[test]
fn properties_imply_sizes() {
    assert_eq!(hint("card(S) = 4"), Some(SizeHint::Exactly(4)));
    assert_eq!(hint("2 + 3 = card(S)"), Some(SizeHint::Exactly(5)));
    assert_eq!(hint("S = {a, b, c}"), Some(SizeHint::Listed(1, 3)));
    assert_eq!(hint("{a, b, c} = S & b /= c"), Some(SizeHint::Listed(2, 3)));
    assert_eq!(hint("S = {a, b, c} & b /= c & a /: {b, c}"), Some(SizeHint::Exactly(3)));
    assert_eq!(hint("S = {a, b, c} & b = c"), Some(SizeHint::Listed(1, 2)));
    assert_eq!(hint("S = {a, b, c} & card(S) = 2"), Some(SizeHint::Exactly(2)));
    assert_eq!(hint("@partition(S, {a}, {b, c})"), Some(SizeHint::Listed(2, 3)));
    assert_eq!(hint("@partition(S, {a}, {b}, {c})"), Some(SizeHint::Exactly(3)));
    assert_eq!(hint("a /= b"), Some(SizeHint::AtLeast(2)));
    assert_eq!(hint("a /= b & b /= c & c /= a"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("n = 4 & card(S) = n"), Some(SizeHint::Exactly(4)));
    assert_eq!(hint("n = 4 & card(S) = 2 * n - 1"), Some(SizeHint::Exactly(7)));
    assert_eq!(hint("card(S) = MAXINT"), Some(SizeHint::MaxInt));
    assert_eq!(hint("card(S) > 2"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("5 <= card(S) & a /= b"), Some(SizeHint::AtLeast(5)));
    assert_eq!(hint("card(S) < 7 & card(S) > n"), Some(SizeHint::Listed(1, 6)));
    assert_eq!(hint("card({a, b, c}) = 3"), Some(SizeHint::AtLeast(3)));
    assert!(matches!(hint("card(S) < 2"), Some(SizeHint::Exactly(1) | SizeHint::Listed(1, 1))));
    assert_eq!(hint("1 = 1"), None);
    // A largest set of distinct constants, in whatever order they are compared.
    assert_eq!(hint("a /= b & a /= c"), Some(SizeHint::AtLeast(2)));
    assert_eq!(hint("a /: {b, c} & b /= c"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("{a, b} /\\ {c} = {}"), Some(SizeHint::AtLeast(2)));
    assert_eq!(hint("{} = {c} /\\ {a, b} & b /= a"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("{a} /\\ {a} = {}"), None);
}

#[test]
fn negations_and_sets_with_names_imply_sizes() {
    assert_eq!(hint("not(a = b) & not(a = c) & not(b = c)"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("not(a = b or a = c or b = c)"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("not(a = b => b = c)"), Some(SizeHint::AtLeast(2)));
    assert_eq!(hint("not(a : {b, c}) & {b} /= {c}"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("a : S - {b, c} & not(c = b)"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("{a, b} /= {a, c} & {a} /= {a, b} & c /= a"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("not(card(S) <= 4)"), Some(SizeHint::AtLeast(5)));
    let named = |constants: &str, properties: &str| {
        let text = format!("MACHINE m SETS S CONSTANTS a, b, c, d, {constants} PROPERTIES T <: S & U <: S & {properties} END");
        model(&text).settings.hints.get(&SetId(0)).copied()
    };
    assert_eq!(named("T, U", "@partition(S, {a}, {b}, T) & T /= {} & U = U & c = d & c : S"), Some(SizeHint::AtLeast(3)));
    assert_eq!(named("T, U", "@partition(S, T, U) & @partition(T, {a}, {b}) & @partition(U, {c}, {d})"), Some(SizeHint::Exactly(4)));
    assert_eq!(named("T, U", "@partition(S, T, U) & T = {a, b} & U = {c, d}"), Some(SizeHint::Listed(2, 4)));
    assert_eq!(
        named("T, U", "S = T \\/ U & T /\\ U = {} & card(T) = 3 & U : POW1(S) & a : S & b : S & b = c & c = d"),
        Some(SizeHint::AtLeast(4))
    );
    assert_eq!(named("T, U", "T = U & U = T & a : T & b : T & not(a = b) & c = d & c : S"), Some(SizeHint::AtLeast(2)));
}

#[test]
fn lists_of_constants_imply_sizes() {
    let least = |constants: &str, properties: &str| {
        let model = model(&format!("MACHINE m SETS S CONSTANTS {constants} PROPERTIES {properties} END"));
        match model.settings.hints.get(&SetId(0)) {
            Some(SizeHint::AtLeast(least)) => *least,
            _ => 0,
        }
    };
    let differ = "a /= b & a /= d & c /= d & c /= b & b /= d";
    assert_eq!(least("a, b, c, d", &format!("{{a, b, c, d}} <: S & {differ}")), 3);
    assert_eq!(least("a, b, c, d", &format!("d : S & {differ}")), 3, "constants that are compared have one type");
    let lists = "T <: S & T = {a, b} & U = {c, d} & card(T) = 2 & card(U) = 2";
    assert_eq!(least("T, U, a, b, c, d", &format!("a : S & c : S & card({{a, b}}) = 2 & {lists}")), 2);
    assert_eq!(least("T, U, a, b, c, d", &format!("a : S & a /= b & c /= d & T /\\ U = {{}} & {lists}")), 4);
    assert_eq!(least("T, a, b, c", "T <: S & a : T & {a, b, c} <: S & @partition(T, {a}, {b}, {c})"), 3);
}

#[test]
fn functions_from_and_to_known_sets_imply_sizes() {
    let hint = |space: &str| {
        let text = format!("MACHINE m SETS S; E = {{e1, e2, e3}} CONSTANTS f, n PROPERTIES n = 4 & f : {space} END");
        model(&text).settings.hints.get(&SetId(0)).copied()
    };
    assert_eq!(hint("1 .. 5 >->> S"), Some(SizeHint::Exactly(5)));
    assert_eq!(hint("S >->> E"), Some(SizeHint::Exactly(3)));
    assert_eq!(hint("E >-> S"), Some(SizeHint::AtLeast(3)));
    assert_eq!(hint("S -->> 1 .. n"), Some(SizeHint::AtLeast(4)));
    assert_eq!(hint("S +->> BOOL"), Some(SizeHint::AtLeast(2)));
    assert_eq!(hint("S >-> E"), None);
    assert_eq!(hint("E --> S"), None);
    assert_eq!(hint("1 .. 0 >-> S"), None);
    assert_eq!(hint("(1 .. 2) * E >->> S"), Some(SizeHint::Exactly(6)));
    assert_eq!(hint("S * S >->> 1 .. 9"), Some(SizeHint::Suggested(3)));
}

#[test]
fn conditions_on_cardinalities_suggest_sizes() {
    let hints = |properties: &str| {
        let text = format!("MACHINE m SETS S; T; E = {{e1, e2, e3}} CONSTANTS f PROPERTIES f : INTEGER <-> INTEGER & {properties} END");
        let hints = model(&text).settings.hints;
        [0, 1].map(|set| match hints.get(&SetId(set)) {
            Some(SizeHint::Suggested(size)) => Some(*size),
            _ => None,
        })
    };
    assert_eq!(hints("card(S) > card(T)"), [Some(3), None]);
    assert_eq!(hints("card(S) >= card(T) + card(T)"), [Some(4), None]);
    assert_eq!(hints("card(T) = 3 & card(S) = card(T)"), [Some(3), None]);
    assert_eq!(hints("card(S) : 4 .. 6 & card(T) : {1, 5}"), [Some(4), Some(5)]);
    assert_eq!(hints("not(card(S) mod 2 = 0)"), [Some(3), None]);
    assert_eq!(hints("(card(S) = 5 or card(S) = 7) & card(T) = card(S) - 1"), [Some(5), Some(4)]);
    let bijection = model("MACHINE m SETS S CONSTANTS f PROPERTIES f : S >->> 1 .. 5 END");
    assert_eq!(bijection.settings.hints.get(&SetId(0)), Some(&SizeHint::Exactly(5)));
    // What holds anyway, cannot hold, or is about other things suggests nothing.
    assert_eq!(hints("card(S) <= card(E)"), [None, None]);
    assert_eq!(hints("card(S) < 1"), [None, None]);
    assert_eq!(hints("card(f) = 5"), [None, None]);
}

#[test]
fn spaces_that_would_be_empty_suggest_sizes() {
    let suggested = |space: &str| {
        let hints = model(&format!("MACHINE m SETS S; T CONSTANTS f PROPERTIES f : {space} END")).settings.hints;
        [0, 1].map(|set| match hints.get(&SetId(set)) {
            Some(SizeHint::Suggested(size)) => Some(*size),
            _ => None,
        })
    };
    for space in ["1 .. 1 >+>> S", "1 .. 1 +->> S", "1 .. 1 -->> S"] {
        assert_eq!(suggested(space), [Some(1), None], "{space}");
    }
    for space in ["S --> 1 .. card(T) - 3", "S <<-> 1 .. card(T) - 3", "S <<->> 1 .. card(T) - 3", "1 .. card(T) - 3 <->> S"] {
        assert_eq!(suggested(space), [None, Some(4)], "{space}");
    }
    for space in ["S <-> T", "S +-> T", "S >+> T", "S --> T", "1 .. 0 --> S", "1 .. card(S) - 3 --> 1 .. card(T) - 3"] {
        assert_eq!(suggested(space), [None, None], "{space}");
    }
}

#[test]
fn capitalised_parameters_are_sets_unless_constraints_say_otherwise() {
    let text = "MACHINE m(SET, Param, Size, n) CONSTRAINTS n : NAT & Size < 4 VARIABLES x INVARIANT x : SET * Param INITIALISATION x :: SET * Param END";
    let model = model(text);
    assert_eq!(model.sets.keys().collect::<Vec<_>>(), ["SET", "Param"]);
    assert!(model.sets.values().all(|set| set.kind == GivenSetKind::Deferred));
    assert_eq!(model.constants.keys().collect::<Vec<_>>(), ["Size", "n"]);
}
