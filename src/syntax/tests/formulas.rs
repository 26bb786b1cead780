//! Priorities, associativity, operands, and sorts.

use super::super::{parse_expression, parse_formula, parse_predicate};
use super::{FILE, codes, good, grouped};
use bcheck_source::Code;

#[test]
fn operators_group_by_priority_and_associativity() {
    for (text, expected) in [
        // Connectives: `&` and `or` share a level, `<=>` binds tighter than both, `=>` less.
        ("a => b => c", "((a => b) => c)"),
        ("a or b & c", "((a or b) & c)"),
        ("a & b or c", "((a & b) or c)"),
        ("p <=> q & r", "((p <=> q) & r)"),
        ("a => b <=> c", "(a => (b <=> c))"),
        ("x = 1 & y : S => z < 2", "(((x = 1) & (y : S)) => (z < 2))"),
        // Comparisons are looser than arrows and everything of values.
        ("f : A --> B", "(f : (A --> B))"),
        ("x = a <-> b", "(x = (a <-> b))"),
        ("A <-> B <-> C", "((A <-> B) <-> C)"),
        ("A * B --> C \\/ D", "((A * B) --> (C \\/ D))"),
        // One level for all set and sequence operators.
        ("a |-> b \\/ c", "((a |-> b) \\/ c)"),
        ("S \\/ T /\\ U", "((S \\/ T) /\\ U)"),
        ("s ^ t <- e", "((s ^ t) <- e)"),
        ("A <| r |> B", "((A <| r) |> B)"),
        ("A <+ B >< C", "((A <+ B) >< C)"),
        // Intervals and arithmetic.
        ("1..n-1", "(1 .. (n - 1))"),
        ("1..3 \\/ 5..6", "((1 .. 3) \\/ (5 .. 6))"),
        ("a - b - c", "((a - b) - c)"),
        ("a + b * c mod d", "(a + ((b * c) mod d))"),
        ("a - b \\ c", "((a - b) \\ c)"),
        ("2**3**2", "(2 ** (3 ** 2))"),
        ("-2**2", "((-2) ** 2)"),
        ("-a + b", "((-a) + b)"),
        ("a * -b", "(a * (-b))"),
        ("-f(x)", "(-f(x))"),
        // Inside parentheses `;`, `||` and the comma are operators too.
        ("(p~;F;p) = G", "(((p~ ; F) ; p) = G)"),
        ("(f || g ; h)", "((f || g) ; h)"),
        ("dom(f;g)", "dom(f ; g)"),
        ("(r ; s, t)", "((r ; s), t)"),
        ("(a, r ; s || q)", "(a, (r ; s || q))"),
        ("(a, b, r ; s, t)", "(a, b, (r ; s), t)"),
        ("(x = a, r)", "(x = (a, r))"),
        ("(a, b |-> c)", "(a, b |-> c)"),
        // Where commas separate nothing, they build pairs: above comparisons, below everything of values.
        ("q, r = f(x)", "((q, r) = f(x))"),
        ("a, b : S * T", "((a, b) : (S * T))"),
        ("z = q, r & a, b /: R => c, d |-> e : T", "(((z = (q, r)) & ((a, b) /: R)) => ((c, d |-> e) : T))"),
        ("not(a, b = c) & TRUE = bool(a, b : R)", "(not((a, b) = c) & (TRUE = bool((a, b) : R)))"),
        ("!(x, y).(x, y : R => #z.(x, z : R))", "!(x, y).((x, y) : R => #z.((x, z) : R))"),
        ("{x, y | x, y : R} = {a, b}", "({x, y | (x, y) : R} = {a, b})"),
        ("f(a, b) = g({a, b}, [a, b])", "(f(a, b) = g({a, b}, [a, b]))"),
        ("IF a, b = c THEN a, b : R ELSE b, a : R END", "IF (a, b) = c THEN (a, b) : R ELSE (b, a) : R END"),
        // Fields in parentheses, and without labels.
        ("struct((a : S), ((b : T)))", "struct(a : S, b : T)"),
        ("rec(1, (x, y), r ; s)", "rec(1, (x, y), (r ; s))"),
        // Template strings.
        ("```n is ${a, b}.```", "((\"n is \" ^ TO_STRING((a, b))) ^ \".\")"),
        ("``````", "\"\""),
        ("```${ {1} \\/ {card({\"}\"})} }```", "TO_STRING({1} \\/ {card({\"}\"})})"),
        ("rec(a : r ; s, b : q || r)", "rec(a : (r ; s), b : (q || r))"),
    ] {
        assert_eq!(grouped(&good(parse_formula(FILE, text), text)), expected, "{text}");
    }
}

#[test]
fn each_operator_parses_with_its_neighbours_on_both_sides() {
    // Every pair of operators must group by their priorities.
    use super::super::priority::{Associativity, IMPLIES, infix};
    use super::super::token::Terminal;
    let operators: Vec<_> = [
        Terminal::Implies,
        Terminal::And,
        Terminal::Equivalent,
        Terminal::Equal,
        Terminal::Relations,
        Terminal::Union,
        Terminal::Interval,
        Terminal::Plus,
        Terminal::Times,
        Terminal::Power,
    ]
    .into_iter()
    .filter_map(infix)
    .collect();
    assert_eq!(operators.len(), 10);
    for first in &operators {
        for second in &operators {
            assert!(first.priority >= IMPLIES);
            let (l, r) = (first.terminal.text(), second.terminal.text());
            let text = format!("a {l} b {r} c");
            let parsed = parse_formula(FILE, &text);
            let same = first.priority == second.priority;
            if same && first.associativity == Associativity::None {
                assert_eq!(codes(&parsed.diagnostics), [Code::UnexpectedToken], "{text}");
                continue;
            }
            let to_the_left = first.priority > second.priority || (same && first.associativity == Associativity::Left);
            let expected = if to_the_left { format!("((a {l} b) {r} c)") } else { format!("(a {l} (b {r} c))") };
            assert_eq!(grouped(&parsed.tree), expected, "{text}");
        }
    }
}

#[test]
fn operands_of_all_kinds_are_read_and_printed() {
    for text in [
        "{}",
        "[]",
        "{a, b}",
        "[a, b]",
        "{x, y | x < y}",
        "{(x).x : S | x + 1}",
        "(a, b)",
        "(a, b, c)",
        "f(a, b)(c)",
        "r[S][T]",
        "f~[S]",
        "f~(x)",
        "(r~)~",
        "r'field'inner",
        "rec(a : 1, b : {2})",
        "struct(a : INTEGER, b : POW(S))",
        "%x.(x : S | x)",
        "%(x, y).(x : S & y : T | x |-> y)",
        "UNION x.(x : S | {x})",
        "INTER x.(x : S | {x})",
        "SIGMA x.(x : 1 .. 3 | x)",
        "PI x.(x : 1 .. 3 | x)",
        "iterate(r, 3)",
        "prj1(S, T)",
        "prj2((a, b))",
        "closure1(r)",
        "succ",
        "pred(3)",
        "succ(succ(x))",
        "bool(x = 1)",
        "IF x = 1 THEN 2 ELSIF x = 2 THEN 3 ELSE 4 END",
        "LET x, y BE x = 1 & y = 2 IN x + y END",
        "seq(seq1(iseq(iseq1(perm(S)))))",
        "union(inter(S))",
        "MININT .. MAXINT",
        "\"text\"",
        "x$0",
        "left(bin(1))",
    ] {
        assert_eq!(good(parse_expression(FILE, text), text).to_string(), text);
    }
    for text in [
        "!(x, y).(x : S => #z.(z = x))",
        "not(x = 1)",
        "btrue & bfalse",
        "@finite(S) & @partition(S, A, B)",
        "IF x = 1 THEN y = 1 END",
        "LET x BE x = 1 IN x = 2 END",
    ] {
        assert_eq!(good(parse_predicate(FILE, text), text).to_string(), text);
    }
}

#[test]
fn other_spellings_of_the_same_operand_are_accepted() {
    for (text, expected) in [
        ("<>", "[]"),
        ("< >", "[]"),
        ("[ ]", "[]"),
        ("{x.P|E}", "?"),
        ("!x,y.(x=y => y=x)", "!(x, y).(x = y => y = x)"),
        ("{(x,y)|x=y}", "{x, y | x = y}"),
        ("((((a))))", "a"),
        ("#EXPRESSION a + b", "a + b"),
        ("#PREDICATE.(PREDICATE = 1)", "#PREDICATE.(PREDICATE = 1)"),
        ("#FORMULA, x.(FORMULA = x)", "#(FORMULA, x).(FORMULA = x)"),
    ] {
        let parsed = parse_formula(FILE, text);
        if expected == "?" {
            // Without blanks `x.P` is one dotted name.
            assert!(!parsed.diagnostics.is_empty());
        } else {
            assert_eq!(good(parsed, text).to_string(), expected);
        }
    }
}

#[test]
fn what_the_grammar_forbids_is_refused() {
    for text in [
        "--x",
        "r~~",
        "a = b = c",
        "a < b < c",
        "f ; g",
        "f || g",
        "!x.(x = 1)",
        "#x.y.(x.y = 0)",
        "% x.y.z.(x.y.z=0 | x.y.z )",
        "#x(x = 1)",
        "!x.x = 1",
        "{a |-> b | a = b}",
        "iterate(r)",
        "card(a, b)",
        "dom r",
        "f()",
        "rec(a : 1, 2)",
        "rec(1, b : 2)",
        "struct(1, 2)",
        "IF x = 1 THEN 2 END",
        "a b",
        "a +",
        "(a",
        "a)",
        "",
    ] {
        assert!(!parse_formula(FILE, text).diagnostics.is_empty(), "{text:?} must be refused");
    }
}

#[test]
fn formulas_of_the_wrong_sort_are_refused_where_their_form_tells() {
    for (text, code) in [
        ("x + 1", Code::ExpectedPredicate),
        ("TRUE", Code::ExpectedPredicate),
        ("x = 1 & f(x) + 1", Code::ExpectedPredicate),
        ("not({1})", Code::ExpectedPredicate),
        ("x = (y => z)", Code::ExpectedExpression),
        ("{x = 1} = {}", Code::ExpectedExpression),
        ("#x.(1)", Code::ExpectedPredicate),
        ("{x | 1} = {}", Code::ExpectedPredicate),
    ] {
        assert_eq!(codes(&parse_predicate(FILE, text).diagnostics), [code], "{text}");
    }
    assert_eq!(codes(&parse_expression(FILE, "x = 1").diagnostics), [Code::ExpectedExpression]);
    // A name or a call may be a definition of either sort.
    assert!(parse_predicate(FILE, "P & Q(x) & !x.(R(x))").diagnostics.is_empty());
    assert!(parse_expression(FILE, "P").diagnostics.is_empty());
}

#[test]
fn spans_cover_the_written_text_with_its_parentheses() {
    let text = "  (a + b) * c ";
    let tree = good(parse_expression(FILE, text), text);
    assert_eq!((tree.span.start, tree.span.end), (2, 13));
    let super::super::ast::ExprKind::Binary(_, left, _) = &tree.kind else { panic!("a product") };
    assert_eq!((left.span.start, left.span.end), (2, 9));
}
