//! A line editor for the calculator at a terminal: history by arrow keys, completion of names and commands by Tab.
//!
//! Invariant: the terminal is in its original state whenever no line is being read, and after a signal that ends the process meanwhile
//! (`terminal_mode`).

use super::typed::Typed;
use crate::io::terminal_mode;
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, Helper};

/// The editor.
pub(super) struct LineEditor {
    editor: Editor<Words, MemHistory>,
}

/// The words offered for completion.
#[derive(Default)]
struct Words(Vec<String>);

impl LineEditor {
    /// `None` if the terminal lacks what the editor needs.
    pub(super) fn open() -> Option<Self> {
        // Pasted lines are answered one by one.
        let config = Config::builder().bracketed_paste(false).build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).ok()?;
        editor.set_helper(Some(Words::default()));
        Some(Self { editor })
    }

    /// Reads a line, with these words for completion.
    pub(super) fn read(&mut self, prompt: &str, words: Vec<String>) -> Result<Typed, String> {
        self.editor.set_helper(Some(Words(words)));
        terminal_mode::keep();
        let typed = self.editor.readline(prompt);
        terminal_mode::forget();
        match typed {
            Ok(line) => {
                // A line that cannot be added to the history is answered all the same.
                let _ = self.editor.add_history_entry(line.as_str());
                Ok(Typed::Line(line))
            }
            // Ctrl-D on an empty line.
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(ReadlineError::Interrupted) => Ok(Typed::Cancelled),
            Err(error) => Err(format!("the terminal cannot be read: {error}")),
        }
    }
}

/// Where the word before the cursor begins, and its completions in alphabetical order.
fn completions(words: &[String], line: &str, cursor: usize) -> (usize, Vec<String>) {
    let before = &line[..cursor];
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let start = before.rfind(|letter| !is_part(letter)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    // A command begins with a colon at the start of its line; elsewhere a colon is a sign between words.
    let start = if before[..start].trim_start() == ":" { start - 1 } else { start };
    let word = &before[start..];
    let mut fitting: Vec<String> = words.iter().filter(|other| !word.is_empty() && other.starts_with(word)).cloned().collect();
    fitting.sort_unstable();
    fitting.dedup();
    (start, fitting)
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completions(&self.0, line, cursor))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_commands_are_completed() {
        let words = [":all", ":let", "active", "card", "closure", "ready", "active"].map(str::to_owned);
        for (line, start, fitting) in [
            ("c", 0, &["card", "closure"][..]),
            ("1 + ca", 4, &["card"]),
            ("{x|x:ac", 5, &["active"]),
            (":l", 0, &[":let"]),
            ("  :a", 2, &[":all"]),
            ("x :a", 3, &["active"]),
            ("é + ca", 5, &["card"]),
            ("", 0, &[]),
            ("1 + ", 4, &[]),
        ] {
            assert_eq!(completions(&words, line, line.len()), (start, fitting.iter().map(|word| (*word).to_owned()).collect()), "{line}");
        }
        assert_eq!(completions(&words, "car(x)", 2).1, ["card"], "before the cursor only");
    }
}
