//! Random refinements in pieces, and their cells by looking at each pair of values of the types.
//!
//! The oracle uses nothing of refinements: the two sides are machines of their own, whose steps are compared here; preconditions are
//! operations of theirs, and the invariants those of one machine with the variables of both sides.

use super::Matrix;
use crate::dice::Dice;
use bcheck::eval::Machine;
use bcheck::ir::OperationId;
use bcheck::value::{Valuation, Value};
use bcheck::{Request, check_text};
use num_bigint::BigUint;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// An operation of both sides, with the parameter `xx : S` if it has one, and a result `rr` if it has one.
struct Pieces {
    name: &'static str,
    head: &'static str,
    precondition: &'static str,
    above: &'static str,
    /// A precondition of the refinement's own, or none.
    own: &'static str,
    below: &'static str,
}

/// A random refinement. Variables of the refined machine are `aa : POW(S)` and `nn : 0..2`, those of the refinement `tt : POW(S)`,
/// `gg : S +-> 0..1`, `mm : 0..2`, and with `shares` another `nn`.
pub(super) struct Case {
    pub(super) shares: bool,
    invariant_above: Vec<&'static str>,
    gluing: Vec<&'static str>,
    initialisations: [&'static str; 2],
    operations: Vec<Pieces>,
}

const GLUING: &[&str] = &[
    "dom(gg) = aa",
    "tt = aa",
    "tt <: aa",
    "aa <: tt",
    "gg~[{0}] <: aa",
    "dom(gg) <: tt",
    "card(tt) = mm",
    "card(aa) >= mm",
    "mm + 0 = card(dom(gg))",
    "(mm = 0 => tt = {})",
    "#(yy).(yy : S & yy /: tt)",
    "(aa = {} <=> mm = 0)",
];

const ABOVE: &[&str] = &[
    "aa := aa \\/ {xx}",
    "aa := aa - {xx}",
    "aa :: {aa, {xx}}",
    "nn := (nn + 1) mod 3",
    "skip",
    "aa := {} || nn := 0",
    "SELECT xx /: aa THEN aa := aa \\/ {xx} END",
    "ANY yy WHERE yy : aa THEN aa := aa - {yy} END",
    "CHOICE aa := aa \\/ {xx} OR skip END",
    "nn :: 0..2",
];

const BELOW: &[&str] = &[
    "tt := tt \\/ {xx}",
    "tt := tt - {xx} || gg := {xx} <<| gg",
    "gg(xx) := 0",
    "gg(xx) := 1 || tt := tt \\/ {xx}",
    "mm := (mm + 1) mod 3",
    "skip",
    "tt := {} || gg := {} || mm := 0",
    "SELECT xx /: tt THEN tt := tt \\/ {xx} || gg(xx) := 0 || mm := (mm + 1) mod 3 END",
    "ANY yy WHERE yy : tt THEN tt := tt - {yy} END",
    "mm :: 0..1",
    "SELECT mm > 0 THEN mm := mm - 1 || tt :: {{}, {xx}} END",
];

const RESULTS: [&[&str]; 2] = [
    &["rr := card(aa)", "rr := nn", "rr :: 0..1", "rr := card(aa) || aa := {}", "ANY kk WHERE kk : 0..2 & kk >= nn THEN rr := kk END"],
    &["rr := card(tt)", "rr := mm", "rr := 0", "rr := card(dom(gg))", "rr :: 0..mm", "rr := card(tt) || tt := {}"],
];

pub(super) fn case(dice: &mut Dice) -> Case {
    let any = |dice: &mut Dice, all: &[&'static str]| *dice.pick(all);
    let several = |dice: &mut Dice, all: &[&'static str], most: usize| -> Vec<&'static str> {
        let mut all = all.to_vec();
        dice.shuffle(&mut all);
        all.truncate(dice.below(most + 1));
        all
    };
    let gluing = several(dice, GLUING, 4);
    let invariant_above = several(dice, &["card(aa) <= 2", "(nn = 0 => aa = {})", "aa /= S"], 1);
    let initialisations =
        [any(dice, &["aa := {}", "aa :: POW(S)", "aa :: {{}, S}"]), any(dice, &["tt := {} || mm := 0", "tt :: POW(S) || mm :: 0..1"])];
    let mut operations = vec![Pieces {
        name: "put",
        head: "put(xx)",
        precondition: any(dice, &["xx : S", "xx : S & xx /: aa", "xx : S & nn < 2", "xx : S & aa /= {}"]),
        above: any(dice, ABOVE),
        own: any(dice, &["", "", "xx /: tt", "mm < 2"]),
        below: any(dice, BELOW),
    }];
    operations.push(Pieces {
        name: "look",
        head: "rr <-- look",
        precondition: any(dice, &["0 = 0", "aa /= {}", "nn < 2"]),
        above: any(dice, RESULTS[0]),
        own: any(dice, &["", "", "tt /= {}"]),
        below: any(dice, RESULTS[1]),
    });
    Case { shares: dice.once_in(3), invariant_above, gluing, initialisations, operations }
}

impl Case {
    /// The refined machine, and the refinement.
    pub(super) fn texts(&self) -> [String; 2] {
        let mut above = String::from("MACHINE Above SETS S VARIABLES aa, nn\nINVARIANT aa : POW(S) & nn : 0..2");
        self.invariant_above.iter().for_each(|conjunct| _ = write!(above, " & {conjunct}"));
        let _ = write!(above, "\nINITIALISATION {} || nn := 0\nOPERATIONS", self.initialisations[0]);
        let [shared, typed, assigned] = self.shared("nn");
        let mut low = format!(
            "REFINEMENT Low REFINES Above VARIABLES tt, gg, mm{shared}\nINVARIANT tt : POW(S) & gg : S +-> 0..1 & mm : 0..2{typed}"
        );
        self.gluing.iter().for_each(|conjunct| _ = write!(low, " & {conjunct}"));
        let _ = write!(low, "\nINITIALISATION {} || gg := {{}}{assigned}\nOPERATIONS", self.initialisations[1]);
        for (at, Pieces { head, precondition, above: body, own, below, .. }) in self.operations.iter().enumerate() {
            let separator = if at == 0 { "" } else { ";" };
            let _ = write!(above, "{separator}\n  {head} = PRE {precondition} THEN {body} END");
            let own = if own.is_empty() { format!("BEGIN {below} END") } else { format!("PRE {own} THEN {below} END") };
            let _ = write!(low, "{separator}\n  {head} = {own}");
        }
        [above + "\nEND", low + "\nEND"]
    }

    /// What the shared variable adds to a list, an invariant and an initialisation, under this name.
    fn shared(&self, name: &str) -> [String; 3] {
        if self.shares {
            [format!(", {name}"), format!(" & {name} : 0..2"), format!(" || {name} := 0")]
        } else {
            [const { String::new() }; 3]
        }
    }

    /// The two sides and their pairs as machines: the refined one; the refinement; one that begins with any pair of values of the types,
    /// with conjuncts in the order of the refinement, then those of the refined machine. Tests of preconditions are operations.
    fn oracles(&self, size: u32) -> [Machine; 3] {
        let mut operations = [String::new(), String::new()];
        for (at, Pieces { name, head, precondition, above, own, below }) in self.operations.iter().enumerate() {
            let separator = if at == 0 { "" } else { ";\n" };
            let call = if head.contains("xx") { format!("{name}_allowed(xx)") } else { format!("{name}_allowed") };
            let typing = if head.contains("xx") { "xx : S" } else { "0 = 0" };
            let own = if own.is_empty() { "0 = 0" } else { own };
            let _ = write!(
                operations[0],
                "{separator}{head} = PRE {precondition} THEN {above} END;\n{call} = PRE {precondition} THEN skip END"
            );
            let _ = write!(
                operations[1],
                "{separator}{head} = PRE {typing} & {own} THEN {below} END;\n{call} = PRE {typing} & {own} THEN skip END"
            );
        }
        let [shared, typed, assigned] = self.shared("nn");
        let above = format!(
            "MACHINE A SETS S VARIABLES aa, nn INVARIANT aa : POW(S) & nn : 0..2 INITIALISATION {} || nn := 0 OPERATIONS\n{} END",
            self.initialisations[0], operations[0]
        );
        let low = format!(
            "MACHINE L SETS S VARIABLES tt, gg, mm{shared} INVARIANT tt : POW(S) & gg : POW(S * INTEGER) & mm : 0..2{typed}
            INITIALISATION {} || gg := {{}}{assigned} OPERATIONS\n{} END",
            self.initialisations[1], operations[1]
        );
        let [shared, typed, _] = self.shared("same");
        let mut conjuncts = format!("tt : POW(S) & gg : S +-> 0..1 & mm : 0..2{typed}");
        self.gluing.iter().for_each(|conjunct| _ = write!(conjuncts, " & {conjunct}"));
        if self.shares {
            conjuncts += " & same = nn";
        }
        conjuncts += " & aa : POW(S) & nn : 0..2";
        self.invariant_above.iter().for_each(|conjunct| _ = write!(conjuncts, " & {conjunct}"));
        let any = if self.shares { " || same :: 0..2" } else { "" };
        let both = format!(
            "MACHINE B SETS S VARIABLES tt, gg, mm{shared}, aa, nn INVARIANT {conjuncts}
            INITIALISATION tt :: POW(S) || gg :: S +-> 0..1 || mm :: 0..2{any} || aa :: POW(S) || nn :: 0..2 END"
        );
        [above, low, both].map(|text| compiled(&text, size))
    }

    /// The conjuncts that steps must preserve.
    fn conjuncts(&self) -> usize {
        3 + 2 * usize::from(self.shares) + self.gluing.len()
    }
}

fn compiled(text: &str, size: u32) -> Machine {
    let mut request = Request { size: Some(size), maxint: Some(3), ..Request::default() };
    request.options.limits.states = Some(1);
    check_text("oracle.mch", text, &request).unwrap_or_else(|refused| panic!("{:?}\n{text}", refused.diagnostics)).machine
}

/// The initial states of a machine without constants.
fn initial(machine: &Machine) -> Vec<Valuation> {
    let mut states = Vec::new();
    let mut visit = |state| {
        states.push(state);
        ControlFlow::Continue(())
    };
    machine.for_each_initial(&[], &mut visit).expect("well-defined");
    states
}

/// The cells of the oracle, by looking at each pair of values of the types.
pub(super) fn counted(case: &Case, size: u32) -> Matrix {
    let [above, low, both] = case.oracles(size);
    let count = case.conjuncts();
    let width = both.model().variables.len() - 2;
    let nobody = || vec![BigUint::default(); count + 3];
    // What candidates show: no step, each conjunct, all at once.
    let shows = |concrete: &[Value], candidates: &[Valuation]| -> Vec<bool> {
        let false_ones: Vec<Vec<bool>> = candidates
            .iter()
            .map(|after| {
                let state = [concrete, after].concat();
                (0..count).map(|conjunct| both.is_conjunct_false(conjunct, &state)).collect()
            })
            .collect();
        let is_matched = false_ones.iter().any(|conjuncts| !conjuncts.contains(&true));
        let is_alone = candidates.is_empty();
        let of_conjunct = |conjunct: usize| !is_alone && false_ones.iter().all(|conjuncts| conjuncts[conjunct]);
        [is_alone].into_iter().chain((0..count).map(of_conjunct)).chain([!is_alone && !is_matched]).collect()
    };
    let mut rows = vec![nobody()];
    let beginnings = initial(&above);
    for concrete in initial(&low) {
        for (cell, is_shown) in rows[0][1..].iter_mut().zip(shows(&concrete, &beginnings)) {
            *cell += u32::from(is_shown);
        }
    }
    let mut pairs = initial(&both);
    pairs.retain(|pair| matches!(both.violated_invariant(pair), Ok(None)));
    for at in 0..case.operations.len() {
        let [step, test] = [2 * at, 2 * at + 1].map(|id| OperationId(u32::try_from(id).expect("few")));
        let mut row = nobody();
        for pair in &pairs {
            let (concrete, abstracts) = pair.split_at(width);
            let calls = |machine: &Machine, state: &[Value]| -> Vec<Vec<Value>> {
                machine.successors(state, test).expect("few").steps.into_iter().map(|step| step.arguments).collect()
            };
            let (allowed, accepted) = (calls(&above, abstracts), calls(&low, concrete));
            row[0] += u32::from(allowed.iter().any(|call| !accepted.contains(call)));
            let followers = above.successors(abstracts, step).expect("few").steps;
            let mut shown = vec![false; count + 2];
            for step in low.successors(concrete, step).expect("few").steps {
                if !allowed.contains(&step.arguments) {
                    continue;
                }
                let fits = |follower: &&bcheck::eval::Step| follower.arguments == step.arguments && follower.results == step.results;
                let candidates: Vec<Valuation> = followers.iter().filter(fits).map(|follower| follower.next.clone()).collect();
                shown.iter_mut().zip(shows(&step.next, &candidates)).for_each(|(cell, is_shown)| *cell |= is_shown);
            }
            for (cell, is_shown) in row[1..].iter_mut().zip(shown) {
                *cell += u32::from(is_shown);
            }
        }
        rows.push(row);
    }
    (pairs.len().into(), rows)
}
