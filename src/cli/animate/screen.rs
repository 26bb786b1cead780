//! An animation on the whole screen of a terminal: enabled steps, the state, the run; commands on a line below.
//!
//! Invariant: every action is a [`Command`], so both forms of an animation can do the same things; the terminal is as it was when this
//! ends, however it ends.

use super::command::{Command, SET_UPS, parse};
use super::{Animation, show};
use crate::cli::interrupt::{self, Stage};
use crate::source::{Shown, shown};
use ratatui::Frame;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// The line that explains the keys.
const KEYS: &str = "Enter take  Tab unfold  u undo  r redo  w why  e eval  f find  s save  : command  ? help  q quit";

/// Lines for messages, the frame not counted.
const MESSAGE_LINES: u16 = 6;

/// The state of the screen besides the animation.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// The chosen line.
    selected: usize,
    /// The choice whose steps are all listed.
    unfolded: Option<usize>,
    /// The command that is being typed.
    input: Option<String>,
    /// The last answer.
    message: Shown,
}

/// A line of the list of choices: its command and its text.
struct Choice {
    command: Command,
    text: Shown,
}

/// The action that a key asks for.
#[derive(Debug, PartialEq, Eq)]
enum Wish {
    Nothing,
    Quit,
    Perform(Command),
}

/// Runs an animation until the user ends it; `first` is the first message.
pub(super) fn run(animation: &mut Animation, first: Shown) -> io::Result<()> {
    interrupt::converse();
    let mut terminal = enter(ratatui::try_init)?;
    let mut screen = Screen { message: first, ..Screen::default() };
    let result = screen.converse(animation, &mut terminal);
    leave();
    result
}

/// Changes the terminal; where that fails halfway, it is given back as it was.
fn enter<T>(change: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // Set before the terminal changes, so that a signal in between restores it; restoring too early does no harm.
    IS_ON.store(true, Ordering::SeqCst);
    change().inspect_err(|_| leave())
}

/// Whether the terminal shows the screen.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back as it was, if it shows the screen.
pub(super) fn leave() {
    // The swap lets only one of two threads restore it: this one at its end, or that of the signals.
    if IS_ON.swap(false, Ordering::SeqCst) {
        // A terminal that has gone needs nothing.
        let _ = ratatui::try_restore();
    }
}

impl Screen {
    fn converse<B: Backend<Error = io::Error>>(&mut self, animation: &mut Animation, terminal: &mut Terminal<B>) -> io::Result<()> {
        loop {
            if interrupt::is_terminated() {
                return Ok(());
            }
            terminal.draw(|frame| self.draw(frame, animation))?;
            interrupt::stage(Stage::Waiting);
            let Event::Key(key) = event::read()? else { continue };
            // Some terminals report that a key was released, too; it has acted when it was pressed.
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match self.wish(animation, key) {
                Wish::Nothing => {}
                Wish::Quit => return Ok(()),
                Wish::Perform(command) => {
                    // Only outside of raw mode does Ctrl-C reach the handler that stops a long command.
                    disable_raw_mode()?;
                    self.perform(animation, command);
                    enable_raw_mode()?;
                    // The watchdog has written its line across the screen.
                    if interrupt::happened() {
                        terminal.clear()?;
                    }
                }
            }
        }
    }

    /// The action of a key; moves in lists and edits of the line are done at once.
    fn wish(&mut self, animation: &Animation, key: KeyEvent) -> Wish {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            // In raw mode Ctrl-C is a key like any other, not a signal.
            return if key.code == KeyCode::Char('c') { Wish::Quit } else { Wish::Nothing };
        }
        // While a command is typed, all keys belong to its line: `q` is a letter then.
        if let Some(input) = &mut self.input {
            match key.code {
                KeyCode::Char(letter) => input.push(letter),
                KeyCode::Backspace => drop(input.pop()),
                KeyCode::Esc => self.input = None,
                KeyCode::Enter => return self.typed(),
                _ => {}
            }
            return Wish::Nothing;
        }
        let choices = self.choices(animation);
        let last = choices.len().saturating_sub(1);
        match key.code {
            KeyCode::Up => self.selected = self.selected.saturating_sub(1),
            KeyCode::Down => self.selected = (self.selected + 1).min(last),
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(10),
            KeyCode::PageDown => self.selected = (self.selected + 10).min(last),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = last,
            KeyCode::Tab => {
                if let Some(Choice { command: Command::Choose(number, _), .. }) = choices.get(self.selected) {
                    // At most one choice is unfolded, so the line of this one follows from its number.
                    self.unfolded = (self.unfolded != Some(*number)).then_some(*number);
                    self.selected = number - 1;
                }
            }
            KeyCode::Enter => {
                return choices.into_iter().nth(self.selected).map_or(Wish::Nothing, |choice| Wish::Perform(choice.command));
            }
            KeyCode::Char('q') => return Wish::Quit,
            KeyCode::Char('u') => return Wish::Perform(Command::Undo(1)),
            KeyCode::Char('r') => return Wish::Perform(Command::Redo(1)),
            KeyCode::Char('m') => return Wish::Perform(Command::More(SET_UPS)),
            KeyCode::Char('?') => return Wish::Perform(Command::Help),
            KeyCode::Char(':') => self.input = Some(String::new()),
            KeyCode::Char('w') => self.input = Some("why ".to_owned()),
            KeyCode::Char('e') => self.input = Some("eval ".to_owned()),
            KeyCode::Char('f') => self.input = Some("find ".to_owned()),
            KeyCode::Char('s') => self.input = Some("save ".to_owned()),
            _ => {}
        }
        Wish::Nothing
    }

    /// The command that was typed; one that cannot be read is explained, and stays to be corrected.
    fn typed(&mut self) -> Wish {
        match parse(self.input.as_deref().unwrap_or("")) {
            Ok(command) => {
                self.input = None;
                match command {
                    None => Wish::Nothing,
                    Some(Command::Quit) => Wish::Quit,
                    Some(command) => Wish::Perform(command),
                }
            }
            Err(refusal) => {
                self.message = refusal.into();
                Wish::Nothing
            }
        }
    }

    fn perform(&mut self, animation: &mut Animation, command: Command) {
        let before = (animation.at, animation.steps.len());
        let is_choice = matches!(command, Command::Choose(..));
        let answer = animation.perform(command);
        let has_moved = is_choice || before != (animation.at, animation.steps.len());
        self.message = match answer {
            // The screen shows the new state, so the message is left to violations in it.
            Ok(_) if has_moved => animation.findings(),
            Ok(text) => text,
            Err(refusal) => refusal,
        };
        if has_moved {
            (self.selected, self.unfolded) = (0, None);
        }
    }

    fn choices(&self, animation: &Animation) -> Vec<Choice> {
        let (model, state) = (animation.machine.model(), animation.state());
        let orbits = &animation.enabled.alike;
        let firsts: Vec<_> = orbits.iter().filter_map(|orbit| orbit.first()).collect();
        let mut choices = Vec::new();
        for ((index, orbit), title) in orbits.iter().enumerate().zip(show::titles(model, state, &firsts)) {
            let number = index + 1;
            let alike = if orbit.len() > 1 { shown!("  ({} alike)", orbit.len()) } else { Shown::new() };
            choices.push(Choice { command: Command::Choose(number, 1), text: shown!("{:>3}) {}{}", number, title, alike) });
            if self.unfolded == Some(number) {
                let steps: Vec<_> = orbit.iter().collect();
                let titles = show::titles(model, state, &steps).into_iter().enumerate();
                choices.extend(titles.map(|(inner, title)| Choice {
                    command: Command::Choose(number, inner + 1),
                    text: shown!("      {}.{}) {}", number, inner + 1, title),
                }));
            }
        }
        choices
    }

    fn draw(&self, frame: &mut Frame<'_>, animation: &Animation) {
        let rows = [Constraint::Length(1), Constraint::Min(5), Constraint::Length(MESSAGE_LINES + 2), Constraint::Length(1)];
        let [title, middle, message, foot] = Layout::vertical(rows).areas(frame.area());
        let [left, right] = Layout::horizontal([Constraint::Percentage(55), Constraint::Percentage(45)]).areas(middle);
        let [state, run] = Layout::vertical([Constraint::Percentage(55), Constraint::Percentage(45)]).areas(right);
        let model = animation.machine.model();
        let scope = show::scope_text(model, animation.machine.scope());
        frame.render_widget(
            Paragraph::new(text(&shown!("{}  {}", model.name, scope))).style(Style::new().add_modifier(Modifier::BOLD)),
            title,
        );
        self.draw_choices(frame, animation, left);
        draw_state(frame, animation, state);
        draw_run(frame, animation, run);
        frame.render_widget(Paragraph::new(text(&self.message)).wrap(Wrap { trim: false }).block(Block::bordered()), message);
        match &self.input {
            Some(input) => {
                frame.render_widget(Paragraph::new(text(&shown!("> {}", input))), foot);
                let column = u16::try_from(Line::from(Shown::line(input).to_string()).width() + 2).unwrap_or(u16::MAX);
                frame.set_cursor_position((foot.x.saturating_add(column).min(foot.right().saturating_sub(1)), foot.y));
            }
            None => frame.render_widget(Paragraph::new(KEYS).style(Style::new().add_modifier(Modifier::DIM)), foot),
        }
    }

    fn draw_choices(&self, frame: &mut Frame<'_>, animation: &Animation, area: Rect) {
        let choices = self.choices(animation);
        let heading = match animation.enabled.is_cut {
            _ if choices.is_empty() => " nothing is enabled ",
            true => " enabled, and more (m) ",
            false => " enabled ",
        };
        let items = choices.into_iter().map(|choice| ListItem::new(text(&choice.text)));
        let list = List::new(items).block(Block::bordered().title(heading)).highlight_style(Style::new().add_modifier(Modifier::REVERSED));
        // A widget scrolls to its selected line.
        let mut selected = ListState::default().with_selected(Some(self.selected));
        frame.render_stateful_widget(list, area, &mut selected);
    }
}

/// Text for the screen.
fn text(shown: &Shown) -> Text<'static> {
    Text::from(shown.to_string())
}

/// Constants and variables; those that the last step changed are marked.
fn draw_state(frame: &mut Frame<'_>, animation: &Animation, area: Rect) {
    // The whole run is named for the changes of its last step; a person makes short runs.
    let named = crate::report::named_steps(animation.machine.model(), &animation.run());
    let lines: Vec<Line<'_>> = match named.last() {
        None => Vec::new(),
        Some(last) => last
            .state
            .iter()
            .zip(&last.changed)
            .map(|((name, value), changed)| {
                let (mark, style) = if *changed { ("* ", Style::new().add_modifier(Modifier::BOLD)) } else { ("  ", Style::new()) };
                Line::from(Span::styled(shown!("{}{} = {}", mark, name, value).to_string(), style))
            })
            .collect(),
    };
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(Block::bordered().title(" state (* changed) ")), area);
}

/// The steps done, and those undone; the last lines that fit.
fn draw_run(frame: &mut Frame<'_>, animation: &Animation, area: Rect) {
    let whole = animation.trace_of(&animation.steps);
    let named = crate::report::named_steps(animation.machine.model(), &whole);
    let items = named.iter().enumerate().map(|(index, step)| {
        let style = if index < animation.at { Style::new() } else { Style::new().add_modifier(Modifier::DIM) };
        ListItem::new(text(&shown!("{:>3}  {}", index, crate::report::trace::title(step)))).style(style)
    });
    let list = List::new(items).block(Block::bordered().title(" run ")).highlight_symbol("> ");
    let mut selected = ListState::default().with_selected(animation.at.checked_sub(1));
    frame.render_stateful_widget(list, area, &mut selected);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{FolderArgs, ScopeArgs};
    use crate::cli::{load, scope};
    use crate::source::SourceMap;
    use ratatui::backend::TestBackend;

    const MACHINE: &str =
        "MACHINE access SETS USER VARIABLES inside INVARIANT inside <: USER & card(inside) < 2 INITIALISATION inside := {}
        OPERATIONS enter(u) = PRE u : USER - inside THEN inside := inside \\/ {u} END END";

    fn animation() -> Animation {
        animation_of(MACHINE)
    }

    fn animation_of(text: &str) -> Animation {
        let mut sources = SourceMap::new();
        let file = sources.add("access.mch", text);
        let mut loaded = load::analyse(file, &FolderArgs::default(), &mut sources).expect("a correct machine");
        let scope = scope::of_machine(&mut loaded, &ScopeArgs::default(), &mut sources).expect("sizes");
        Animation::new(loaded, scope, sources)
    }

    /// Presses keys one after the other; whether the user is done.
    fn press(screen: &mut Screen, animation: &mut Animation, keys: &[KeyCode]) -> bool {
        keys.iter().any(|key| match screen.wish(animation, KeyEvent::from(*key)) {
            Wish::Nothing => false,
            Wish::Quit => true,
            Wish::Perform(command) => {
                screen.perform(animation, command);
                false
            }
        })
    }

    fn typed(text: &str) -> Vec<KeyCode> {
        text.chars().map(KeyCode::Char).chain([KeyCode::Enter]).collect()
    }

    fn picture(screen: &Screen, animation: &Animation) -> String {
        let mut terminal = Terminal::new(TestBackend::new(90, 22)).expect("a screen in memory");
        terminal.draw(|frame| screen.draw(frame, animation)).expect("drawn");
        terminal.backend().to_string()
    }

    #[test]
    fn steps_are_taken_undone_and_done_again_by_keys() {
        let (mut screen, mut animation) = (Screen::default(), animation());
        animation.start().expect("one initial state");
        let seen = picture(&screen, &animation);
        assert!(seen.contains("  1) enter(u = USER1)  (2 alike)") && seen.contains("inside = {}"), "{seen}");
        assert!(!press(&mut screen, &mut animation, &[KeyCode::Tab, KeyCode::Down, KeyCode::Down, KeyCode::Enter]));
        let seen = picture(&screen, &animation);
        assert!(seen.contains("* inside = {USER2}") && seen.contains(">   1  enter(u = USER2)"), "{seen}");
        press(&mut screen, &mut animation, &[KeyCode::Enter]);
        let seen = picture(&screen, &animation);
        assert!(seen.contains("invariant_violation: the invariant is violated: card(inside) < 2"), "{seen}");
        assert!(seen.contains("nothing is enabled"), "{seen}");
        press(&mut screen, &mut animation, &[KeyCode::Char('u'), KeyCode::Char('u'), KeyCode::Char('r')]);
        assert_eq!((animation.at, animation.steps.len()), (2, 3));
        assert!(press(&mut screen, &mut animation, &[KeyCode::Char('q')]));
    }

    #[test]
    fn commands_are_typed_and_answered() {
        let (mut screen, mut animation) = (Screen::default(), animation());
        animation.start().expect("one initial state");
        press(&mut screen, &mut animation, &[KeyCode::Char('e')]);
        press(&mut screen, &mut animation, &typed("card(USER)"));
        assert_eq!(screen.message, "2\n");
        press(&mut screen, &mut animation, &[KeyCode::Char('f')]);
        press(&mut screen, &mut animation, &typed("inside = {USER2}"));
        assert_eq!(animation.at, 2);
        press(&mut screen, &mut animation, &[KeyCode::Char('w')]);
        press(&mut screen, &mut animation, &typed("enter(USER2)"));
        assert!(screen.message.contains("this is false: u : USER - inside"), "{}", screen.message);
        press(&mut screen, &mut animation, &[KeyCode::Char(':')]);
        press(&mut screen, &mut animation, &typed("undo many"));
        assert_eq!(screen.message, "`undo` takes a number, not `many`");
        assert!(picture(&screen, &animation).contains("> undo many"), "the line can be corrected");
        press(&mut screen, &mut animation, &[KeyCode::Esc]);
        assert!(picture(&screen, &animation).contains("Enter take"));
    }

    #[test]
    fn what_strings_hold_does_not_reach_the_terminal() {
        let text = "MACHINE m VARIABLES s INVARIANT s /= \"\\u{1b}[2J\\u{202e}\\u{9b}x\" INITIALISATION s := \"\"
            OPERATIONS put(t) = PRE t : {\"\\u{1b}[2J\\u{202e}\\u{9b}x\"} THEN s := t END END";
        let mut animation = animation_of(text);
        let mut screen = Screen::default();
        animation.start().expect("one initial state");
        press(&mut screen, &mut animation, &[KeyCode::Enter]);
        for command in ["eval s", "trace", "find s = \"\u{1b}[2J\u{202e}\"", "no\u{1b}[2J\u{202e}thing"] {
            press(&mut screen, &mut animation, &[KeyCode::Char(':')]);
            press(&mut screen, &mut animation, &typed(command));
            let seen = picture(&screen, &animation);
            assert!(!seen.contains(|letter| letter != '\n' && crate::source::is_hidden(letter)), "{command}: {seen:?}");
            assert!(seen.contains("\\u{1b}[2J\\u{202e}"), "{command}: {seen}");
            press(&mut screen, &mut animation, &[KeyCode::Esc]);
        }
    }

    #[test]
    fn why_a_saved_trace_was_not_followed_is_the_first_message() {
        let text = "trace of access\n   0  INITIALISATION\n          inside = {}\n   1  go(u = USER1)\n          inside = {USER1}\n";
        let mut animation = animation();
        let recorded = crate::report::recorded::read(text, animation.machine.model()).expect("a trace");
        let screen = Screen { message: animation.first_message(Some(&recorded)), ..Screen::default() };
        assert_eq!(animation.at, 1);
        let seen = picture(&screen, &animation);
        assert!(seen.contains("step 1 of the trace, go(u = USER1), cannot be replayed: the machine has no"), "{seen}");
    }

    #[test]
    fn a_terminal_that_was_changed_halfway_is_given_back() {
        let failed = enter(|| -> io::Result<()> { Err(io::Error::other("no second half")) });
        assert!(failed.is_err_and(|error| error.to_string() == "no second half"));
        assert!(!IS_ON.load(Ordering::SeqCst), "it was restored");
    }

    #[test]
    fn formulas_are_judged_on_the_line_of_commands() {
        let (mut screen, mut animation) = (Screen::default(), animation());
        animation.start().expect("one initial state");
        press(&mut screen, &mut animation, &[KeyCode::Char(':')]);
        press(&mut screen, &mut animation, &typed("ltl G {card(inside) < 2}"));
        assert!(screen.message.starts_with("it does not hold:\n   1  enter(u = USER1)\n"), "{}", screen.message);
        assert_eq!(animation.at, 1, "nothing was taken");
        press(&mut screen, &mut animation, &[KeyCode::Char(':')]);
        press(&mut screen, &mut animation, &typed("ctl AG (not {inside = {}} or current)"));
        assert_eq!(screen.message, "it holds here\n");
    }

    #[test]
    fn a_small_terminal_is_no_reason_to_fail() {
        let (screen, mut animation) = (Screen::default(), animation());
        animation.start().expect("one initial state");
        for (width, height) in [(1, 1), (10, 3), (40, 10)] {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
            terminal.draw(|frame| screen.draw(frame, &animation)).expect("drawn");
        }
    }
}
