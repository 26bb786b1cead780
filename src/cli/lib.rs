//! Floor 7: arguments, configuration, exit codes, logging, signals: the only code that touches terminal, environment and, except for
//! `durable`, files.
//!
//! The steps of a check: `args` declares what can be typed, `load` turns a file into a typed model, `scope` requests its sizes, `config`
//! sets the options of the search; `commands::check` runs it and hands the outcome to `report`. Invariant: data goes to stdout (or
//! `--output`), everything else to stderr; every exit of the program has a code in `exit`.

mod args;
mod commands;
mod config;
mod exit;
mod help;
mod io;
mod load;
mod pictures;
mod processes;
mod progress;
mod project;
mod scope;
mod session;

pub use commands::suite::pragma;
pub use io::allocator::ProgramAllocator;

use args::{Cli, Command, MessageArgs, other_tools, slips, thresholds};
use bcheck_explore::{Limits, spawn_deep};
use bcheck_source::{Shown, is_hidden};
use clap::{CommandFactory, Parser};
use commands::check::{by_size, several_machines};
use commands::{animate, check, checkpoint, compare, cover, estimate, eval, fmt, graph, induct, lsp, refine, replay, suite, unfold};
use exit::{Ended, Exit};
use io::{child_runs, files, interrupt, logging, output, terminal};
use std::ffi::OsString;
use std::process::ExitCode;
use std::thread::ScopedJoinHandle;

/// Runs the program with these arguments, the program's name first.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    interrupt::outlive_file_limit();
    interrupt::exit_orderly_when_exhausted();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Formulas nest deeply and are walked by recursion, and the size of the main thread's stack is set by the system.
    let ended = std::thread::scope(|scope| spawn_deep(scope, "bcheck", || run_here(arguments)).map(ScopedJoinHandle::join));
    let exit = match ended {
        Ok(Ok(exit)) => exit,
        // The panic has been printed already.
        Ok(Err(_)) => Exit::Bug,
        Err(error) => exit::complain(&interrupt::no_thread(&error), Exit::Io),
    };
    exit.into()
}

fn run_here(arguments: Vec<OsString>) -> Exit {
    let parsed = Cli::try_parse_from(&arguments);
    // To clap, help and version are errors as well, but they go to stdout and are what was requested.
    let is_refused = parsed.as_ref().is_err_and(clap::Error::use_stderr);
    if parsed.is_err() && !is_refused {
        let meant = other_tools::swallowed_by_help(&arguments, &Cli::command());
        if let Some(reason) = meant {
            return exit::complain(&reason, Exit::Usage);
        }
    }
    if is_refused || parsed.is_ok() {
        // An option of another tool is answered with bcheck's counterpart, instead of an "unexpected argument" or another meaning.
        let meant = other_tools::foreign(&arguments, &Cli::command(), parsed.is_ok());
        for reason in &meant {
            exit::complain(reason, Exit::Usage);
        }
        if !meant.is_empty() {
            return Exit::Usage;
        }
    }
    match parsed {
        Ok(cli) => dispatch(cli),
        Err(error) => {
            refuse(&error);
            if is_refused { Exit::Usage } else { Exit::Done }
        }
    }
}

/// Begins a command: its log, and the watch over its limits.
fn start(messages: &MessageArgs, limits: Limits) -> Result<(), Exit> {
    logging::start(messages.verbose, terminal::Terminal::detect(messages.color).stderr == bcheck_report::diagnostics::Colour::Ansi);
    set_thresholds(messages)?;
    interrupt::install(limits).map_err(|reason| exit::complain(&reason, Exit::Io))?;
    child_runs::listen();
    Ok(())
}

/// Sets the thresholds of the hidden option: before anything is read, for the whole process.
fn set_thresholds(messages: &MessageArgs) -> Result<(), Exit> {
    thresholds::apply(&messages.set).map_err(|reason| exit::complain(&reason, Exit::Usage))
}

/// Prints help, or the errors of the command line, which repeat what was typed.
fn refuse(error: &clap::Error) {
    let text = error.render();
    // Clap's messages are coloured, which `Shown` would escape, so clap prints them itself wherever nothing else needs escaping.
    if text.to_string().contains(|letter| is_hidden(letter) && letter != '\n') {
        files::complain(&Shown::lines(&text.to_string()));
    } else {
        // Printing fails if nobody reads; then there is nobody to report it to.
        let _ = error.print();
    }
}

fn dispatch(cli: Cli) -> Exit {
    let command = match cli.command {
        Some(command) => command,
        None => {
            // Without a command the first word is a machine, or a misspelt command.
            if let Some(reason) = cli.check.machine.as_deref().and_then(slips::command_meant) {
                return exit::complain(&reason, Exit::Usage);
            }
            Command::Check(Box::new(cli.check))
        }
    };
    if let Some((messages, limits)) = watched(&command)
        && let Err(exit) = start(messages, limits)
    {
        return exit;
    }
    let (Ok(exit) | Err(exit)) = match command {
        Command::Check(args) if args.more.is_empty() && by_size::is_asked(&args) => by_size::run(&args),
        Command::Check(args) if args.more.is_empty() => check::run(&args),
        Command::Check(args) => several_machines::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Cover(args) => cover::run(&args),
        Command::Estimate(args) => estimate::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Induct(args) => induct::run(&args),
        Command::Refine(args) => refine::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Checkpoint(args) => checkpoint::show(&args),
        Command::Unfold(args) => unfold::run(&args),
        Command::Animate(args) => animate::run(&args),
        Command::Suite(args) => suite::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Lsp(args) => {
            // No handler for signals: they end the server, as its editor expects.
            logging::start(args.common.messages.verbose, false);
            set_thresholds(&args.common.messages).map(|()| lsp::run(&args))
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "bcheck", &mut script);
            print(&script)
        }
        Command::Help { page } => help::run(page.as_deref()),
        Command::Man { command } => manual(command.as_deref()),
    };
    exit
}

/// The limits that stop a command, and the form of its messages; none for one that takes no time, or ends with its editor.
fn watched(command: &Command) -> Option<(&MessageArgs, Limits)> {
    Some(match command {
        // With several machines, the limits apply to each run.
        Command::Check(args) if !args.more.is_empty() => (&args.common.messages, Limits::default()),
        Command::Check(args) if by_size::is_asked(args) => {
            // The memory limit applies to each run.
            (&args.common.messages, Limits { time: config::limits(&args.search.limits).time, ..Limits::default() })
        }
        Command::Check(args) => {
            let mut limits = config::limits(&args.search.limits);
            // If states may go to disk, memory does not limit the command: `checkpoint` decides.
            limits.memory_bytes.take_if(|_| args.checkpoints.disk.is_some() || args.checkpoints.resume.is_some());
            (&args.common.messages, limits)
        }
        Command::Compare(args) => (&args.common.messages, config::limits(&args.search.limits)),
        // Its time is divided among the sizes.
        Command::Estimate(args) => (&args.common.messages, Limits { time: Some(args.time_limit.0), ..Limits::default() }),
        Command::Cover(args) => (&args.common.messages, config::limits(&args.limits)),
        Command::Refine(args) => (&args.common.messages, config::limits(&args.limits)),
        Command::Eval(args) => (&args.common.messages, config::of_work(&args.limits)),
        Command::Graph(args) => (&args.common.messages, config::of_work(&args.limits)),
        Command::Induct(args) => (&args.common.messages, config::of_work(&args.limits)),
        Command::Replay(args) => (&args.common.messages, config::of_work(&args.limits)),
        Command::Checkpoint(args) => (&args.messages, Limits::default()),
        Command::Unfold(args) => (&args.messages, config::of_work(&args.limits)),
        Command::Animate(args) => (&args.common.messages, config::of_work(&args.limits)),
        // The limits of a suite apply to each run.
        Command::Suite(args) => (&args.common.messages, Limits::default()),
        Command::Fmt(args) => (&args.messages, Limits::default()),
        Command::Lsp(_) | Command::Completions { .. } | Command::Help { .. } | Command::Man { .. } => return None,
    })
}

/// Prints the manual page of bcheck, or that of one of its commands.
fn manual(command: Option<&str>) -> Ended {
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
                    return Err(exit::complain(&format!("bcheck has no command `{name}`: {}", names.join(", ")), Exit::Usage));
                }
            }
        }
    };
    let mut page = Vec::new();
    let made = clap_mangen::Man::new(about).render(&mut page);
    made.map_err(|error| exit::complain(&format!("cannot make the manual page: {error}"), Exit::Io))?;
    print(&page)
}

/// Prints the program's own text, unescaped.
fn print(own: &[u8]) -> Ended {
    output::Output::stdout().put_bytes(own).map_err(exit::complaint(Exit::Io))?;
    Ok(Exit::Done)
}
