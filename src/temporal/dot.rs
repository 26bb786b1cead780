//! Automata as graphs, in the language of Graphviz, for people.
//!
//! Invariant: every transition is an edge, labelled with what it reads; the acceptance marks that it carries follow in braces. A state
//! that accepts the end of a finite path has a double border and an edge to a point. Deliberately elsewhere: the format for tools (`hoa`).

use super::automaton::{Automaton, Cube};
use super::formula::Proposition;
use super::hoa::{ones, quoted};
use std::fmt::Write as _;

/// The text of an automaton, with the names of its propositions.
#[must_use]
pub fn dot(automaton: &Automaton, title: &str, state: impl Fn(Proposition) -> String, step: impl Fn(Proposition) -> String) -> String {
    let mut text = String::new();
    let mut line = |parts: std::fmt::Arguments<'_>| writeln!(text, "{parts}").expect("a string takes everything");
    let label = |cube: &Cube| {
        let part = |bits: u64, sign: &str, name: &dyn Fn(Proposition) -> String| -> Vec<String> {
            ones(bits).into_iter().map(|bit| format!("{sign}{}", name(bit))).collect()
        };
        let literals = [
            part(cube.state_true, "", &state),
            part(cube.state_false, "not ", &state),
            part(cube.step_true, "", &step),
            part(cube.step_false, "not ", &step),
        ]
        .concat();
        if literals.is_empty() { "true".to_owned() } else { literals.join(" & ") }
    };
    line(format_args!("digraph {} {{", quoted(title)));
    line(format_args!("  rankdir=LR; label={}; node [shape=circle];", quoted(title)));
    for number in &automaton.initial {
        line(format_args!("  begin{number} [shape=point]; begin{number} -> {number};"));
    }
    for (number, (row, ends)) in automaton.transitions.iter().zip(&automaton.accepts_end).enumerate() {
        // A double border is the custom for finite words; for infinite ones acceptance is on the edges, in braces.
        if ends.is_empty() {
            line(format_args!("  {number};"));
        } else {
            line(format_args!("  {number} [shape=doublecircle];"));
        }
        for transition in row {
            let marks: Vec<String> = ones(transition.marks).iter().map(ToString::to_string).collect();
            let marks = if marks.is_empty() { String::new() } else { format!(" {{{}}}", marks.join(", ")) };
            line(format_args!("  {number} -> {} [label={}];", transition.to, quoted(&(label(&transition.reads) + &marks))));
        }
        if !ends.is_empty() {
            let ends: Vec<String> = ends.iter().map(label).collect();
            line(format_args!(
                "  end{number} [shape=point]; {number} -> end{number} [style=dashed, label={}];",
                quoted(&ends.join(" or "))
            ));
        }
    }
    line(format_args!("}}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::automaton;
    use crate::formula::Formula;

    #[test]
    fn an_until_is_two_states_and_may_end_in_the_second() {
        let until = Formula::Until(Box::new(Formula::State(3)), Box::new(Formula::Step(1)));
        let text = dot(&automaton(&until).unwrap(), "p U \"q\"", |number| format!("p{number}"), |number| format!("q{number}"));
        let expected = "digraph \"p U \\\"q\\\"\" {\n  rankdir=LR; label=\"p U \\\"q\\\"\"; node [shape=circle];\n  begin0 [shape=point]; begin0 -> 0;\n  \
            0;\n  0 -> 0 [label=\"p3\"];\n  0 -> 1 [label=\"q1 {0}\"];\n  1 [shape=doublecircle];\n  1 -> 1 [label=\"true {0}\"];\n  \
            end1 [shape=point]; 1 -> end1 [style=dashed, label=\"true\"];\n}\n";
        assert_eq!(text, expected);
    }
}
