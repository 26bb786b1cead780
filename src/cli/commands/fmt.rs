//! `bcheck fmt`: formats files in place.
//!
//! Invariant: a file is replaced only by a text with the same tokens, comments and tree, and only if it differs. Deliberately elsewhere:
//! the layout (`syntax::format`).

use crate::args::{FmtArgs, FormatArg};
use crate::commands::suite::files_below;
use crate::exit::{Ended, Exit, complain, complaint, own_fault};
use crate::io::console::Console;
use crate::io::files::{self, ReadError};
use crate::io::output::{self, Output};
use crate::project::{TEXT_ENDINGS, full_path};
use bcheck_source::{Diagnostic, Shown, shown};
use bcheck_syntax::{Formatted, format_text};
use std::path::{Path, PathBuf};

/// Runs the command.
pub(crate) fn run(args: &FmtArgs) -> Ended {
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        // `-` is stdin, not a file of that name.
        if path == Path::new("-") {
            paths.push(path.clone());
        } else {
            let mut found = Vec::new();
            files_below(path, TEXT_ENDINGS, &mut found).map_err(complaint(Exit::Io))?;
            // A file named explicitly is formatted in any case; a folder stands for the files inside it.
            paths.extend(found.into_iter().filter(|file| file == path || is_inside(path, file)));
        }
    }
    let mut stdout = Output::stdout();
    let mut worst = Exit::Done;
    for path in paths {
        let ended = one(&path, args, &mut stdout);
        // All files are processed; the first error more serious than a different layout decides the exit code.
        if ended != Exit::Done && matches!(worst, Exit::Done | Exit::Unexpected) {
            worst = ended;
        }
    }
    Ok(worst)
}

/// Whether a file found in a folder is really below it, links followed; if not, warns.
fn is_inside(folder: &Path, file: &Path) -> bool {
    let is_inside = full_path(file).starts_with(full_path(folder));
    if !is_inside {
        let (file, folder) = (file.display(), folder.display());
        files::complain(&format!("warning: {file} is a link that leads out of {folder}: its target is left unchanged\n"));
    }
    is_inside
}

/// Formats one file.
fn one(path: &Path, args: &FmtArgs, stdout: &mut Output) -> Exit {
    // The texts of other files are not kept in memory.
    let mut console = Console::open(&args.messages, FormatArg::Text);
    let (file, encoding) = match files::read_to_rewrite(path, &mut console.sources) {
        Ok(read) => read,
        Err(ReadError::Io(reason)) => return complain(&reason, Exit::Io),
        Err(ReadError::Refused(diagnostic)) => return refused(&console, &[*diagnostic]),
    };
    let text = &console.sources.file(file).text;
    let formatted = match format_text(text) {
        Formatted::Text(formatted) => formatted,
        Formatted::Refused(diagnostics) => return refused(&console, &diagnostics),
        Formatted::Unfaithful => {
            return own_fault(&format!("{} would change its meaning in the layout, and is left unchanged", path.display()));
        }
    };
    // A file keeps its encoding, including a byte order mark: other tools may know no other.
    let bytes = encoding.and_then(|encoding| encoding.encode(&formatted));
    let written = if args.check {
        if formatted == *text {
            return Exit::Done;
        }
        stdout.put(&difference(path, text, &formatted)).map(|()| Exit::Unexpected)
    } else if let Some(bytes) = bytes {
        if path == Path::new("-") {
            stdout.put_bytes(&bytes).map(|()| Exit::Done)
        } else if formatted == *text {
            Ok(Exit::Done)
        } else {
            output::rewrite(path, &bytes).map(|()| Exit::Done)
        }
    } else {
        Err(format!("cannot write {}: some of its characters are damaged, and would be lost", path.display()))
    };
    written.unwrap_or_else(|reason| complain(&reason, Exit::Io))
}

/// Shows why a file is left unchanged.
fn refused(console: &Console, diagnostics: &[Diagnostic]) -> Exit {
    console.show(diagnostics);
    Exit::Syntax
}

/// The first line whose layout differs, in the form in which programs name places.
fn difference(path: &Path, text: &str, formatted: &str) -> Shown {
    let alike = text.lines().zip(formatted.lines()).take_while(|(one, other)| one == other).count();
    let wanted = match formatted.lines().nth(alike) {
        Some(line) if line.trim().is_empty() => Shown::from("an empty line"),
        Some(line) => shown!("`{}`", line.trim()),
        None => Shown::from("the end of the file"),
    };
    shown!("{}:{}: another layout; bcheck fmt writes {}\n", path.display(), alike + 1, wanted)
}
