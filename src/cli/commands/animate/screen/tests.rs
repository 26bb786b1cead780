//! Screens in memory: what keys do, and what is visible at several sizes.

use super::*;
use crate::args::{FolderArgs, ScopeArgs};
use crate::load;
use crate::scope;
use bcheck_source::{SourceMap, columns};
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

const ACCESS: &str = "MACHINE access SETS USER VARIABLES inside INVARIANT inside <: USER & card(inside) < 2 INITIALISATION inside := {}
    OPERATIONS enter(u) = PRE u : USER - inside THEN inside := inside \\/ {u} END END";

/// A machine with values of all kinds, and with a picture.
const HARBOUR: &str = "MACHINE harbour
    DEFINITIONS scope_SHIP == 3; ANIMATION_FUNCTION == {r, c, v | r = 1 & c |-> v : berth}; ANIMATION_FUNCTION_DEFAULT == {1} * (1..4) * {\"~\"}
    SETS SHIP; STATUS = {sailing, moored}
    CONSTANTS length PROPERTIES length : SHIP --> NATURAL1 & length = SHIP * {40}
    VARIABLES berth, waiting, status, toll, name, signals
    INVARIANT berth : 1..4 +-> SHIP & waiting : iseq(SHIP) & status : SHIP --> STATUS & toll : NATURAL & name : STRING &
      signals : 1..12 --> BOOL & toll < 20
    INITIALISATION berth := {} || waiting := [] || status := SHIP * {sailing} || toll := 0 || name := \"港 harbour\" ||
      signals := (1..12) * {FALSE}
    OPERATIONS
      arrive(s) = PRE s : SHIP & status(s) = sailing & s /: ran(waiting) THEN waiting := waiting <- s END;
      moor(b) = PRE b : (1..4) - dom(berth) & waiting /= [] THEN berth(b), status(first(waiting)) := first(waiting), moored || toll := toll + 10
        || waiting := tail(waiting) || signals := signals <+ {b |-> TRUE} END;
      leave(b) = PRE b : dom(berth) THEN status(berth(b)) := sailing || berth := {b} <<| berth END
    END";

fn animation_of(text: &str) -> Animation {
    let mut sources = SourceMap::new();
    let file = sources.add("access.mch", text);
    let mut loaded = load::analyse(file, &FolderArgs::default(), &mut sources).expect("a correct machine");
    let scope = scope::of_machine(&mut loaded, &ScopeArgs::default(), &mut sources).expect("sizes");
    Animation::new(loaded, scope, sources)
}

/// An animation at its first choice.
fn begun(text: &str) -> (Screen, Animation) {
    let mut animation = animation_of(text);
    animation.start().expect("one initial state");
    (Screen::new(&mut animation, Shown::new()), animation)
}

/// Presses keys one after the other; returns whether the user is done.
fn press(screen: &mut Screen, animation: &mut Animation, keys: &[KeyCode]) -> bool {
    keys.iter().any(|key| press_one(screen, animation, KeyEvent::from(*key)))
}

fn press_one(screen: &mut Screen, animation: &mut Animation, key: KeyEvent) -> bool {
    match screen.wish(key) {
        Wish::Quit => true,
        wish => {
            screen.grant(animation, wish);
            false
        }
    }
}

fn control(letter: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
}

/// Keys for letters; a line break is Enter, a tabulator Tab.
fn typed(text: &str) -> Vec<KeyCode> {
    let key = |letter| match letter {
        '\n' => KeyCode::Enter,
        '\t' => KeyCode::Tab,
        letter => KeyCode::Char(letter),
    };
    text.chars().map(key).collect()
}

/// The text visible on a screen of this size, without blanks at the ends of lines.
fn seen_at(screen: &mut Screen, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen in memory");
    terminal.draw(|frame| screen.draw(frame)).expect("drawn");
    let buffer = terminal.backend().buffer();
    let line = |row: u16| {
        let mut line = String::new();
        let mut column = 0;
        while column < width {
            let symbol = buffer[(column, row)].symbol();
            line.push_str(symbol);
            // The column behind a wide character belongs to it.
            column += u16::try_from(columns(symbol).max(1)).expect("one letter");
        }
        line.trim_end().to_owned()
    };
    (0..height).map(line).collect::<Vec<_>>().join("\n")
}

fn seen(screen: &mut Screen) -> String {
    seen_at(screen, (90, 24))
}

fn assert_screen(name: &str, screen: &mut Screen, size: (u16, u16)) {
    let seen = seen_at(screen, size);
    assert!(seen.lines().all(|line| columns(line) <= usize::from(size.0)), "{seen}");
    insta::with_settings!({
        snapshot_path => "../../../../../tests/suite/snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(format!("screen_{name}_{}x{}", size.0, size.1), seen);
    });
}

/// The harbour after four steps; the last one violates the invariant.
fn crowded() -> (Screen, Animation) {
    let (mut screen, mut animation) = begun(HARBOUR);
    for call in ["arrive(SHIP2)", "arrive(SHIP1)", "moor(3)", "moor(1)"] {
        press(&mut screen, &mut animation, &typed(&format!(":{call}\n")));
    }
    (screen, animation)
}

#[test]
fn the_screen_at_several_sizes() {
    let (mut screen, _) = crowded();
    for size in [(80, 24), (200, 50), (40, 12)] {
        assert_screen("after_a_violation", &mut screen, size);
    }
}

#[test]
fn values_in_full_are_tables_and_the_help_is_read_page_by_page() {
    let (mut screen, mut animation) = crowded();
    press(&mut screen, &mut animation, &typed("\tO/signals\n"));
    assert_screen("values_in_full", &mut screen, (80, 24));
    press(&mut screen, &mut animation, &typed("?"));
    assert_screen("help", &mut screen, (80, 24));
    let mut read = String::new();
    for _ in 0..10 {
        read += &seen(&mut screen);
        press(&mut screen, &mut animation, &typed(" "));
    }
    let lacking: Vec<&str> = help_words().into_iter().filter(|word| !read.contains(word)).collect();
    assert!(lacking.is_empty(), "not reached: {lacking:?}");
    press(&mut screen, &mut animation, &typed("q"));
    assert!(seen(&mut screen).contains("enabled"), "q closes the help only");
    assert!(press(&mut screen, &mut animation, &typed("q")));
}

/// The first word of each line of the help.
fn help_words() -> Vec<&'static str> {
    KEYS.lines().chain(HELP.lines()).filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn steps_are_taken_undone_and_done_again_by_keys() {
    let (mut screen, mut animation) = begun(ACCESS);
    let first = seen(&mut screen);
    assert!(first.contains("  1) enter(u = USER1)  (2 alike)") && first.contains("inside = {}"), "{first}");
    assert!(first.lines().next().is_some_and(|line| line.ends_with("invariant holds")), "{first}");
    assert!(!first.contains("answer"), "no pane without a message: {first}");
    assert!(!press(&mut screen, &mut animation, &[KeyCode::Char('o'), KeyCode::Down, KeyCode::Down, KeyCode::Enter]));
    let second = seen(&mut screen);
    assert!(second.contains("* inside: + USER2") && second.contains("* inside = {USER2}"), "{second}");
    assert!(second.contains(">   1  enter(u = USER2)"), "{second}");
    press(&mut screen, &mut animation, &[KeyCode::Enter]);
    let third = seen(&mut screen);
    assert!(third.contains("invariant_violation: the invariant is violated: card(inside) < 2"), "{third}");
    assert!(
        third.contains("nothing is enabled") && third.lines().next().is_some_and(|line| line.contains("invariant violated")),
        "{third}"
    );
    press(&mut screen, &mut animation, &typed("uur"));
    assert_eq!((animation.at, animation.steps.len()), (2, 3));
    assert!(!seen(&mut screen).contains("invariant_violation"), "the message is about this state");
    // In the run, Enter goes to a step.
    press(&mut screen, &mut animation, &typed("\t\tG\n"));
    assert_eq!((animation.at, screen.focus), (3, Focus::Run));
    assert!(press_one(&mut screen, &mut animation, control('c')));
}

#[test]
fn commands_are_typed_and_answered() {
    let (mut screen, mut animation) = begun(ACCESS);
    press(&mut screen, &mut animation, &typed("ecard(USER)\n"));
    assert_eq!(screen.message, "2\n");
    press(&mut screen, &mut animation, &typed("finside = {USER2}\n"));
    assert_eq!(animation.at, 2);
    press(&mut screen, &mut animation, &typed("wenter(USER2)\n"));
    assert!(screen.message.contains("this is false: u : USER - inside"), "{}", screen.message);
    press(&mut screen, &mut animation, &typed(":undo many\n"));
    assert_eq!(screen.message, "`undo` takes a number, not `many`");
    assert!(seen(&mut screen).contains("> undo many"), "the line can be corrected");
    press_one(&mut screen, &mut animation, control('w'));
    press(&mut screen, &mut animation, &typed("1\n"));
    assert_eq!(animation.at, 1, "it was corrected");
    press(&mut screen, &mut animation, &typed("1\n"));
    assert_eq!(animation.at, 2, "a number is a choice");
    press(&mut screen, &mut animation, &[KeyCode::Char(':'), KeyCode::Backspace]);
    assert!(seen(&mut screen).contains("Enter take"));
    // A long answer is opened on the whole screen; Esc closes it.
    press(&mut screen, &mut animation, &typed(":help\n"));
    assert!(seen(&mut screen).contains("answer (q closes)") && !seen(&mut screen).contains("enabled 1"));
    press(&mut screen, &mut animation, &[KeyCode::Esc]);
    assert_eq!((screen.focus, screen.message.as_str()), (Focus::Choices, ""));
}

#[test]
fn every_variable_is_reached_by_scrolling_searching_and_filtering() {
    let names: Vec<String> = (0..60).map(|number| format!("v{number:02}")).collect();
    let text = format!(
        "MACHINE wide VARIABLES {} INVARIANT {} INITIALISATION {} OPERATIONS go = v59 := v59 + 1 END",
        names.join(", "),
        names.iter().map(|name| format!("{name} : NATURAL")).collect::<Vec<_>>().join(" & "),
        names.iter().map(|name| format!("{name} := 0")).collect::<Vec<_>>().join(" || "),
    );
    let (mut screen, mut animation) = begun(&text);
    press(&mut screen, &mut animation, &typed("1\n"));
    let first = seen_at(&mut screen, (80, 24));
    assert!(first.contains("* v59: 0 -> 1"), "changes come first: {first}");
    press(&mut screen, &mut animation, &typed("\t"));
    for (down, size) in [(control('f'), (80, 24)), (control('d'), (40, 12)), (KeyEvent::from(KeyCode::Char('j')), (60, 16))] {
        press(&mut screen, &mut animation, &typed("g"));
        let mut read = String::new();
        for _ in 0..80 {
            read += &seen_at(&mut screen, size);
            press_one(&mut screen, &mut animation, down);
        }
        let lacking: Vec<&String> = names.iter().filter(|name| !read.contains(&format!("{name} = "))).collect();
        assert!(lacking.is_empty(), "{down:?} at {size:?} does not reach {lacking:?}");
    }
    press(&mut screen, &mut animation, &typed("g/V33\n"));
    assert!(seen_at(&mut screen, (80, 24)).contains("v33 = 0"));
    press(&mut screen, &mut animation, &typed("&v4\n"));
    let filtered = seen_at(&mut screen, (80, 24));
    assert!(filtered.contains("&v4") && filtered.contains("v40 = 0") && !filtered.contains("v39"), "{filtered}");
    press(&mut screen, &mut animation, &typed("/nothing\n"));
    assert!(seen(&mut screen).contains("no line of this pane has `nothing`"));
    press(&mut screen, &mut animation, &[KeyCode::Esc]);
    let all = seen(&mut screen);
    assert!(all.contains("v00 = 0") && !all.contains("&v4"), "Esc ends the filter: {all}");
}

/// A function of 100 pairs and a sequence of 150 items, which no screen shows in a line; and a deadlock after one step.
const LONG: &str = "MACHINE long VARIABLES f, s, n
    INVARIANT f : 1..100 --> 0..9999 & s : seq(NATURAL) & n : 0..1
    INITIALISATION f := %x.(x : 1..100 | 7 * x + 2000) || s := %x.(x : 1..150 | x + 1000) || n := 0
    OPERATIONS
      go(g) = PRE n = 0 & g = f THEN n := 1 END;
      stay(k) = PRE k : 0..1 & n + k = 7 THEN skip END
    END";

#[test]
fn every_part_of_a_long_value_is_read() {
    let pairs: Vec<String> = (1..=100).map(|x| format!("{x}|->{}", 7 * x + 2000)).collect();
    let values: Vec<String> = (1..=100).map(|x| format!("{}", 7 * x + 2000)).collect();
    let items: Vec<String> = (1..=150).map(|x| format!("{}", x + 1000)).collect();
    for size in [(80, 24), (200, 50), (40, 12)] {
        for (focus, keys, parts) in [
            (Focus::State, "\tv", &pairs),
            (Focus::State, "\t\n", &pairs),
            (Focus::State, "\tjv", &items),
            (Focus::State, "\tj\n", &items),
            // An argument from 1..100 is written as a sequence.
            (Focus::Choices, "v", &values),
        ] {
            let (mut screen, mut animation) = begun(LONG);
            let first = seen_at(&mut screen, size);
            assert!(size.0 < 80 || first.contains("v read"), "the line of hints names the key: {first}");
            press(&mut screen, &mut animation, &typed(keys));
            let mut read = String::new();
            for _ in 0..100 {
                // A part may continue on the next line, and another pane may be at its side.
                read += &seen_at(&mut screen, size);
                press(&mut screen, &mut animation, &typed("j"));
            }
            // Tables of functions have a row for each argument.
            let is_read = |part: &String| read.contains(part) || (part.contains('|') && read.contains(&part.replace("|->", "  ")));
            let lacking: Vec<&String> = parts.iter().filter(|part| !is_read(part)).collect();
            assert!(lacking.is_empty(), "{keys:?} at {size:?} does not show {lacking:?}: {read}");
            press(&mut screen, &mut animation, &[KeyCode::Esc]);
            assert_eq!(screen.focus, focus, "the keys go back to where they were");
        }
    }
}

#[test]
fn why_alone_shows_all_guards_of_a_deadlock() {
    for keys in ["w\n", ":why\n"] {
        let (mut screen, mut animation) = begun(LONG);
        press(&mut screen, &mut animation, &typed("1\n"));
        assert!(seen(&mut screen).contains("deadlock"));
        press(&mut screen, &mut animation, &typed(keys));
        for guard in ["go is not enabled", "n = 0", "stay is not enabled", "n + k = 7"] {
            assert!(screen.message.contains(guard), "{guard}: {}", screen.message);
        }
    }
}

#[test]
fn a_picture_stands_in_a_pane_of_its_own() {
    let (mut screen, mut animation) = crowded();
    press(&mut screen, &mut animation, &[KeyCode::Esc]);
    let drawn = seen_at(&mut screen, (80, 24));
    assert!(drawn.contains("picture") && drawn.contains("SHIP1 ~ SHIP2 ~"), "{drawn}");
    press(&mut screen, &mut animation, &typed("p"));
    assert!(!seen_at(&mut screen, (80, 24)).contains("SHIP1 ~ SHIP2"));
    press(&mut screen, &mut animation, &typed("pu"));
    assert!(seen_at(&mut screen, (80, 24)).contains("  ~ ~ SHIP2 ~"), "it follows the state");
    let (mut screen, mut animation) = begun(ACCESS);
    press(&mut screen, &mut animation, &typed("p"));
    assert!(screen.message.contains("DEFINITIONS do not draw states"), "{}", screen.message);
}

#[test]
fn what_strings_hold_does_not_reach_the_terminal() {
    let text = "MACHINE m VARIABLES s INVARIANT s /= \"\\u{1b}[2J\\u{202e}\\u{9b}x\" INITIALISATION s := \"\"
        OPERATIONS put(t) = PRE t : {\"\\u{1b}[2J\\u{202e}\\u{9b}x\"} THEN s := t END END";
    let (mut screen, mut animation) = begun(text);
    press(&mut screen, &mut animation, &[KeyCode::Enter]);
    for command in ["eval s", "trace", "find s = \"\u{1b}[2J\u{202e}\"", "no\u{1b}[2J\u{202e}thing"] {
        press(&mut screen, &mut animation, &typed(&format!(":{command}\n")));
        let seen = seen(&mut screen);
        assert!(!seen.contains(|letter| letter != '\n' && bcheck_source::is_hidden(letter)), "{command}: {seen:?}");
        assert!(seen.contains("\\u{1b}[2J\\u{202e}"), "{command}: {seen}");
        press(&mut screen, &mut animation, &[KeyCode::Esc]);
    }
}

#[test]
fn why_a_saved_trace_was_not_followed_is_the_first_message() {
    let text = "trace of access\n   0  INITIALISATION\n          inside = {}\n   1  go(u = USER1)\n          inside = {USER1}\n";
    let mut animation = animation_of(ACCESS);
    let recorded = bcheck_report::recorded::read(text, animation.machine.model()).expect("a trace");
    let first = animation.first_message(Some(&recorded));
    let mut screen = Screen::new(&mut animation, first);
    assert_eq!(animation.at, 1);
    let seen = seen(&mut screen);
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
    let (mut screen, mut animation) = begun(ACCESS);
    press(&mut screen, &mut animation, &typed(":ltl G {card(inside) < 2}\n"));
    assert!(screen.message.starts_with("it does not hold:\n   1  enter(u = USER1)\n"), "{}", screen.message);
    assert_eq!(animation.at, 1, "nothing was taken");
    press(&mut screen, &mut animation, &typed(":ctl AG (not {inside = {}} or current)\n"));
    assert_eq!(screen.message, "it holds here\n");
}

#[test]
fn a_small_terminal_says_so_and_can_be_used() {
    let (mut screen, mut animation) = begun(ACCESS);
    assert!(seen_at(&mut screen, (12, 6)).ends_with("12x6 is sma…"));
    let small = seen_at(&mut screen, (50, 10));
    assert!(small.contains("50x10 is small") && small.contains("1) enter(u = USER1)"), "{small}");
    press(&mut screen, &mut animation, &typed("\n\t"));
    let state = seen_at(&mut screen, (50, 10));
    assert!(state.contains("* inside = {USER1}") && state.contains("invariant holds"), "{state}");
    // However small the screen, it is drawn, also while a command is typed.
    for keys in ["", ":eval inside", "\n", "?", "q", "\t", "\t"] {
        press(&mut screen, &mut animation, &typed(keys));
        for width in [1, 2, 3, 5, 12, 40, 61] {
            for height in [1, 2, 3, 4, 6, 17] {
                let drawn = seen_at(&mut screen, (width, height));
                assert!(drawn.lines().all(|line| columns(line) <= usize::from(width)), "{width} x {height}: {drawn}");
            }
        }
    }
}
