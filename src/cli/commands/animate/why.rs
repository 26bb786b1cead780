//! `why`, `changes`, `table`: what decides a guard, a formula or a finding in the current state, and what a step changed.
//!
//! Invariant: no command here takes a step. Deliberately elsewhere: the evidence (`eval`), its wording (`report::evidence`).

use super::command::call;
use super::{Animation, Refusal, show};
use bcheck_explore::{Fault, FaultyPart, Finding, TraceStep, findings_at_end};
use bcheck_report::changes::Changes;
use bcheck_report::evidence::{Wording, lines};
use bcheck_report::value_table::ValueTable;
use bcheck_report::{evidence_of, evidence_of_deadlock, named_steps, trace};
use bcheck_sema::Formula;
use bcheck_source::{Shown, columns, padded, shown};
use bcheck_value::Value;

impl Animation {
    /// Explains why an operation is disabled, why a formula has its value, or the findings of the current state.
    pub(super) fn why(&mut self, text: &str) -> Result<Shown, Refusal> {
        if self.at <= self.machine.model().set_up_steps() {
            return Ok(shown!("the machine is not initialised yet\n"));
        }
        if text.is_empty() {
            return self.why_found();
        }
        match call(text) {
            Ok((name, arguments)) if self.machine.model().operations.contains_key(&name) => self.why_disabled(&name, arguments.as_deref()),
            read => self.why_value(text).map_err(|refusal| match read {
                // A single name is more likely meant as an operation.
                Ok((name, _)) if name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') => {
                    self.operation(&name).err().unwrap_or(refusal)
                }
                Err(reason) if self.machine.model().operations.keys().any(|name| text.starts_with(&format!("{name}("))) => reason.into(),
                _ => refusal,
            }),
        }
    }

    fn why_disabled(&mut self, name: &str, text: Option<&str>) -> Result<Shown, Refusal> {
        let (id, arguments) = self.arguments(name, text)?;
        let fits = |step: &TraceStep| {
            let given = arguments.iter().zip(&step.arguments);
            step.operation == Some(id) && given.into_iter().all(|(wanted, given)| wanted.as_ref().is_none_or(|wanted| wanted == given))
        };
        // The list is complete, so an operation that is not in it has an obstacle.
        let ways = self.enabled.alike.iter().flatten().filter(|step| fits(step)).count();
        if ways > 0 {
            return Ok(shown!("it is enabled, in {} way{}\n", ways, if ways == 1 { "" } else { "s" }));
        }
        let obstacle = self.machine.guard_obstacle(self.state(), id, &arguments).map_err(|error| self.reason(&error))?;
        let first = show::obstacle(self.machine.model(), &self.sources, obstacle.as_ref());
        let evidence = self.machine.guard_evidence(self.state(), id, &arguments);
        let wording = Wording { model: self.machine.model(), sources: &self.sources, scope: self.machine.scope() };
        Ok(first + evidence.map(|evidence| lines(&wording.evidence(&evidence, None))).unwrap_or_default())
    }

    /// Why a predicate is true or false here; for an expression, the values of its parts.
    fn why_value(&mut self, text: &str) -> Result<Shown, Refusal> {
        let (formula, machine) = self.formula(text)?;
        let wording = Wording { model: machine.model(), sources: &self.sources, scope: machine.scope() };
        let text = match &formula {
            Formula::Pred(pred) => wording.evidence(&machine.evidence(pred, self.state()), None),
            Formula::Expr(expr) => wording.term(&machine.term_value(expr, self.state(), &[]), None),
        };
        Ok(lines(&text))
    }

    /// Why the findings of the current state are false, or the goal is true.
    fn why_found(&self) -> Result<Shown, Refusal> {
        let run = self.run();
        let findings = findings_at_end(&self.machine, &run).map_err(|error| self.reason(&error))?;
        let wording = Wording { model: self.machine.model(), sources: &self.sources, scope: self.machine.scope() };
        let findings_are_deadlocks = findings.contains(&Fault::violated(FaultyPart::DeadlockFreedom));
        let found = findings.into_iter().filter_map(|fault| evidence_of(&self.machine, &Finding { fault, trace: run.clone() }));
        let mut text: Shown = found.map(|evidence| lines(&wording.of_finding(&evidence))).collect();
        // Explained even where deadlocks are not findings: the state is a deadlock all the same.
        if self.enabled.alike.is_empty() && !findings_are_deadlocks {
            text += lines(&wording.of_finding(&evidence_of_deadlock(&self.machine, self.state())));
        }
        Ok(if text.is_empty() { shown!("nothing is false here: name an operation, or a predicate\n") } else { text })
    }

    /// The changes of a step, by type.
    pub(super) fn changes(&self, step: Option<usize>) -> Result<Shown, Refusal> {
        let number = step.or(self.at.checked_sub(1)).filter(|number| *number < self.at);
        let Some(number) = number else {
            return Err(if self.at == 0 { shown!("no step was done") } else { shown!("steps are numbered from 0 to {}", self.at - 1) });
        };
        let before = number.checked_sub(1).map_or(&[][..], |before| self.steps[before].state.as_slice());
        let lines = Changes::new(self.machine.model()).of_step(before, &self.steps[number].state);
        let steps = named_steps(self.machine.model(), &self.run());
        let text = shown!("{:>4}  {}\n", number, trace::title(&steps[number]));
        Ok(text
            + if lines.is_empty() {
                shown!("          (no change)\n")
            } else {
                lines.iter().map(|line| shown!("          {}\n", line)).collect()
            })
    }

    /// A function or relation as a table.
    pub(super) fn table(&self, name: &str) -> Result<Shown, Refusal> {
        let model = self.machine.model();
        let index = model.constants.get_index_of(name).or_else(|| Some(model.constants.len() + model.variables.get_index_of(name)?));
        let Some(value) = index.and_then(|index| Some((index, self.state().get(index)?))) else {
            return Err(shown!("there is no constant or variable `{}` that has a value here (state shows all)", name));
        };
        let ((index, value), changes) = (value, Changes::new(model));
        let before: Option<&Value> = self.at.checked_sub(2).and_then(|before| self.steps[before].state.get(index));
        match changes.table(index, value, before) {
            Some(table) => Ok(grid(&table)),
            None => Ok(shown!("          {} = {}\n", name, changes.whole(index, value))),
        }
    }
}

/// A table in columns; a `*` marks the changes of the last step.
pub(super) fn grid(table: &ValueTable) -> Shown {
    let head: Vec<String> = std::iter::once(String::new()).chain(table.columns.iter().cloned()).collect();
    let cell = |cell: &bcheck_report::value_table::Cell| format!("{}{}", cell.text, if cell.before.is_some() { " *" } else { "" });
    let rows = table.rows.iter().map(|(row, cells)| std::iter::once(row.clone()).chain(cells.iter().map(cell)).collect::<Vec<String>>());
    let all: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    let count = all.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|text| columns(text)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(text, width)| padded(text, *width));
        shown!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    all.iter().map(line).collect::<Shown>() + table.remark().map(|remark| shown!("  {}\n", remark)).unwrap_or_default()
}
