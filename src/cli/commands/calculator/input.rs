//! The lines that the calculator reads: through the editor at a terminal, plainly otherwise.
//!
//! Invariant: a prompt is shown only at a terminal, and never on a stdout that is not one.

#[cfg(feature = "screen")]
use super::editor::LineEditor;
use super::typed::Typed;
use crate::io::files;
use std::io::IsTerminal;

/// The source of lines.
pub(super) struct Input {
    is_terminal: bool,
    #[cfg(feature = "screen")]
    editor: Option<LineEditor>,
}

impl Input {
    /// The standard input.
    pub(super) fn open() -> Self {
        let is_terminal = std::io::stdin().is_terminal();
        Self {
            is_terminal,
            // The editor writes to stdout.
            #[cfg(feature = "screen")]
            editor: if is_terminal && std::io::stdout().is_terminal() { LineEditor::open() } else { None },
        }
    }

    /// Whether the input is typed at a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Reads a line; at a terminal with this prompt, and with completion of these words.
    #[cfg_attr(not(feature = "screen"), allow(unused_variables, reason = "only an editor completes words"))]
    pub(super) fn read(&mut self, prompt: &str, words: &dyn Fn() -> Vec<String>) -> Result<Typed, String> {
        #[cfg(feature = "screen")]
        if let Some(editor) = &mut self.editor {
            return editor.read(prompt, words());
        }
        if self.is_terminal {
            files::complain(prompt);
        }
        let line = files::read_line(&mut std::io::stdin().lock())?;
        Ok(line.map_or(Typed::End, Typed::Line))
    }
}
