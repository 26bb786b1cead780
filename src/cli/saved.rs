//! `--trace FILE`: the counterexample in the format that the file's ending asks for.
//!
//! Invariant: an unknown ending, or a folder that does not exist, is refused before the search; no file is made when there is no trace.

use crate::explore::Trace;
use crate::ir::{Model, Scope};
use crate::report::{CheckReport, RefinementReport, itf, json, named_steps, prob_trace, trace};
use crate::source::{Shown, Vocabulary};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The formats of saved traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceFormat {
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
    /// The format that the ending of a path asks for.
    pub(super) fn of(path: &Path) -> Result<Self, String> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        // Longest first: `t.itf.json` ends in `.json`, too.
        let endings = [(".itf.json", Self::Itf), (".json", Self::Json), (".txt", Self::Text), (".prob2trace", Self::Prob)];
        let Some((_, format)) = endings.into_iter().find(|(ending, _)| name.ends_with(ending)) else {
            return Err(format!("cannot save the trace as {}: the ending must be .json, .txt, .prob2trace or .itf.json", path.display()));
        };
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
                Err(format!("cannot write {}: {} is not a folder", path.display(), parent.display()))
            }
            _ => Ok(format),
        }
    }

    /// The trace of the report's finding, if there is one; in a refinement check that of the refinement.
    pub(super) fn of_finding(self, report: &CheckReport<'_>) -> Option<Shown> {
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

    /// Renders a trace; the description is added where the format has room for it.
    pub(super) fn render(self, model: &Model, scope: &Scope, run: &Trace, description: &str) -> Shown {
        match self {
            Self::Json => json::render_trace(model, scope, &named_steps(model, run), run.end),
            Self::Text => trace::file(model, scope, &named_steps(model, run), run.end),
            // The clock is read here, because rendering in `report` is a pure function.
            Self::Prob => prob_trace::render(model, scope, run, description, &iso_8601(SystemTime::now())),
            Self::Itf => itf::render(model, scope, run),
        }
    }
}

/// A time as `2026-11-21T05:10:00Z`.
fn iso_8601(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Hinnant's `civil_from_days`: years are counted from March, so that the leap day is the last of its year, in eras of 400 years
    // (146097 days); 719468 days lie between 0000-03-01 and 1970-01-01.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, the lengths of months repeat every five months (153 days), which the linear function rounds to.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_longest_ending_decides() {
        assert_eq!(TraceFormat::of(Path::new("t.itf.json")), Ok(TraceFormat::Itf));
        assert_eq!(TraceFormat::of(Path::new("t.JSON")), Ok(TraceFormat::Json));
        assert_eq!(TraceFormat::of(Path::new("t.prob2trace")), Ok(TraceFormat::Prob));
        assert!(TraceFormat::of(Path::new("t.trace")).is_err_and(|reason| reason.contains(".prob2trace")));
        assert!(TraceFormat::of(Path::new("no/such/folder/t.txt")).is_err_and(|reason| reason.contains("not a folder")));
    }

    #[test]
    fn times_are_calendar_dates() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
        ] {
            assert_eq!(iso_8601(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
