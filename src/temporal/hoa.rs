//! Automata in the Hanoi Omega-Automata format, version 1 (Babiak and others, CAV 2015), for comparison with other tools.
//!
//! Invariant: what is written accepts the infinite paths that the automaton accepts. Finite paths cannot be expressed in the format: which
//! ends a state accepts is left out, and so are states that lead to ends only; the automaton of `not X true` has no states there. A tool
//! that is to see finite paths too can be given a formula with a proposition "alive" (De Giacomo and Vardi, IJCAI 2013) instead.
//! Deliberately elsewhere: reading the format, which nothing needs.

use super::automaton::{Automaton, Cube};
use super::formula::Proposition;
use super::simplify::simplified;
use std::fmt::Write as _;

/// The text of an automaton, with the names of its propositions.
#[must_use]
pub fn hoa(automaton: &Automaton, title: &str, state: impl Fn(Proposition) -> String, step: impl Fn(Proposition) -> String) -> String {
    // States that served ends only accept nothing now: they are removed here, not left to the reader.
    let infinite = Automaton { accepts_end: vec![Vec::new(); automaton.transitions.len()], ..automaton.clone() };
    let automaton = simplified(infinite);
    let cubes = || automaton.transitions.iter().flatten().map(|transition| transition.reads);
    // Only propositions that occur: many tools are exponential in their number.
    let states = ones(cubes().fold(0, |bits, cube| bits | cube.state_true | cube.state_false));
    let steps = ones(cubes().fold(0, |bits, cube| bits | cube.step_true | cube.step_false));
    let names: Vec<String> = states.iter().map(|&bit| quoted(&state(bit))).chain(steps.iter().map(|&bit| quoted(&step(bit)))).collect();
    let mut text = String::new();
    let mut line = |parts: std::fmt::Arguments<'_>| writeln!(text, "{parts}").expect("a string takes everything");
    line(format_args!("HOA: v1"));
    line(format_args!("name: {}", quoted(title)));
    line(format_args!("States: {}", automaton.transitions.len()));
    for state in &automaton.initial {
        line(format_args!("Start: {state}"));
    }
    line(format_args!("AP: {}{}", names.len(), names.iter().map(|name| format!(" {name}")).collect::<String>()));
    let acceptance_sets: Vec<String> = (0..automaton.acceptance_sets).map(|acceptance_set| format!("Inf({acceptance_set})")).collect();
    match acceptance_sets.len() {
        0 => line(format_args!("acc-name: all")),
        1 => line(format_args!("acc-name: Buchi")),
        several => line(format_args!("acc-name: generalized-Buchi {several}")),
    }
    let condition = if acceptance_sets.is_empty() { "t".to_owned() } else { acceptance_sets.join("&") };
    line(format_args!("Acceptance: {} {condition}", acceptance_sets.len()));
    line(format_args!("properties: trans-labels explicit-labels trans-acc"));
    line(format_args!("--BODY--"));
    for (number, row) in automaton.transitions.iter().enumerate() {
        line(format_args!("State: {number}"));
        for transition in row {
            let marks: Vec<String> = ones(transition.marks).iter().map(ToString::to_string).collect();
            let marks = if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(" ")) };
            line(format_args!("[{}] {}{marks}", label(&transition.reads, &states, &steps), transition.to));
        }
    }
    line(format_args!("--END--"));
    text
}

/// The bits of a word.
pub(super) fn ones(word: u64) -> Vec<Proposition> {
    (0..64).filter(|bit| word >> bit & 1 == 1).collect()
}

/// A cube as a conjunction of numbers of propositions.
fn label(cube: &Cube, states: &[Proposition], steps: &[Proposition]) -> String {
    // In the order of AP: first the propositions of states, then those of steps.
    let states = states.iter().map(|bit| (cube.state_true >> bit & 1 == 1, cube.state_false >> bit & 1 == 1));
    let steps = steps.iter().map(|bit| (cube.step_true >> bit & 1 == 1, cube.step_false >> bit & 1 == 1));
    let literals: Vec<String> = states
        .chain(steps)
        .enumerate()
        .filter(|(_, (is_true, is_false))| *is_true || *is_false)
        .map(|(number, (is_true, _))| format!("{}{number}", if is_true { "" } else { "!" }))
        .collect();
    if literals.is_empty() { "t".to_owned() } else { literals.join("&") }
}

/// A string of this format and of Graphviz: in quotation marks; quotation marks and backslashes are escaped, control characters become
/// blanks.
pub(super) fn quoted(text: &str) -> String {
    let escaped = text.chars().flat_map(|character| {
        let escape = matches!(character, '"' | '\\').then_some('\\');
        escape.into_iter().chain([if character.is_control() { ' ' } else { character }])
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::automaton;
    use crate::formula::Formula;

    #[test]
    fn an_until_has_one_promise() {
        let until = Formula::Until(Box::new(Formula::State(3)), Box::new(Formula::Step(1)));
        let text = hoa(&automaton(&until).unwrap(), "p U \"q\"", |number| format!("p{number}"), |number| format!("q{number}"));
        let expected = "HOA: v1\nname: \"p U \\\"q\\\"\"\nStates: 2\nStart: 0\nAP: 2 \"p3\" \"q1\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
            properties: trans-labels explicit-labels trans-acc\n--BODY--\nState: 0\n[0] 0\n[1] 1 {0}\nState: 1\n[t] 1 {0}\n--END--\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_only_ends_has_no_states() {
        let end = Formula::Not(Box::new(Formula::Next(Box::new(Formula::True))));
        let text = hoa(&automaton(&end).unwrap(), "end", |number| number.to_string(), |number| number.to_string());
        assert!(text.contains("States: 0\nAP: 0\nacc-name: all\n"), "{text}");
    }
}
