//! The coverage of a run, for a browser: each conjunct of the invariant, each branch, the values of each name, each distance from the
//! initial states, and the graph itself.
//!
//! Invariant: the number of examined states is given; a number for some states is never shown as one for all.

use super::{Section, breakable_path, paragraph, state_graph, wide};
use crate::branch_coverage::{self, BranchRow};
use crate::chart::{Chart, Look, Mark, Panel, Point, Series, Unit, log10};
use crate::diagnostics::place;
use crate::drawing::{is_readable, picture};
use crate::finding::one_line;
use crate::markup::{Markup, markup};
use crate::notation::Notation;
use crate::refinement::{BothSides, conjunct_formula};
use crate::{BranchCoverage, CheckReport, reached_values, violation};
use bcheck_explore::{Merged, Survey, ValueRange};

/// Fewer layers than this are not drawn.
const FEW_LAYERS: usize = 3;

/// The number of states in which each conjunct of the invariant is more than vacuously true.
pub(super) fn conjuncts(report: &CheckReport<'_>, survey: &Survey) -> Option<Section> {
    if survey.non_vacuous.is_empty() || !(report.options.invariant || report.refinement.is_some()) {
        return None;
    }
    let states = report.states_word();
    let formula = |index: usize, span| match report.refinement {
        Some(about) => conjunct_formula(BothSides::of(report, about.refinement), index),
        None => one_line(report.sources, span),
    };
    // Violations are not part of these counts: the finding names the conjunct.
    let broken = violation(report).filter(|violation| violation.kind == "invariant").and_then(|violation| violation.number);
    let rows: Markup = report
        .model
        .invariant
        .iter()
        .zip(&survey.non_vacuous)
        .enumerate()
        .map(|(index, (conjunct, count))| {
            let (class, word) = match count {
                _ if broken == Some(index + 1) => (markup!(" class=\"failing\""), "violated".to_owned()),
                // A conjunct that is of no form that could be vacuous.
                None => (Markup::new(), format!("in all {states}")),
                Some(0) => (markup!(" class=\"failing\""), format!("never: vacuously true in all {} {states}", survey.states)),
                Some(count) => (Markup::new(), format!("in {count} of {} {states}", survey.states)),
            };
            let label = conjunct.label.as_ref().map(|label| format!(" (@{label})")).unwrap_or_default();
            markup!(
                "<tr><th scope=\"row\"><code>{}</code>{}<br/><span class=\"soft\">{}</span></th><td{}>{}</td></tr>\n",
                formula(index, conjunct.pred.span),
                label,
                breakable_path(&place(conjunct.pred.span, report.sources)),
                class,
                word
            )
        })
        .collect();
    let head = markup!("<tr><th scope=\"col\">conjunct</th><th scope=\"col\">more than vacuously true</th></tr>\n");
    let how = "An implication is vacuously true where its hypothesis is false, a universal quantifier where nothing satisfies its condition, an \
               inclusion or a membership where the set on its left is empty. A conjunct that is always vacuously true is not tested at these sizes.";
    Some(Section::new(
        "invariant",
        "The invariant",
        looked_at(report, survey) + wide(&markup!("<table>\n{}{}</table>", head, rows)) + paragraph(how),
    ))
}

/// The values that constants and variables take.
pub(super) fn values(report: &CheckReport<'_>, survey: &Survey) -> Option<Section> {
    let rows = reached_values::rows(report);
    if rows.is_empty() {
        return None;
    }
    let row = |(name, notation, range): (&str, Notation, &ValueRange)| {
        let text = reached_values::in_words(range, &notation, report.model);
        markup!("<tr><th scope=\"row\"><code>{}</code></th><td class=\"value\">{}</td></tr>\n", name, text)
    };
    let rows: Markup = rows.into_iter().map(row).collect();
    let head = markup!("<tr><th scope=\"col\">name</th><th scope=\"col\">values</th></tr>\n");
    let symmetric = if report.is_reduced() {
        " Of symmetric states one was looked at, so an element stands for those interchangeable with it."
    } else {
        ""
    };
    let how = format!("Integers have bounds, sets, relations and sequences numbers of elements; other values are listed.{symmetric}");
    let content = looked_at(report, survey) + wide(&markup!("<table>\n{}{}</table>", head, rows)) + paragraph(&how);
    Some(Section::new("values", "Values", content))
}

/// Which branches were ever taken.
pub(super) fn branches(report: &CheckReport<'_>, branches: &BranchCoverage) -> Option<Section> {
    let rows = branches.rows();
    if rows.is_empty() {
        return None;
    }
    let taken = rows.iter().filter(|row| row.status == "taken").count();
    let mut text = format!("{taken} of {} branches were taken.", rows.len());
    if rows.iter().any(|row| row.status == "unknown") {
        text.push_str(" Not all states were looked at: a branch that was not seen may be taken in others.");
    }
    let row = |row: &BranchRow<'_>| {
        let class = if row.status == "taken" { Markup::new() } else { markup!(" class=\"failing\"") };
        markup!(
            "<tr><th scope=\"row\"><code>{}</code><br/><span class=\"soft\">{}</span></th><td{}>{}</td></tr>\n",
            branch_coverage::title(report.model, report.sources, row.target),
            breakable_path(&place(row.target.span, report.sources)),
            class,
            branch_coverage::in_words(row.status)
        )
    };
    let rows: Markup = rows.iter().map(row).collect();
    let head = markup!("<tr><th scope=\"col\">branch</th><th scope=\"col\">ever taken</th></tr>\n");
    Some(Section::new("branches", "Branches", paragraph(&text) + wide(&markup!("<table>\n{}{}</table>", head, rows))))
}

/// A sentence about which states were surveyed.
fn looked_at(report: &CheckReport<'_>, survey: &Survey) -> Markup {
    let (states, explored, word) = (survey.states, report.outcome.explored.states, report.states_word());
    paragraph(&if states as u64 >= explored {
        format!("All {word} that were explored ({explored}) were looked at once more.")
    } else {
        format!("Of {explored} {word} that were explored, the {states} nearest to the initial ones were looked at once more.")
    })
}

/// The number of states at each distance from the initial ones.
pub(super) fn layers(report: &CheckReport<'_>, survey: &Survey) -> Option<Section> {
    if survey.layers.len() < FEW_LAYERS {
        return None;
    }
    let points = |value: &dyn Fn(usize) -> (f64, String)| -> Vec<Point> {
        (0..survey.layers.len())
            .map(|at| {
                let (log, title) = value(at);
                Point { at, log, mark: Mark::Measured, title }
            })
            // An empty layer has no logarithm.
            .filter(|point| point.log.is_finite())
            .collect()
    };
    let word = report.states_word();
    let explored = points(&|at| (log10(&survey.layers[at].0.into()), format!("{} {word}", survey.layers[at].0)));
    let full = points(&|at| (log10(&survey.layers[at].1), format!("{} {word} of the full space", survey.layers[at].1)));
    // The looks that reduced and full have in a comparison.
    let mut series = vec![Series { name: "explored", look: Look::Second, points: explored }];
    if report.is_reduced() && report.outcome.full.exact {
        // In front, so that it is first in the legend as well. Without reduction both lines would coincide.
        series.insert(0, Series { name: "full space", look: Look::First, points: full });
    }
    let chart = Chart {
        title: format!("{}: {word} by distance", report.model.name),
        axis: "steps from the initial states".to_owned(),
        positions: (0..survey.layers.len()).map(|at| at.to_string()).collect(),
        is_line: true,
        panels: vec![Panel {
            title: if report.refinement.is_some() { "Configurations" } else { "States" },
            unit: Unit::Count,
            series,
            empty: "none",
        }],
    };
    let whole = if survey.is_complete { Markup::new() } else { looked_at(report, survey) };
    Some(Section::new("layers", format!("How far {word} are"), whole + wide(&chart.svg())))
}

/// The graph: as a picture if that is readable, otherwise drawn by the script of the page.
pub(super) fn graph(report: &CheckReport<'_>, survey: &Survey) -> Option<Section> {
    let graph = survey.graph.as_ref().filter(|graph| !graph.states.is_empty())?;
    if !is_readable(graph) {
        return Some(state_graph::section(report, (graph, &survey.projected), &about_graph(report, survey, graph)));
    }
    let mut text = String::new();
    if let Some(about) = report.refinement {
        let refined = &about.refinement.refined;
        text = format!(
            "A box is a configuration: a state of {}, and a line for each state in which {refined} may be then. ",
            report.model.name
        );
    }
    text.push_str("Thick boxes are initial states; a dashed box has what is wrong with it, or the goal, in its first line.");
    if !survey.is_complete {
        text.push_str(" Not all states are known: what lies beyond these is not there.");
    }
    if report.is_reduced() {
        text.push_str(
            " A box stands for a class of symmetric states, an arrow leads to the class of the successor, ×n is the number of symmetric steps that it stands for.",
        );
    }
    Some(Section::new("graph", "The graph", paragraph(&text) + wide(&picture(report.model, graph, report.is_reduced()))))
}

/// The contents of a large graph, and its omissions.
fn about_graph(report: &CheckReport<'_>, survey: &Survey, graph: &Merged) -> String {
    let (states, explored, word) = (graph.states.len(), report.outcome.explored.states, report.states_word());
    let mut text = if survey.is_complete && states == survey.states {
        format!("All {states} {word}, and all steps between them.")
    } else if states as u64 >= explored {
        format!("The {states} {word} that were explored, and the steps between them. Not all are known: what lies beyond is not there.")
    } else {
        format!(
            "Of {explored} {word} that were explored, the {states} nearest to the initial ones, and the steps between them: others, and steps to them, are left out. \
             The option --graph FILE writes all of them to a file."
        )
    };
    if report.is_reduced() {
        text.push_str(
            " A node stands for a class of symmetric states, a step leads to the class of the successor: from step to step of a path, elements may change their names.",
        );
    }
    text
}
