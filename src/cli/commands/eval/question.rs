//! `bcheck eval` of a predicate with free names: for which values of them it is true.
//!
//! Invariant: `FALSE` and a count mean that there are no (other) answers; where integers were tried in a range only, this is an error, or a
//! warning that names the range. Deliberately elsewhere: how answers are found (`eval`).

use crate::args::AnswerArgs;
use crate::commands::eval::count::{self, AnswerCount};
use crate::commands::eval::printed::{no_value, put, truth};
use crate::commands::eval::unsat_core;
use crate::exit::{Exit, complain};
use crate::io::console::Console;
use crate::io::interrupt;
use crate::session::within_bounds;
use bcheck_eval::{EvalErrorKind, Machine, Question};
use bcheck_explore::Verdict;
use bcheck_ir::{LocalId, Model, Pred, Type};
use bcheck_source::{Shown, shown};
use bcheck_value::display::display;
use bcheck_value::{Valuation, Value};
use num_bigint::BigUint;
use std::ops::ControlFlow;

/// Up to this many answers are sorted before they are shown; more are shown as they are found.
const SORTED: usize = 10_000;

/// For a first answer, unbounded integers are tried in these ranges, from minus to plus, one after the other.
const RANGES: [i64; 5] = [1 << 6, 1 << 10, 1 << 14, 1 << 17, 1 << 20];
/// A wider range is tried only if a plain search would test at most this many values in it, by estimate.
const MOST_TESTED: f64 = 1e8;

/// Answers a question in a state, as far as answers are wanted.
pub(crate) fn answer(
    machine: &Machine,
    (names, pred): (&[(LocalId, Type)], &Pred),
    state: &[Value],
    wanted: AnswerArgs,
    console: &Console,
) -> Exit {
    let question = machine.compile_question(names, pred, None);
    // Wider ranges have the same comprehensions.
    let model = question.model();
    let asked = Asker { machine, model: &model, names, state, wants_core: wanted.unsat_core };
    match wanted {
        AnswerArgs { count: true, .. } => asked.count(&question, pred, console),
        AnswerArgs { all: false, max: None, .. } => asked.first(question, pred, console),
        AnswerArgs { max, .. } => asked.list(&question, max.map(|most| most.0), console),
    }
}

/// A question in its context: the machine, the free names, the state.
struct Asker<'a> {
    machine: &'a Machine,
    /// Including the comprehensions of the question.
    model: &'a Model,
    names: &'a [(LocalId, Type)],
    state: &'a [Value],
    /// Whether contradicting conjuncts are to be shown.
    wants_core: bool,
}

impl Asker<'_> {
    /// An answer as a predicate: `x = 7 & y = 1`.
    fn line(&self, answer: &[Value]) -> String {
        let model = self.model;
        let equations =
            self.names.iter().zip(answer).map(|((id, _), value)| format!("{} = {}", model.local_name(*id), display(value, model)));
        equations.collect::<Vec<_>>().join(" & ")
    }

    /// Shows the first answer found, or that there is none.
    fn first(&self, mut question: Question, pred: &Pred, console: &Console) -> Exit {
        // In ever wider ranges, as a user who states no bounds means any integer.
        let mut wider = RANGES.into_iter();
        loop {
            let mut found = None;
            let visited = question.for_each_answer(self.state, &mut |answer| {
                found = Some(answer);
                ControlFlow::Break(())
            });
            if let Some(answer) = found {
                let lines = self.names.iter().zip(&answer).map(|((id, _), value)| {
                    let model = self.model;
                    shown!("{} = {}\n", model.local_name(*id), display(value, model))
                });
                return put(&(shown!("TRUE\n") + Shown::join(lines, "")));
            }
            // Ill-defined for some values in this range, and true for none: a wider one may have an answer.
            let none_in_range = question.none_within_ranges();
            match (visited, none_in_range) {
                (Err(error), _) if error.kind == EvalErrorKind::Interrupted => return no_value(self.machine, &error, console),
                (Err(error), None) => return no_value(self.machine, &error, console),
                (Ok(()), None) => {
                    let exit = put(&shown!("{}\n", truth(false)));
                    if self.wants_core {
                        unsat_core::show(self.machine, (self.names, pred), console);
                    }
                    return exit;
                }
                (_, Some(none)) => match wider.next().map(|end| self.machine.compile_question(self.names, pred, Some((-end, end)))) {
                    Some(next) if next.cost() <= MOST_TESTED => question = next,
                    _ => return no_value(self.machine, &none, console),
                },
            }
        }
    }

    /// Shows all answers, or the first `most` found.
    fn list(&self, question: &Question, most: Option<u64>, console: &Console) -> Exit {
        within_bounds(question.tried()).iter().for_each(|warning| console.show_one(warning));
        let mut waiting: Vec<Valuation> = Vec::new();
        let (mut found, mut exit) = (0_u64, Exit::Done);
        if most == Some(0) {
            return Exit::Done;
        }
        let visited = question.for_each_answer(self.state, &mut |answer| {
            found += 1;
            // Sorted, so that the order does not depend on how they are found; an unbounded number is shown as they come.
            waiting.push(answer);
            if waiting.len() > SORTED || found > SORTED as u64 {
                exit = self.put_all(&mut waiting);
            }
            let is_enough = exit != Exit::Done || most.is_some_and(|most| found >= most);
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        waiting.sort_unstable();
        if exit == Exit::Done {
            exit = self.put_all(&mut waiting);
        }
        match visited {
            _ if exit != Exit::Done => exit,
            Err(error) => no_value(self.machine, &error, console),
            Ok(()) if found == 0 => put(&shown!("{}\n", truth(false))),
            Ok(()) => Exit::Done,
        }
    }

    fn put_all(&self, answers: &mut Vec<Valuation>) -> Exit {
        let text = Shown::join(answers.drain(..).map(|answer| Shown::line(&self.line(&answer))), "\n");
        if text.is_empty() { Exit::Done } else { put(&(text + shown!("\n"))) }
    }

    /// Shows the number of answers.
    fn count(&self, question: &Question, pred: &Pred, console: &Console) -> Exit {
        within_bounds(question.tried()).iter().for_each(|warning| console.show_one(warning));
        let (AnswerCount { answers, orbits }, visited) = count::count(self.machine, (self.names, pred), question, self.state);
        match visited {
            Ok(()) => {
                let orbits = orbits.map_or_else(Shown::default, |orbits| shown!("{} up to the names of elements\n", orbits));
                put(&(shown!("{}\n", answers.to_string()) + orbits))
            }
            // The number found before a limit is worth reporting, but is not the count.
            Err(error) if error.kind == EvalErrorKind::Interrupted && answers != BigUint::ZERO => {
                let reason = interrupt::reason().unwrap_or_else(|| error.kind.to_string());
                complain(&format!("{reason}: {answers} were found before"), Exit::Verdict(Verdict::Incomplete))
            }
            Err(error) => no_value(self.machine, &error, console),
        }
    }
}
