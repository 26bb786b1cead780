//! Reports beside the report, where they were asked for: for a browser, and what CI systems read.
//!
//! Invariant: the files are opened before the long run; a machine that was refused is one failed test. Deliberately elsewhere: what
//! stands in them (`report`).

use super::files::Sink;
use super::load::Failure;
use crate::report::diagnostics::headline;
use crate::report::junit::{TestCase, TestResult};
use crate::report::{junit, sarif};
use crate::source::{Shown, SourceMap};
use serde_json::Value as Json;
use std::path::Path;

/// The files.
pub(super) struct MoreFiles {
    html: Option<Sink>,
    junit: Option<Sink>,
    sarif: Option<Sink>,
}

impl MoreFiles {
    pub(super) fn open(html: Option<&Path>, junit: Option<&Path>, sarif: Option<&Path>) -> Result<Self, String> {
        let open = |path: Option<&Path>| path.map(|path| Sink::open(Some(path))).transpose();
        Ok(Self { html: open(html)?, junit: open(junit)?, sarif: open(sarif)? })
    }

    /// Writes those that were asked for: the page if there is one, tests under this name, and results.
    pub(super) fn write(&mut self, name: &str, page: Option<Shown>, cases: &[TestCase], results: &[Json]) -> Result<(), String> {
        if let (Some(sink), Some(page)) = (&mut self.html, page) {
            sink.write(&page)?;
        }
        if let Some(sink) = &mut self.junit {
            sink.write(&junit::render(name, cases))?;
        }
        match &mut self.sarif {
            Some(sink) => sink.write(&sarif::render(results)),
            None => Ok(()),
        }
    }
}

/// What CI systems read of a machine that was refused.
pub(super) fn of_refused(failure: &Failure, path: &Path, sources: &SourceMap) -> (Vec<TestCase>, Vec<Json>) {
    let file = path.display().to_string();
    let (title, said, results) = match failure {
        Failure::Io(reason) => ("it cannot be read", Shown::line(reason), Vec::new()),
        Failure::Refused(diagnostics, _) => {
            let said = diagnostics.iter().map(|diagnostic| headline(diagnostic, sources));
            ("the machine is refused", Shown::join(said, "\n"), sarif::of_diagnostics(diagnostics, sources))
        }
    };
    let result = TestResult::Failed(title.to_owned(), said);
    (vec![TestCase { class: file, name: "it can be checked".to_owned(), seconds: 0.0, result }], results)
}
