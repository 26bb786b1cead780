//! The commands of the calculator, as typed.
//!
//! Invariant: a line that begins with a colon is a command of the table, or an error that lists those in it; everything else is a formula.

use bcheck_sema::nearest;

/// The request in one or several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CalculatorCommand {
    /// The value of a formula, or its first answer.
    Formula(String),
    /// All answers.
    All(String),
    /// The number of answers.
    Count(String),
    /// Conjuncts that contradict each other.
    Core(String),
    /// Stores the value of an expression under a name; without operands, shows all stored names.
    Let(Option<(String, String)>),
    /// Changes the context to that of a machine.
    Machine(String),
    /// Shows how long a formula takes; without one, toggles showing the time of all formulas.
    Time(Option<String>),
    /// The type of a formula.
    Type(String),
    /// The list of commands.
    Help,
    /// End of the session.
    Quit,
}

/// The commands with their operands and their help.
const COMMANDS: [(&str, &str, &str); 10] = [
    (":all", "PREDICATE", "all values of its free names for which it is true"),
    (":core", "PREDICATE", "if it is false: conjuncts that contradict each other"),
    (":count", "PREDICATE", "how many values there are"),
    (":help", "", "this list"),
    (":let", "[NAME = FORMULA]", "store a value under a name; without one, list the stored names"),
    (":machine", "FILE", "continue with the sets, definitions, constants and variables of a machine"),
    (":quit", "", "end, as the end of the input does"),
    (":time", "[FORMULA]", "show the time that a formula takes; without one, of all from here on"),
    (":type", "FORMULA", "the type of an expression, or of the free names of a predicate"),
    ("it", "", "the last value"),
];

/// The answer to `:help`.
pub(super) fn help() -> String {
    let lines = COMMANDS.map(|(name, operand, help)| format!("  {:<25}{help}\n", format!("{name} {operand}")));
    lines.concat() + "  An unfinished formula continues on the next line; an empty line ends it.\n"
}

/// The command words, which begin with a colon.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(name, _, _)| *name).filter(|name| name.starts_with(':'))
}

impl CalculatorCommand {
    /// Parses what was typed, which is not empty.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if !text.starts_with(':') {
            return Ok(Self::Formula(text.to_owned()));
        }
        let (name, rest) = text.split_once(char::is_whitespace).map_or((text, ""), |(name, rest)| (name, rest.trim()));
        let needed = |what: &str| if rest.is_empty() { Err(format!("`{name}` needs {what}")) } else { Ok(rest.to_owned()) };
        let alone = |command| if rest.is_empty() { Ok(command) } else { Err(format!("`{name}` takes no operand")) };
        match name {
            ":all" => needed("a predicate").map(Self::All),
            ":core" => needed("a predicate").map(Self::Core),
            ":count" => needed("a predicate").map(Self::Count),
            ":help" => alone(Self::Help),
            ":let" if rest.is_empty() => Ok(Self::Let(None)),
            ":let" => match rest.split_once('=') {
                Some((name, formula)) => Ok(Self::Let(Some((name.trim().to_owned(), formula.trim().to_owned())))),
                None => Err("`:let` needs a name and a formula, as in `:let x = 2 + 3`".to_owned()),
            },
            ":machine" => needed("a file").map(Self::Machine),
            ":quit" => alone(Self::Quit),
            ":time" => Ok(Self::Time((!rest.is_empty()).then(|| rest.to_owned()))),
            ":type" => needed("a formula").map(Self::Type),
            _ => {
                let near = nearest(name, names()).map(|near| format!("; a similar one is `{near}`")).unwrap_or_default();
                Err(format!("there is no command `{name}`{near} (the commands are {})", names().collect::<Vec<_>>().join(", ")))
            }
        }
    }

    /// The formula in it, if there is one.
    pub(super) fn formula(&self) -> Option<&str> {
        match self {
            Self::Formula(text) | Self::All(text) | Self::Count(text) | Self::Core(text) | Self::Type(text) => Some(text),
            Self::Let(named) => named.as_ref().map(|(_, text)| text.as_str()),
            Self::Time(text) => text.as_deref(),
            Self::Machine(_) | Self::Help | Self::Quit => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_formulas_or_commands() {
        let text = str::to_owned;
        for (line, command) in [
            ("1 + 1", CalculatorCommand::Formula(text("1 + 1"))),
            (" :all x : 1..3 ", CalculatorCommand::All(text("x : 1..3"))),
            (":let x = {1} \\/ {2}", CalculatorCommand::Let(Some((text("x"), text("{1} \\/ {2}"))))),
            (":let same = (1 = 2)", CalculatorCommand::Let(Some((text("same"), text("(1 = 2)"))))),
            (":let", CalculatorCommand::Let(None)),
            (":time", CalculatorCommand::Time(None)),
            (":time card(POW(1..9))", CalculatorCommand::Time(Some(text("card(POW(1..9))")))),
            (":machine lift.mch", CalculatorCommand::Machine(text("lift.mch"))),
        ] {
            assert_eq!(CalculatorCommand::parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn what_is_no_command_is_explained() {
        for (line, reason) in [
            (":all", "`:all` needs a predicate"),
            (":let x", "`:let` needs a name and a formula, as in `:let x = 2 + 3`"),
            (":help me", "`:help` takes no operand"),
            (":machine", "`:machine` needs a file"),
        ] {
            assert_eq!(CalculatorCommand::parse(line), Err(reason.to_owned()), "{line}");
        }
        let unknown = CalculatorCommand::parse(":typ 1").expect_err("no command");
        assert!(unknown.starts_with("there is no command `:typ`; a similar one is `:type` (the commands are :all, :core, "), "{unknown}");
    }

    #[test]
    fn the_help_names_every_command() {
        assert!(names().all(|name| help().contains(&format!("  {name} "))), "{}", help());
        assert!(names().is_sorted(), "in the order of the alphabet");
    }
}
