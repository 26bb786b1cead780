//! Additional reports: `--html` for a browser, `--junit` and `--sarif` for CI systems.
//!
//! Invariant: a machine that was refused is one failed test. Deliberately elsewhere: their content (`report`), and temporary files until
//! they are complete (`output`).

use crate::io::output::Output;
use crate::load::Failure;
use bcheck_report::diagnostics::headline;
use bcheck_report::junit::{TestCase, TestResult};
use bcheck_report::sarif::Rule;
use bcheck_report::{junit, sarif};
use bcheck_source::{Shown, SourceMap};
use serde_json::Value as Json;
use std::path::Path;

/// The files.
pub(crate) struct MoreFiles {
    pub(crate) html: Option<Output>,
    pub(crate) junit: Option<Output>,
    pub(crate) sarif: Option<Output>,
}

impl MoreFiles {
    /// Writes the reports that were asked for: the page if there is one, test cases under this name, and results with rules.
    pub(crate) fn write(
        self,
        name: &str,
        page: Option<Shown>,
        cases: &[TestCase],
        (results, rules): (&[Json], &[Rule]),
    ) -> Result<(), String> {
        if let (Some(html), Some(page)) = (self.html, page) {
            html.save(&page)?;
        }
        if let Some(junit) = self.junit {
            junit.save(&junit::render(name, cases))?;
        }
        self.sarif.map_or(Ok(()), |sarif| sarif.save(&sarif::render(results, rules)))
    }

    /// Writes the reports on a machine that was refused before anything was checked; there is no page then.
    pub(crate) fn write_refusal(self, name: &str, cases: &[TestCase], results: &[Json]) -> Result<(), String> {
        if let Some(junit) = self.junit {
            junit.save_refusal(&junit::render(name, cases))?;
        }
        self.sarif.map_or(Ok(()), |sarif| sarif.save_refusal(&sarif::render(results, &[])))
    }
}

/// The test case and the results for a machine that was refused.
pub(crate) fn of_refused(failure: &Failure, path: &Path, sources: &SourceMap) -> (Vec<TestCase>, Vec<Json>) {
    let file = path.display().to_string();
    // A file that cannot be read has no place that a SARIF result could point at.
    let (title, reason, results) = match failure {
        Failure::Plain(reason, _) => ("it cannot be read", Shown::line(reason), Vec::new()),
        Failure::Refused(diagnostics, _) => {
            let errors = diagnostics.iter().map(|diagnostic| headline(diagnostic, sources));
            ("the machine is refused", Shown::join(errors, "\n"), sarif::of_diagnostics(diagnostics, sources))
        }
    };
    let result = TestResult::Failed(title.to_owned(), reason);
    (vec![TestCase { class: file, name: "it can be checked".to_owned(), seconds: 0.0, result }], results)
}
