//! Habits of other tools: options of ProB and TLC, with what bcheck calls them, and files of other languages.
//!
//! Invariant: asked only about a command line that cannot be understood, and about a file without a machine: no option or file that bcheck
//! accepts has another meaning because of this table.

use std::ffi::OsString;
use std::path::Path;

/// The option of another tool.
struct Foreign {
    option: &'static str,
    tool: &'static str,
    /// What bcheck has instead; `{1}`, `{2}`, … stand for the words behind the option.
    instead: &'static str,
}

const fn prob(option: &'static str, instead: &'static str) -> Foreign {
    Foreign { option, tool: "ProB", instead }
}

const fn tlc(option: &'static str, instead: &'static str) -> Foreign {
    Foreign { option, tool: "TLC", instead }
}

/// The options, each with what does the same here.
const OPTIONS: &[Foreign] = &[
    prob("-mc", "write --max-states {1}"),
    prob("-model_check", "leave it out: checking is what bcheck does"),
    prob("-model-check", "leave it out: checking is what bcheck does"),
    prob("--model-check", "leave it out: checking is what bcheck does"),
    prob("-card", "write --deferred {1}={2}"),
    prob("-nodead", "write --no-deadlock"),
    prob("-noinv", "write --no-invariant"),
    prob("-noass", "write --no-assertions"),
    prob("-nogoal", "write --no-goal"),
    prob("-noltl", "write --no-temporal"),
    prob("-main_assertions", "leave it out: assertions are checked unless --no-assertions is given"),
    prob("-assertions", "leave it out: assertions are checked unless --no-assertions is given"),
    prob("-bf", "write --strategy bfs, or leave it out"),
    prob("-df", "write --strategy dfs"),
    prob("-mc_mode", "write --strategy bfs, dfs or random"),
    prob("-goal", "write --goal '{1}'"),
    prob("-ltlformula", "write --ltl '{1}' --only-temporal"),
    prob("-ctlformula", "write --ctl '{1}' --only-temporal"),
    prob("-ltlfile", "write --ltl-file {1}"),
    prob("-ltlassertions", "write --only-temporal"),
    prob("-timeout", "write --time-limit SECONDS"),
    prob("-disable-timeout", "leave it out: there is no limit unless --time-limit is given"),
    prob("-global_time_limit", "write --time-limit {1}"),
    prob("-expcterr", "write --expect VERDICT"),
    prob("-strict", "leave it out: the exit code tells the verdict"),
    prob("-refchk", "write bcheck refine FILE"),
    prob("-cbc", "write bcheck induct FILE"),
    prob("-cbc_assertions", "write bcheck induct FILE"),
    prob("-cbc_deadlock", "write bcheck induct FILE"),
    prob("-cbc_cover", "write bcheck cover FILE"),
    prob("-lint", "write bcheck check FILE --lint"),
    prob("-mcm_tests", "write bcheck cover FILE --save DIR"),
    prob("-cbc_tests", "write bcheck cover FILE --save DIR"),
    prob("-animate", "write bcheck animate FILE"),
    prob("-execute", "write bcheck animate FILE --random {1}"),
    prob("-repl", "write bcheck eval"),
    prob("-eval", "write bcheck eval '{1}' --machine FILE"),
    prob("-trace_replay", "write bcheck replay TRACE FILE"),
    prob("-t", "write bcheck replay TRACE FILE"),
    prob("-his", "write --trace {1}"),
    prob("-dot", "write --graph FILE.dot"),
    prob("-spdot", "write --graph {1}"),
    prob("-junit", "write --junit FILE.xml"),
    prob("-init", "leave it out, or write bcheck animate FILE"),
    prob("-get_min_max_coverage", "write --coverage"),
    prob("-silent", "write --format short"),
    prob("-coverage", "leave it out: the report shows the coverage"),
    tlc("-deadlock", "write --no-deadlock"),
    tlc("-depth", "write --max-depth {1}"),
    tlc("-workers", "write --workers {1}"),
    tlc("-simulate", "write --strategy simulate --runs N"),
    tlc("-seed", "write --strategy simulate --seed {1}"),
    tlc("-continue", "write --continue"),
    tlc("-dump", "write --graph FILE.dot"),
    tlc("-dfid", "write --strategy dfs --max-depth {1}"),
    tlc("-checkpoint", "write --checkpoint DIR, with --checkpoint-every SECONDS"),
    tlc("-recover", "write --resume {1}"),
    tlc("-metadir", "write --checkpoint {1}, or --disk {1} for states beyond memory"),
    tlc("-config", "give sizes by --deferred SET=N, values of constants in PROPERTIES"),
];

/// ProB's preferences behind `-p`; `{2}` stands for the value.
const PREFERENCES: &[(&str, &str)] = &[
    ("MAXINT", "write --maxint {2}"),
    ("MININT", "write --minint {2}"),
    ("DEFAULT_SETSIZE", "write --deferred {2}"),
    ("SYMMETRY_MODE", "leave it out: symmetry is used unless --symmetry off is given"),
    ("TIME_OUT", "write --time-limit SECONDS for the whole check"),
    ("MAX_INITIALISATIONS", "leave it out: all initial states are made"),
    ("MAX_OPERATIONS", "leave it out: all steps of each operation are made"),
];

/// What to write instead of the options of other tools on a command line, one sentence for each.
pub(super) fn options_meant(words: &[OsString]) -> Vec<String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let meant = |at: usize| {
        let behind = &words[at..];
        let (option, tool, instead, shown) = match behind {
            [option, name, ..] if option == "-p" => {
                let instead = PREFERENCES.iter().find(|(preference, _)| preference == name).map(|(_, instead)| *instead);
                (option, "ProB", instead.unwrap_or("bcheck --help lists what can be set"), 2)
            }
            [option, ..] => {
                let found = OPTIONS.iter().find(|foreign| foreign.option == option)?;
                (option, found.tool, found.instead, 1)
            }
            [] => return None,
        };
        // A value that is missing is left to the reader.
        let value = |number: usize| behind.get(number).filter(|word| !word.starts_with('-')).map_or("N", String::as_str);
        let instead = instead.replace("{1}", value(1)).replace("{2}", value(2));
        let shown = if shown == 2 { format!("{option} {}", value(1)) } else { option.clone() };
        Some(format!("`{shown}` is an option of {tool}: {instead}"))
    };
    (0..words.len()).filter_map(meant).collect()
}

/// What a file of another language is, by the ending of its name.
pub(super) fn language_of(path: &Path) -> Option<&'static str> {
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
    use crate::cli::args::Cli;
    use clap::{CommandFactory, Parser};

    fn meant(line: &str) -> Vec<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        options_meant(&words)
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
    fn what_is_recommended_exists() {
        let command = Cli::command();
        let has = |command: &clap::Command, long: &str| command.get_arguments().any(|option| option.get_long() == Some(long));
        let rows = OPTIONS.iter().map(|foreign| foreign.instead).chain(PREFERENCES.iter().map(|(_, instead)| *instead));
        for text in rows {
            let mut words = text.split([' ', ',', '\'', '=']).peekable();
            // Options behind the name of a command are that command's.
            let mut of = &command;
            while let Some(word) = words.next() {
                if word == "bcheck" && words.peek().is_some_and(|next| *next != "does") {
                    let name = words.next().unwrap_or_default();
                    of = command.find_subcommand(name).unwrap_or_else(|| panic!("{text}: a command"));
                } else if let Some(long) = word.strip_prefix("--") {
                    assert!(has(of, long), "{text}: {long}");
                }
            }
        }
    }

    #[test]
    fn no_option_of_the_table_is_one_of_bcheck() {
        for foreign in OPTIONS {
            assert!(Cli::try_parse_from(["bcheck", "m.mch", foreign.option]).is_err(), "{}", foreign.option);
        }
    }
}
