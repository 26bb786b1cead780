//! Solving against plain enumeration: the same valuations of the constants, whatever PROPERTIES demand.

mod integers;
mod leader;

use crate::Machine;
use bcheck_ir::{OperationId, Scope};
use bcheck_sema::analyse;
use bcheck_source::{SourceMap, SplitMix64};
use bcheck_syntax::parse_machine;
use bcheck_value::Valuation;
use proptest::prelude::*;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The machine, with propagation when a plain search has more to visit than this; `None` when it does not type.
fn machine(constants: &str, properties: &str, limit: f64) -> Option<Machine> {
    machine_with(constants, properties, limit, vec![2, 2])
}

/// The same with given sets of these sizes.
fn machine_with(constants: &str, properties: &str, limit: f64, sizes: Vec<u32>) -> Option<Machine> {
    let text = format!("MACHINE M SETS S; T = {{t1, t2}} CONSTANTS {constants} PROPERTIES {properties} END");
    compiled_with(&text, limit, sizes)
}

fn compiled(text: &str, limit: f64) -> Option<Machine> {
    compiled_with(text, limit, vec![2, 2])
}

fn compiled_with(text: &str, limit: f64, sizes: Vec<u32>) -> Option<Machine> {
    let mut sources = SourceMap::default();
    let file = sources.add("M.mch", text);
    let parsed = parse_machine(file, text);
    let tree = parsed.tree.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
    let model = Arc::new(analyse(&tree).0?);
    Some(Machine::compile_propagating(model, Scope { sizes, minint: -1, maxint: 3 }, [limit; 2]))
}

/// All valuations, in order; the kind of trouble when there are none because something is ill-defined or unbounded.
fn valuations(machine: &Machine) -> Result<Vec<Valuation>, String> {
    let mut found = Vec::new();
    machine
        .for_each_setup(&mut |valuation| {
            found.push(valuation);
            ControlFlow::Continue(())
        })
        .map_err(|error| if error.kind.is_ill_defined() { "ill-defined".to_owned() } else { error.kind.to_string() })?;
    found.sort();
    Ok(found)
}

/// Random formulas as text.
struct Writer(SplitMix64);

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// One of the patterns, with `@s`, `@r`, `@e`, `@i`, `@p`, `@b` replaced by formulas: a set, a relation, an element of S, an
    /// integer, a predicate, a truth value.
    fn one_of(&mut self, patterns: &[&str], depth: usize) -> String {
        let pattern = patterns[self.below(patterns.len())];
        let mut text = String::new();
        let mut parts = pattern.split('@');
        text.push_str(parts.next().unwrap());
        for part in parts {
            let (kind, rest) = part.split_at(1);
            let depth = depth.saturating_sub(1);
            text.push_str(&match kind {
                "s" => self.set(depth),
                "r" => self.relation(depth),
                "e" => self.element(depth),
                "i" => self.integer(depth),
                "p" => self.predicate(depth),
                other => panic!("@{other}"),
            });
            text.push_str(rest);
        }
        text
    }

    fn set(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&["ss", "S", "{}", "{ee}"], 0);
        }
        self.one_of(
            &[
                "dom(ff)",
                "ran(gg)",
                "gg[@s]",
                "ff~[{t1}]",
                "(@s \\/ @s)",
                "(@s /\\ @s)",
                "(@s - @s)",
                "{@e, @e}",
                "{x | x : @s & @p}",
                "{x | x : S & x |-> t1 : ff}",
                "union(ran(%y.(y : @s | {y})))",
                "UNION(z).(z : @s | gg[{z}])",
                "dom(@r)",
                "{x.x : @s|@e}",
                "(IF @p THEN @s ELSE @s END)",
            ],
            depth,
        )
    }

    fn relation(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "gg".to_owned();
        }
        self.one_of(
            &[
                "gg",
                "gg~",
                "(@r ; @r)",
                "(@r <+ {@e |-> @e})",
                "(@s <| @r)",
                "(@s <<| @r)",
                "(@r |> @s)",
                "(@r |>> @s)",
                "closure1(@r)",
                "id(@s)",
                "(@s * @s)",
                "%q.(q : @s | @e)",
                "(@r \\/ {@e |-> ee})",
                "(ff ; {t1 |-> ee, t2 |-> ee})",
            ],
            depth,
        )
    }

    fn element(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "ee".to_owned();
        }
        self.one_of(&["ee", "gg(@e)", "(IF @p THEN @e ELSE ee END)", "(LET w BE w = @e IN w END)"], depth)
    }

    fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&["nn", "1", "2"], 0);
        }
        self.one_of(
            &[
                "card(@s)",
                "card(@r)",
                "hh(@e)",
                "(@i + @i)",
                "(@i - 1)",
                "(2 * @i)",
                "max(ran(hh))",
                "min(hh[@s])",
                "SIGMA(u).(u : @s | hh(u))",
                "SIGMA(u).(u : @s & u : S | 2)",
                "(6 / @i)",
                "(IF @p THEN @i ELSE 2 END)",
            ],
            depth,
        )
    }

    fn predicate(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.one_of(&["ee : ss", "nn > 0", "ss /= {}", "bb = TRUE", "ff : S +-> T", "1 = 1"], 0);
        }
        self.one_of(
            &[
                "@i < @i",
                "@i = @i",
                "@i <= @i",
                "@i : 0..2",
                "@i /= nn",
                "@e = @e",
                "@e /= ee",
                "@e : @s",
                "@e /: @s",
                "@s <: @s",
                "@s <<: @s",
                "@s = @s",
                "@s /= @s",
                "@r = @r",
                "@r : S +-> S",
                "@r : @s --> S",
                "@r : @s >+> @s",
                "@r : @s +->> @s",
                "@r : POW(@s * S)",
                "not(@p)",
                "(@p or @p)",
                "(@p & @p)",
                "(@p => @p)",
                "(@p <=> @p)",
                "!(v).(v : @s => @p)",
                "!(v, w).(v |-> w : @r => v /= w)",
                "!(v, w).(v : S & w : S & v /= w => gg(v) /= gg(w))",
                "#(v).(v : @s & gg(v) = v)",
                "ff(@e) = t1",
                "ff(@e) /= ff(@e)",
                "bool(@p) = bb",
                "hh(@e) = @i",
                "@i mod 2 = 0",
                "ff[@s] = {t1}",
                "@e |-> @e : @r",
                "@r /\\ id(S) = {}",
                "!(v).(v : @s => hh(v) >= @i)",
                "bb : {TRUE, bool(@p)}",
                "LET w BE w = @s IN w <: ss END",
            ],
            depth,
        )
    }

    /// PROPERTIES: a type for each constant, and some conjuncts.
    fn properties(&mut self) -> String {
        let mut conjuncts = vec![
            self.one_of(&["ff : S --> T", "ff : S +-> T", "ff : S <-> T", "ff : ss --> T", "ff : S -->> T"], 0),
            self.one_of(
                &["gg : S --> S", "gg : S >->> S", "gg : S +-> S", "gg : ss --> ss", "gg : S >+> S", "gg = {ee |-> ee} \\/ id(ss)"],
                0,
            ),
            self.one_of(&["hh : S --> 0..2", "hh : S +-> 0..1", "hh = %a.(a : S | 2)", "hh : S >-> 1..3", "hh = S * {nn}"], 0),
            self.one_of(&["ee : S", "ee : ss", "{ee} = ss"], 0),
            self.one_of(&["ss <: S", "ss : POW1(S)", "ss = dom(ff)", "ss : POW(S)", "S = {ee} \\/ ss"], 0),
            self.one_of(&["nn : 0..2", "nn = card(ss)", "nn : NAT1", "nn > 0 & nn < 3", "nn : INTEGER & nn = 1 + card(gg)"], 0),
            self.one_of(&["bb : BOOL", "bb = bool(@p)"], 2),
        ];
        for _ in 0..1 + self.below(4) {
            let at = self.below(conjuncts.len() + 1);
            let conjunct = self.one_of(&["(@p)"], 3);
            conjuncts.insert(at, conjunct);
        }
        conjuncts.join(" & ")
    }
}

const NAMES: &str = "ff, gg, hh, ee, ss, nn, bb";

/// Compares the two ways; the number of valuations.
fn agree(names: &str, properties: &str) -> Result<usize, TestCaseError> {
    let (Some(plain), Some(solved)) = (machine(names, properties, f64::INFINITY), machine(names, properties, 0.0)) else { return Ok(0) };
    let (plain, solved) = (valuations(&plain), valuations(&solved));
    // Where nothing is found, a false conjunct or an ill-defined equation may be met first: each way has its own order.
    let is_nothing = |found: &Result<Vec<Valuation>, String>| match found {
        Ok(found) => found.is_empty(),
        Err(trouble) => trouble == "ill-defined",
    };
    let both_nothing = is_nothing(&plain) && is_nothing(&solved);
    prop_assert!(both_nothing || solved == plain, "{}: {:?} instead of {:?}", properties, solved, plain);
    Ok(plain.map_or(0, |found| found.len()))
}

/// The steps of an operation that has the constants as parameters and PROPERTIES as its guard; the kind of trouble.
fn steps(machine: &Machine) -> Result<(Vec<Valuation>, bool), String> {
    let found = machine.successors(&[], OperationId(0)).map_err(|error| error.kind.to_string())?;
    let mut arguments: Vec<Valuation> = found.steps.iter().map(|step| step.arguments.clone()).collect();
    arguments.sort();
    Ok((arguments, found.ill_defined_guard.is_some()))
}

/// Compares the two ways for the guard of an operation, and for a set of tuples.
fn choices_agree(properties: &str) -> Result<usize, TestCaseError> {
    let guard = format!("MACHINE M SETS S; T = {{t1, t2}} OPERATIONS op({NAMES}) = PRE {properties} THEN skip END END");
    let (Some(plain), Some(solved)) = (compiled(&guard, f64::INFINITY), compiled(&guard, 0.0)) else { return Ok(0) };
    let (plain, solved) = (steps(&plain), steps(&solved));
    prop_assert_eq!(&solved, &plain, "{}", properties);
    let set = format!("MACHINE M SETS S; T = {{t1, t2}} CONSTANTS all PROPERTIES all = {{{NAMES} | {properties}}} END");
    if let (Some(plain), Some(solved)) = (compiled(&set, f64::INFINITY), compiled(&set, 0.0)) {
        prop_assert_eq!(valuations(&solved), valuations(&plain), "{}", properties);
    }
    Ok(plain.map_or(0, |(found, _)| found.len()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]
    #[test]
    fn choices_and_comprehensions_are_solved_as_they_are_enumerated(seed in any::<u64>()) {
        choices_agree(&Writer(SplitMix64::new(seed)).properties())?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn propagation_finds_what_enumeration_finds(seed in any::<u64>()) {
        agree(NAMES, &Writer(SplitMix64::new(seed)).properties())?;
    }
}

/// Conjuncts about rows, with `#` for numbers.
const ABOUT_ROWS: [&str; 16] = [
    "rows(#)(#) = #",
    "rows(#)(#) /= rows(#)(#)",
    "rows(#)(#) < rows(#)(#)",
    "not(rows(#)(#) = #)",
    "ran(rows(#)) = 1..#",
    "rows(#) = rows(#)",
    "rows(#) : 1..3 >-> 1..4",
    "rows(#) |> 1..# <: rows(#)",
    "!i.(i : 1..3 => rows(#)(i) /= #)",
    "!(i, j).(i : 1..2 & j : 1..3 & i < j => rows(i)(j) > rows(#)(i))",
    "card(rows(#)[{1, #}]) = #",
    "rows(#)(rows(#)(#)) = #",
    "SIGMA(i).(i : 1..3 | rows(#)(i)) = # + #",
    "card(ran(rows)) = #",
    "rows~[{rows(#)}] = {#}",
    "rows[{#}] = {%i.(i : 1..3 | #)}",
];

impl Writer {
    /// A function to functions or relations, and conjuncts about it.
    fn rows(&mut self) -> String {
        let number = |writer: &mut Self| ["1", "2", "3", "1", "2", "4", "nn"][writer.below(7)];
        let arrow = ["-->", ">->"][self.below(2)];
        let outer = ["-->", ">->"][self.below(2)];
        let rows = [&format!("1..3 {arrow} 1..4"), "1..3 +-> 1..4", "1..2 <-> 1..3"][self.below(3)].to_owned();
        let mut conjuncts = vec![format!("rows : 1..2 {outer} ({rows})"), "nn : 1..2".to_owned()];
        for _ in 0..2 + self.below(3) {
            let mut parts = ABOUT_ROWS[self.below(ABOUT_ROWS.len())].split('#');
            let mut text = parts.next().unwrap().to_owned();
            for part in parts {
                text.push_str(number(self));
                text.push_str(part);
            }
            let at = self.below(conjuncts.len() + 1);
            conjuncts.insert(at, text);
        }
        conjuncts.join(" & ")
    }
}

/// Comparisons of sums, with `#` for numbers and `?` for comparisons.
const ABOUT_SUMS: [&str; 10] = [
    "# * aa + # * bb - cc ? #",
    "aa - (bb - # * cc) ? -cc + #",
    "row(aa) + row(bb) + row(cc) ? #",
    "SIGMA(i).(i : 1..3 & i /= cc | row(i) * #) ? aa + bb",
    "SIGMA(i).(i : 1..3 & row(i) /= aa | row(i) - #) ? #",
    "aa + bb * # + aa - # * aa ? -# + cc",
    "not(aa + bb + row(#) ? cc)",
    "!i.(i : 1..2 => row(i) + row(i + 1) - aa ? i)",
    "bool(aa + bb + cc ? #) = bool(row(1) + row(2) - row(3) ? #)",
    "aa * bb + row(#) - cc * # ? 0",
];

impl Writer {
    fn sums(&mut self) -> String {
        self.comparisons("aa : 0..3 & bb : -2..2 & cc : 1..3 & row : 1..3 --> 0..2", &ABOUT_SUMS)
    }

    /// Conjuncts that give names their types, and some of the patterns, with numbers for `#` and comparisons for `?`.
    fn comparisons(&mut self, types: &str, patterns: &[&str]) -> String {
        let mut conjuncts = vec![types.to_owned()];
        for _ in 0..1 + self.below(3) {
            let mut text = String::new();
            for sign in patterns[self.below(patterns.len())].chars() {
                match sign {
                    '#' => text.push_str(["0", "1", "2", "3", "5", "(-2)"][self.below(6)]),
                    '?' => text.push_str(["=", "/=", "<", "<=", ">", ">="][self.below(6)]),
                    other => text.push(other),
                }
            }
            conjuncts.push(text);
        }
        conjuncts.join(" & ")
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn sums_are_compared_as_they_are_added_up(seed in any::<u64>()) {
        agree("aa, bb, cc, row", &Writer(SplitMix64::new(seed)).sums())?;
    }
}

#[test]
fn digits_that_spell_a_sum_are_found() {
    // Dudeney 1924: 9567 + 1085 = 10652.
    let digits =
        "S : 1..9 & E : 0..9 & N : 0..9 & D : 0..9 & M : 1..9 & O : 0..9 & R : 0..9 & Y : 0..9 & card({S, E, N, D, M, O, R, Y}) = 8";
    let sum = "1000 * S + 100 * E + 10 * N + D + 1000 * M + 100 * O + 10 * R + E = 10000 * M + 1000 * O + 100 * N + 10 * E + Y";
    let text = format!("MACHINE Sum CONSTANTS S, E, N, D, M, O, R, Y PROPERTIES {digits} & {sum} END");
    let found = valuations(&compiled(&text, 1000.0).unwrap()).unwrap();
    assert_eq!(found, [[9, 5, 6, 7, 1, 0, 8, 2].map(bcheck_value::Value::integer).to_vec()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn functions_to_functions_are_found_as_functions_of_pairs(seed in any::<u64>()) {
        agree("rows, nn", &Writer(SplitMix64::new(seed)).rows())?;
    }
}

#[test]
fn functions_to_functions_have_the_known_numbers() {
    // Latin squares (OEIS A002860), also as functions to functions to functions; matrices of zeros and ones with an even sum.
    let unlike = |rows: &str| {
        format!("!(i, j, k).(i : 1..4 & j : 1..4 & k : 1..4 & j < k => {rows}(i)(j) /= {rows}(i)(k) & {rows}(j)(i) /= {rows}(k)(i))")
    };
    for (properties, expected) in [
        (format!("rows : 1..4 --> (1..4 --> 1..4) & {}", unlike("rows")), 576),
        (format!("rows : 1..4 --> (1..4 >->> 1..4) & {}", unlike("rows")), 576),
        (format!("rows : {{2}} --> (1..4 --> (1..4 --> 1..4)) & {}", unlike("rows(2)")), 576),
        ("rows : 1..2 >-> (1..3 --> 1..4) & rows(1)(1) = rows(2)(1)".to_owned(), 4 * 16 * 16 - 64),
        // Rows of two pairs of distinct people; pairs of disjoint threesomes, which are all sets of sets; partial functions and subsets.
        (
            "rows : 1..2 --> (1..4 <-> 1..4) & !w.(w : 1..2 => rows(w) = rows(w)~ & card(rows(w)) = 2 & rows(w) /\\ id(1..4) = {})"
                .to_owned(),
            36,
        ),
        (
            "rows : 1..2 --> POW(POW(1..6)) & !w.(w : 1..2 => card(rows(w)) = 2 & union(rows(w)) = 1..6 & !s.(s : rows(w) => card(s) = 3))"
                .to_owned(),
            100,
        ),
        ("rows : 1..3 --> (1..4 +-> 1..4) & !w.(w : 1..3 => card(rows(w)) = 1) & rows(1) /\\ rows(2) = rows(3)".to_owned(), 16),
        ("rows : 1..2 >-> POW(1..10) & rows(1) /\\ rows(2) = {} & card(rows(1)) = 1 & card(rows(2)) = 1".to_owned(), 90),
        ("rows : 1..2 --> (1..6 --> 0..1) & SIGMA(i, j).(i : 1..2 & j : 1..6 | rows(i)(j)) mod 2 = 0".to_owned(), 2048),
    ] {
        let solved = machine("rows", &properties, 100.0).unwrap();
        assert_eq!(valuations(&solved).map(|found| found.len()), Ok(expected), "{properties}");
    }
}

#[test]
fn each_kind_of_problem_is_solved() {
    // The numbers of valuations were found by hand.
    for (properties, expected) in [
        // A bijection of two elements that moves all.
        ("gg : S >->> S & gg /\\ id(S) = {} & ff = S * {t1} & hh = S * {1} & ee : S & ss = {ee} & nn = 1 & bb = TRUE", 2),
        // Images that reach everything: by relations, by functions, which are bijections then, and by functions of a part.
        ("gg : S <-> S & gg[S] = S & ff = S * {t1} & hh = S * {1} & ee : S & ss = {ee} & nn = 1 & bb = TRUE", 18),
        ("gg : S --> S & gg[S] = S & ff = S * {t1} & hh = S * {1} & ee : S & ss = {ee} & nn = 1 & bb = TRUE", 4),
        ("gg : S +-> S & card(gg[ss]) = nn & ff = S * {t1} & hh = S * {1} & ee : S & ss <: S & nn = 2 & bb = TRUE", 4),
        // An equation with a name on both sides cannot define it.
        (
            "gg : S <-> S & gg = {} & ff : S <-> T & ff = {} & hh : S <-> NAT & hh = {} & ee : S & ss <: S & ss = ss \\/ {ee} & nn = card(ss) & bb = bool(nn = 2)",
            4,
        ),
        // A conjunct is false whatever the constants are, and an equation after it is ill-defined.
        (
            "ff : S +-> T & (IF ff : S +-> T THEN {} ELSE {} END) /= S - S & gg = {ee |-> ee} \\/ id(ss) & hh : S --> 0..2 & {ee} = ss & ss : POW(S) & nn > 0 & nn < 3 & bb = bool(!(v, w).(v : S & w : S & v /= w => gg(v) /= gg(w)))",
            0,
        ),
        // Values that are in no bound of their own.
        (
            "gg : S <-> S & gg = {} & ff : S <-> T & ff = {} & hh : S --> 0..2 & SIGMA(x).(x : S | hh(x)) = 3 & ee : S & ss = hh~[{2}] & nn = hh(ee) & bb = TRUE",
            4,
        ),
    ] {
        assert_eq!(agree(NAMES, properties).map_err(|error| error.to_string()), Ok(expected), "{properties}");
    }
}

#[test]
fn ill_defined_properties_are_noticed_when_nothing_else_is_found() {
    let properties = "ff : S +-> T & ff = {} & gg : S --> S & hh : S --> 0..2 & ee : S & ss <: S & nn : 0..2 & bb = bool(ff(gg(ee)) = t1)";
    let solved = machine(NAMES, properties, 0.0).unwrap();
    assert_eq!(valuations(&solved), Err("ill-defined".to_owned()));
}

/// The values of the one variable after the only operation, and whether a guard was ill-defined.
fn outcomes(body: &str) -> (Vec<Valuation>, bool) {
    let text = format!("MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 OPERATIONS op = {body} END");
    let machine = compiled(&text, 1000.0).unwrap();
    let found = machine.successors(&[bcheck_value::Value::integer(0)], OperationId(0)).unwrap();
    let mut after: Vec<Valuation> = found.steps.into_iter().map(|step| step.next).collect();
    after.sort();
    (after, found.ill_defined_guard.is_some())
}

#[test]
fn an_ill_defined_choice_that_is_solved_ends_no_choice_around_it() {
    let ascending = "f : 1..14 --> NATURAL & !i.(i : 1..13 => f(i) <= f(i + 1))";
    let one = |number| vec![bcheck_value::Value::integer(number)];
    let alternative = format!("CHOICE ANY f WHERE {ascending} & f(1) / (f(2) - f(2)) >= 0 THEN x := 8 END OR x := 7 END");
    assert_eq!(outcomes(&alternative), (vec![one(7)], true));
    let outer = format!("ANY a WHERE a : 1..3 THEN ANY f WHERE {ascending} & f(1) / (a - 1) >= 0 & f(14) <= 1 THEN x := a END END");
    assert_eq!(outcomes(&outer), (vec![one(2), one(3)], true));
}

#[test]
fn descriptions_of_one_set_are_no_different_values() {
    let sets = "A = NATURAL \\/ {-1} & B = {y | y : INTEGER & y >= -1}";
    let count = |names: &str, properties: &str, limit: f64| {
        let machine = compiled(&format!("MACHINE M CONSTANTS A, B, {names} PROPERTIES {sets} & {properties} END"), limit).unwrap();
        valuations(&machine).map(|found| found.len())
    };
    // In open sets; the functions are those of three colours that repeat.
    let colours = "g : 1..4 --> 1..3 & !i.(i : 2..4 => g(i) /= g(i-1)) & !i.(i : 3..4 => g(i) /= g(i-2))";
    let equal = "n : 1..3 & {A |-> n, A |-> 2} = {B |-> 2, B |-> g(1)}";
    assert_eq!(count("n, g", &format!("{equal} & {colours}"), 0.0), Ok(6));
    // As values of a function, as its arguments, and in a comparison of choices.
    assert_eq!(count("f", "f : 1..3 --> {A |-> 1, A |-> 2, {1} |-> 3} & f(1) = B |-> 1 & f(2) = B |-> 2", 0.0), Ok(3));
    assert_eq!(count("f, n", "f : {A, {1}} --> 1..2 & n : 1..2 & f(B) = n", 0.0), Ok(4));
    assert_eq!(count("n, m", "n : 1..3 & m : 1..3 & A |-> n = B |-> m & n + m < 5", 0.0), Ok(2));
}
