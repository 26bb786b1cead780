//! What keys do; where less or vim has a key for the purpose, it is the same one.
//!
//! Invariant: while a line is typed, letters belong to it; Ctrl-C ends whatever can be ended. Deliberately elsewhere: what commands do.

use super::Screen;
use super::arrangement::Focus;
use super::pane::{Aim, Folded, Motion};
use crate::commands::animate::command::{Command, SET_UPS, parse};
use bcheck_source::{Shown, shown};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The description of the keys.
pub(super) const KEYS: &str = "\
Keys

  Tab, Shift-Tab      the next pane, the one before
  j, k, Down, Up      one line down, up; h, l, Left, Right scroll to the side
  Space, b, Ctrl-F, Ctrl-B, PageDown, PageUp
                      one page down, up; Ctrl-D, Ctrl-U half a page
  g, G, Home, End     the first line, the last line
  /TEXT, n, N         search a text in the pane, search on, search upwards
  &TEXT               show only lines with a text (& alone: all)
  Enter               take the step; show a value in full, or in short; go to the step of the run
  v                   read the chosen line in full, on the whole screen: a value, a step
  o, O                all steps of a line, a value in full; all values in full, or in short
  1, 2, …             the number of a choice, then Enter
  u, r                undo, redo
  p                   show or hide the picture of the state
  w, e, f, s          why, eval, find, save: commands, below
  m                   more set-ups of constants
  Esc, q              close what is read, or the filter; q elsewhere ends the animation, as does Ctrl-C
  ?, H, F1            this text
  Ctrl-L              draw the screen anew
";

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prompt {
    Command,
    Search,
    Filter,
}

impl Prompt {
    /// The sign that precedes the line.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Command => "> ",
            Self::Search => "/",
            Self::Filter => "&",
        }
    }
}

/// The effect of a key on the animation; moves in panes and edits of the line are done at once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Quit,
    /// The terminal shows foreign output.
    Redraw,
    /// A part is expanded or collapsed.
    Refold,
    /// The chosen row is shown on the whole screen.
    Read,
    Perform(Command),
}

impl Screen {
    /// The action of a key.
    pub(super) fn wish(&mut self, key: KeyEvent) -> Wish {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if self.input.is_some() {
            return self.edit(key.code, is_control);
        }
        if is_control {
            return self.controlled(key.code);
        }
        if let Some(motion) = motion_of(key.code) {
            self.go(motion);
            return Wish::Nothing;
        }
        match key.code {
            KeyCode::Tab => self.turn(1),
            KeyCode::BackTab => self.turn(-1),
            KeyCode::Enter => return self.enter(),
            KeyCode::Esc => return self.close(),
            KeyCode::F(1) => return Wish::Perform(Command::Help),
            KeyCode::Char(letter) => return self.letter(letter),
            _ => {}
        }
        Wish::Nothing
    }

    fn controlled(&mut self, code: KeyCode) -> Wish {
        match code {
            // In raw mode Ctrl-C is a key like any other, not a signal.
            KeyCode::Char('c') => return Wish::Quit,
            KeyCode::Char('l') => return Wish::Redraw,
            KeyCode::Char('r') => return Wish::Perform(Command::Redo(1)),
            KeyCode::Char('f') => self.go(Motion::Halves(2)),
            KeyCode::Char('b') => self.go(Motion::Halves(-2)),
            KeyCode::Char('d') => self.go(Motion::Halves(1)),
            KeyCode::Char('u') => self.go(Motion::Halves(-1)),
            KeyCode::Char('e' | 'n') => self.go(Motion::Lines(1)),
            KeyCode::Char('y' | 'p') => self.go(Motion::Lines(-1)),
            _ => {}
        }
        Wish::Nothing
    }

    fn letter(&mut self, letter: char) -> Wish {
        let mut ask = |prompt, text: &str| self.input = Some((prompt, text.to_owned()));
        match letter {
            ':' => ask(Prompt::Command, ""),
            'w' => ask(Prompt::Command, "why "),
            'e' => ask(Prompt::Command, "eval "),
            'f' => ask(Prompt::Command, "find "),
            's' => ask(Prompt::Command, "save "),
            '1'..='9' => ask(Prompt::Command, letter.encode_utf8(&mut [0; 4])),
            '/' => ask(Prompt::Search, ""),
            '&' => ask(Prompt::Filter, ""),
            'n' => self.search_on(false),
            'N' => self.search_on(true),
            'q' if self.focus == Focus::Message => return self.close(),
            'q' => return Wish::Quit,
            'v' if self.focus != Focus::Message => return Wish::Read,
            'o' => return self.fold(),
            'O' => return self.fold_all(),
            'u' => return Wish::Perform(Command::Undo(1)),
            'r' => return Wish::Perform(Command::Redo(1)),
            'p' => return Wish::Perform(Command::Picture),
            'm' => return Wish::Perform(Command::More(SET_UPS)),
            '?' | 'H' => return Wish::Perform(Command::Help),
            _ => {}
        }
        Wish::Nothing
    }

    fn go(&mut self, motion: Motion) {
        let focus = self.focus;
        self.pane(focus).go(motion);
    }

    /// Moves the focus to another pane.
    fn turn(&mut self, by: isize) {
        let present = self.present();
        let at = present.iter().position(|focus| *focus == self.focus).unwrap_or(0);
        let count = isize::try_from(present.len()).unwrap_or(1);
        let next = (isize::try_from(at).unwrap_or(0) + by).rem_euclid(count);
        self.focus = present[next.unsigned_abs()];
    }

    fn enter(&mut self) -> Wish {
        match self.panes[self.focus as usize].aim().cloned() {
            Some(Aim::Perform(command)) => Wish::Perform(command),
            Some(Aim::Fold(_)) => self.fold(),
            None => Wish::Nothing,
        }
    }

    /// Expands or collapses the chosen row.
    fn fold(&mut self) -> Wish {
        match self.panes[self.focus as usize].aim().cloned() {
            Some(Aim::Fold(part)) => {
                if !self.open.remove(&part) {
                    self.open.insert(part);
                }
                Wish::Refold
            }
            Some(Aim::Perform(Command::Choose(number, _))) => {
                // At most one choice is unfolded, so the row of this one follows from its number.
                self.unfolded = (self.unfolded != Some(number)).then_some(number);
                self.pane(Focus::Choices).choose(number - 1);
                Wish::Refold
            }
            _ => Wish::Nothing,
        }
    }

    /// Expands all of the state, or collapses it if any part is expanded.
    fn fold_all(&mut self) -> Wish {
        if self.open.is_empty() {
            let aims = self.panes[Focus::State as usize].aims();
            self.open.extend(aims.filter_map(|aim| if let Aim::Fold(part) = aim { Some(*part) } else { None }).collect::<Vec<Folded>>());
        } else {
            self.open.clear();
        }
        Wish::Refold
    }

    /// Closes the message being read; otherwise clears the filter of the pane, or the message.
    fn close(&mut self) -> Wish {
        let focus = self.focus;
        if focus != Focus::Message && self.pane(focus).is_filtered() {
            self.pane(focus).filter("");
        } else if !self.message.is_empty() {
            self.say(Shown::new(), false);
        }
        Wish::Nothing
    }

    fn search_on(&mut self, is_upwards: bool) {
        let (text, focus) = (self.sought.clone(), self.focus);
        if !text.is_empty() && !self.pane(focus).search(&text, is_upwards) && focus != Focus::Message {
            self.say(shown!("no line of this pane has `{}`\n", text), false);
        }
    }

    /// Edits the line being typed.
    fn edit(&mut self, code: KeyCode, is_control: bool) -> Wish {
        let Some((_, line)) = &mut self.input else { return Wish::Nothing };
        match code {
            KeyCode::Char('c') if is_control => self.input = None,
            KeyCode::Char('u') if is_control => line.clear(),
            KeyCode::Char('h') if is_control => drop(line.pop()),
            KeyCode::Char('w') if is_control => {
                let word = line.trim_end().rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
                line.truncate(word);
            }
            KeyCode::Char(letter) if !is_control => line.push(letter),
            // As in vim and less, erasing the sign itself cancels the line.
            KeyCode::Backspace if line.is_empty() => self.input = None,
            KeyCode::Backspace => drop(line.pop()),
            KeyCode::Esc => self.input = None,
            KeyCode::Enter => return self.typed(),
            _ => {}
        }
        Wish::Nothing
    }

    /// Handles a completed line; a command that cannot be parsed is explained, and stays for correction.
    fn typed(&mut self) -> Wish {
        let Some((prompt, line)) = self.input.clone() else { return Wish::Nothing };
        let focus = self.focus;
        if prompt == Prompt::Command {
            match parse(&line) {
                Ok(command) => {
                    self.input = None;
                    return match command {
                        None => Wish::Nothing,
                        Some(Command::Quit) => Wish::Quit,
                        Some(command) => Wish::Perform(command),
                    };
                }
                Err(refusal) => self.say(refusal.into(), false),
            }
            return Wish::Nothing;
        }
        self.input = None;
        if prompt == Prompt::Filter {
            self.pane(focus).filter(&line);
            return Wish::Nothing;
        }
        // As in less and vim, an empty line repeats the last search.
        if !line.is_empty() {
            self.sought = line;
        }
        self.search_on(false);
        Wish::Nothing
    }
}

/// The motion of a key, the same in every pane.
fn motion_of(code: KeyCode) -> Option<Motion> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('k') => Motion::Lines(-1),
        KeyCode::Down | KeyCode::Char('j') => Motion::Lines(1),
        KeyCode::Left | KeyCode::Char('h') => Motion::Sideways(-1),
        KeyCode::Right | KeyCode::Char('l') => Motion::Sideways(1),
        KeyCode::PageUp | KeyCode::Char('b') => Motion::Halves(-2),
        KeyCode::PageDown | KeyCode::Char(' ') => Motion::Halves(2),
        KeyCode::Home | KeyCode::Char('g') => Motion::First,
        KeyCode::End | KeyCode::Char('G') => Motion::Last,
        _ => return None,
    })
}
