//! Machines, traces, graphs and file names that are written to deceive: nothing of them reaches an output as a command to a terminal, a
//! forged line or text that reads other than it is; and files that a machine has no business with stay unread.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the strings, labels and names of files hold: ESC and BEL, DEL and C1, a tab, a line break, an override and an isolate of the
/// direction of writing, a mark of it, separators of lines and paragraphs.
const HOSTILE: &str = "a\u{1b}]0;owned\u{7}\u{7f}\u{9b}31m\tb\nforged: verified\u{202e}\u{2066}\u{61c}\u{200f}\u{2028}\u{2029}z";

/// As it is shown.
const SHOWN: &str = "a\\u{1b}]0;owned\\u{7}\\u{7f}\\u{9b}31m\\tb\\nforged: verified\\u{202e}\\u{2066}\\u{61c}\\u{200f}\\u{2028}\\u{2029}z";

/// A machine that violates its invariant, with the text in strings, a label and comments. Line breaks in strings stand in `'''`.
fn machine() -> String {
    format!(
        "MACHINE hostile /* {HOSTILE} */\nSETS S\nVARIABLES s, t, x\nINVARIANT\n  /*@label {HOSTILE} */ s /= '''{HOSTILE}''' &\n  \
         t <: STRING & x : S\nASSERTIONS /*@label {HOSTILE} */ x : S\n\
         INITIALISATION s := \"\" || t := {{}} || x :: S\nOPERATIONS\n  r <-- put(p) = PRE p : {{'''{HOSTILE}'''}} THEN\n    \
         s := p || t := {{p}} || r := p /* {HOSTILE} */\n  END\nEND\n"
    )
}

/// What may not be in an output.
fn hidden(text: &str) -> Vec<char> {
    let is_hidden = |letter: &char| {
        *letter != '\n'
            && (letter.is_control()
                || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
    };
    text.chars().filter(is_hidden).collect()
}

/// A folder with the machine, under a name as hostile as its text.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("{HOSTILE}.mch"));
    std::fs::write(&path, machine()).expect("written");
    (folder, path)
}

/// Runs bcheck with some input; both streams as text.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_bcheck"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bcheck starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("read");
    let output = child.wait_with_output().expect("bcheck ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn assert_clean(what: &str, text: &str) {
    assert!(hidden(text).is_empty(), "{what} has {:?}: {text:?}", hidden(text));
    // A page has excerpts of the text, in which lines begin as they do there.
    assert!(what.ends_with(".html") || !text.contains("\nforged"), "{what} has a forged line: {text}");
}

/// Runs bcheck on the machine and holds both streams to account.
#[track_caller]
fn clean(folder: &Path, arguments: &[&str], input: &str, code: i32) -> String {
    let (found, out, err) = run(folder, arguments, input);
    assert_eq!(found, Some(code), "{arguments:?}: {out}{err}");
    assert_clean(&format!("stdout of {arguments:?}"), &out);
    assert_clean(&format!("stderr of {arguments:?}"), &err);
    out
}

#[test]
fn reports_show_what_a_machine_holds_as_escapes() {
    let (folder, path) = folder();
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    for format in ["text", "short", "json"] {
        let out = clean(folder.path(), &[name, "--format", format], "", 12);
        let shown = if format == "json" { "\\u001b]0;owned" } else { SHOWN };
        assert!(out.contains(shown), "{format}: {out}");
    }
    let (_, coloured, _) = run(folder.path(), &[name, "--color", "always"], "");
    let sequences = coloured.split('\u{1b}').skip(1).all(|part| {
        part.starts_with('[') && part.trim_start_matches(['[', ';', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).starts_with('m')
    });
    assert!(sequences && coloured.contains('\u{1b}'), "only colours: {coloured:?}");
    assert!(hidden(&coloured).iter().all(|letter| *letter == '\u{1b}'), "{coloured:?}");
}

#[test]
fn every_file_that_is_written_shows_escapes() {
    let (folder, path) = folder();
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    let graphs = ["g.dot", "g.aut", "g.graphml", "g.csv", "g.svg"];
    let traces = ["t.txt", "t.json", "t.itf.json", "t.prob2trace"];
    let mut written: Vec<&str> = vec!["r.html", "r.junit", "r.sarif", "g.states.csv"];
    clean(folder.path(), &[name, "--html", "r.html", "--junit", "r.junit", "--sarif", "r.sarif"], "", 12);
    for graph in graphs {
        clean(folder.path(), &[name, "--graph", graph], "", 12);
        written.push(graph);
    }
    for trace in traces {
        clean(folder.path(), &[name, "--trace", trace], "", 12);
        written.push(trace);
    }
    for merged in [["--project", "s"], ["--merge", "signature"]] {
        clean(folder.path(), &[name, "--graph", "merged.dot", merged[0], merged[1]], "", 12);
        assert_clean("merged.dot", &std::fs::read_to_string(folder.path().join("merged.dot")).expect("UTF-8"));
    }
    for file in written {
        assert_clean(file, &std::fs::read_to_string(folder.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}")));
    }
    for unfolded in ["u.dot", "u.aut", "u.graphml", "u.csv"] {
        clean(folder.path(), &["unfold", "g.graphml", unfolded], "", 0);
        let text = std::fs::read_to_string(folder.path().join(unfolded)).expect("UTF-8");
        assert_clean(unfolded, &text);
        assert!(text.contains("owned"), "{unfolded}: {text}");
    }
}

#[test]
fn a_trace_with_such_strings_still_replays() {
    let (folder, path) = folder();
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    for trace in ["t.txt", "t.json", "t.itf.json", "t.prob2trace"] {
        run(folder.path(), &[name, "--trace", trace], "");
        for format in ["text", "short", "json"] {
            let out = clean(folder.path(), &["replay", trace, name, "--format", format], "", 0);
            assert!(out.contains("perfect"), "{trace}: {out}");
        }
    }
}

#[test]
fn an_animation_shows_escapes() {
    let (folder, path) = folder();
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    let script = "list\n1\nlist all\n1\nstate\ntrace\neval s\neval t\nwhy put\nfind s = \"\u{1b}\"\nundo\nno\u{1b}thing\nsave t.txt\n";
    let out = clean(folder.path(), &["animate", name], script, 1);
    assert!(out.contains(&format!("\"{SHOWN}\"")), "{out}");
}

#[test]
fn values_and_errors_of_formulas_show_escapes() {
    let folder = tempfile::tempdir().expect("a folder");
    let formula = format!("\"{}\"", HOSTILE.replace('\n', "\\n"));
    assert_eq!(clean(folder.path(), &["eval", &formula], "", 0), format!("\"{SHOWN}\"\n"));
    assert_eq!(clean(folder.path(), &["eval", "\"\\u{1b}\\u{202e}\" = \"\u{1b}\u{202e}\""], "", 0), "TRUE\n", "what is shown can be read");
    assert_eq!(clean(folder.path(), &["eval", "\"\\u{}\\u{110000}\\u\" = \"\\\\u{}\\\\u{110000}\\\\u\""], "", 0), "TRUE\n");
    clean(folder.path(), &["eval", "1 + \u{1b}[2J\u{202e} 2"], "", 150);
    clean(folder.path(), &["eval", "{1 |-> \"\u{1b}\"}(2)"], "", 75);
    clean(folder.path(), &["eval", &format!("1 = {formula}")], "", 120);
    clean(folder.path(), &["eval", "`a\u{1b}b` = 1"], "", 150);
}

#[test]
fn what_is_typed_is_repeated_as_escapes() {
    let folder = tempfile::tempdir().expect("a folder");
    clean(folder.path(), &["--\u{1b}[2Jno-option\u{202e}"], "", 2);
    clean(folder.path(), &["no\u{1b}[2J\u{202e}.mch"], "", 153);
    clean(folder.path(), &["man", "\u{1b}[2J\u{202e}"], "", 2);
    clean(folder.path(), &["m.mch", "--graph", "\u{1b}[2J\u{202e}"], "", 2);
    clean(folder.path(), &["m.mch", "--trace", "\u{1b}\n.txt/t.txt"], "", 153);
}

#[test]
fn excerpts_are_underlined_where_the_fault_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.mch");
    std::fs::write(&path, "MACHINE m /* \u{9b}\u{202e}\u{1b}\r */ VARIABLES v INVARIANT v = ghost INITIALISATION v := 1 END\r\n")
        .expect("written");
    let (code, _, err) = run(folder.path(), &["m.mch"], "");
    assert_eq!(code, Some(120));
    assert_clean("stderr", &err);
    let lines: Vec<&str> = err.lines().collect();
    let (number, line) = lines.iter().enumerate().find(|(_, line)| line.contains("INVARIANT")).expect("an excerpt");
    let column = |line: &str, word: &str| line.find(word).map(|at| line[..at].chars().count());
    assert_eq!(column(line, "ghost"), column(lines[number + 1], "^^^^^"), "{err}");
    assert!(lines[0].starts_with("m.mch:1:48: "), "{err}");
}

#[test]
fn names_in_quotes_hold_visible_characters() {
    let folder = tempfile::tempdir().expect("a folder");
    for letter in ["\u{1b}", "\t", "\u{202e}", "\u{2028}", "\u{7f}"] {
        let text = format!("MACHINE m VARIABLES `a{letter}b` INVARIANT `a{letter}b` = 1 INITIALISATION `a{letter}b` := 1 END");
        std::fs::write(folder.path().join("m.mch"), text).expect("written");
        for format in ["text", "short", "json"] {
            let (code, out, err) = run(folder.path(), &["m.mch", "--format", format], "");
            assert_eq!(code, Some(150), "{letter:?}: {err}");
            assert_clean("stdout", &out);
            assert_clean("stderr", &err);
            assert!(err.contains("B0105"), "{err}");
        }
    }
}

#[test]
fn the_machine_that_sends_sequences_to_a_terminal_does_so_no_more() {
    let sent = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31mverified\u{1b}[0m";
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!("MACHINE escape VARIABLES v INVARIANT v : STRING & v /= \"{sent}\" INITIALISATION v := \"{sent}\" END");
    std::fs::write(folder.path().join("escape.mch"), text).expect("written");
    for format in ["text", "short", "json"] {
        clean(folder.path(), &["escape.mch", "--format", format], "", 12);
    }
    let script = "state\ntrace\neval v\n";
    clean(folder.path(), &["animate", "escape.mch"], script, 0);
}

#[test]
fn a_page_runs_no_script_but_its_own() {
    let (folder, path) = folder();
    let name = path.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    clean(folder.path(), &[name, "--html", "r.html"], "", 12);
    let page = std::fs::read_to_string(folder.path().join("r.html")).expect("UTF-8");
    assert!(!page.contains("unsafe-"), "{page}");
    assert!(!page.contains(" style=\"") && !page.contains(" onclick"), "what has no hash does not work");
    let policy = page.split("content=\"default-src").nth(1).and_then(|rest| rest.split('"').next()).expect("a policy");
    for tag in ["style", "script"] {
        for part in page.split(&format!("<{tag}>")).skip(1) {
            let content = part.split(&format!("</{tag}>")).next().expect("an end");
            assert!(policy.contains(&sha256(content)), "{tag}: {policy}");
        }
    }
}

/// A text as a policy names it.
fn sha256(text: &str) -> String {
    use base64::Engine;
    use sha2::Digest;
    format!("'sha256-{}'", base64::prelude::BASE64_STANDARD.encode(sha2::Sha256::digest(text)))
}
