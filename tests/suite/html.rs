//! The report for a browser: well-formed, complete without a script, and unable to load anything.

use crate::program::bcheck;
use crate::xml::{Element, parse};

/// The report of a check, as text and as read.
fn page(arguments: &[&str]) -> (String, Element, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    let target = path.display().to_string();
    let mut all = arguments.to_vec();
    all.extend(["--html", &target]);
    let run = bcheck(&all);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    let read = parse(&text);
    (text, read, run.code)
}

/// All text in an element, in order of depth.
fn words(element: &Element) -> String {
    let inside: String = element.children.iter().map(words).collect();
    format!("{} {inside}", element.text)
}

#[test]
fn the_trace_is_there_step_by_step_with_what_changed() {
    let (_, page, code) = page(&["machines/classic/phonebook_err.mch", "--deferred", "2"]);
    assert_eq!(code, Some(12));
    let steps: Vec<&Element> = page.all("article");
    assert_eq!(steps.len(), 4);
    assert!(words(steps[1]).contains("add(n = Name1, c = Code1)") && words(steps[1]).contains("phonebook_err.mch:19:3"), "{:?}", steps[1]);
    let marked = |step: &Element, word: &str| step.all("tr").iter().filter(|row| row.all("td")[1].text.starts_with(word)).count();
    assert_eq!(steps.iter().map(|step| marked(step, "changed")).collect::<Vec<_>>(), [0, 2, 1, 2]);
    assert_eq!(marked(steps[0], "new"), 2);
    assert!(words(steps[1]).contains("changed, was") && words(steps[1]).contains("{}"), "{:?}", steps[1]);
    let lines: Vec<&str> = steps.iter().filter_map(|step| step.all("code").first().map(|code| code.text.as_str())).collect();
    assert_eq!((lines.len(), lines[1]), (4, "add(n, c) ="), "the line of each step");
    assert!(words(steps[3]).contains("Here: the invariant is violated") && words(steps[3]).contains("ran(db) <: used"));
    assert!(!words(steps[2]).contains("Here:"));
    let hit = page.all("mark");
    assert_eq!(hit.iter().map(|span| span.text.as_str()).collect::<Vec<_>>(), ["ran(db) <: used"], "the conjunct is marked in its text");
    assert!(words(&page).contains("the invariant is violated (conjunct 3 of 3)"));
}

#[test]
fn nothing_is_loaded_from_anywhere() {
    let (text, page, _) = page(&["machines/classic/phonebook_err.mch", "--deferred", "2"]);
    // The name of the vocabulary of pictures is no address that anything is loaded from.
    let text = text.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for forbidden in ["http:", "https:", "//cdn", "url(", "@import", " src=", "<link", "fetch", "XMLHttpRequest", "eval("] {
        assert!(!text.contains(forbidden), "{forbidden}");
    }
    let policy =
        page.all("meta").iter().find_map(|meta| meta.attributes.iter().find(|(name, _)| name == "content")).expect("a policy").1.clone();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
}

#[test]
fn everything_that_is_pointed_at_is_there_once_and_every_button_has_a_name() {
    let (_, page, _) = page(&["machines/violation/invariant.mch"]);
    fn ids<'a>(element: &'a Element, name: &str, found: &mut Vec<&'a str>) {
        found.extend(element.attributes.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()));
        element.children.iter().for_each(|child| ids(child, name, found));
    }
    let (mut known, mut used) = (Vec::new(), Vec::new());
    ids(&page, "id", &mut known);
    ids(&page, "aria-labelledby", &mut used);
    for id in &known {
        assert_eq!(known.iter().filter(|other| *other == id).count(), 1, "{id}");
    }
    assert!(used.len() > 5 && used.iter().all(|id| known.contains(id)), "{used:?} {known:?}");
    assert_eq!(page.attribute("lang"), "en");
    assert_eq!(page.all("button").len(), 5);
    assert!(page.all("button").iter().all(|button| !button.attribute("aria-label").is_empty()));
}

#[test]
fn a_verified_machine_tells_its_counts_and_what_can_be_exchanged() {
    let (_, page, code) = page(&["machines/classic/phonebook.mch", "--deferred", "3"]);
    assert_eq!(code, Some(0));
    let words = words(&page);
    for part in ["verified", "3 elements of Name can be exchanged", "The whole state space was searched and nothing was found."] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let row = |name: &str| {
        let rows = page.all("tr");
        let row = rows.iter().find(|row| row.all("th").first().is_some_and(|head| head.text == name)).unwrap_or_else(|| panic!("{name}"));
        row.all("td").iter().map(|cell| cell.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(row("states"), ["7", "64", "9.1x"]);
    assert_eq!(row("as ProB counts: transitions"), ["50", "433", "8.7x"]);
    assert_eq!(row("add"), ["21", "144", ""]);
    assert!(page.all("article").is_empty(), "there is no trace");
}

#[test]
fn texts_of_the_machine_are_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a<b>&.mch");
    let machine =
        "MACHINE m VARIABLES s INVARIANT s /= \"<script>alert(1)</script>&\" INITIALISATION s := \"<script>alert(1)</script>&\" END";
    std::fs::write(&path, machine).expect("written");
    let (text, page, code) = page(&[&path.display().to_string()]);
    assert_eq!(code, Some(12));
    assert!(!text.contains("<script>alert"), "{text}");
    assert!(words(&page).contains("\"<script>alert(1)</script>&\""));
}

#[test]
fn conjuncts_that_contradict_each_other_are_all_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.mch");
    std::fs::write(&path, "MACHINE m\nCONSTANTS a, b\nPROPERTIES a : 1..3 & b = 0 &\n  a > 2 &\n  a < b + 2\nEND\n").expect("written");
    let (_, page, code) = page(&[&path.display().to_string()]);
    assert_eq!(code, Some(10));
    let hits: Vec<&str> = page.all("mark").iter().map(|hit| hit.text.as_str()).collect();
    assert!(hits.contains(&"a > 2") && hits.contains(&"a < b + 2"), "{hits:?}");
}
