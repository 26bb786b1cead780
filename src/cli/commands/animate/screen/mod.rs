//! An animation on the whole screen of a terminal: enabled steps, the state, the run, its picture; commands on a line below.
//!
//! Invariant: every action on the animation is a [`Command`], so both forms of an animation can do the same things; the terminal is
//! restored when this ends, however it ends. Deliberately elsewhere: what keys do (`keys`), the contents of panes (`view`), their places
//! (`arrangement`), how they are drawn (`drawing`).

mod arrangement;
mod drawing;
mod keys;
mod pane;
#[cfg(test)]
mod tests;
mod view;

use self::arrangement::Focus;
use self::keys::{KEYS, Prompt, Wish};
use self::pane::{Aim, Folded, Pane, PaneRow, Shade, text_rows};
use self::view::StateVerdict;
use super::Animation;
use super::command::{Command, HELP};
use crate::io::interrupt::{self, Stage};
use bcheck_source::{Shown, shown};
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// The state of the screen besides the animation.
#[derive(Debug)]
pub(super) struct Screen {
    /// The focused pane.
    focus: Focus,
    /// The pane that regains the focus when a message is closed.
    back: Focus,
    /// The panes, in the order of [`Focus`].
    panes: [Pane; 5],
    /// The choice whose steps are all listed.
    unfolded: Option<usize>,
    /// The expanded parts of the state.
    open: BTreeSet<Folded>,
    /// The line that is being typed.
    input: Option<(Prompt, String)>,
    /// The last searched text.
    sought: String,
    /// The last answer.
    message: Shown,
    /// Whether the last answer was requested: then it is opened at once, however long it is.
    is_asked: bool,
    /// Whether the picture is shown, and the errors of its definitions.
    picture: Option<Shown>,
    /// The machine with its sizes.
    title: Shown,
    verdict: StateVerdict,
}

/// Runs an animation until the user ends it; `first` is the first message.
pub(super) fn run(animation: &mut Animation, first: Shown) -> io::Result<()> {
    interrupt::converse();
    let mut screen = Screen::new(animation, first);
    let mut terminal = enter(ratatui::try_init)?;
    let result = screen.converse(animation, &mut terminal);
    leave();
    result
}

/// Changes the terminal, and restores it if that fails halfway.
fn enter<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // Set before the terminal changes, so that a signal in between restores it; restoring too early is harmless.
    IS_ON.store(true, Ordering::SeqCst);
    change().inspect_err(|_| leave())
}

/// Whether the terminal shows the screen.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Restores the terminal if it shows the screen.
pub(super) fn leave() {
    // The swap lets only one of two threads restore it: this one at its end, or the signal handler's.
    if IS_ON.swap(false, Ordering::SeqCst) {
        // A terminal that is gone needs no restoring.
        let _ = ratatui::try_restore();
    }
}

impl Screen {
    /// The screen of an animation, with its first message. A picture is shown where the machine defines one.
    fn new(animation: &mut Animation, first: Shown) -> Self {
        let notes = animation.read_pictures();
        let mut screen = Self {
            focus: Focus::Choices,
            back: Focus::Choices,
            panes: [Pane::with_cursor(), Pane::with_cursor(), Pane::with_cursor(), Pane::default(), Pane::default()],
            unfolded: None,
            open: BTreeSet::new(),
            input: None,
            sought: String::new(),
            message: Shown::new(),
            is_asked: false,
            picture: animation.draws_text().then_some(notes),
            title: view::title(animation),
            verdict: StateVerdict::default(),
        };
        screen.say(first, false);
        screen.refresh(animation, true);
        screen
    }

    fn converse<B: Backend<Error = io::Error>>(&mut self, animation: &mut Animation, terminal: &mut Terminal<B>) -> io::Result<()> {
        loop {
            if interrupt::is_terminated() {
                return Ok(());
            }
            terminal.draw(|frame| self.draw(frame))?;
            interrupt::stage(Stage::Waiting);
            // Any other event may be a resize: the screen is drawn again.
            let Event::Key(key) = event::read()? else { continue };
            // Some terminals also report the release of a key, which acted when it was pressed.
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match self.wish(key) {
                Wish::Nothing => {}
                Wish::Quit => return Ok(()),
                Wish::Redraw => terminal.clear()?,
                wish => {
                    // Only outside of raw mode does Ctrl-C reach the handler that stops a long command.
                    disable_raw_mode()?;
                    self.grant(animation, wish);
                    enable_raw_mode()?;
                    // The watchdog has written its line across the screen.
                    if interrupt::happened() {
                        terminal.clear()?;
                    }
                }
            }
        }
    }

    /// Carries out the effect of a key on the animation.
    fn grant(&mut self, animation: &mut Animation, wish: Wish) {
        match wish {
            Wish::Perform(Command::Help) => self.say(help(), true),
            Wish::Perform(Command::Picture) => self.toggle_picture(animation),
            Wish::Perform(command) => self.perform(animation, command),
            Wish::Refold => self.refresh(animation, false),
            Wish::Read => self.read_chosen(animation),
            Wish::Nothing | Wish::Redraw | Wish::Quit => {}
        }
    }

    fn perform(&mut self, animation: &mut Animation, command: Command) {
        let before = (animation.at, animation.steps.len());
        let is_choice = matches!(command, Command::Choose(..));
        let answer = animation.perform(command);
        let has_moved = answer.is_ok() && (is_choice || before != (animation.at, animation.steps.len()));
        match answer {
            // The screen shows the new state, so the message only reports violations in it.
            Ok(_) if has_moved => self.say(animation.findings(), false),
            Ok(text) => self.say(text, true),
            Err(refusal) => self.say(refusal, true),
        }
        if has_moved {
            self.unfolded = None;
        }
        self.refresh(animation, has_moved);
    }

    /// Shows or hides the picture.
    fn toggle_picture(&mut self, animation: &mut Animation) {
        if self.picture.take().is_none() {
            if animation.draws_text() {
                self.picture = Some(Shown::new());
            } else if let Err(refusal) = animation.picture() {
                self.say(refusal, true);
            }
        }
        self.refresh(animation, false);
    }

    /// Shows the chosen row on the whole screen, untruncated.
    fn read_chosen(&mut self, animation: &Animation) {
        let pane = self.pane(self.focus);
        let text = match pane.aim() {
            Some(Aim::Fold(part)) => view::in_full(animation, *part),
            _ => pane.chosen(),
        };
        if !text.is_empty() {
            self.say(text, true);
            self.read_message();
        }
    }

    /// Moves the focus to the message until it is closed.
    fn read_message(&mut self) {
        if self.focus != Focus::Message {
            self.back = self.focus;
        }
        self.focus = Focus::Message;
    }

    /// Replaces the message. A requested one is opened at once; others wait until they are opened.
    fn say(&mut self, message: Shown, is_asked: bool) {
        let pane = self.pane(Focus::Message);
        pane.filter("");
        pane.set(text_rows(&message));
        pane.rewind();
        (self.message, self.is_asked) = (message, is_asked);
        self.keep_focus();
    }

    /// Shows the animation as it is now; after a step, from the top.
    fn refresh(&mut self, animation: &mut Animation, has_moved: bool) {
        let choices = view::choices(animation, self.unfolded);
        self.pane(Focus::Choices).set(choices);
        let state = view::state(animation, &self.open);
        self.pane(Focus::State).set(state);
        if has_moved {
            self.verdict = view::verdict(animation);
            self.pane(Focus::Choices).rewind();
            self.pane(Focus::State).rewind();
            let run = view::run(animation);
            self.pane(Focus::Run).set(run);
            self.pane(Focus::Run).choose(animation.at.saturating_sub(1));
        }
        if let Some(notes) = &self.picture {
            let drawn = animation.picture();
            let shade = if drawn.is_ok() { Shade::Plain } else { Shade::Faint };
            let picture = drawn.unwrap_or_else(|refusal| refusal);
            let rows = picture.as_str().lines().map(|line| PaneRow::new(Shown::line(line)).shaded(shade));
            let rows = rows.chain(text_rows(notes)).collect();
            self.pane(Focus::Picture).set(rows);
        }
        self.keep_focus();
    }

    fn pane(&mut self, focus: Focus) -> &mut Pane {
        &mut self.panes[focus as usize]
    }

    /// The existing panes, in tabulator order.
    fn present(&self) -> Vec<Focus> {
        let mut present = vec![Focus::Choices, Focus::State, Focus::Run];
        present.extend(self.picture.as_ref().map(|_| Focus::Picture));
        present.extend((!self.message.is_empty()).then_some(Focus::Message));
        present
    }

    /// Moves the focus to an existing pane.
    fn keep_focus(&mut self) {
        if !self.present().contains(&self.focus) {
            self.focus = if self.present().contains(&self.back) { self.back } else { Focus::Choices };
        }
    }
}

/// The keys, and the commands behind a colon.
fn help() -> Shown {
    Shown::lines(KEYS) + shown!("\nCommands behind a colon (:)\n\n") + Shown::lines(HELP)
}
