//! The pages that users read: README.md, the course, the manual. Their commands give what they show, their links lead somewhere, and
//! together they tell of every command and option.

use crate::program::{bcheck, files_below, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A longer README is not read.
const MOST_LINES: usize = 250;

/// Options of other programs that pages mention: of cargo, docker, VS Code and ProB.
const FOREIGN: &[&str] = &["features", "git", "locked", "open", "path", "release", "rev", "rm", "user", "install-extension", "model-check"];

fn manual() -> Vec<PathBuf> {
    files_below(&root().join("src/cli/help"), "md")
}

fn pages() -> Vec<PathBuf> {
    let pages = [vec![root().join("README.md"), root().join("machines/tour/README.md")], manual()].concat();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The blocks of code of a text: what stands behind the opening fence, and the lines.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let fenced = format!("\n{text}");
    assert_eq!(fenced.matches("\n```").count() % 2, 0, "a block does not end");
    text.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').expect("a block has lines")).collect()
}

/// A text without its blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[test]
fn console_blocks_of_all_pages_hold() {
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1");
    for page in pages() {
        cases.case(page);
    }
}

#[test]
fn commands_with_their_output_are_never_left_out_of_the_test() {
    let mut commands = 0;
    for page in pages() {
        for (kind, block) in blocks(&read(&page)) {
            let is_shown = ["text", "yaml", "lua", "elisp", "toml", "json"].contains(&kind);
            assert!(is_shown || kind == "console", "{}: a block of `{kind}` is not run", page.display());
            assert!(!is_shown || !block.lines().any(|line| line.starts_with("$ ")), "{}: not run: {block}", page.display());
            commands += block.lines().filter(|line| kind == "console" && line.starts_with("$ bcheck")).count();
        }
    }
    assert!(commands > 40, "{commands} commands");
}

/// The long options and the commands in a help text.
fn options_and_commands(help: &str) -> (Vec<&str>, Vec<&str>) {
    let word = |text: &'static str| move |letter: char| !(letter.is_ascii_lowercase() || text.contains(letter));
    let in_line = |line: &'_ str| line.trim_start().starts_with('-').then(|| line.find("--")).flatten();
    let options = help.lines().filter_map(|line| Some(line[in_line(line)? + 2..].split(word("-")).next().unwrap_or("")));
    let listed = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or("");
    let commands = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    (options.filter(|option| !option.is_empty()).collect(), commands.filter_map(|line| line.split_whitespace().next()).collect())
}

/// The options that a text names.
fn options_in(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    let names = words.filter_map(|word| word.strip_prefix("--")).map(|name| name.trim_end_matches('-'));
    names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase())).collect()
}

#[test]
fn the_pages_tell_of_every_command_and_option_and_of_no_other() {
    let texts: Vec<(PathBuf, String)> = pages().into_iter().map(|page| (page.clone(), read(&page))).collect();
    let whole: String = texts.iter().map(|(_, text)| text.as_str()).collect();
    let told = options_in(&whole);
    let completions = bcheck(&["completions", "bash"]).stdout;
    let page = bcheck(&["man"]).stdout.replace('\\', "");
    let help = bcheck(&["--help"]).stdout;
    let (own, commands) = options_and_commands(&help);
    assert!(own.len() > 30 && commands.len() >= 9, "{own:?} {commands:?}");
    let mut known: BTreeSet<String> = own.iter().map(|option| (*option).to_owned()).collect();
    for command in &commands {
        assert!(whole.contains(&format!("bcheck {command}")), "no page tells of bcheck {command}");
        assert!(completions.contains(command) && page.contains(command), "{command} in completions and manual page");
        let help = bcheck(&[command, "--help"]).stdout;
        let own_page = bcheck(&["man", command]).stdout.replace('\\', "");
        assert!(own_page.contains(&format!(".TH bcheck-{command} ")), "{own_page}");
        for option in options_and_commands(&help).0.into_iter().filter(|option| *option != "help") {
            assert!(own_page.contains(&format!("--{option}")), "the manual page of bcheck {command} does not tell of --{option}");
            assert!(told.contains(option), "no page tells of bcheck {command} --{option}");
            assert!(completions.contains(&format!("--{option}")), "completions of bcheck {command} --{option}");
            known.insert(option.to_owned());
        }
        // Other spellings, as in `[alias: --from]`.
        known.extend(help.lines().filter(|line| line.contains("[alias")).flat_map(options_in).map(str::to_owned));
    }
    for option in own {
        assert!(page.contains(&format!("--{option}")), "the manual page does not tell of --{option}");
    }
    for (page, text) in &texts {
        for option in options_in(text) {
            assert!(known.contains(option) || FOREIGN.contains(&option), "{}: there is no --{option}", page.display());
        }
    }
}

#[test]
fn options_are_found_in_a_text() {
    let text = "`--max-states N`, --ltl=F and `-j`; --- -- --status.json, x--y <!-- z";
    assert_eq!(options_in(text).into_iter().collect::<Vec<_>>(), ["ltl", "max-states", "status"]);
}

#[test]
fn the_readme_is_short_and_leads_to_every_page() {
    let text = read(&root().join("README.md"));
    assert!(text.lines().count() <= MOST_LINES, "README.md has {} lines", text.lines().count());
    for page in pages().into_iter().skip(1) {
        let place = page.strip_prefix(root()).expect("below the root").display().to_string();
        assert!(text.contains(&format!("]({place})")), "README.md does not lead to {place}");
    }
}

/// What links and pictures of a text lead to.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    // Of code only what is in the text of a link.
    let outside: String = prose.split('`').step_by(2).collect();
    let links = outside.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let pictures =
        ["src=\"", "srcset=\""].into_iter().flat_map(|name| outside.split(name).skip(1)).filter_map(|rest| rest.split('"').next());
    links.chain(pictures).map(str::to_owned).collect()
}

/// The anchors of a page, as code hosts make them of headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    let kept = |letter: char| letter.is_alphanumeric() || "-_ ".contains(letter);
    let anchor =
        |heading: &String| heading.trim_start_matches('#').trim().to_lowercase().chars().filter(|&letter| kept(letter)).collect::<String>();
    headings.iter().map(|heading| anchor(heading).replace(' ', "-")).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let others =
        ["machines/README.md", "src/README.md", "tests/README.md", "scripts/README.md", "benches/README.md", "scripts/vscode/README.md"];
    let mut followed = 0;
    for page in pages().into_iter().chain(others.map(|page| root().join(page))) {
        for target in targets(&read(&page)).iter().filter(|target| !target.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').map_or((target.as_str(), None), |(file, anchor)| (file, Some(anchor)));
            let place = if file.is_empty() { page.clone() } else { page.parent().expect("a folder").join(file) };
            assert!(place.exists(), "{}: no file {target}", page.display());
            if let Some(anchor) = anchor {
                assert!(anchors(&read(&place)).iter().any(|known| known == anchor), "{}: no heading {target}", page.display());
            }
            followed += 1;
        }
    }
    assert!(followed > 80, "{followed} links were followed");
    assert_eq!(anchors("# A `b`, --c\n```text\n# d\n```\n## E: f_g\n"), ["a-b---c", "e-f_g"]);
    assert_eq!(targets("[`a`](b.md#c) `[d](e)` [f](g)\n```text\n[h](i)\n```\n<img src=\"j\">"), ["b.md#c", "g", "j"]);
}

#[test]
fn rows_of_tables_have_as_many_cells_as_their_headers() {
    let mut rows = 0;
    for page in pages() {
        let text = prose(&read(&page));
        let cells = |line: &str| line.replace("\\|", "").matches('|').count();
        for (before, line) in
            text.lines().zip(text.lines().skip(1)).filter(|(before, line)| before.starts_with('|') && line.starts_with('|'))
        {
            assert_eq!(cells(line), cells(before), "{}: {line}", page.display());
            rows += 1;
        }
    }
    assert!(rows > 150, "{rows} rows");
}

/// A text without blanks and comments.
fn bare(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().expect("never empty"));
    let text: String = lines.flat_map(|line| line.split_whitespace()).collect();
    let mut parts = text.split("/*");
    let first = parts.next().expect("never empty").to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").expect("a comment ends").1)
}

#[test]
fn machines_that_pages_show_are_those_of_the_files() {
    let machines: Vec<String> =
        ["mch", "ref"].into_iter().flat_map(|end| files_below(&root().join("machines/tour"), end)).map(|path| bare(&read(&path))).collect();
    let mut shown = 0;
    for page in pages().into_iter().take(2) {
        for (kind, block) in blocks(&read(&page)) {
            let is_command = |line: &str| ["cargo ", "bcheck ", "docker "].iter().any(|start| line.starts_with(start));
            if kind != "text" || block.lines().next().is_some_and(is_command) {
                continue;
            }
            let is_whole = block.starts_with("MACHINE ") || block.starts_with("REFINEMENT ");
            let block = bare(block);
            let is_it = |machine: &String| if is_whole { *machine == block } else { machine.contains(&block) };
            assert!(machines.iter().any(is_it), "{}: no machine has {block}", page.display());
            shown += 1;
        }
    }
    assert!(shown >= 11, "{shown} machines and parts of machines");
    assert_eq!(bare("A /* b */ c // d\n  e"), "Ace");
}

#[test]
fn every_machine_of_the_course_has_a_lesson_and_every_lesson_a_solution() {
    let text = read(&root().join("machines/tour/README.md"));
    for file in ["mch", "ref"].into_iter().flat_map(|end| files_below(&root().join("machines/tour"), end)) {
        let place = file.strip_prefix(root()).expect("below the root").display().to_string();
        assert!(text.lines().any(|line| line.starts_with("$ bcheck ") && line.contains(&place)), "no command runs {place}");
    }
    let lessons: Vec<&str> = text.split("\n## Lesson ").skip(1).collect();
    assert_eq!(lessons.len(), 10);
    for lesson in lessons {
        let title = lesson.lines().next().unwrap_or_default();
        let at = |part: &str| lesson.find(part).unwrap_or_else(|| panic!("{title}: no {part}"));
        assert!(at("$ bcheck ") < at("**Exercise.**") && at("**Exercise.**") < at("**Solution.**"), "{title}");
        assert!(lesson[at("**Solution.**")..].contains("machines/tour/solutions/"), "{title}: the solution is not run");
    }
}

#[test]
fn pages_of_the_manual_are_printed_as_a_whole() {
    for page in manual() {
        let text = read(&page);
        let name = page.file_stem().expect("a name").to_str().expect("our names are text").to_owned();
        let run = bcheck(&["help", &name]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{name}");
        let printed = bare_of_blanks(&run.stdout);
        for code in prose(&text).split('`').skip(1).step_by(2) {
            assert!(printed.contains(&bare_of_blanks(&code.replace("\\|", "|"))), "bcheck help {name} leaves out {code}");
        }
        for line in blocks(&text).iter().flat_map(|(_, block)| block.lines()) {
            assert!(run.stdout.lines().any(|printed| printed.trim_start() == line.trim()), "bcheck help {name} leaves out {line}");
        }
    }
}

fn bare_of_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn the_container_file_copies_all_that_the_build_reads() {
    let file = read(&root().join("scripts/Containerfile"));
    let cargo = read(&root().join("Cargo.toml"));
    let sources: Vec<&str> = file
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .filter(|line| !line.starts_with("--from"))
        .flat_map(|line| line.rsplit_once(' ').expect("a source and a target").0.split(' '))
        .collect();
    let missing: Vec<&&str> = sources.iter().filter(|source| !root().join(source).exists()).collect();
    assert!(missing.is_empty(), "copied, but not there: {missing:?}");
    let named = cargo.lines().filter_map(|line| line.strip_prefix("path = \"").or_else(|| line.strip_prefix("readme = \"")));
    let named = named.map(|rest| rest.trim_end_matches('"')).chain(["Cargo.toml", "Cargo.lock"]);
    let benches = cargo.contains("[[bench]]").then_some("benches/table.rs");
    for path in named.chain(benches) {
        assert!(sources.iter().any(|source| Path::new(path).starts_with(source)), "{path} is not copied");
    }
    let version = cargo.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a version");
    assert!(file.contains(&format!("rust:{version}-alpine AS build")), "built with another Rust than {version}");
    assert!(file.matches("\nFROM ").count() == 2 && file.contains("COPY --from=build"), "two stages");
}
