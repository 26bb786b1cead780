//! `--trace FILE`: the counterexample in the format given by the file's ending.
//!
//! Invariant: an unknown ending is refused before the search; no file is created if there is no trace. Deliberately elsewhere: whether the
//! file can be written (`output`).

use crate::io::files;
use crate::io::timestamp::iso_8601;
use bcheck_explore::{Trace, TraceBeginning};
use bcheck_ir::{Model, Scope};
use bcheck_report::{CheckReport, RefinementReport, itf, json, named_steps, prob_trace, trace};
use bcheck_source::{Shown, Vocabulary};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The formats of saved traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraceFormat {
    /// The steps as in the JSON report.
    Json,
    /// The steps as in the text report.
    Text,
    /// For replaying in ProB.
    Prob,
    /// The Informal Trace Format.
    Itf,
}

impl TraceFormat {
    /// The format denoted by the ending of a path.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        // Longest first: `t.itf.json` also ends in `.json`.
        let endings = [(".itf.json", Self::Itf), (".json", Self::Json), (".txt", Self::Text), (".prob2trace", Self::Prob)];
        let Some((_, format)) = endings.into_iter().find(|(ending, _)| name.ends_with(ending)) else {
            return Err(format!("cannot save the trace as {}: the ending must be .json, .txt, .prob2trace or .itf.json", path.display()));
        };
        Ok(format)
    }

    /// Refuses a run that the format cannot express.
    pub(crate) fn accept(self, run: &Trace) -> Result<(), String> {
        match (self, run.beginning) {
            (Self::Prob | Self::Itf, TraceBeginning::WithinInvariant) => {
                Err("a run that does not begin with the initialisation can be saved as .json or .txt only".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The trace of the report's finding, if there is one; in a refinement check that of the refinement.
    pub(crate) fn of_finding(self, report: &CheckReport<'_>) -> Option<Shown> {
        let trace = &report.outcome.finding.as_ref()?.trace;
        let verdict = report.outcome.verdict.word();
        Some(match report.refinement {
            None => self.render(report.model, report.scope, trace, &format!("counterexample found by bcheck: {verdict}")),
            Some(RefinementReport { refinement, .. }) => {
                let description = format!("counterexample found by bcheck: {verdict}, refining {}", refinement.refined);
                self.render(&refinement.alone(report.model), report.scope, trace, &description)
            }
        })
    }

    /// Renders a trace; the description is added if the format has a field for it.
    pub(crate) fn render(self, model: &Model, scope: &Scope, run: &Trace, description: &str) -> Shown {
        match self {
            Self::Json => json::render_trace(model, scope, &named_steps(model, run), run.end),
            Self::Text => trace::file(model, scope, &named_steps(model, run), run.end),
            // The clock is read here, because rendering in `report` is a pure function.
            Self::Prob => prob_trace::render(model, scope, run, description, &iso_8601(SystemTime::now())),
            Self::Itf => itf::render(model, scope, run),
        }
    }
}

/// Notes files in a folder of traces that are not of this run, as they may be mistaken for its own; `option` named the folder.
pub(crate) fn note_others(folder: &Path, saved: &[PathBuf], option: &str, is_trace: impl Fn(&str) -> bool) {
    let is_named = |path: &PathBuf| is_trace(&path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
    // A folder that cannot be listed was nevertheless written to.
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let mut others: Vec<PathBuf> = entries.filter(|path| is_named(path) && !saved.contains(path)).collect();
    others.sort();
    if let Some(first) = others.first() {
        let more = if others.len() > 1 { format!(" and {} more", others.len() - 1) } else { String::new() };
        files::complain(&format!("note: not of this run: {}{more}; remove it, or choose another folder for {option}\n", first.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_ending_decides() {
        assert_eq!(TraceFormat::of(Path::new("t.itf.json")), Ok(TraceFormat::Itf));
        assert_eq!(TraceFormat::of(Path::new("t.JSON")), Ok(TraceFormat::Json));
        assert_eq!(TraceFormat::of(Path::new("t.prob2trace")), Ok(TraceFormat::Prob));
        assert!(TraceFormat::of(Path::new("t.trace")).is_err_and(|reason| reason.contains(".prob2trace")));
    }
}
