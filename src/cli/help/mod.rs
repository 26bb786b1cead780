//! `bcheck help PAGE`: the manual. Pages in this folder are Markdown, which is read unchanged on the web and printed here as plain text.
//!
//! Invariant: every page is listed here once, with its text in a file of its own. Deliberately elsewhere: the help of commands and options
//! (`args`), which clap prints; `machines/tour/README.md`, the course.

mod codes;
pub(crate) mod language;
pub(crate) mod language_words;
mod markdown;
pub(crate) mod operators;
mod property_patterns;
mod scale;
mod signs;
mod statements;
mod temporal_logic;

use crate::args::Cli;
use crate::exit::{Ended, Exit, complain};
use crate::io::terminal;
use bcheck_sema::nearest;
use clap::CommandFactory;

/// A page of the help.
pub(crate) struct Page {
    /// The word to type for it.
    pub(crate) name: &'static str,
    /// Its subject, without a full stop.
    pub(crate) about: &'static str,
    /// Its text.
    pub(crate) text: Text,
}

/// The source of a page's text.
pub(crate) enum Text {
    /// Composed from the tables of the program that it explains.
    Composed(fn() -> String),
    /// Written in Markdown.
    Markdown(&'static str),
}

impl Page {
    const fn composed(name: &'static str, about: &'static str, text: fn() -> String) -> Self {
        Self { name, about, text: Text::Composed(text) }
    }

    const fn markdown(name: &'static str, about: &'static str, text: &'static str) -> Self {
        Self { name, about, text: Text::Markdown(text) }
    }

    /// The page for a terminal; it ends with a line break.
    pub(crate) fn shown(&self) -> String {
        match self.text {
            Text::Composed(text) => markdown::fitted(&text()),
            Text::Markdown(text) => markdown::plain(text),
        }
    }
}

/// All pages, in the order of the list.
pub(crate) const PAGES: &[Page] = &[
    Page::markdown(
        "course",
        "the course: eleven machines, from the first ten minutes on",
        include_str!("../../../machines/tour/README.md"),
    ),
    Page::markdown("verdicts", "what is checked, what the verdicts mean, exit codes", include_str!("verdicts.md")),
    Page::markdown("options", "all options of a check, in a line each", include_str!("options.md")),
    Page::markdown("traces", "traces: saved, replayed, animated; why something is false", include_str!("traces.md")),
    Page::markdown("temporal", "temporal properties: options, operators, fairness, patterns, reports", include_str!("temporal.md")),
    Page::markdown("refinement", "refinement checks, and which temporal formulas a refinement preserves", include_str!("refinement.md")),
    Page::markdown("induction", "whether the invariant is inductive, before a proof", include_str!("induction.md")),
    Page::markdown("coverage", "traces that cover operations, branches and conditions", include_str!("coverage.md")),
    Page::markdown("formulas", "values of formulas, answers to questions, the calculator", include_str!("formulas.md")),
    Page::markdown("puzzles", "constants that PROPERTIES determine; what contradicts what", include_str!("puzzles.md")),
    Page::markdown("sizes", "what symmetry saves, size by size; how large a check will be", include_str!("sizes.md")),
    Page::markdown("symmetry", "why symmetry reduction is sound", include_str!("symmetry.md")),
    Page::markdown("reports", "the report for a browser, pictures of states", include_str!("reports.md")),
    Page::markdown("graphs", "graphs of states and of machines", include_str!("graphs.md")),
    Page::markdown("ci", "suites and continuous integration: expected results, JUnit, SARIF, containers", include_str!("ci.md")),
    Page::markdown("editors", "VS Code, Neovim, Emacs, Helix; the layout of machines", include_str!("editors.md")),
    Page::markdown("files", "files that are written, and machines that are not trusted", include_str!("files.md")),
    Page::markdown("checkpoints", "checks that take days, or more than memory; several processes", include_str!("checkpoints.md")),
    Page::composed("scale", "a guide to checks that are long or large: sizes, disk, batch systems, what can fail", scale::scale),
    Page::composed("codes", "the codes of messages: what is behind each, and what to write instead", codes::codes),
    Page::composed("language", "every sign and keyword of B: its meaning in a sentence, and an example", language::language),
    Page::composed("ltl", "formulas of linear time: operators, priorities, fairness, examples", temporal_logic::linear),
    Page::composed("ctl", "formulas of branching time: operators, priorities, examples", temporal_logic::branching),
    Page::composed("patterns", "common requirements in words, each with a picture", property_patterns::patterns),
    Page::markdown("prob", "coming from ProB: options, counts, what differs", include_str!("prob.md")),
    Page::markdown("tlc", "coming from TLC: options, configuration, liveness", include_str!("tlc.md")),
    Page::markdown("limits", "what bcheck does not do", include_str!("limits.md")),
];

/// Prints a page, the help of a command, the meaning of a code, or the list of pages.
pub(crate) fn run(name: Option<&str>) -> Ended {
    if let Some(columns) = terminal::columns() {
        markdown::fit(columns);
    }
    let Some(name) = name else { return super::print(markdown::fitted(&list()).as_bytes()) };
    if let Some(page) = PAGES.iter().find(|page| page.name == name) {
        return super::print(page.shown().as_bytes());
    }
    if let Some(code) = codes::one(name) {
        return super::print(code.as_bytes());
    }
    let mut whole = Cli::command();
    // So that the usage line has the whole name, `bcheck refine`.
    whole.build();
    if let Some(command) = whole.find_subcommand_mut(name) {
        return super::print(command.render_long_help().to_string().as_bytes());
    }
    // After pages and commands: `check` and the like are not words of B.
    let words = language::of_word(name) + &temporal_logic::of_word(name);
    if !words.is_empty() {
        return super::print(markdown::fitted(&words).as_bytes());
    }
    let about = language::about(name);
    if !about.is_empty() {
        return super::print(markdown::fitted(&about).as_bytes());
    }
    let mut names: Vec<&str> = PAGES.iter().map(|page| page.name).chain(whole.get_subcommands().map(clap::Command::get_name)).collect();
    for word in language::all_words() {
        names.push(word);
    }
    let near = nearest(name, names.into_iter()).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    let pages = PAGES.iter().map(|page| page.name).collect::<Vec<_>>().join(", ");
    Err(complain(&format!("there is no page, command or word of B called `{name}`{near} (pages: {pages})"), Exit::Usage))
}

fn list() -> String {
    let width = PAGES.iter().map(|page| page.name.len()).max().unwrap_or(0) + 2;
    let rows: String = PAGES.iter().map(|page| format!("  {:width$}{}\n", page.name, page.about)).collect();
    format!(
        "Pages (bcheck help PAGE):\n{rows}\nA sign or word of B: bcheck help dom, bcheck help PRE, bcheck help '|->'\n\
         Options and commands: bcheck --help, bcheck COMMAND --help\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_names_of_their_own_and_fit_a_terminal() {
        for (at, page) in PAGES.iter().enumerate() {
            assert!(PAGES[..at].iter().all(|other| other.name != page.name), "{} is listed twice", page.name);
            assert!(Cli::command().find_subcommand(page.name).is_none(), "{} is a command", page.name);
            let text = page.shown();
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}", page.name);
            for line in text.lines() {
                // Commands and reports shown on a page are unchanged.
                let is_code = matches!(page.text, Text::Markdown(source) if source.lines().any(|known| known.trim() == line.trim()));
                assert!(line.chars().count() <= 120 || is_code, "{}: {line:?}", page.name);
                assert_eq!(line.trim_end(), line, "{}", page.name);
            }
            assert!(list().contains(page.about));
        }
    }

    #[test]
    fn every_page_of_the_folder_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("help");
        let mut pages = 0;
        for file in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if file.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(&file).expect("a text");
                let is_it = |page: &&Page| file.file_stem().is_some_and(|name| name == page.name);
                let page = PAGES.iter().find(is_it).unwrap_or_else(|| panic!("{} is in no list", file.display()));
                assert!(matches!(page.text, Text::Markdown(listed) if listed == text), "{} is another text", file.display());
                pages += 1;
            }
        }
        // The text of the course is beside its machines.
        assert_eq!(pages + 1, PAGES.iter().filter(|page| matches!(page.text, Text::Markdown(_))).count());
    }
}
