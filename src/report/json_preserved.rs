//! Which temporal formulas of the refined machine the refinement preserves, in the JSON report.
//!
//! Invariant: as for other formulas (`json_formulas`): one object each, in order, each with the same fields.

use super::CheckReport;
use super::json_objects::{PlaceObject, place_object};
use super::preserved::PreservedRow;
use bcheck_source::Vocabulary;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct PreservedObject<'a> {
    name: &'a str,
    logic: &'static str,
    formula: &'a str,
    place: PlaceObject,
    /// Its verdict on the refined machine.
    refined: &'static str,
    answer: &'static str,
    why: &'a [String],
    lemma: Option<&'static str>,
    /// The literature for the lemma.
    source: Option<&'static str>,
    missing: Vec<&'static str>,
    /// Variables that the refinement does not have.
    glued: &'a [String],
    command: Option<&'a str>,
}

pub(super) fn preserved_object<'a>(report: &CheckReport<'_>, row: &'a PreservedRow<'_>) -> PreservedObject<'a> {
    let preserved = row.preserved;
    PreservedObject {
        name: &row.name,
        logic: row.logic(),
        formula: &row.text,
        place: place_object(row.stated.span, report.sources),
        refined: row.refined_verdict,
        answer: preserved.answer.word(),
        why: &row.why,
        lemma: preserved.lemma.map(Vocabulary::word),
        source: preserved.lemma.map(Vocabulary::help),
        missing: preserved.gaps.iter().map(|gap| gap.word()).collect(),
        glued: &preserved.glued,
        command: row.command.as_deref(),
    }
}
