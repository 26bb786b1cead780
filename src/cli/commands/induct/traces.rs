//! `--traces DIR` of `bcheck induct`: the counterexamples as runs of one step, a file each.
//!
//! A run begins with a state that satisfies the invariant, or with the initialisation if that violates it; for a refinement, it is the
//! refinement's own run. Invariant: files are named by operation and column of the matrix, and no two counterexamples share one.
//! Deliberately elsewhere: how runs are replayed (`replay`, `animate`).

use crate::exit::{Exit, complaint, refused};
use crate::io::output;
use crate::io::trace_file::{TraceFormat, note_others};
use bcheck_explore::{Refuted, Trace};
use bcheck_ir::Model;
use bcheck_report::induction::InductionReport;
use std::borrow::Cow;
use std::path::Path;

/// Saves a run for each violated cell.
pub(crate) fn save(folder: &Path, machine: &Path, report: &InductionReport<'_>) -> Result<(), Exit> {
    let (model, values) = match report.refinement {
        None => (Cow::Borrowed(report.model), usize::MAX),
        Some(refinement) => (Cow::Owned(refinement.alone(report.model)), refinement.concrete.end),
    };
    let mut saved = Vec::new();
    for (name, run) in runs(report, &model, values) {
        // Names that differ only in characters not allowed in a file name are numbered.
        let free = (1..).map(|number| if number == 1 { format!("{name}.json") } else { format!("{name}.{number}.json") });
        let Some(path) = free.map(|name| folder.join(name)).find(|path| !saved.contains(path)) else { continue };
        let file = output::reserve_in(folder, ("the machine", machine), ("--traces", &path)).map_err(refused)?;
        let rendered = TraceFormat::Json.render(&model, report.scope, &run, "");
        file.save(&rendered).map_err(complaint(Exit::Io))?;
        saved.push(path);
    }
    note_others(folder, &saved, "--traces", |name| name.ends_with(".json"));
    Ok(())
}

/// The runs, with the names of their files.
fn runs(report: &InductionReport<'_>, model: &Model, values: usize) -> Vec<(String, Trace)> {
    let found = report.found;
    let mut cells: Vec<(String, &Refuted)> = Vec::new();
    for (operation, effect) in found.effects() {
        let name = operation.map_or("INITIALISATION", |id| report.model.operation_name(id));
        cells.extend(report.columns().into_iter().map(|column| (format!("{name}_{}", column.head()), column.cell(effect))));
        cells.push((format!("{name}_ill_defined"), &effect.ill_defined));
    }
    cells.extend(found.deadlocks.iter().map(|cell| ("deadlock".to_owned(), cell)));
    cells.extend((1..).zip(found.assertions.iter().flatten()).map(|(number, cell)| (format!("assertion_{number}"), cell)));
    cells.extend((1..).zip(found.undefined.iter().flatten()).map(|(number, cell)| (format!("undefined_{number}"), &cell.states)));
    let run = |(name, cell): (String, &Refuted)| Some((file_name(&name), cell.example.as_ref()?.run(model, values)));
    cells.into_iter().filter_map(run).collect()
}

/// A name with letters, digits and a few signs only.
fn file_name(name: &str) -> String {
    name.chars().map(|letter| if letter.is_alphanumeric() || "._-".contains(letter) { letter } else { '_' }).collect()
}
