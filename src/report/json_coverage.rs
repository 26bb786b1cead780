//! The object of the JSON report about coverage: values of constants and variables, branches.
//!
//! Invariant: it is present only on request; integers are decimal strings, as they may outgrow 64 bits.

use super::CheckReport;
use super::branch_coverage::BranchCoverage;
use super::json_objects::{PlaceObject, place_object};
use super::notation::written;
use super::reached_values::rows;
use super::target_text::description;
use bcheck_explore::ValueRange;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct CoverageObject<'a> {
    /// How many states were visited for the values, and whether these are all.
    states: usize,
    complete: bool,
    values: Vec<ValuesObject<'a>>,
    branches: Vec<BranchObject<'a>>,
}

/// The range of a name: of one of three kinds.
#[derive(Serialize)]
struct ValuesObject<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    greatest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    /// Whether there are more than these.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<bool>,
}

#[derive(Serialize)]
struct BranchObject<'a> {
    /// None of the initialisation.
    operation: Option<&'a str>,
    text: String,
    place: PlaceObject,
    status: &'static str,
}

/// The coverage; `None` unless requested.
pub(super) fn coverage_object<'a>(report: &CheckReport<'a>) -> Option<CoverageObject<'a>> {
    let survey = report.survey?;
    let values = rows(report).into_iter().map(|(name, notation, range)| {
        let bounds = |kind, least: String, greatest: String| ValuesObject {
            name,
            kind,
            least: Some(least),
            greatest: Some(greatest),
            values: None,
            more: None,
        };
        match range {
            ValueRange::Integers(least, greatest) => bounds("integers", least.to_string(), greatest.to_string()),
            ValueRange::Sizes(least, greatest) => bounds("sizes", least.to_string(), greatest.to_string()),
            ValueRange::Values(values, is_cut) => {
                let values = values.iter().map(|value| written(value, &notation, report.model)).collect();
                ValuesObject { name, kind: "values", least: None, greatest: None, values: Some(values), more: Some(*is_cut) }
            }
        }
    });
    let branches = report.branches.map(BranchCoverage::rows).unwrap_or_default();
    let branches = branches.into_iter().map(|row| BranchObject {
        operation: row.target.operation.map(|operation| report.model.operation_name(operation)),
        text: description(report.sources, row.target),
        place: place_object(row.target.span, report.sources),
        status: row.status,
    });
    Some(CoverageObject { states: survey.states, complete: survey.is_complete, values: values.collect(), branches: branches.collect() })
}
