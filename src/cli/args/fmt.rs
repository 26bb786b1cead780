//! The options of `bcheck fmt`, as typed.

use crate::args::MessageArgs;
use clap::Args;
use std::path::PathBuf;

/// Shown below the options in the help.
pub(crate) const EXAMPLES: &str = "\
Every clause begins a line. What a clause, operation or block holds begins a line, too, two columns deeper, if it has several lines. \
Operators have blanks around them, brackets none inside. The author's line breaks stay, and so do all comments; those aligned at \
the ends of lines stay aligned. There are no settings. A file with errors is left as it is.

Exit codes: 0; 1 when --check finds a file in another layout; 150 when a file has syntax errors, 153 when one cannot be read or \
written.

Examples:
  bcheck fmt phonebook.mch          rewrite a file in place
  bcheck fmt machines               all machines and definition files below a folder
  bcheck fmt --check machines       for a test suite: list files in another layout
  bcheck fmt - < phonebook.mch      print what stdin holds in the layout";

/// Options of the formatter.
#[derive(Args, Clone, Debug)]
pub(crate) struct FmtArgs {
    /// Files, and folders with all machines and definition files below; - formats stdin to stdout
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Change nothing: list each file whose layout differs, with the first line that does, and exit with 1 if there is one
    #[arg(long, help_heading = "Output")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}
