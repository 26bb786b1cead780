//! The decision whether stdout and stderr get colour.
//!
//! Invariant: NO_COLOR and `--color never` take precedence over a terminal; a file never gets colour unless `--color always` is given.

use crate::args::ColourArg;
use bcheck_report::diagnostics::Colour;
use std::io::IsTerminal;

/// Set for a process whose stdout another bcheck reads and writes to a terminal.
pub(crate) const PASSED_ON: &str = "BCHECK_TERMINAL";

/// The colours of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terminal {
    /// For reports.
    pub(crate) stdout: Colour,
    /// For diagnostics.
    pub(crate) stderr: Colour,
}

impl Terminal {
    /// Inspects the streams and the environment.
    pub(crate) fn detect(wanted: ColourArg) -> Self {
        // According to no-color.org only a non-empty value counts, and an explicit `--color always` takes precedence over it.
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let decide = |is_terminal| colour(wanted, forbidden, is_terminal);
        let is_passed_on = std::env::var_os(PASSED_ON).is_some();
        Self { stdout: decide(std::io::stdout().is_terminal() || is_passed_on), stderr: decide(std::io::stderr().is_terminal()) }
    }
}

fn colour(wanted: ColourArg, forbidden: bool, is_terminal: bool) -> Colour {
    match wanted {
        ColourArg::Always => Colour::Ansi,
        ColourArg::Never => Colour::Plain,
        ColourArg::Auto if is_terminal && !forbidden => Colour::Ansi,
        ColourArg::Auto => Colour::Plain,
    }
}

/// The number of columns of the terminal on stdout: from COLUMNS, otherwise from the system; `None` if stdout is not a terminal.
pub(crate) fn columns() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    told.or_else(of_stdout).filter(|columns| *columns > 0)
}

#[cfg(all(unix, feature = "screen"))]
fn of_stdout() -> Option<usize> {
    rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col))
}

#[cfg(not(all(unix, feature = "screen")))]
fn of_stdout() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_is_honoured() {
        assert_eq!(colour(ColourArg::Auto, false, true), Colour::Ansi);
        assert_eq!(colour(ColourArg::Auto, true, true), Colour::Plain);
        assert_eq!(colour(ColourArg::Auto, false, false), Colour::Plain);
        assert_eq!(colour(ColourArg::Always, true, false), Colour::Ansi);
    }
}
