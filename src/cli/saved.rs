//! `--trace FILE`: the counterexample in the format that the file's ending asks for.
//!
//! Invariant: an ending that is not known, or a folder that does not exist, is refused before the search; no file is made when
//! there is no trace.

use super::files::plain;
use crate::report::{CheckReport, json, named_steps, trace};
use std::path::Path;

/// The formats of saved traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceFormat {
    /// The steps as in the JSON report.
    Json,
    /// The steps as in the text report.
    Text,
}

impl TraceFormat {
    /// The format that the ending of a path asks for.
    pub(super) fn of(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let format = if name.ends_with(".json") {
            Self::Json
        } else if name.ends_with(".txt") {
            Self::Text
        } else {
            return Err(format!("cannot save the trace as {}: the ending must be .json or .txt", path.display()));
        };
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
                Err(format!("cannot write {}: {} is not a folder", path.display(), parent.display()))
            }
            _ => Ok(format),
        }
    }

    /// Writes the trace of the report's finding, if there is one.
    pub(super) fn save(self, path: &Path, report: &CheckReport<'_>) -> Result<(), String> {
        let Some(finding) = &report.outcome.finding else { return Ok(()) };
        let steps = named_steps(report.model, &finding.trace);
        let text = match self {
            Self::Json => json::render_trace(&report.model.name, &steps),
            Self::Text => trace::text(&steps),
        };
        std::fs::write(path, text).map_err(|error| format!("cannot write {}: {}", path.display(), plain(&error)))
    }
}
