//! The result of a check, or of a refinement check, for a browser: the finding with its trace, the coverage, the cost.
//!
//! Invariant: the changes of a step are shown in words as well as by colour. The tables are complete: nothing is only in the picture.

use super::{
    Head, Section, Tone, breakable, breakable_path, coverage, evidence, facts, formulas, page, paragraph, preserved, state_picture,
    stepper, structure, wide,
};
use crate::diagnostics::{headline, place};
use crate::digits::factor;
use crate::markup::{Markup, markup};
use crate::passed::PassedRow;
use crate::text::{bytes, conclusion, count_rows, properties, violation_title};
use crate::{CheckReport, violation, warnings};
use bcheck_explore::Verdict;
use bcheck_ir::Refinement;
use bcheck_source::{Shown, SourceMap, Span, Vocabulary, shown};
use bcheck_symmetry::Mode;

/// The content of a page about one run.
#[derive(Debug)]
pub struct Part {
    name: String,
    file: String,
    /// In a refinement check: the refined machine.
    refined: Option<String>,
    verdict: Verdict,
    conclusion: String,
    sections: Vec<Section>,
    /// The images of its pictures of states, if it has such pictures.
    images: Option<Markup>,
}

/// The report.
#[must_use]
pub fn render(report: &CheckReport<'_>) -> Shown {
    render_one(part(report))
}

fn render_one(part: Part) -> Shown {
    let head = Head {
        title: format!("{}: {}", part.name, part.verdict.word()),
        name: &part.name,
        file: &part.file,
        verdict: (part.verdict.word(), tone(part.verdict)),
        conclusion: part.conclusion,
        resources: resources(&[part.images]),
    };
    page(&head, &part.sections)
}

/// The report of a chain of refinements, the lowest link first; a single link is reported like a check.
#[must_use]
pub fn render_chain(verdict: Verdict, mut parts: Vec<Part>, passed: &[PassedRow]) -> Shown {
    // Headings of a single link need not name it.
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return render_one(only);
    }
    let links: Vec<String> = parts
        .iter()
        .map(|part| format!("{} refines {}: {}", part.name, part.refined.as_deref().unwrap_or("nothing"), part.verdict.word()))
        .collect();
    let (name, file) = parts.first().map(|first| (first.name.clone(), first.file.clone())).unwrap_or_default();
    let mut sections = Vec::new();
    let resources = resources(&parts.iter_mut().map(|part| part.images.take()).collect::<Vec<_>>());
    for (index, part) in parts.into_iter().enumerate() {
        // Ids are unique in a page, and each link has a section of each kind.
        let at = |section: Section| Section {
            id: format!("link{index}-{}", section.id),
            heading: format!("{}: {}", part.name, section.heading),
            ..section
        };
        sections.push(at(Section::new(
            "link",
            part.verdict.word(),
            markup!("<p>{}</p>\n", breakable_path(&part.file)) + paragraph(&part.conclusion),
        )));
        sections.extend(part.sections.into_iter().map(at));
    }
    sections.extend(preserved::further_down(passed));
    let head = Head {
        title: format!("{name}: {}", verdict.word()),
        name: &name,
        file: &file,
        verdict: (verdict.word(), tone(verdict)),
        conclusion: format!("The chain, from below. {}.", links.join("; ")),
        resources,
    };
    page(&head, &sections)
}

/// Resources used by the pictures of states of a page.
fn resources(images: &[Option<Markup>]) -> Markup {
    let images: Vec<&Markup> = images.iter().flatten().collect();
    if images.is_empty() { Markup::new() } else { state_picture::styles() + images.into_iter().cloned().collect() }
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Verified => Tone::Good,
        // Neither is a fault of the machine.
        Verdict::GoalFound | Verdict::Incomplete => Tone::Note,
        _ => Tone::Bad,
    }
}

/// The content of a page about this run.
#[must_use]
pub fn part(report: &CheckReport<'_>) -> Part {
    let mut sections = Vec::new();
    if let Some(violation) = violation(report) {
        let title = violation_title(report.model, &violation);
        let content = stepper::finding(report, &title, &violation) + evidence::of_finding(report);
        sections.push(Section::new("finding", "What was found", content));
        let trace = report.outcome.finding.as_ref().map(|found| stepper::trace(report, &found.trace, &violation));
        // The values of subformulas belong to the steps of this trace, so they follow it in its section.
        let trace = trace.map(|trace| trace + formulas::of_finding(report));
        sections.extend(trace.filter(|trace| !trace.is_empty()).map(|trace| Section::new("way", "How to get there", trace)));
    }
    sections.extend(formulas::sections(report));
    sections.extend(preserved::section(report));
    sections.push(checked(report));
    sections.extend(report.refinement.map(|about| held_against(report, about.refinement)));
    sections.push(counts(report));
    sections.extend(report.survey.and_then(|survey| coverage::conjuncts(report, survey)));
    sections.extend(operations(report));
    sections.extend(report.branches.and_then(|branches| coverage::branches(report, branches)));
    sections.extend(report.survey.and_then(|survey| coverage::values(report, survey)));
    sections.extend(report.survey.and_then(|survey| structure::enabling(report, survey.enabling.as_ref()?)));
    sections.extend(structure::access(report));
    sections.push(symmetry(report));
    sections.extend(report.survey.and_then(|survey| coverage::graph(report, survey)));
    sections.extend(report.survey.and_then(|survey| coverage::layers(report, survey)));
    sections.extend(warned(report));
    sections.push(cost(report));
    Part {
        name: report.model.name.clone(),
        file: report.file.to_owned(),
        refined: report.refinement.map(|about| about.refinement.refined.clone()),
        verdict: report.outcome.verdict,
        conclusion: conclusion(report),
        sections,
        images: report.painter.map(state_picture::images),
    }
}

/// Which operation of the refinement refines which of the refined machine.
fn held_against(report: &CheckReport<'_>, refinement: &Refinement) -> Section {
    // In the model of both, an operation of the refined machine has the machine's name before its own.
    let name = |operation| {
        let name = report.model.operation_name(operation);
        name.rsplit_once("::").map_or(name, |(_, own)| own)
    };
    let rows: Markup = refinement
        .operations
        .iter()
        .map(|refining| {
            let refined =
                refining.refined.map_or_else(|| markup!("skip: it is internal"), |refined| markup!("<code>{}</code>", name(refined)));
            markup!("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>\n", name(refining.operation), refined)
        })
        .collect();
    let head = markup!(
        "<tr><th scope=\"col\">operation of {}</th><th scope=\"col\">refines, of {}</th></tr>\n",
        report.model.name,
        refinement.refined
    );
    Section::new("held", "What refines what", wide(&markup!("<table>\n{}{}</table>", head, rows)))
}

fn checked(report: &CheckReport<'_>) -> Section {
    let mut rows: Vec<(String, String)> = report.deferred_with_remarks().map(|(name, size)| (format!("size of {name}"), size)).collect();
    rows.push(("integers".to_owned(), format!("from MININT = {} to MAXINT = {}", report.scope.minint, report.scope.maxint)));
    rows.push(("properties".to_owned(), properties(report)));
    for stated in report.not_checked() {
        let (formula, place) = (stated.formula, place(stated.place, report.sources));
        rows.push(("not checked".to_owned(), format!("{}: {formula} ({place}): {}", stated.name, stated.reason)));
    }
    let search = format!("{}, workers: {}", report.options.strategy.word(), report.options.effective_workers());
    rows.push(("order of the search".to_owned(), search));
    Section::new("checked", "What was checked", facts(&rows))
}

fn counts(report: &CheckReport<'_>) -> Section {
    let full = &report.outcome.full;
    // A bound is in words: screen readers render `>=` badly.
    let bound = if full.exact { "" } else { "at least " };
    let mut rows = Markup::new();
    // The text report has this heading on a separate line; here it is in each row, because rows of a table are read one at a time.
    let mut prefix = "";
    for (name, count, whole) in count_rows(report) {
        if name.ends_with(':') {
            prefix = "as ProB counts: ";
            continue;
        }
        let (whole, saved) = match whole {
            Some(whole) if full.exact => (whole.to_string(), factor(count, whole)),
            Some(whole) => (format!("{bound}{whole}"), String::new()),
            None => (String::new(), String::new()),
        };
        let cells: Markup = [count.to_string(), whole, saved].iter().map(|cell| markup!("<td class=\"number\">{}</td>", cell)).collect();
        rows += markup!("<tr><th scope=\"row\">{}{}</th>{}</tr>\n", prefix, name.trim(), cells);
    }
    let heads: Markup =
        ["explored", "full space", "saved"].iter().map(|head| markup!("<th scope=\"col\" class=\"number\">{}</th>", head)).collect();
    let why: Markup = full.why.iter().map(|why| markup!("<p>The numbers of the full space are bounds: {}</p>\n", why)).collect();
    Section::new("counts", "Counts", wide(&markup!("<table>\n<tr><td></td>{}</tr>\n{}</table>", heads, rows)) + why)
}

fn operations(report: &CheckReport<'_>) -> Option<Section> {
    let rows: Markup = report
        .outcome
        .operations
        .iter()
        .map(|counts| {
            // Only a completed search can state "never".
            let word = match (counts.transitions, report.outcome.complete) {
                (0, true) => "never enabled",
                (0, false) => "not seen",
                _ => "",
            };
            markup!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                report.model.operation_name(counts.operation),
                counts.transitions,
                counts.full_transitions,
                word
            )
        })
        .collect();
    if rows.is_empty() {
        return None;
    }
    let head = markup!(
        "<tr><td></td><th scope=\"col\" class=\"number\">explored</th><th scope=\"col\" class=\"number\">full space</th><td></td></tr>\n"
    );
    let content = wide(&markup!("<table>\n{}{}</table>", head, rows)) + evidence::of_never_enabled(report);
    Some(Section::new("operations", "Steps of each operation", content))
}

/// The elements that can be exchanged, those that cannot, and the reasons, in sentences.
fn symmetry(report: &CheckReport<'_>) -> Section {
    let detail = report.symmetry;
    let mut sentences = Vec::new();
    if report.options.symmetry == Mode::Off {
        sentences.push("The search was not reduced by symmetry.".to_owned());
    } else {
        sentences.push(format!("Representatives were found by the mode {}.", report.options.symmetry.word()));
        for (name, count) in &detail.movable {
            sentences.push(match count {
                1 => format!("One element of {name} could move, but there is no other to exchange it with."),
                _ if detail.is_narrowed => format!("{count} elements of {name} move under the symmetries of the machine."),
                _ => format!("{count} elements of {name} can be exchanged: nothing in the machine distinguishes them, so states that differ only in their names were explored once."),
            });
        }
        if detail.is_narrowed {
            let generators = detail.generators.join(", ");
            sentences.push(format!("There are {} symmetries, generated by {generators}.", detail.order));
        }
        for (name, elements) in &detail.fixed {
            sentences.push(format!("Of {name}, these stay where they are: {}.", elements.join(", ")));
        }
    }
    let mut content: Markup = sentences.iter().map(|sentence| paragraph(sentence)).collect();
    if report.options.symmetry != Mode::Off && !detail.why.is_empty() {
        let reasons: Markup = detail.why.iter().zip(&detail.places).map(|(why, span)| reason(report, why, *span)).collect();
        content += markup!("<p>What distinguishes them from others:</p>\n<ul>\n{}</ul>\n", reasons);
    }
    Section::new("symmetry", "Symmetry", content)
}

/// Why something does not move, with the line that distinguishes it from others.
fn reason(report: &CheckReport<'_>, why: &str, span: Option<Span>) -> Markup {
    let line = span.filter(|span| !report.sources.text(*span).is_empty()).map(|span| {
        let text = line_of(report.sources, span);
        markup!(
            "<br/><span class=\"soft\">{}:</span> <code>{}</code>",
            breakable_path(&place(span, report.sources)),
            breakable(&stepper::source(text))
        )
    });
    markup!("<li>{}{}</li>\n", why, line.unwrap_or_default())
}

/// The complete line on which a span begins, without the white space around it.
fn line_of(sources: &SourceMap, span: Span) -> &str {
    let text = &sources.file(span.file).text;
    let start = span.start as usize;
    let from = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[start..].find('\n').map_or(text.len(), |at| start + at);
    text[from..to].trim()
}

/// All warnings and notes: those about the text, and those of the search.
fn warned(report: &CheckReport<'_>) -> Option<Section> {
    let found = warnings(report);
    // Those about the text as well, which were on stderr: a page is read without it.
    let items: Markup = report
        .diagnostics
        .iter()
        .chain(&found)
        .map(|diagnostic| {
            let help: Shown = diagnostic.help.iter().map(|help| shown!(" ({})", help)).collect();
            markup!("<li>{}{}</li>\n", headline(diagnostic, report.sources), help)
        })
        .collect();
    (!items.is_empty()).then(|| Section::new("warnings", "Warnings and notes", markup!("<ul>\n{}</ul>\n", items)))
}

/// Time by phase, memory, and how fast the search was.
fn cost(report: &CheckReport<'_>) -> Section {
    let times = report.times;
    let phases = [
        ("reading, parsing and typing", times.read_s),
        ("making plans of formulas", times.compile_s),
        ("finding what can be exchanged", times.symmetry_s),
        ("searching", times.search_s),
        ("a second look at the states", times.survey_s),
    ];
    // Not zero, because shares are computed from it.
    let whole = phases.iter().map(|(_, time)| time).sum::<f64>().max(1e-9);
    let rows: Markup = phases
        .iter()
        // Skipped phases have no row.
        .filter(|(_, time)| *time > 0.0)
        .map(|(name, time)| {
            let share = time / whole * 100.0;
            markup!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.1} ms</td><td class=\"number\">{:.0} %</td>\
                 <td><meter class=\"share\" aria-label=\"share of {}\" min=\"0\" max=\"100\" value=\"{:.1}\"></meter></td></tr>\n",
                name,
                time * 1000.0,
                share,
                name,
                share
            )
        })
        .collect();
    let head = markup!(
        "<tr><th scope=\"col\">phase</th><th scope=\"col\" class=\"number\">time</th><th scope=\"col\" class=\"number\">share</th><td></td></tr>\n"
    );
    let mut more = Vec::new();
    #[allow(clippy::cast_precision_loss, reason = "a rate is shown without decimals")]
    let rate = |count: u64| count as f64 / times.search_s.max(1e-9);
    let explored = &report.outcome.explored;
    more.push(("states each second of the search".to_owned(), format!("{:.0}", rate(explored.states))));
    more.push(("transitions each second".to_owned(), format!("{:.0}", rate(explored.transitions))));
    if report.peak_memory_bytes > 0 {
        more.push(("largest memory in use".to_owned(), bytes(report.peak_memory_bytes)));
    }
    Section::new("cost", "Time and memory", wide(&markup!("<table>\n{}{}</table>", head, rows)) + facts(&more))
}
