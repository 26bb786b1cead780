//! The folders of a project: those below `--project DIR`, and those in `.bcheck.toml`; and where a missing file may be.
//!
//! `.bcheck.toml` is in the folder of the machine or in one above it; the nearest one counts. It has lines such as `project = "."`,
//! `include = ["src", "../library"]`: folders relative to its own. Invariant: links to folders are not followed, folders of Atelier B's
//! data (`bdp`) and hidden ones are skipped, and folders are ordered by name. Deliberately elsewhere: which file is taken (`project`).

use crate::io::files;
use std::path::{Path, PathBuf};

/// The name of the file that describes a project.
const SETTINGS: &str = ".bcheck.toml";
/// The limit on the folders of a project that are searched.
const MOST_FOLDERS: usize = 20_000;
/// The limit on the folders near that of a machine that are searched for a message.
const MOST_NEIGHBOURS: usize = 500;

/// The content of the settings file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Folders to search.
    pub(crate) include: Vec<PathBuf>,
    /// Folders to search with all folders below them.
    pub(crate) project: Vec<PathBuf>,
}

/// The settings for machines of a folder; empty without such a file.
///
///
/// The error in the file.
pub(crate) fn settings(folder: &Path) -> Result<Settings, String> {
    let Some(path) = folder.ancestors().map(|folder| folder.join(SETTINGS)).find(|path| path.exists()) else {
        return Ok(Settings::default());
    };
    let text = files::read_text(&path)?;
    let below = |folders: Vec<String>| folders.iter().map(|name| path.parent().unwrap_or(Path::new("")).join(name)).collect();
    let mut settings = Settings::default();
    for (key, value) in entries(&text).map_err(|(line, reason)| format!("{}:{line}: {reason}", path.display()))? {
        match key.as_str() {
            "include" => settings.include = below(value),
            _ => settings.project = below(value),
        }
    }
    Ok(settings)
}

/// Keys with their strings.
type Entries = Vec<(String, Vec<String>)>;

/// The keys with their strings, in the subset of TOML that such a file needs; otherwise the faulty line and the reason.
fn entries(text: &str) -> Result<Entries, (usize, String)> {
    let mut entries = Entries::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let fault = |reason: String| (number + 1, reason);
        let line = without_comment(line);
        if line.trim().is_empty() {
            continue;
        }
        let (key, value) = line.split_once('=').ok_or_else(|| fault("expected `key = \"value\"`".to_owned()))?;
        let key = key.trim();
        if !["include", "project"].contains(&key) {
            return Err(fault(format!("there is no setting `{key}`; there are include and project")));
        }
        if entries.iter().any(|(known, _)| known == key) {
            return Err(fault(format!("the setting `{key}` occurs twice")));
        }
        // A list may continue over several lines.
        let mut value = value.trim().to_owned();
        while value.starts_with('[') && !value.ends_with(']') {
            let Some((_, next)) = lines.next() else { break };
            value.push(' ');
            value.push_str(without_comment(next).trim());
        }
        let strings = strings(&value).ok_or_else(|| fault(format!("expected a folder between quotes, or a list of them, for `{key}`")))?;
        entries.push((key.to_owned(), strings));
    }
    Ok(entries)
}

/// A line without the comment at its end.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' | '\'' if quote.is_none() => quote = Some(letter),
            _ if quote == Some(letter) => quote = None,
            '#' if quote.is_none() => return &line[..at],
            _ => {}
        }
    }
    line
}

/// `"a"`, or `["a", 'b']`.
fn strings(value: &str) -> Option<Vec<String>> {
    let Some(list) = value.strip_prefix('[') else { return one_string(value).map(|(text, rest)| (text, rest.trim())).and_then(alone) };
    let mut rest = list.strip_suffix(']')?.trim();
    let mut strings = Vec::new();
    while !rest.is_empty() {
        let (text, after) = one_string(rest)?;
        strings.push(text);
        rest = after.trim();
        if !rest.is_empty() {
            rest = rest.strip_prefix(',')?.trim();
        }
    }
    Some(strings)
}

fn alone((text, rest): (String, &str)) -> Option<Vec<String>> {
    rest.is_empty().then(|| vec![text])
}

/// The string at the start of a text. Backslashes are literal: they occur in Windows paths only.
fn one_string(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|letter| matches!(letter, '"' | '\''))?;
    let (inside, after) = text[1..].split_once(quote)?;
    Some((inside.replace('\\', "/"), after))
}

/// The folders in a folder that may contain texts, in order.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_source = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        entry.file_type().is_ok_and(|kind| kind.is_dir()) && name != "bdp" && !name.to_string_lossy().starts_with('.')
    };
    let mut folders: Vec<PathBuf> = entries.filter(is_source).map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// A folder with all below it, at most this many.
fn with_all_below(root: &Path, most: usize) -> Vec<PathBuf> {
    let mut folders = vec![root.to_owned()];
    let mut at = 0;
    while at < folders.len() && folders.len() < most {
        folders.extend(inside(&folders[at]));
        at += 1;
    }
    folders.truncate(most);
    folders
}

/// All folders of a project.
pub(crate) fn folders_of(roots: &[PathBuf]) -> Vec<PathBuf> {
    roots.iter().flat_map(|root| with_all_below(root, MOST_FOLDERS)).collect()
}

/// A file with one of these names below `folder`, in its parent, or in a sibling, for a message.
pub(crate) fn neighbour(folder: &Path, names: &[String]) -> Option<PathBuf> {
    let own = with_all_below(folder, MOST_NEIGHBOURS);
    let above = folder.parent().map(Path::to_owned);
    let beside = above.as_deref().map(inside).unwrap_or_default().into_iter().take(MOST_NEIGHBOURS);
    own.into_iter()
        .chain(above)
        .chain(beside)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_strings_and_lists_of_strings() {
        let text = "# folders\nproject = \".\" # all\n\ninclude = [\"src\", 'C:\\lib#1',\n  \"b\",\n]\n";
        let include: Vec<String> = ["src", "C:/lib#1", "b"].map(str::to_owned).into();
        assert_eq!(entries(text), Ok(vec![("project".to_owned(), vec![".".to_owned()]), ("include".to_owned(), include)]));
        for (text, line) in [("x", 1), ("\nproject = 1", 2), ("include = [\"a\" \"b\"]", 1), ("include = [\"a\"", 1), ("maxint = \"3\"", 1)]
        {
            assert_eq!(entries(text).map_err(|(at, _)| at), Err(line), "{text}");
        }
        assert_eq!(entries("project = \"a\"\nproject = \"b\"").map_err(|(at, _)| at), Err(2));
    }

    #[test]
    fn folders_of_data_and_hidden_ones_are_no_part_of_a_project() {
        let root = tempfile::tempdir().expect("a folder");
        for name in ["src/b", "src/a", "bdp/src", ".git/x", "lib"] {
            std::fs::create_dir_all(root.path().join(name)).expect("a folder");
        }
        let shown: Vec<String> = with_all_below(root.path(), 100)
            .iter()
            .map(|folder| folder.strip_prefix(root.path()).expect("below").display().to_string())
            .collect();
        assert_eq!(shown, ["", "lib", "src", "src/a", "src/b"]);
    }
}
