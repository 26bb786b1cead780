//! Labels and descriptions are for reports: wherever they stand, they change no model but for the labels of conjuncts.

use super::{analysed, model};
use crate::compose::{Files, LoadError};
use crate::{Analysis, analyse_parsed};
use bcheck_ir::Model;
use bcheck_source::FileId;
use bcheck_syntax::ast::{Definition, Machine, Parsed};
use bcheck_syntax::{parse_definitions_file, parse_machine};
use std::path::{Path, PathBuf};

/// A model and the stated formulas as text, without places and labels.
fn bare(model: Option<Model>, stated: &dyn std::fmt::Debug) -> String {
    let model = model.map(|mut model| {
        // Parts of an invariant that are left to a refinement check go by their labels.
        model.not_checked.iter_mut().filter(|left| !left.name.starts_with("ASSERT_")).for_each(|left| left.name.clear());
        model
    });
    let text = format!("{model:?} {stated:?}");
    without(&without(&text, "Span {", "}"), "label: Some(\"", "\")").replace("label: None", "")
}

/// The text without everything from each start to the next end.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(end).map_or("", |(_, after)| after))
}

/// The text with pragmas at about one in `every` places between its tokens.
fn sprinkled(text: &str, every: u64) -> String {
    let mut random = every.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut result = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        // Comments, strings and quoted names stay whole.
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map(|end| end + 2),
            '/' if rest.starts_with("//") => rest.find('\n'),
            '\'' if rest.starts_with("'''") => rest[3..].find("'''").map(|end| end + 6),
            '"' => rest[1..].find('"').map(|end| end + 2),
            '`' => rest[1..].find('`').map(|end| end + 2),
            _ => Some(first.len_utf8()),
        };
        if first.is_whitespace() || matches!(first, ')' | '}' | ']' | ',' | ';' | '&') {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (random >> 33).is_multiple_of(every) {
                result += match (random >> 40) & 3 {
                    0 => " /*@desc d*/ /*@desc e*/ /*@label l*/ /*@label m*/ ",
                    1 => " /*@label l*/ ",
                    _ => " /*@desc d*/ ",
                };
            }
        }
        let (token, after) = rest.split_at(length.unwrap_or(rest.len()));
        result += token;
        rest = after;
    }
    result
}

/// The files of a folder, sprinkled.
struct Folder {
    path: PathBuf,
    every: Option<u64>,
    read: Vec<PathBuf>,
}

impl Folder {
    fn file(&mut self, path: PathBuf) -> Result<(FileId, String), LoadError> {
        let text = std::fs::read_to_string(&path).map_err(|_| LoadError::NotFound(Vec::new()))?;
        let known = self.read.iter().position(|known| *known == path).unwrap_or_else(|| {
            self.read.push(path);
            self.read.len() - 1
        });
        let text = self.every.map_or(text.clone(), |every| sprinkled(&text, every));
        Ok((FileId(u32::try_from(known).expect("few files")), text))
    }
}

impl Files for Folder {
    fn machine(&mut self, _: FileId, name: &str, _: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        let found = ["mch", "ref", "imp"].map(|ending| self.path.join(format!("{name}.{ending}"))).into_iter().find(|path| path.exists());
        let (file, text) = self.file(found.ok_or(LoadError::NotFound(Vec::new()))?)?;
        Ok(parse_machine(file, &text))
    }

    fn definitions(&mut self, _: FileId, path: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        let (file, text) = self.file(self.path.join(path))?;
        Ok(parse_definitions_file(file, &text))
    }
}

fn machines(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path() {
            path if path.is_dir() => machines(&path, found),
            path if path.extension().is_some_and(|ending| ["mch", "ref", "imp"].iter().any(|known| ending == *known)) => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn labels_anywhere_in_the_machines_of_the_project_change_no_model() {
    let mut paths = Vec::new();
    machines(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines"), &mut paths);
    assert!(paths.len() > 200, "{paths:?}");
    for path in paths {
        let result = |every: Option<u64>| {
            let mut folder = Folder { path: path.parent().expect("a folder").to_owned(), every, read: Vec::new() };
            // A text that is not UTF-8 is none of these.
            let (file, text) = folder.file(path.clone()).ok()?;
            let Analysis { model, stated, diagnostics, .. } = analyse_parsed(parse_machine(file, &text), &mut folder);
            let mut codes: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect();
            codes.sort_unstable();
            Some((codes, bare(model, &stated)))
        };
        let plain = result(None);
        for every in [1, 5] {
            assert!(
                result(Some(every)) == plain,
                "{} with pragmas at one in {every} places: {:?}",
                path.display(),
                result(Some(every)).map(|r| r.0)
            );
        }
    }
}

/// A text with pragmas, and the same text with blanks for them, have one model.
#[track_caller]
fn changes_nothing(text: &str) {
    let blank = text.split("/*@").enumerate().map(|(at, part)| if at == 0 { part } else { part.split_once("*/").expect("it ends").1 });
    let plain = blank.collect::<Vec<_>>().join(" ");
    assert_eq!(bare(Some(model(text)), &""), bare(Some(model(&plain)), &""), "{text}");
}

#[test]
fn groups_and_equations_are_seen_behind_labels() {
    let properties = |text: &str| changes_nothing(&format!("MACHINE m SETS S CONSTANTS a, b, c, f PROPERTIES {text} END"));
    let typed = "a : S & b : S & c : S & f : INTEGER --> INTEGER";
    // What they imply for the size of S.
    properties("f = {} & f <: INTEGER * INTEGER & (S = {a, b, c} & a /= b & b /= c & a /= c) /*@desc d*/");
    properties("f = {} & f <: INTEGER * INTEGER & /*@label l*/ (S = {a, b, c} & /*@label k*/ (a /= b & b /= c) & a /= c)");
    properties("a : S & b : S & c : S & (f : S >->> 0..3 & f = f) /*@desc d*/");
    // A function by recursion.
    properties(&format!("{typed} & !i.(i : INTEGER => f(i) = i + 1 /*@desc d*/)"));
    properties(&format!("{typed} & !i.(/*@label l*/ i : INTEGER => f(i) = i + 1)"));
    properties(&format!("{typed} & !i.((i : INTEGER => f(i) = i + 1) /*@desc d*/)"));
    properties(&format!("{typed} & not(a = b /*@desc d*/) & {{x | /*@label l*/ x = 1}} = {{1 /*@desc one*/, f((2 /*@desc two*/))}}"));
    properties(&format!("{typed} & (LET x, y BE x = 1 /*@desc d*/ & /*@label l*/ y = 2 IN x < y /*@desc d*/ END)"));
    properties(&format!("{typed} & (a /*@desc d*/, /*@label l*/ b) = (b, a) & (f /*@desc d*/)(1) = - (f(1) /*@desc d*/)"));
}

#[test]
fn definitions_with_descriptions_stand_for_what_they_stand_for() {
    let in_machine = |definitions: &str, rest: &str| {
        let variables = "VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER INITIALISATION x, y := 0, 0";
        changes_nothing(&format!("MACHINE m DEFINITIONS {definitions} {variables} OPERATIONS op = x := 1; {rest} END"));
    };
    in_machine("L == 1, 2 /*@desc d*/, 3", "o = x :: {L /*@desc d*/}; p = x :: {/*@label l*/ L}");
    in_machine("V == x /*@desc d*/; W == x /*@desc d*/, y", "o = V := 2; p = BEGIN W := 2, 3 END");
    in_machine("N == z /*@desc d*/; M == v, w /*@desc d*/", "o = ANY N WHERE N : 1..2 & #M.(v : 1..2 & w = v) THEN x := N END");
    in_machine("E(n, p) == #n.(n : 1..2 & p)", "o = SELECT E(k /*@desc d*/, x = 1 /*@desc e*/) THEN skip END");
    in_machine("A == x := 1; B == A /*@desc d*/; C(k) == F(k) /*@desc e*/; F(k) == y := k", "o = B; p = C(3)");
    in_machine("G(p) == not(p)", "o = SELECT G(x = 1 & y = 2 /*@desc d*/) THEN skip END");
    in_machine("GOAL == (x = 1 & y = 1) /*@desc d*/; SET_PREF_MAXINT == (3 /*@desc d*/) + 1 /*@desc d*/", "o = skip");
    in_machine("ASSERT_LTL == \"G {x = 0}\" /*@desc d*/; ASSERT_CTL == /*@label l*/ \"AG {x = 0}\"", "o = skip");
    changes_nothing("MACHINE m DEFINITIONS C == red, green /*@desc d*/; K == {on, off /*@desc d*/} SETS Colour = C; Key = K END");
}

/// Machines by name.
struct Named(Vec<(&'static str, String)>);

impl Files for Named {
    fn machine(&mut self, _: FileId, name: &str, _: Option<&str>) -> Result<Parsed<Option<Machine>>, LoadError> {
        let at = self.0.iter().position(|(known, _)| *known == name).ok_or(LoadError::NotFound(Vec::new()))?;
        Ok(parse_machine(FileId(u32::try_from(at).expect("few machines")), &self.0[at].1))
    }

    fn definitions(&mut self, _: FileId, _: &str) -> Result<Parsed<Vec<Definition>>, LoadError> {
        Err(LoadError::NotFound(Vec::new()))
    }
}

#[test]
fn a_refinement_keeps_the_same_parts_of_groups_with_labels() {
    let refinement = |before: &str, after: &str| {
        let above = format!(
            "MACHINE a VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 \
             OPERATIONS op(p) = PRE {before}(p : 1..2 & x + p < 5){after} THEN x := x + p END END"
        );
        let below = format!(
            "REFINEMENT r REFINES a VARIABLES y INVARIANT {before}(y : 0..8 & y = x){after} INITIALISATION y := 0 \
             OPERATIONS op(p) = BEGIN y := y + p END END"
        );
        let mut files = Named(vec![("r", below), ("a", above)]);
        let parsed = files.machine(FileId(0), "r", None).expect("it is there");
        let model = analyse_parsed(parsed, &mut files).model.expect("no error");
        assert_eq!(model.invariant.len(), 2, "one that does not glue, and one of all that do");
        bare(Some(model), &"")
    };
    let plain = refinement("", "");
    assert_eq!(refinement("", " /*@desc d*/"), plain);
    assert_eq!(refinement("/*@label l*/ ", " /*@desc d*/"), plain);
}

#[test]
fn conjuncts_have_all_labels_around_them() {
    let labels = |definitions: &str, properties: &str| {
        let model = model(&format!("MACHINE m DEFINITIONS {definitions} CONSTANTS n PROPERTIES {properties} END"));
        let labels = model.properties.iter().map(|conjunct| conjunct.label.clone().unwrap_or_default());
        labels.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(labels("", "/*@label a*/ n : NAT /*@desc small*/ & n < 3 /*@desc d*/ /*@desc e*/ & n = n"), "a: small, d: e, ");
    assert_eq!(labels("", "/*@label a*/ /*@label b*/ n : NAT & n < 3"), "a: b, ");
    // The label of a group is that of each part.
    assert_eq!(labels("", "/*@label g*/ (n : NAT & /*@label a*/ n < 3) & n = n"), "g, g: a, ");
    assert_eq!(labels("", "(n : NAT & n < 3 /*@desc d*/) /*@desc whole*/"), "whole, whole: d");
    // In definitions and their arguments too, where they come to be conjuncts.
    assert_eq!(labels("P == n : NAT & n < 3 /*@desc d*/", "/*@label a*/ P & n = n"), "a, a: d, ");
    assert_eq!(labels("Q(p, q) == p & not(q)", "n : NAT & Q(/*@label a*/ n < 3, /*@label b*/ n = 2)"), ", a, ");
    assert_eq!(labels("P == R /*@desc d*/; R == n : NAT", "P"), "d");
    // Of an assertion as a whole.
    let model = model("MACHINE m ASSERTIONS /*@label a*/ (1 = 1 & 2 = 2 /*@desc b*/) /*@desc c*/; /*@label d*/ 1 = 1 & 2 = 2 END");
    assert_eq!(model.assertions.iter().map(|assertion| assertion.label.as_deref()).collect::<Vec<_>>(), [Some("a: c"), None]);
}

#[test]
fn many_labels_in_a_row_are_one() {
    let labels = "/*@label l*/ ".repeat(50_000);
    let (found, diagnostics) = analysed(&format!("MACHINE m CONSTANTS n PROPERTIES {labels} n = 1 {} END", "/*@desc d*/".repeat(50_000)));
    assert!(found.is_some_and(|model| model.properties.len() == 1), "{diagnostics:?}");
}
