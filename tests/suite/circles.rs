//! Circles of files: files that mention each other by path, directly or through others. Each that stands has its reason in the table.
//!
//! Façades are left out: what a file mentions of the folder that it is in, and what a `mod.rs` or `lib.rs` mentions inside its folder.

use crate::program::{files_below, root};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// The circles, sorted, with the reason why each stands.
const CIRCLES: &[(&[&str], &str)] = &[
    (
        &["cli/commands/animate", "cli/commands/replay", "cli/io/interrupt"],
        "a stage of the program is named where it is entered, and reported where it is interrupted",
    ),
    (
        &["cli/args", "cli/args/slips", "cli/exit", "cli/io/files", "cli/io/output", "cli/io/temporary", "cli/project"],
        "words of the command line name files and folders; what is read must not be written, and a refusal ends the program",
    ),
    (&["eval/diagnose/contradiction", "eval/diagnose/other_sizes"], "the sizes that would do are those without a contradiction"),
    (&["eval/packed/branches", "eval/packed/search", "eval/packed/visit"], "a branch is a search, an action is run by the search"),
    (
        &["eval/order/narrowing", "eval/order/parts", "eval/order/spaces", "eval/order/terms"],
        "a narrowed space has components, which are narrowed by the same comparisons",
    ),
    (&["eval/packed/substitution", "eval/packed/while_loop"], "a loop has a body, which is a substitution"),
    (
        &["eval/solve/grounding", "eval/solve/linear", "eval/solve/terms", "eval/solve/truth"],
        "formulas, terms, sums and the bindings of quantifiers nest in each other",
    ),
    (
        &["explore/refine/ascent", "explore/refine/configuration", "explore/refine/glue", "explore/refine/step"],
        "a configuration is stored as the product reads it, a step goes up the chain, and equations of its gluing invariant name values",
    ),
    (&["sema/analyse", "sema/refinement"], "a refinement by itself is elaborated with its chain, clause by clause as any machine"),
    (&["report/finding", "report/refinement"], "a broken refinement is a finding with words of its own"),
    (&["sema/cardinalities", "sema/hints"], "sizes follow from hints, and hints from sizes"),
    (
        &["sema/elaborate", "sema/overload", "sema/records", "sema/remedy"],
        "overloaded operators are resolved, records get their labels, and clashes are explained, during the walk",
    ),
    (&["symmetry/encode/packed", "symmetry/encode/packed_words"], "the words of a structure are read by the encoder that laid them out"),
    (&["symmetry/label/branch", "symmetry/label/solver"], "individualisation and refinement call each other"),
    (&["syntax/expression", "syntax/primary", "syntax/record", "syntax/template"], "the grammar is recursive"),
    (&["syntax/input", "syntax/meant"], "what was meant is looked for where the parser reads, in what it has read"),
    (&["syntax/keyword", "syntax/token"], "a keyword is a token, and names a clause"),
    (&["syntax/operation", "syntax/substitution"], "the grammar is recursive"),
];

type Module = Vec<String>;

/// All modules below `src` but those of tests, with the text outside comments and unit tests.
fn modules() -> BTreeMap<Module, String> {
    let src = root().join("src");
    let mut found = BTreeMap::new();
    for path in files_below(&src, "rs") {
        let place = path.strip_prefix(&src).expect("below src").with_extension("");
        let module: Module =
            place.iter().map(|part| part.to_string_lossy().into_owned()).filter(|part| part != "mod" && part != "lib").collect();
        if module.iter().any(|part| part == "tests") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("source text");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        found.insert(module, code.join("\n"));
    }
    found
}

/// The paths that a text mentions by `crate::`, `super::` and `self::`, groups in braces included, from the module it stands in.
fn mentioned(text: &str, module: &[String]) -> Vec<Module> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(start) {
            let before = &text[..at];
            let is_inside = before.ends_with("super::")
                || before.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || "_$".contains(letter));
            if is_inside {
                continue;
            }
            let mut base: Module = match start {
                // The root of the crate that the module belongs to: the folder below `src`.
                "crate::" => module[..1].to_vec(),
                "self::" => module.to_vec(),
                _ => module[..module.len().saturating_sub(1)].to_vec(),
            };
            let mut rest = &text[at + start.len()..];
            while let Some(further) = rest.strip_prefix("super::") {
                base.pop();
                rest = further;
            }
            paths_of(&base, rest, &mut paths);
        }
    }
    paths
}

/// The paths `base::…` of a text that goes on with a name or a group of names.
fn paths_of(base: &[String], text: &str, into: &mut Vec<Module>) {
    if let Some(group) = text.strip_prefix('{') {
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    paths_of(base, group[start..at].trim(), into);
                    start = at + 1;
                    if letter == '}' {
                        return;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        return;
    }
    let name: String = text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    if name.is_empty() {
        return;
    }
    let further = text[name.len()..].strip_prefix("::");
    let path: Module = base.iter().cloned().chain([name]).collect();
    match further {
        Some(rest) if rest.starts_with(|letter: char| letter == '{' || letter.is_alphabetic() || letter == '_') => {
            paths_of(&path, rest, into)
        }
        _ => into.push(path),
    }
}

#[test]
fn files_that_mention_each_other_are_listed_with_a_reason() {
    let modules = modules();
    let of = |path: &Module| (1..=path.len()).rev().map(|length| path[..length].to_vec()).find(|prefix| modules.contains_key(prefix));
    let names: BTreeMap<&Module, String> = modules.keys().map(|module| (module, module.join("/"))).collect();
    let mut graph: DiGraphMap<&str, (), rustc_hash::FxBuildHasher> = DiGraphMap::default();
    for (module, text) in &modules {
        for used in mentioned(text, module).iter().filter_map(of) {
            if !used.starts_with(module) && !module.starts_with(&used) {
                graph.add_edge(&names[module], &names[&used], ());
            }
        }
    }
    let circles: BTreeSet<Vec<&str>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|mut circle| {
            circle.sort_unstable();
            circle
        })
        .collect();
    let listed: BTreeSet<Vec<&str>> = CIRCLES.iter().map(|(files, _)| files.to_vec()).collect();
    let new: Vec<_> = circles.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&circles).collect();
    assert!(new.is_empty() && gone.is_empty(), "circles that the table does not have: {new:?}\nthat are no more: {gone:?}");
}

#[test]
fn paths_are_found_in_groups_and_through_supers() {
    let module = ["a", "b", "c"].map(str::to_owned);
    let text = "use crate::x::{y, z::{u, V}};\nuse super::super::d::e;\nself::f::g();\nlet h = super::i;";
    let mut found: Vec<String> = mentioned(text, &module).iter().map(|path| path.join("/")).collect();
    found.sort();
    assert_eq!(found, ["a/b/c/f/g", "a/b/i", "a/d/e", "a/x/y", "a/x/z/V", "a/x/z/u"]);
}
