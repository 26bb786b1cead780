//! The commands of an animation, as typed.
//!
//! Invariant: every line is a command or an error with a remedy; a number is always a choice from the list.

use bcheck_source::split_outside;
use bcheck_syntax::temporal::Logic;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Take the choice with this number, and among its symmetric steps the one with that number; both from 1.
    Choose(usize, usize),
    /// Call an operation with the arguments in this text, if any.
    Call(String, Option<String>),
    /// List what is enabled; `true`: without abbreviation.
    List(bool),
    /// Enumerate this many more set-ups, and list them.
    More(usize),
    /// List the symmetric steps behind a choice.
    Unfold(usize),
    /// Go back by this number of steps.
    Undo(usize),
    /// Go forward again by this number of steps.
    Redo(usize),
    /// Go to the state after the step with this number.
    Jump(usize),
    /// Evaluate a formula.
    Eval(String),
    /// Explain why this operation is disabled, why this formula has its value, or, without either, the findings here.
    Why(String),
    /// Show what the step with this number changed; without a number, the last one.
    Changes(Option<usize>),
    /// Show the function or relation of this name as a table.
    Table(String),
    /// Judge a temporal formula on the paths from here.
    Judge(Logic, String),
    /// Take this number of random steps, with this seed.
    Random(usize, u64),
    /// Search for a state.
    Find(String),
    /// Save the run.
    Save(String),
    /// Draw the state.
    Picture,
    /// Show the state.
    State,
    /// Show the run.
    Trace,
    /// Show the commands.
    Help,
    /// End.
    Quit,
}

/// The number of set-ups of constants listed at first, and added by `more`.
pub(super) const SET_UPS: usize = 20;

/// The answer to `help`.
pub(super) const HELP: &str = "  N, N.M              take choice N (of those alike, number M)
  OP, OP(a, b)        call an operation, with arguments in order or as x = a; `do OP` if a command has its name
  list [all]          what is enabled; steps that a symmetry of the state makes of each other are one line
  more [N]            N more set-ups of constants, of which the first twenty are listed
  unfold N            list the steps that are one line
  undo [N], redo [N]  go back, go forward again
  jump N              go to the state after step N
  eval FORMULA        the value of an expression or predicate here
  why OP[(a, b)]      the first condition that disables an operation, with its values, and all that decides its guard
  why FORMULA, why    why a predicate is true or false here, part by part; why what was found here is false
  changes [N]         what step N (the last one) changed: `doors(P3): open -> moving`, `inside: + GUEST2`
  table NAME          a function or relation as a table, with what the last step changed
  picture             the state as ANIMATION_… in DEFINITIONS draw it
  ltl FORMULA, ctl FORMULA
                      whether a temporal formula holds from here on; `current` is this state
  random N [SEED]     N random steps
  find PREDICATE      the shortest way from here to a state where it holds
  state, trace        show the whole state, the run so far
  save FILE           save the run: .prob2trace, .itf.json, .json, .txt; its pictures: .svg, .png, .html
  help, quit
";

/// Reads a line; `None` for an empty one or a comment.
pub(super) fn parse(line: &str) -> Result<Option<Command>, String> {
    let line = line.trim();
    if line.is_empty() || line.starts_with("//") {
        return Ok(None);
    }
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    // Names in B begin with a letter, so no operation is hidden by this.
    if line.starts_with(|letter: char| letter.is_ascii_digit()) {
        return choice(line).map(Some);
    }
    let number = |default: usize| match rest {
        "" => Ok(default),
        digits => digits.parse().map_err(|_| format!("`{word}` takes a number, not `{digits}`")),
    };
    let needed = |what: &str| if rest.is_empty() { Err(format!("`{word}` needs {what}")) } else { Ok(rest.to_owned()) };
    Ok(Some(match word {
        "list" | "l" => match rest {
            "" => Command::List(false),
            "all" => Command::List(true),
            other => return Err(format!("`list` takes `all` or nothing, not `{other}`")),
        },
        "more" => Command::More(number(SET_UPS)?),
        "unfold" => Command::Unfold(needed("the number of a choice").and_then(|_| number(0))?),
        "undo" | "u" => Command::Undo(number(1)?),
        "redo" | "r" => Command::Redo(number(1)?),
        "jump" | "j" => Command::Jump(needed("the number of a step").and_then(|_| number(0))?),
        "eval" | "e" => Command::Eval(needed("a formula")?),
        "why" | "w" => Command::Why(rest.to_owned()),
        "changes" if rest.is_empty() => Command::Changes(None),
        "changes" => Command::Changes(Some(number(0)?)),
        "table" => Command::Table(needed("the name of a constant or variable")?),
        "ltl" => Command::Judge(Logic::Ltl, needed("a formula")?),
        "ctl" => Command::Judge(Logic::Ctl, needed("a formula")?),
        "random" => {
            // A fixed seed by default, so that a script produces the same run each time.
            let (steps, seed) = rest.split_once(char::is_whitespace).unwrap_or((rest, "1"));
            let bad = |text: &str| format!("`random` takes a number of steps and perhaps a seed, not `{text}`");
            Command::Random(steps.parse().map_err(|_| bad(rest))?, seed.trim().parse().map_err(|_| bad(rest))?)
        }
        "find" | "f" => Command::Find(needed("a predicate")?),
        "save" => Command::Save(needed("a file")?),
        "picture" => Command::Picture,
        "state" | "s" => Command::State,
        "trace" | "t" => Command::Trace,
        "help" | "h" | "?" => Command::Help,
        "quit" | "q" | "exit" => Command::Quit,
        // For operations named like a command: `do list` calls the operation `list`.
        "do" => {
            if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
                return choice(rest).map(Some);
            }
            let (name, arguments) = call(&needed("a choice or an operation")?)?;
            Command::Call(name, arguments)
        }
        _ => {
            let (name, arguments) = call(line)?;
            Command::Call(name, arguments)
        }
    }))
}

fn choice(text: &str) -> Result<Command, String> {
    let (number, of_alike) = text.split_once('.').unwrap_or((text, "1"));
    match (number.parse(), of_alike.parse()) {
        (Ok(number), Ok(of_alike)) => Ok(Command::Choose(number, of_alike)),
        _ => Err(format!("a choice is a number such as 3 or 3.2, not `{text}`")),
    }
}

/// Splits `add(Name1, Code1)` into name and arguments.
pub(super) fn call(text: &str) -> Result<(String, Option<String>), String> {
    let Some((name, rest)) = text.split_once('(') else { return Ok((text.trim().to_owned(), None)) };
    let arguments = rest.trim_end().strip_suffix(')').ok_or_else(|| format!("a closing parenthesis is missing: {text}"))?;
    Ok((name.trim().to_owned(), Some(arguments.trim().to_owned())))
}

/// Splits at commas outside of brackets and strings.
pub(super) fn split_arguments(text: &str) -> Vec<&str> {
    let parts = split_outside(text, ",").into_iter().map(str::trim);
    if text.trim().is_empty() { Vec::new() } else { parts.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        for (line, command) in [
            ("3", Command::Choose(3, 1)),
            ("3.2", Command::Choose(3, 2)),
            ("do 4", Command::Choose(4, 1)),
            ("add(Name1, {1, 2})", Command::Call("add".to_owned(), Some("Name1, {1, 2}".to_owned()))),
            ("more", Command::More(SET_UPS)),
            ("more 5", Command::More(5)),
            ("do list", Command::Call("list".to_owned(), None)),
            ("undo", Command::Undo(1)),
            ("redo 2", Command::Redo(2)),
            ("eval card(db) = 1", Command::Eval("card(db) = 1".to_owned())),
            ("why add", Command::Why("add".to_owned())),
            ("why", Command::Why(String::new())),
            ("changes", Command::Changes(None)),
            ("changes 2", Command::Changes(Some(2))),
            ("picture", Command::Picture),
            ("table db", Command::Table("db".to_owned())),
            ("random 5 7", Command::Random(5, 7)),
            ("ltl G {x = 1}", Command::Judge(Logic::Ltl, "G {x = 1}".to_owned())),
            ("do ctl", Command::Call("ctl".to_owned(), None)),
            ("q", Command::Quit),
        ] {
            assert_eq!(parse(line), Ok(Some(command)), "{line}");
        }
        assert_eq!(parse("  // nothing"), Ok(None));
    }

    #[test]
    fn what_is_no_command_is_explained() {
        for (line, reason) in [
            ("3.x", "a choice is a number such as 3 or 3.2, not `3.x`"),
            ("undo many", "`undo` takes a number, not `many`"),
            ("find", "`find` needs a predicate"),
            ("ltl", "`ltl` needs a formula"),
            ("random", "`random` takes a number of steps and perhaps a seed, not ``"),
            ("add(x", "a closing parenthesis is missing: add(x"),
        ] {
            assert_eq!(parse(line), Err(reason.to_owned()), "{line}");
        }
    }

    #[test]
    fn arguments_are_split_outside_of_brackets_and_strings() {
        assert_eq!(split_arguments("a, {b, c}, \"d, \\\" e\", f(g, h)"), ["a", "{b, c}", "\"d, \\\" e\"", "f(g, h)"]);
        assert_eq!(split_arguments(" "), Vec::<&str>::new());
    }
}
