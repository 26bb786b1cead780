//! The structure of a machine, for a browser: which operations enable each other, which variables they read and write.
//!
//! Invariant: numbers of steps count all reachable states; a cell is empty only if there is nothing to report. Deliberately elsewhere: the
//! same data as text and JSON (`report::enabling`, `report::access_matrix`).

use super::{Section, paragraph, wide};
use crate::CheckReport;
use crate::access_matrix::{AccessMatrix, cell};
use crate::markup::{Markup, markup};
use bcheck_explore::{Enabling, EnablingCounts, Weighed};

/// Which operation can enable or disable which.
pub(super) fn enabling(report: &CheckReport<'_>, enabling: &Enabling) -> Option<Section> {
    // The survey may have visited all states where the search stopped at a finding.
    if enabling.operations.is_empty() || !report.outcome.complete {
        return None;
    }
    let number = |of: &Weighed| if enabling.is_exact { of.full.to_string() } else { of.explored.to_string() };
    let names = || report.model.operations.keys();
    let changes = |counts: &EnablingCounts| {
        let part = |sign: &str, of: &Weighed| (of.explored > 0).then(|| format!("{sign}{}", number(of)));
        let parts: Vec<String> = part("+", &counts.enables).into_iter().chain(part("−", &counts.disables)).collect();
        parts.join(" ")
    };
    let row = |(name, row): (&String, &Vec<EnablingCounts>)| {
        let cells: Markup = row.iter().map(|counts| markup!("<td>{}</td>", changes(counts))).collect();
        markup!("<tr><th scope=\"row\"><code>{}</code></th>{}</tr>\n", name, cells)
    };
    let rows: Markup = names().zip(&enabling.relation).map(row).collect();
    let about =
        "Of the steps of the operation on the left: after how many the operation above is newly enabled (+), and no longer enabled (−).";
    let whole = if enabling.is_exact { " Steps of the full space are counted." } else { " Steps that were explored are counted." };
    let content = paragraph(&format!("{about}{whole}")) + wide(&markup!("<table>\n{}{}</table>", head("after", names()), rows));
    Some(Section::new("enabling", "Which operations enable each other", content))
}

/// Which operations read and write which variables.
pub(super) fn access(report: &CheckReport<'_>) -> Option<Section> {
    let model = report.model;
    if report.refinement.is_some() || model.variables.is_empty() || model.operations.is_empty() {
        return None;
    }
    let matrix = AccessMatrix::of(model);
    let row = |(name, access): &(String, bcheck_ir::Access)| {
        let cells: Markup = matrix.variables().map(|id| markup!("<td>{}</td>", cell(access, id))).collect();
        markup!("<tr><th scope=\"row\"><code>{}</code></th>{}</tr>\n", name, cells)
    };
    let rows: Markup = matrix.rows().iter().map(row).collect();
    let about = "g: read by the guard, r: read elsewhere only, w: written. By the text of the operation: no run need do so.";
    let content = paragraph(about) + wide(&markup!("<table>\n{}{}</table>", head("operation", model.variables.keys()), rows));
    Some(Section::new("access", "What operations read and write", content))
}

/// The header row of a table whose columns have these names.
fn head<'n>(first: &str, names: impl Iterator<Item = &'n String>) -> Markup {
    let cells: Markup = names.map(|name| markup!("<th scope=\"col\"><code>{}</code></th>", name)).collect();
    markup!("<tr><th scope=\"col\">{}</th>{}</tr>\n", first, cells)
}
