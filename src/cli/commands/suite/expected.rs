//! Expected results given outside of the machines: one for all (`--expect`), or a table (`--expect-file`).
//!
//! Invariant: each row of a table is a case, even if its file is missing; a row that cannot be parsed refuses the table. Deliberately
//! elsewhere: expected results in comments (`pragma`), running them (`suite`).

use crate::commands::suite::pragma::{Expectation, expectations};
use crate::io::decode::decode;
use crate::io::files;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The expected results: the same for all machines, or from a table.
pub(crate) enum Expected {
    Same(String),
    /// The rows, by the full path of their file.
    Table(BTreeMap<PathBuf, FileExpectations>),
}

/// The rows of one file.
pub(crate) struct FileExpectations {
    /// As named in the table.
    pub(crate) file: PathBuf,
    pub(crate) expectations: Vec<Expectation>,
}

impl Expected {
    /// Reads a table. Paths are relative to its folder.
    pub(crate) fn table(path: &Path) -> Result<Self, String> {
        let text = decode(&files::read_bytes(path)?).text;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut rows: BTreeMap<PathBuf, FileExpectations> = BTreeMap::new();
        for (at, line) in text.lines().enumerate() {
            let fault = |reason: &str| format!("{}:{}: {reason}", path.display(), at + 1);
            let mut cells = cells(line).into_iter();
            let (Some(file), verdict, options) = (cells.next(), cells.next().unwrap_or_default(), cells.next().unwrap_or_default()) else {
                continue;
            };
            let is_header = at == 0 && ["verdict", "expected", "result"].contains(&verdict.to_lowercase().as_str());
            if file.is_empty() || file.starts_with('#') || is_header {
                continue;
            }
            if verdict.is_empty() {
                return Err(fault("each line is FILE,VERDICT or FILE,VERDICT,OPTIONS"));
            }
            let file = folder.join(file);
            let mut expectation = expectation(&file, &options, &verdict).map_err(|reason| fault(&reason))?;
            expectation.line = at + 1;
            let row = rows.entry(full(&file)).or_insert_with(|| FileExpectations { file, expectations: Vec::new() });
            row.expectations.push(expectation);
        }
        Ok(Self::Table(rows))
    }

    /// The expectations for a file; none if a table does not name it.
    pub(crate) fn of(&mut self, file: &Path) -> Result<Vec<Expectation>, String> {
        match self {
            Self::Same(verdict) => expectation(file, "", verdict).map(|one| vec![one]),
            // Removed, so that the remaining rows are those without a file.
            Self::Table(rows) => Ok(rows.remove(&full(file)).map(|row| row.expectations).unwrap_or_default()),
        }
    }

    /// The rows of a table whose files were not found.
    pub(crate) fn rest(self) -> Vec<FileExpectations> {
        match self {
            Self::Same(_) => Vec::new(),
            Self::Table(rows) => rows.into_values().collect(),
        }
    }
}

/// The full path, if it can be determined.
fn full(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The expectation, parsed like a comment of a machine.
fn expectation(file: &Path, options: &str, verdict: &str) -> Result<Expectation, String> {
    let is_refinement = file.extension().is_some_and(|ending| ["ref", "imp"].iter().any(|known| ending.eq_ignore_ascii_case(known)));
    let command = if is_refinement { "refine" } else { "check" };
    let mut read = expectations(&format!("/*@ {command} {options}: {verdict} */")).map_err(|fault| fault.message)?;
    read.pop().ok_or_else(|| format!("`{verdict}` cannot be read"))
}

/// The cells of a line of comma-separated values; two quotes within quotes denote one.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        let last = cells.last_mut().expect("there is one from the start");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' | ';' | '\t' if !is_quoted => cells.push(String::new()),
            _ => last.push(letter),
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_files_verdicts_and_options() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        write("a.mch", "");
        write(
            "t.csv",
            "file,verdict,options\na.mch,verified,\"--goal \"\"x = 1\"\" -d 3\"\na.mch,deadlock\nb.ref,rejected\n# a remark\n\n",
        );
        let mut table = Expected::table(&folder.path().join("t.csv")).expect("a table");
        let of_a = table.of(&folder.path().join("a.mch")).expect("read");
        assert_eq!(of_a.iter().map(|one| (one.line, one.verdict.as_str())).collect::<Vec<_>>(), [(2, "verified"), (3, "deadlock")]);
        assert_eq!(of_a[0].options, ["--goal", "x = 1", "-d", "3"]);
        let rest = table.rest();
        assert!(rest.len() == 1 && rest[0].file.ends_with("b.ref") && rest[0].expectations[0].is_refinement);
        for bad in ["a.mch", "a.mch,fine", "x.mch,verified,--output o"] {
            write("t.csv", bad);
            assert!(Expected::table(&folder.path().join("t.csv")).is_err(), "{bad}");
        }
    }
}
