//! Floor 7: arguments, configuration, exit codes, logging, signals: the only code that touches terminal, files, clock and
//! environment.
//!
//! The way of a check: `args` says what can be typed, `load` turns a file into a typed model, `scope` decides its sizes,
//! `config` the options of the search; `check` runs it and hands the outcome to `report`.
//! Invariant: data goes to stdout (or `--output`), everything else to stderr; every end of the program has a code in `exit`.

mod animate;
mod args;
mod check;
mod compare;
mod config;
mod decode;
mod eval;
mod exit;
mod files;
mod graph_file;
mod interrupt;
mod load;
mod logging;
mod lsp;
mod memory;
mod more_files;
mod picture;
pub mod pragma;
mod progress;
mod project;
mod refine;
mod refine_args;
mod replay;
mod resolve;
mod saved;
mod scope;
mod second_look;
mod sizes;
mod strategies;
mod suite;
mod symmetry_arg;
mod symmetry_check;
mod terminal;
mod tool_args;
mod unfold;

pub(crate) use scope::of_model;

use crate::source::{Shown, is_hidden};
use args::{Cli, Command, MessageArgs};
use clap::{CommandFactory, Parser};
use exit::Exit;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with these arguments, the program's name first.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let exit = match Cli::try_parse_from(arguments) {
        Ok(cli) => dispatch(cli),
        Err(error) => {
            refuse(&error);
            if error.use_stderr() { Exit::Usage } else { Exit::Done }
        }
    };
    exit.into()
}

/// Prints help, or what is wrong with the command line; what was typed is repeated there.
fn refuse(error: &clap::Error) {
    let text = error.render();
    if text.to_string().contains(|letter| is_hidden(letter) && letter != '\n') {
        files::complain(&Shown::lines(&text.to_string()));
    } else {
        // Printing fails when nobody reads; there is nobody to tell then.
        let _ = error.print();
    }
}

/// The code for a fault of bcheck itself, for whoever catches one.
#[must_use]
pub fn exit_code_of_a_bug() -> ExitCode {
    Exit::Bug.into()
}

fn dispatch(cli: Cli) -> Exit {
    let start = |messages: &MessageArgs| {
        logging::start(messages.verbose, terminal::Terminal::detect(messages.color).stderr == crate::report::diagnostics::Colour::Ansi);
        interrupt::install();
    };
    match cli.command.unwrap_or(Command::Check(cli.check)) {
        Command::Check(args) => {
            start(&args.common.messages);
            check::run(&args)
        }
        Command::Compare(args) => {
            start(&args.common.messages);
            compare::run(&args)
        }
        Command::Eval(args) => {
            start(&args.common.messages);
            eval::run(&args)
        }
        Command::Refine(args) => {
            start(&args.common.messages);
            refine::run(&args)
        }
        Command::Replay(args) => {
            start(&args.common.messages);
            replay::run(&args)
        }
        Command::Unfold(args) => {
            start(&args.messages);
            unfold::run(&args)
        }
        Command::Animate(args) => {
            start(&args.common.messages);
            animate::run(&args)
        }
        Command::Suite(args) => {
            start(&args.common.messages);
            suite::run(&args)
        }
        Command::Lsp(args) => {
            // No handler for signals: they end the server, as its editor expects.
            logging::start(args.common.messages.verbose, false);
            lsp::run(&args)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "bcheck", &mut script);
            print(&script)
        }
        Command::Man { command } => manual(command.as_deref()),
    }
}

/// Prints the manual page of bcheck, or that of one of its commands.
fn manual(command: Option<&str>) -> Exit {
    let mut whole = Cli::command();
    let about = match command {
        None => whole,
        Some(name) => {
            // So that the page has the whole name, `bcheck refine`.
            whole.build();
            match whole.find_subcommand(name) {
                Some(found) => found.clone(),
                None => {
                    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
                    return check::complain(&format!("bcheck has no command `{name}`: {}", names.join(", ")), Exit::Usage);
                }
            }
        }
    };
    let mut page = Vec::new();
    match clap_mangen::Man::new(about).render(&mut page) {
        Ok(()) => print(&page),
        Err(error) => check::complain(&format!("cannot make the manual page: {error}"), Exit::Io),
    }
}

/// Prints what is the program's own, to the byte.
fn print(own: &[u8]) -> Exit {
    match files::Sink::Stdout.write_bytes(own) {
        Ok(()) => Exit::Done,
        Err(reason) => {
            files::complain(&format!("error: {reason}\n"));
            Exit::Io
        }
    }
}
