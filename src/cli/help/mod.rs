//! `bcheck help PAGE`: pages about what no single option is about.
//!
//! Invariant: every page is listed here once, with its text in a file of its own. Deliberately elsewhere: the help of commands and options
//! (`args`), which clap prints.

pub(super) mod language;
pub(super) mod language_words;
pub(super) mod operators;
mod property_patterns;
mod scale;
mod signs;
mod statements;
mod temporal_logic;

use super::args::Cli;
use super::exit::{Ended, Exit, complain};
use crate::sema::nearest;
use clap::CommandFactory;

/// A page of the help.
pub(super) struct Page {
    /// What is typed to read it.
    pub(super) name: &'static str,
    /// What it is about, without a full stop.
    pub(super) about: &'static str,
    /// Its text, which ends with a line break.
    pub(super) text: fn() -> String,
}

/// All pages, in the order of the list.
pub(super) const PAGES: &[Page] = &[
    Page { name: "language", about: "every sign and keyword of B: its meaning in a sentence, and an example", text: language::language },
    Page { name: "ltl", about: "formulas of linear time: operators, priorities, fairness, examples", text: temporal_logic::linear },
    Page { name: "ctl", about: "formulas of branching time: operators, priorities, examples", text: temporal_logic::branching },
    Page { name: "patterns", about: "common requirements in words, each with a picture", text: property_patterns::patterns },
    Page {
        name: "scale",
        about: "checks that are long or large: sizes, checkpoints, disk, batch systems, what can fail",
        text: scale::scale,
    },
];

/// Prints a page, the help of a command, or the list of pages.
pub(super) fn run(name: Option<&str>) -> Ended {
    let Some(name) = name else { return super::print(list().as_bytes()) };
    if let Some(page) = PAGES.iter().find(|page| page.name == name) {
        return super::print((page.text)().as_bytes());
    }
    let mut whole = Cli::command();
    // So that the usage has the whole name, `bcheck refine`.
    whole.build();
    if let Some(command) = whole.find_subcommand_mut(name) {
        return super::print(command.render_long_help().to_string().as_bytes());
    }
    let names = || PAGES.iter().map(|page| page.name).chain(whole.get_subcommands().map(clap::Command::get_name));
    let near = nearest(name, names()).map(|near| format!("; is it {near}?")).unwrap_or_default();
    let pages = PAGES.iter().map(|page| page.name).collect::<Vec<_>>().join(", ");
    Err(complain(&format!("no page and no command is called `{name}`{near} (pages: {pages})"), Exit::Usage))
}

fn list() -> String {
    let width = PAGES.iter().map(|page| page.name.len()).max().unwrap_or(0) + 2;
    let rows: String = PAGES.iter().map(|page| format!("  {:width$}{}\n", page.name, page.about)).collect();
    format!("Pages (bcheck help PAGE):\n{rows}\nOptions and commands: bcheck --help, bcheck COMMAND --help\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_names_of_their_own_and_fit_a_terminal() {
        for (at, page) in PAGES.iter().enumerate() {
            assert!(PAGES[..at].iter().all(|other| other.name != page.name), "{} is listed twice", page.name);
            assert!(Cli::command().find_subcommand(page.name).is_none(), "{} is a command", page.name);
            let text = (page.text)();
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{}", page.name);
            for line in text.lines() {
                assert!(line.chars().count() <= 120 && line.trim_end() == line, "{}: {line:?}", page.name);
            }
            assert!(list().contains(page.about));
        }
    }
}
