//! Habits from other tools: options of ProB and TLC with their counterparts in bcheck, and files of other languages.
//!
//! Both tools write multi-letter options with one dash, which bcheck would read as one letter with a value: `-dumpTrace` as `-d umpTrace`.
//! So `foreign` answers every such word from the tables, whether or not the command line can be parsed. Invariant: no word that bcheck
//! understands as intended is taken for an option of another tool. Deliberately elsewhere: the other tools' options themselves (`tables`).

mod tables;

use bcheck_sema::nearest;
use std::ffi::OsString;
use std::path::Path;
use tables::{Answered, NOTHING, PREFERENCES, PROB, TLC};

/// The answers to single-dash words for which bcheck has no option, one sentence each; `accepted`: clap understood the line, and these
/// letters take values.
pub(crate) fn foreign(words: &[OsString], command: &clap::Command, accepted: bool) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    (1..end).filter_map(|at| answer(&words[at..end], command, accepted)).collect()
}

/// The answer to a single-dash word that begins with the letter for help or the version but is not a cluster of such letters.
pub(crate) fn swallowed_by_help(words: &[OsString], command: &clap::Command) -> Option<String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_swallowed = |word: &str| {
        let name = word.strip_prefix('-').unwrap_or("");
        name.starts_with(['h', 'V']) && name.contains(|letter| !"hvV".contains(letter))
    };
    let at = (1..end).find(|at| is_swallowed(&words[*at]))?;
    let plain = || format!("there is no option `{}`", words[at]);
    Some(answer(&words[at..end], command, false).unwrap_or_else(plain))
}

/// The answer to the first of these words that belongs to another tool.
fn answer(behind: &[String], command: &clap::Command, accepted: bool) -> Option<String> {
    let (word, rest) = behind.split_first()?;
    let has_two = word.starts_with("--");
    let typed = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    let name = typed.split_once('=').map_or(typed, |(name, _)| name);
    // Formulas, numbers and names of files are values.
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) || !typed.chars().all(is_of_option) {
        return None;
    }
    if has_two && (accepted || has_long(command, name)) {
        return None;
    }
    let first = name.chars().next()?;
    // In a line that was understood, a word is wrong only if a letter has swallowed the rest of it.
    if accepted && !(name.len() > 1 && takes_value(command, first)) {
        return None;
    }
    let is_size = || typed[1..].contains(|letter: char| letter.is_ascii_digit() || letter == '=');
    let known = |table: &'static [Answered]| row(table, name);
    let (tool, instead) = match (known(PROB), known(TLC)) {
        _ if name == "d" || name == "j" || (typed.len() > 1 && "dj".contains(first) && is_size()) => return None,
        (Some(_), _) if name == "p" && !rest.is_empty() => return Some(preference(word, rest)),
        (Some(prob), Some(_)) => ("ProB and TLC", prob),
        (Some(prob), None) => ("ProB", prob),
        (None, Some(tlc)) => ("TLC", tlc),
        (None, None) => return unknown(word, name, command, accepted, has_two),
    };
    let joint = if instead == NOTHING { ";" } else { ":" };
    Some(format!("`{word}` is an option of {tool}{joint} {}", filled(instead, rest)))
}

fn is_of_option(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-_=.".contains(letter)
}

/// The row of a name; ProB does not distinguish `_` from `-`.
fn row(table: &'static [Answered], name: &str) -> Option<&'static str> {
    let name = name.replace('_', "-");
    table.iter().find(|(option, _)| *option == name).map(|(_, instead)| *instead)
}

/// The advice with its placeholders replaced by the words behind the option; a missing one stays for the reader to fill in.
fn filled(instead: &str, rest: &[String]) -> String {
    let value = |at: usize| rest.get(at).filter(|word| !word.starts_with('-')).map_or("N", String::as_str);
    instead.replace("{1}", value(0)).replace("{2}", value(1))
}

/// The answer to a preference of ProB.
fn preference(option: &str, rest: &[String]) -> String {
    let name = rest.first().map_or("", String::as_str);
    let shown = format!("`{option} {name}`");
    match row(PREFERENCES, name).or_else(|| PREFERENCES.iter().find(|(known, _)| *known == name).map(|(_, instead)| *instead)) {
        Some(instead) if instead != NOTHING => format!("{shown} is an option of ProB: {}", filled(instead, rest)),
        _ => format!("{shown} is an option of ProB; {NOTHING} (bcheck --help lists what can be set)"),
    }
}

/// The answer to a single-dash word that is in no table: clap would mention its first letter only.
fn unknown(word: &str, name: &str, command: &clap::Command, accepted: bool, has_two: bool) -> Option<String> {
    // Files and folders may have any name; words with two dashes and single letters are answered by clap itself.
    if has_two || name.chars().count() < 3 {
        return None;
    }
    let shown = format!("`{word}`");
    let long = name.replace('_', "-");
    // Even if a letter has swallowed the rest: nobody calls a file `utput`.
    if has_long(command, &long) {
        return Some(format!("options of several letters have two dashes: write --{long} instead of {shown}"));
    }
    if accepted && !name.starts_with('d') {
        return None;
    }
    if takes_value(command, name.chars().next()?) && !name.starts_with(['d', 'j']) {
        return None;
    }
    let own = longs(command);
    let of = |table: &'static [Answered]| table.iter().map(|(option, _)| *option);
    let near = match nearest(&long, own.iter().copied().chain(of(PROB)).chain(of(TLC))) {
        Some(near) if own.contains(&near) => format!("; did you mean --{near}?"),
        // A misspelt option of another tool.
        Some(near) => match row(PROB, near).or_else(|| row(TLC, near)) {
            Some(instead) if instead != NOTHING => format!("; for -{near} {}", filled(instead, &[])),
            _ => String::new(),
        },
        None => String::new(),
    };
    Some(format!("there is no option {shown}{near}"))
}

/// The long options of a command and its subcommands.
fn longs(command: &clap::Command) -> Vec<&str> {
    let own = command.get_arguments().filter_map(clap::Arg::get_long);
    own.chain(command.get_subcommands().flat_map(longs)).collect()
}

fn has_long(command: &clap::Command, name: &str) -> bool {
    ["help", "version"].contains(&name) || longs(command).contains(&name)
}

/// Whether a letter is an option with a value, in any command.
fn takes_value(command: &clap::Command, letter: char) -> bool {
    let of_this = command.get_arguments().any(|option| option.get_short() == Some(letter) && option.get_action().takes_values());
    of_this || command.get_subcommands().any(|part| takes_value(part, letter))
}

/// The language of a foreign file, by the ending of its name.
pub(crate) fn language_of(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "tla" => "a module of TLA+",
        "cfg" => "a configuration of TLC",
        "tex" | "zed" => "a text in LaTeX, perhaps in Z",
        "als" => "a model of Alloy",
        "csp" | "cspm" => "a process of CSP",
        "bum" | "buc" | "bcm" | "bcc" | "eventb" => "a component of Event-B",
        "pl" => "a program of Prolog",
        "pml" => "a model of Promela",
        "smv" => "a model of NuSMV",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::{CommandFactory, Parser};

    fn meant(line: &str) -> Vec<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let accepted = Cli::try_parse_from(&words).is_ok();
        foreign(&words, &Cli::command(), accepted)
    }

    #[test]
    fn values_of_the_other_tool_stand_in_the_option_of_bcheck() {
        assert_eq!(meant("bcheck m.mch -mc 100"), ["`-mc` is an option of ProB: write --max-states 100"]);
        assert_eq!(meant("bcheck m.mch -card S 3"), ["`-card` is an option of ProB: write --deferred S=3"]);
        assert_eq!(meant("bcheck m.mch -p MAXINT 5"), ["`-p MAXINT` is an option of ProB: write --maxint 5"]);
        assert_eq!(meant("bcheck -depth"), ["`-depth` is an option of TLC: write --max-depth N"]);
        assert_eq!(meant("bcheck m.mch -nodead -mc 7").len(), 2);
        assert_eq!(meant("bcheck m.mch --max-states 100"), Vec::<String>::new());
    }

    #[test]
    fn a_letter_swallows_no_option_of_another_tool() {
        assert_eq!(meant("bcheck m.mch -dumpTrace json t.json"), ["`-dumpTrace` is an option of TLC: write --trace t.json"]);
        assert_eq!(meant("bcheck m.mch -disable_timeout").len(), 1);
        assert_eq!(meant("bcheck m.mch -df"), ["`-df` is an option of ProB: write --strategy dfs"]);
        assert_eq!(meant("bcheck eval 1+1 -memory"), ["`-memory` is an option of ProB: leave it out: the report has the peak of memory"]);
        assert_eq!(
            meant("bcheck m.mch -deferred 3"),
            ["options of several letters have two dashes: write --deferred instead of `-deferred`"]
        );
        assert_eq!(meant("bcheck m.mch -zmq_worker"), ["`-zmq_worker` is an option of ProB; there is no such thing in bcheck"]);
        assert_eq!(meant("bcheck m.mch -nodaed"), ["there is no option `-nodaed`; for -nodead write --no-deadlock"]);
        for own in ["-d3", "-dS=3", "-d1..4", "-j2", "-vv", "-d 3", "-ofile", "-Ilib/more"] {
            assert_eq!(meant(&format!("bcheck m.mch {own}")), Vec::<String>::new(), "{own}");
        }
        for formula in ["-5", "-x", "-card(s)", "-(1+1)"] {
            assert_eq!(meant(&format!("bcheck eval {formula}")), Vec::<String>::new(), "{formula}");
        }
    }

    #[test]
    fn the_letters_of_help_and_output_swallow_no_option() {
        let help = |line: &str| swallowed_by_help(&line.split(' ').map(OsString::from).collect::<Vec<_>>(), &Cli::command());
        assert_eq!(help("bcheck -his t.txt m.mch").as_deref(), Some("`-his` is an option of ProB: write --trace t.txt"));
        assert_eq!(help("bcheck m.mch -html x.html").as_deref(), Some("`-html` is an option of ProB: write --html x.html"));
        assert_eq!(help("bcheck m.mch -healthcheck").as_deref(), Some("there is no option `-healthcheck`"));
        for line in ["-hash", "-hshow", "-history", "-helpme", "-Verbose"] {
            assert!(help(&format!("bcheck m.mch {line}")).is_some(), "{line}");
        }
        for line in ["-h", "--help", "-V", "-hv", "-vh", "eval -h", "-- -hash"] {
            assert_eq!(help(&format!("bcheck {line}")), None, "{line}");
        }
        let two_dashes = "options of several letters have two dashes: write --output instead of `-output`";
        assert_eq!(meant("bcheck m.mch -output x"), [two_dashes]);
    }

    #[test]
    fn what_is_recommended_exists() {
        let command = Cli::command();
        let has = |command: &clap::Command, long: &str| {
            ["help", "version"].contains(&long) || command.get_arguments().any(|option| option.get_long() == Some(long))
        };
        for (_, text) in [PROB, TLC, PREFERENCES].concat() {
            let mut words = text.split([' ', ',', '\'', '=', ':', ';']).peekable();
            // Options behind the name of a command belong to that command.
            let mut of = &command;
            while let Some(word) = words.next() {
                if word == "bcheck" && words.peek().is_some_and(|next| !["does", "--help"].contains(next)) {
                    let name = words.next().unwrap_or_default();
                    of = command.find_subcommand(name).unwrap_or_else(|| panic!("{text}: a command"));
                } else if let Some(long) = word.strip_prefix("--") {
                    assert!(has(of, long), "{text}: {long}");
                }
            }
        }
    }

    #[test]
    fn every_word_of_the_tables_is_answered_wherever_it_stands() {
        for (option, _) in [PROB, TLC].concat() {
            // bcheck has these as well.
            if !["h", "V", "vv"].contains(&option) {
                assert_eq!(meant(&format!("bcheck m.mch -{option}")).len(), 1, "-{option}");
                assert_eq!(meant(&format!("bcheck m.mch -{option} 1")).len(), 1, "-{option}");
            }
        }
    }

    #[test]
    fn names_are_listed_once_and_in_order() {
        for table in [PROB, TLC, PREFERENCES] {
            assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0 || pair[0].0.eq_ignore_ascii_case(pair[1].0)), "sorted");
            assert!(table.iter().enumerate().all(|(at, row)| table[..at].iter().all(|(known, _)| *known != row.0)), "twice");
        }
    }
}
