//! Tests of the layout by example; `tests/suite/format.rs` formats every machine of the project.

use super::{Formatted, format_text};

/// The text in the layout, which a second run leaves as it is.
fn formatted(text: &str) -> String {
    let once = |text: &str| match format_text(text) {
        Formatted::Text(text) => text,
        other => panic!("{text}\n{other:?}"),
    };
    let result = once(text);
    assert_eq!(once(&result), result, "a second run");
    result
}

/// An operation with this body, and its lines in the layout.
fn body(text: &str) -> String {
    let machine = formatted(&format!("MACHINE m\nOPERATIONS\n  op =\n{text}\nEND\n"));
    machine.strip_prefix("MACHINE m\nOPERATIONS\n  op =\n").and_then(|rest| rest.strip_suffix("END\n")).expect(&machine).to_owned()
}

/// A definition with this body, on one line.
fn formula(text: &str) -> String {
    let machine = formatted(&format!("MACHINE m DEFINITIONS d(p) == {text} END"));
    machine.strip_prefix("MACHINE m\nDEFINITIONS d(p) == ").and_then(|rest| rest.strip_suffix("\nEND\n")).expect(&machine).to_owned()
}

#[test]
fn a_machine_on_one_line_is_broken_at_clauses_and_operations() {
    assert_eq!(
        formatted("MACHINE m SETS S;T={a,b} VARIABLES x INVARIANT x:S INITIALISATION x::S OPERATIONS o=skip;r<--p(y)=r:=y END"),
        "MACHINE m\nSETS S; T = {a, b}\nVARIABLES x\nINVARIANT x : S\nINITIALISATION x :: S\nOPERATIONS\n  o = skip;\n  r <-- p(y) = r := y\nEND\n"
    );
}

#[test]
fn blanks_stand_around_operators_and_not_inside_brackets() {
    for (written, wanted) in [
        ("x+1=y", "x + 1 = y"),
        ("- x  -  - 1", "-x - -1"),
        ("f ( x )~[ { a , b } ]", "f(x)~[{a, b}]"),
        ("{x,y|x:1 .. 3&y:x+1..4}", "{x, y | x : 1..3 & y : x + 1 .. 4}"),
        ("!x . (x:S=>not( x=y ))", "!x.(x : S => not(x = y))"),
        ("{x . y>1|x}", "{x . y > 1 | x}"),
        ("UNION (x,y).(x=y|{ x })", "UNION(x, y).(x = y | {x})"),
        ("struct (a:S)", "struct(a : S)"),
        ("∀ x · (x∈S⇒¬(x=p))", "∀x·(x ∈ S ⇒ ¬(x = p))"),
        ("r ' f..card( S )", "r'f..card(S)"),
        ("(r;s)[{x}]", "(r ; s)[{x}]"),
        ("[ ]^<>", "[] ^ <>"),
        ("a|->b", "a |-> b"),
        ("x$0+1", "x$0 + 1"),
        ("rec(a:1,b:2)'a", "rec(a : 1, b : 2)'a"),
        ("IF x=1 THEN 2 ELSE 3 END", "IF x = 1 THEN 2 ELSE 3 END"),
        ("f(1)..g(2)(3)", "f(1)..g(2)(3)"),
        ("2*n..m", "2 * n .. m"),
        ("bool( x : S )", "bool(x : S)"),
        ("(%x.(x:S|x+1))(3)", "(%x.(x : S | x + 1))(3)"),
    ] {
        assert_eq!(formula(written), wanted, "{written}");
    }
}

#[test]
fn the_breaks_of_the_author_stay_and_decide_the_indentation() {
    assert_eq!(
        body("PRE x:S &\ny:T THEN x:=1 ||\n     y := {1,\n2\n} END"),
        "    PRE\n      x : S &\n      y : T THEN\n      x := 1 ||\n      y := {1,\n        2\n      } END\n"
    );
}

#[test]
fn what_goes_on_in_the_next_line_is_deeper() {
    assert_eq!(
        formatted("MACHINE m\nINVARIANT x : S -->\nT & (a =>\nb &\nc) &\n y = 1\nEND"),
        "MACHINE m\nINVARIANT\n  x : S -->\n    T & (a =>\n      b &\n      c) &\n  y = 1\nEND\n"
    );
    assert_eq!(formatted("MACHINE m\nINVARIANT\na => b\n& c\nEND"), "MACHINE m\nINVARIANT\n  a => b\n    & c\nEND\n");
}

#[test]
fn comments_stay_where_they_are() {
    let text = "// first\nMACHINE m // name\n\n\n  // about x\nVARIABLES x,   // one\n  yy             // two\n/* of the\n   invariant */\nINVARIANT x:1 /* a */ & /*@label l*/ y=2\n   // the last\nEND // behind\n// the end";
    assert_eq!(
        formatted(text),
        "// first\nMACHINE m // name\n\n  // about x\nVARIABLES\n  x, // one\n  yy // two\n/* of the\n   invariant */\nINVARIANT x : 1 /* a */ & /*@label l*/ y = 2\n  // the last\nEND // behind\n// the end\n"
    );
}

#[test]
fn comments_that_were_aligned_are_aligned() {
    assert_eq!(
        formatted("MACHINE m\nVARIABLES\n  x,        // one\n  another   // two\nEND"),
        "MACHINE m\nVARIABLES\n  x,      // one\n  another // two\nEND\n"
    );
}

#[test]
fn a_comment_of_several_lines_moves_as_a_whole() {
    assert_eq!(
        formatted("MACHINE m\nVARIABLES\n     /* one\n        two\n   three */\n     x\nEND"),
        "MACHINE m\nVARIABLES\n  /* one\n     two\nthree */\n  x\nEND\n"
    );
}

#[test]
fn a_comment_that_begins_like_an_end_is_one_comment() {
    assert_eq!(formatted("MACHINE m /*/ a & b */ VARIABLES x /*/*/\nEND"), "MACHINE m /*/ a & b */\nVARIABLES x /*/*/\nEND\n");
}

#[test]
fn tabs_inside_a_comment_do_not_move_its_lines() {
    let once = formatted("MACHINE m\nVARIABLES\n\t/* aa\tx\n\t\t\tbb\n\t\t\tcc */\n  x\nEND");
    assert_eq!(once, "MACHINE m\nVARIABLES\n  /* aa\tx\n          bb\n          cc */\n  x\nEND\n");
    assert_eq!(formatted(&once), once);
    // Behind a token, where the comment begins one column further right.
    let once = formatted("MACHINE m\nVARIABLES x,\t/* aa\tx\n\t\t\tbb */ y\nEND");
    assert_eq!(formatted(&once), once);
}

#[test]
fn blanks_at_the_ends_of_lines_of_a_pragma_are_part_of_it() {
    let text = "MACHINE m\nVARIABLES x\nINVARIANT\n  x : S /*@desc one, \n two\t\n  three */\nEND\n";
    assert_eq!(formatted(text), text);
    let mixed = "MACHINE m\nVARIABLES x\nINVARIANT\n  x : S /*@desc one,\r\n two */\nEND\n";
    assert_eq!(formatted(mixed), mixed.replace('\r', ""));
    let mixed = "MACHINE m\r\nVARIABLES x\r\nINVARIANT\r\n  x : S /*@desc one,\n two */\r\nEND\r\n";
    assert_eq!(formatted(mixed), mixed.replace("one,\n", "one,\r\n"));
}

#[test]
fn template_strings_and_records_stay_as_they_are_written() {
    assert_eq!(formula("```a ${ x+1 }\n b```"), "```a ${ x+1 }\n b```");
    assert_eq!(formula("rec( 1,(a:b) )"), "rec(1, (a : b))");
}

#[test]
fn a_semicolon_alone_goes_to_the_line_before() {
    assert_eq!(
        formatted("MACHINE m OPERATIONS\n a = skip\n;\n\n b = skip\nEND"),
        "MACHINE m\nOPERATIONS\n  a = skip;\n\n  b = skip\nEND\n"
    );
}

#[test]
fn files_of_definitions_have_a_layout_too() {
    assert_eq!(
        formatted("DEFINITIONS a==1;\nb(x)==x+\n1; \"other.def\"\n"),
        "DEFINITIONS\n  a == 1;\n  b(x) ==\n    x +\n      1; \"other.def\"\n"
    );
}

#[test]
fn line_ends_marks_and_strings_are_kept() {
    assert_eq!(formatted("MACHINE m\r\nVARIABLES   x\r\nEND"), "MACHINE m\r\nVARIABLES x\r\nEND\r\n");
    assert_eq!(formatted("\u{FEFF}#!bcheck\nMACHINE m\nEND"), "\u{FEFF}#!bcheck\nMACHINE m\nEND\n");
    assert_eq!(formula("'''a\n   b''' + \"c  d\""), "'''a\n   b''' + \"c  d\"");
}

#[test]
fn a_text_with_errors_is_refused() {
    for text in ["", "MACHINE m INVARIANT (x END", "MACHINE m INVARIANT x = /* END", "DEFINITIONS a == ", "text"] {
        let Formatted::Refused(diagnostics) = format_text(text) else { panic!("{text}") };
        assert!(!diagnostics.is_empty(), "{text}");
    }
}
