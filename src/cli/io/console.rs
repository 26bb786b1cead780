//! The texts that a command has read, and how it shows diagnostics about them on stderr.
//!
//! Invariant: diagnostics go to stderr whatever the format; with JSON, those that refuse a machine are also in the report, so that programs
//! need one stream only. The console of an editor shows nothing: diagnostics are part of its answers.

use crate::args::{CommonArgs, FormatArg, MessageArgs, ScopeArgs};
use crate::exit::{Exit, complain};
use crate::io::files;
use crate::io::output::Output;
use crate::io::terminal::Terminal;
use crate::load::{self, Asked, Failure, Loaded};
use crate::scope;
use bcheck_ir::Scope;
use bcheck_report::diagnostics::{self, Colour};
use bcheck_report::{CheckReport, json, short, text};
use bcheck_source::{Diagnostic, Severity, Shown, SourceMap, shown};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The texts of a command, and its output channels.
#[derive(Debug)]
pub(crate) struct Console {
    /// The texts that diagnostics point into.
    pub(crate) sources: SourceMap,
    /// When the command began to read.
    pub(crate) opened: Instant,
    format: FormatArg,
    is_verbose: bool,
    /// The warnings shown so far: in a chain of refinements, or size by size, the same one recurs.
    told: Mutex<BTreeSet<String>>,
    /// `None` in an editor.
    terminal: Option<Terminal>,
}

impl Console {
    /// The console of a command with reports in this format.
    pub(crate) fn open(messages: &MessageArgs, format: FormatArg) -> Self {
        let terminal = Some(Terminal::detect(messages.color));
        let (opened, is_verbose) = (Instant::now(), messages.verbose > 0);
        Self { sources: SourceMap::new(), opened, format, is_verbose, told: Mutex::default(), terminal }
    }

    /// The console of a check in an editor that has read these texts.
    pub(crate) fn of_editor(sources: SourceMap, opened: Instant) -> Self {
        Self { sources, opened, format: FormatArg::Text, is_verbose: false, told: Mutex::default(), terminal: None }
    }

    /// Whether more detail is wanted.
    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    /// The colours of stderr.
    fn stderr(&self) -> Colour {
        self.terminal.map_or(Colour::Plain, |terminal| terminal.stderr)
    }

    /// The colours of a report written to this file, or to stdout.
    pub(crate) fn report_colour(&self, output: Option<&Path>) -> Colour {
        self.terminal.filter(|_| output.is_none()).map_or(Colour::Plain, |terminal| terminal.stdout)
    }

    /// Reads, parses and types a machine, and decides its sizes.
    pub(crate) fn load(
        &mut self,
        path: &Path,
        common: &CommonArgs,
        asked: Asked<'_>,
        sizes: &ScopeArgs,
    ) -> Result<(Loaded, Scope), Failure> {
        // The scope comes second: hints from PROPERTIES are part of the model.
        let mut loaded = load::load(path, &common.folders, asked, &mut self.sources)?;
        let scope = scope::of_machine(&mut loaded, sizes, &mut self.sources)?;
        Ok((loaded, scope))
    }

    /// The machine in whose context formulas are read, with its sizes; an empty one if none is named.
    pub(crate) fn load_context(&mut self, path: Option<&Path>, common: &CommonArgs, sizes: &ScopeArgs) -> Result<(Loaded, Scope), Failure> {
        if let Some(path) = path {
            return self.load(path, common, Asked::default(), sizes);
        }
        let file = self.sources.add("<no machine>", "MACHINE eval END");
        let mut loaded = load::analyse(file, &common.folders, &mut self.sources)?;
        let scope = scope::of_machine(&mut loaded, sizes, &mut self.sources)?;
        Ok((loaded, scope))
    }

    /// Shows diagnostics, in the form that matches the format of the report; a warning only the first time.
    pub(crate) fn show(&self, list: &[Diagnostic]) {
        if self.terminal.is_none() {
            return;
        }
        // An insertion is one step, so a panic elsewhere leaves the set consistent.
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_new =
            |one: &Diagnostic| one.severity == Severity::Error || told.insert(diagnostics::headline(one, &self.sources).to_string());
        let list: Vec<Diagnostic> = list.iter().filter(|one| is_new(one)).cloned().collect();
        // Programs read one line per diagnostic more easily than excerpts.
        if self.format == FormatArg::Text {
            files::complain(&diagnostics::render_all(&list, &self.sources, self.stderr()));
        } else {
            for diagnostic in &list {
                files::complain(&shown!("{}\n", diagnostics::headline(diagnostic, &self.sources)));
            }
        }
    }

    /// Shows a single diagnostic as text, without the empty line that separates several.
    pub(crate) fn show_one(&self, diagnostic: &Diagnostic) {
        files::complain(&diagnostics::render(diagnostic, &self.sources, self.stderr()));
    }

    /// Reports why no machine was loaded, and returns the exit code.
    pub(crate) fn show_failure(&self, failure: &Failure) -> Exit {
        match failure {
            Failure::Plain(reason, exit) => complain(reason, *exit),
            Failure::Refused(list, exit) => {
                self.show(list);
                *exit
            }
        }
    }

    /// As [`Console::show_failure`], and also in the report if that is JSON.
    pub(crate) fn refuse(&self, failure: &Failure, path: &Path, output: Output) -> Exit {
        let exit = self.show_failure(failure);
        if self.format == FormatArg::Json
            && let Some(report) = failure.report(path, &self.sources)
            && let Err(reason) = output.save_refusal(&report)
        {
            // The exit code is that of the refusal.
            complain(&reason, Exit::Io);
        }
        exit
    }

    /// A report in the requested format; `output` is its destination, or stdout.
    pub(crate) fn render(&self, report: &CheckReport<'_>, output: Option<&Path>) -> Shown {
        match self.format {
            FormatArg::Text => text::render(report, self.report_colour(output)),
            FormatArg::Json => json::render(report),
            FormatArg::Short => short::render(report),
        }
    }
}
