//! The rules on random words: a run of the refined machine, and one of the refinement in which its steps occur between internal ones.

use super::super::positions::Situation;
use super::super::shape::{Atom, FormulaShape, ShapeKind, binary, is_kept, of_kind, unary};
use bcheck_source::{SplitMix64, TemporalBinary, TemporalUnary};
use bcheck_temporal::formula::{Formula, Proposition};
use bcheck_temporal::word::{Letter, Word, holds};

/// Propositions of steps: of two operations; the value of an expression is the same, or another; BA; there is a step.
const UNCHANGED: Proposition = 2;
const CHANGED: Proposition = 3;
const BEFORE_AFTER: Proposition = 4;
const ANY: Proposition = 5;

/// Two runs, and what distinguishes them.
struct Runs {
    refined: Word,
    refinement: Word,
    situation: Situation,
}

fn once_in(random: &mut SplitMix64, number: usize) -> bool {
    random.below(number) == 0
}

/// A position before a step of the refined machine.
fn letter(random: &mut SplitMix64) -> Letter {
    let compared = if once_in(random, 2) { UNCHANGED } else { CHANGED };
    let before_after = u64::from(once_in(random, 2)) << BEFORE_AFTER;
    Letter { state: random.word() & 3, step: 1 << random.below(2) | 1 << compared | before_after | 1 << ANY }
}

/// The same before an internal step.
fn internal(random: &mut SplitMix64, letter: Letter) -> Letter {
    let before_after = u64::from(once_in(random, 2)) << BEFORE_AFTER;
    Letter { step: 1 << UNCHANGED | before_after | 1 << ANY, ..letter }
}

fn runs(random: &mut SplitMix64) -> Runs {
    let count = 1 + random.below(4);
    let back = (!once_in(random, 3)).then(|| random.below(count));
    let refined = Word { letters: (0..count).map(|_| letter(random)).collect(), back };
    let longer = refined.unrolled(random.below(3));
    let mut situation = Situation { internal: false, diverges: false, blocks: false, refuses: true, chooses: true };
    let has_internal = once_in(random, 2);
    let stop = once_in(random, 2).then(|| random.below(longer.letters.len()));
    let mut letters = Vec::new();
    let mut start = 0;
    for (at, &letter) in longer.letters.iter().enumerate() {
        if Some(at) == longer.back {
            start = letters.len();
        }
        let before = if has_internal { random.below(3) } else { 0 };
        for _ in 0..before {
            letters.push(internal(random, letter));
        }
        situation.internal |= before > 0;
        if Some(at) == stop && has_internal && once_in(random, 2) {
            // It goes on by internal steps alone.
            let loop_start = letters.len();
            letters.extend((0..=random.below(2)).map(|_| internal(random, letter)));
            let situation = Situation { internal: true, diverges: true, ..situation };
            return Runs { refined, refinement: Word { letters, back: Some(loop_start) }, situation };
        }
        letters.push(letter);
        if Some(at) == stop {
            let blocks = longer.next(at).is_some();
            return Runs { refined, refinement: Word { letters, back: None }, situation: Situation { blocks, ..situation } };
        }
    }
    let back = longer.back.map(|_| start);
    Runs { refined, refinement: Word { letters, back }, situation }
}

fn formula(random: &mut SplitMix64, operators: usize) -> Formula {
    if operators == 0 {
        return match random.below(9) {
            0 => Formula::True,
            1 | 2 => Formula::State(0),
            3 => Formula::State(1),
            number => Formula::Step(Proposition::try_from(number - 4).expect("small") % 6 + Proposition::from(number == 8)),
        };
    }
    let one = |random: &mut SplitMix64| Box::new(formula(random, operators - 1));
    match random.below(20) {
        0..=2 => Formula::Not(one(random)),
        3 => Formula::Next(one(random)),
        4 | 5 => Formula::Globally(one(random)),
        6 => Formula::Finally(one(random)),
        7 => Formula::Yesterday(one(random)),
        8 => Formula::Historically(one(random)),
        9 => Formula::Once(one(random)),
        number => {
            let first = random.below(operators);
            let (first, second) = (Box::new(formula(random, first)), Box::new(formula(random, operators - 1 - first)));
            match number {
                10 => Formula::And(first, second),
                11 | 12 => Formula::Or(first, second),
                13 => Formula::Implies(first, second),
                14 => Formula::Equivalent(first, second),
                15 => Formula::Until(first, second),
                16 => Formula::WeakUntil(first, second),
                17 => Formula::Release(first, second),
                18 => Formula::Since(first, second),
                _ => Formula::Trigger(first, second),
            }
        }
    }
}

fn shape(formula: &Formula) -> FormulaShape {
    use {TemporalBinary as B, TemporalUnary as U};
    let one = |operator, body| unary(operator, shape(body));
    let two = |operator, first, second| binary(operator, shape(first), shape(second));
    let atom = |atom| of_kind(ShapeKind::Proposition(atom));
    match formula {
        Formula::True => of_kind(ShapeKind::Constant(true)),
        Formula::False => of_kind(ShapeKind::Constant(false)),
        Formula::State(_) => atom(Atom::State),
        Formula::Step(ANY) => unary(U::Not, atom(Atom::Deadlock)),
        Formula::Step(UNCHANGED) => atom(Atom::Unchanged),
        Formula::Step(CHANGED) => atom(Atom::Changed),
        Formula::Step(BEFORE_AFTER) => atom(Atom::BeforeAfter),
        Formula::Step(_) => atom(Atom::Taken),
        Formula::Not(body) => one(U::Not, body),
        Formula::And(first, second) => two(B::And, first, second),
        Formula::Or(first, second) => two(B::Or, first, second),
        Formula::Implies(first, second) => two(B::Implies, first, second),
        Formula::Equivalent(first, second) => two(B::Equivalent, first, second),
        Formula::Next(body) => one(U::Next, body),
        Formula::Globally(body) => one(U::Globally, body),
        Formula::Finally(body) => one(U::Finally, body),
        Formula::Until(first, second) => two(B::Until, first, second),
        Formula::WeakUntil(first, second) => two(B::WeakUntil, first, second),
        Formula::Release(first, second) => two(B::Release, first, second),
        Formula::Yesterday(body) => one(U::Yesterday, body),
        Formula::Historically(body) => one(U::Historically, body),
        Formula::Once(body) => one(U::Once, body),
        Formula::Since(first, second) => two(B::Since, first, second),
        Formula::Trigger(first, second) => two(B::Trigger, first, second),
    }
}

/// By what distinguishes the runs: formulas that are kept and hold, are not kept and fail, and are not kept and hold all the same.
fn counts(seed: u64, rounds: usize) -> [[usize; 3]; 4] {
    let mut random = SplitMix64::new(seed);
    let mut counts = [[0; 3]; 4];
    for _ in 0..rounds {
        let Runs { refined, refinement, situation } = runs(&mut random);
        let operators = 1 + random.below(6);
        let formula = formula(&mut random, operators);
        if !holds(&formula, &refined) {
            continue;
        }
        let (is_kept, holds) = (is_kept(&shape(&formula), situation), holds(&formula, &refinement));
        assert!(!is_kept || holds, "{formula:?} is said to be kept by {situation:?} from {refined:?} to {refinement:?}");
        let kind = match situation {
            Situation { diverges: true, .. } => 3,
            Situation { blocks: true, .. } => 2,
            Situation { internal, .. } => usize::from(internal),
        };
        counts[kind][usize::from(!is_kept) * (1 + usize::from(holds))] += 1;
    }
    counts
}

#[test]
fn what_is_kept_by_the_rules_holds_of_random_runs() {
    let counts = counts(11, 40_000);
    let [same, internal, blocked, divergent] = counts;
    assert!(same[0] > 1_000 && same[1..] == [0, 0], "the same run: {counts:?}");
    for [kept, lost, _] in [internal, blocked, divergent] {
        assert!(kept > 500 && lost > 100, "{counts:?}");
    }
}
