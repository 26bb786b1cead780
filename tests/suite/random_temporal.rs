//! Random temporal formulas, as texts and as trees, and what must hold of any of them.
//!
//! Invariant: what is made depends on the dice only; fuzz targets include this file, so that bytes decide. Deliberately elsewhere: how many
//! are tried (`temporal_formulas.rs`, `tests/fuzz`).

use crate::dice::Dice;
use bcheck::source::FileId;
use bcheck::syntax::temporal::{Logic, Temporal, parse_temporal, printed};
use bcheck::temporal::expand::automaton;
use bcheck::temporal::formula::Formula;
use bcheck::temporal::word::{Letter, Word, holds};

/// Operators of a tree: more make an automaton that is refused.
const MOST_OPERATORS: usize = 8;

/// What a text that is a formula must satisfy: it is read again from what it is printed as, and printed the same.
pub(crate) fn reads_as_printed(logic: Logic, text: &str) -> Result<bool, String> {
    let parsed = parse_temporal(FileId(0), logic, text);
    if !parsed.diagnostics.is_empty() {
        return Ok(false);
    }
    let text_of = |tree| printed(tree).to_string();
    let printed = text_of(&parsed.tree);
    let again = parse_temporal(FileId(0), logic, &printed);
    if !again.diagnostics.is_empty() {
        return Err(format!("`{text}` is printed as `{printed}`, which is refused: {:?}", again.diagnostics));
    }
    if text_of(&again.tree) != printed || without_places(&again.tree) != without_places(&parsed.tree) {
        return Err(format!("`{text}` is printed as `{printed}`, which is read as `{}`", text_of(&again.tree)));
    }
    Ok(true)
}

/// A tree without its spans.
fn without_places(tree: &Temporal) -> String {
    let debug = format!("{tree:?}");
    let mut pieces = debug.split("Span {");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |shape, piece| shape + piece.split_once('}').map_or("", |(_, after)| after))
}

/// The automaton of a random formula accepts the words of which the formula holds by its definition, and that of its negation the others.
pub(crate) fn automaton_agrees(dice: &mut Dice) -> Result<(), String> {
    let operators = 1 + dice.below(MOST_OPERATORS);
    let formula = formula(dice, operators);
    let negation = Formula::Not(Box::new(formula.clone()));
    let (Ok(positive), Ok(negative)) = (automaton(&formula), automaton(&negation)) else { return Ok(()) };
    for _ in 0..6 {
        let word = word(dice, 6, 2);
        let expected = holds(&formula, &word);
        if positive.accepts(&word) != expected || negative.accepts(&word) == expected {
            return Err(format!("{formula:?} is {expected} of {word:?}, by its automaton or that of its negation it is not"));
        }
    }
    Ok(())
}

/// A word of at most this length over so many propositions of states; two of three have a loop.
pub(crate) fn word(dice: &mut Dice, longest: usize, propositions: u32) -> Word {
    let length = 1 + dice.below(longest);
    let letter = |dice: &mut Dice| Letter { state: dice.below(1 << propositions) as u64, step: dice.below(2) as u64 };
    let letters = (0..length).map(|_| letter(dice)).collect();
    let back = (!dice.once_in(3)).then(|| dice.below(length));
    Word { letters, back }
}

/// A formula with at most this number of operators over two propositions of states and one of steps.
fn formula(dice: &mut Dice, operators: usize) -> Formula {
    if operators == 0 {
        return match dice.below(6) {
            0 => Formula::True,
            1 => Formula::Step(0),
            2 | 3 => Formula::State(0),
            _ => Formula::State(1),
        };
    }
    type Unary = fn(Box<Formula>) -> Formula;
    type Binary = fn(Box<Formula>, Box<Formula>) -> Formula;
    let unary: [Unary; 8] = [
        Formula::Not,
        Formula::Next,
        Formula::Globally,
        Formula::Finally,
        Formula::Not,
        Formula::Yesterday,
        Formula::Historically,
        Formula::Once,
    ];
    let binary: [Binary; 9] = [
        Formula::And,
        Formula::Or,
        Formula::Implies,
        Formula::Equivalent,
        Formula::Until,
        Formula::WeakUntil,
        Formula::Release,
        Formula::Since,
        Formula::Trigger,
    ];
    let choice = dice.below(unary.len() + binary.len());
    if let Some(make) = unary.get(choice) {
        return make(Box::new(formula(dice, operators - 1)));
    }
    let left = dice.below(operators);
    binary[choice - unary.len()](Box::new(formula(dice, left)), Box::new(formula(dice, operators - 1 - left)))
}

/// The text of a formula whose operators nest up to a depth.
pub(crate) fn text(dice: &mut Dice, logic: Logic, depth: usize) -> String {
    if depth == 0 {
        return (*dice.pick(&["{a = 1}", "{b = {}}", "true", "deadlock", "e(op)", "[op(1)]", "{s = \"}\"}"])).to_owned();
    }
    let below = |dice: &mut Dice| text(dice, logic, depth - 1);
    let binary = match logic {
        Logic::Ltl => &["&", "or", "=>", "<=>", "U", "W", "R", "S", "T", "and", "||", "until", "->"][..],
        Logic::Ctl => &["&", "or", "=>", "<=>", "∧", "|", "implies"],
    };
    match (logic, dice.below(9)) {
        (_, 0) => below(dice),
        (_, 1) => format!("({})", below(dice)),
        (_, 2) => format!("{}{}", dice.pick(&["not ", "!", "¬"]), below(dice)),
        (_, 3) => format!("{}.({{x : S}} => {})", dice.pick(&["!x", "! y"]), below(dice)),
        (_, 4) => format!("#x.({{x : S}} & {})", below(dice)),
        (_, 5) | (Logic::Ltl, 6) => format!("{} {} {}", below(dice), dice.pick(binary), below(dice)),
        (Logic::Ctl, 6) => format!("{} {} U {}", dice.pick(&["E", "A"]), below(dice), below(dice)),
        (Logic::Ctl, _) => format!("{} {}", dice.pick(&["EX", "AX", "EF", "AF", "EG", "AG", "EX[op]"]), below(dice)),
        (Logic::Ltl, 7) => {
            let [first, second, third, fourth] = [(); 4].map(|()| below(dice));
            let scope = match dice.below(5) {
                0 => "globally".to_owned(),
                1 => format!("before({first})"),
                2 => format!("after({first})"),
                3 => format!("between({first}, {second})"),
                _ => format!("after_until({first},{second})"),
            };
            let pattern = match dice.below(9) {
                0 => format!("absence({third})"),
                1 => format!("universality ({third})"),
                2 => format!("existence({third})"),
                3 => format!("existence({third}, at_most {})", 1 + dice.below(9)),
                4 => format!("{}({third}, {fourth})", dice.pick(&["precedence", "response"])),
                5 => format!("{}({third}then {first}, {fourth})", dice.pick(&["precedence", "response"])),
                6 => format!("{}({third}, {first} then{fourth})", dice.pick(&["precedence", "response"])),
                _ => format!("response({third} then {first} without {second}, {fourth})"),
            };
            format!("{scope} {pattern}")
        }
        (Logic::Ltl, _) => format!("{} {}", dice.pick(&["G", "F", "X", "H", "O", "Y", "globally", "eventually", "GF"]), below(dice)),
    }
}
