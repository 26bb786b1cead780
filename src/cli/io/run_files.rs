//! The output files of a run: one plan for all commands, from the options that name files to the written contents.
//!
//! Invariant: endings are examined first, then all files are reserved in one step, before the run; a machine that was refused is one failed
//! test. Deliberately elsewhere: contents (`report`), temporary files until they are complete (`output`), when a command writes which file.

use crate::args::{LabelsArg, OutcomeFiles, PictureArgs, ReportArgs, WatchArgs};
use crate::exit::{Exit, complain};
use crate::io::console::Console;
use crate::io::files;
use crate::io::graph_file::{GraphTarget, OpenGraph};
use crate::io::output::{self, Named, Output, Refusal};
use crate::io::temporary;
use crate::io::trace_file::TraceFormat;
use crate::load::Failure;
use crate::pictures::states::{AlbumFormat, say_left_out, unless_not_made};
use crate::pictures::{PictureFormat, drawable};
use crate::progress::status::StatusFile;
use bcheck_explore::{Trace, Verdict};
use bcheck_report::diagnostics::headline;
use bcheck_report::junit::{TestCase, TestResult};
use bcheck_report::picture::Painter;
use bcheck_report::sarif::Rule;
use bcheck_report::{junit, sarif};
use bcheck_source::{Shown, SourceMap};
use serde_json::Value as Json;
use std::path::Path;

/// The outputs requested from a command, by the options that name files.
#[derive(Clone, Default)]
pub(crate) struct FilePlan<'a> {
    /// `--output`; otherwise the report goes to stdout.
    pub(crate) report: Option<&'a Path>,
    pub(crate) plot: Option<&'a Path>,
    pub(crate) html: Option<&'a Path>,
    pub(crate) junit: Option<&'a Path>,
    pub(crate) sarif: Option<&'a Path>,
    pub(crate) trace: Option<&'a Path>,
    /// `--picture`.
    pub(crate) drawing: Option<&'a PictureArgs>,
    /// `--graph`, with the labels of its edges.
    pub(crate) graph: Option<(&'a Path, Option<LabelsArg>)>,
    /// `--status`, with the name of the command.
    pub(crate) status: Option<(&'a Path, &'static str)>,
    /// A folder of traces, with the option that names it.
    pub(crate) folder: Option<(&'static str, &'a Path)>,
}

/// The reserved files.
pub(crate) struct RunFiles {
    report: Output,
    pub(crate) plot: Option<(PictureFormat, Output)>,
    html: Option<Output>,
    junit: Option<Output>,
    sarif: Option<Output>,
    trace: Option<(TraceFormat, Output)>,
    picture: Option<(AlbumFormat, Output)>,
    pub(crate) graph: Option<OpenGraph>,
    pub(crate) status: Option<StatusFile>,
}

impl<'a> FilePlan<'a> {
    /// The files that these options of a search request; `command` names it in `--status`.
    pub(crate) fn of_search(
        command: &'static str,
        report: &'a ReportArgs,
        files: &'a OutcomeFiles,
        drawing: &'a PictureArgs,
        watch: &'a WatchArgs,
    ) -> Self {
        Self {
            report: report.output.as_deref(),
            html: files.html.as_deref(),
            junit: files.junit.as_deref(),
            sarif: files.sarif.as_deref(),
            trace: files.trace.as_deref(),
            drawing: Some(drawing),
            status: watch.status.as_deref().map(|file| (file, command)),
            ..Self::default()
        }
    }

    /// Reserves the files; the last of the inputs is the machine.
    pub(crate) fn reserve(self, inputs: &[Named<'_>]) -> Result<RunFiles, Refusal> {
        let usage = |reason| (reason, Exit::Usage);
        let plot = self.plot.map(drawable);
        let picture = self.drawing.map_or(Ok(None), PictureArgs::file).map_err(usage)?.map(drawable);
        let graph = self.graph.map(|(path, labels)| (drawable(path), labels));
        let plot_format = plot.as_deref().map(plot_format).transpose().map_err(usage)?;
        let trace_format = self.trace.map(TraceFormat::of).transpose().map_err(usage)?;
        let picture_format = picture.as_deref().map(AlbumFormat::of).transpose().map_err(usage)?;
        let target = graph.as_ref().map(|(path, _)| GraphTarget::of(path)).transpose().map_err(usage)?;
        if let Some(reason) = target.zip(self.graph).and_then(|(target, (_, labels))| target.refuses(labels)) {
            return Err(usage(reason.to_owned()));
        }
        let states = target.and_then(GraphTarget::states_file);
        let named = [
            ("--output", self.report),
            ("--plot", plot.as_deref()),
            ("--html", self.html),
            ("--junit", self.junit),
            ("--sarif", self.sarif),
            ("--trace", self.trace),
            ("--picture", picture.as_deref()),
            ("--graph", graph.as_ref().map(|(path, _)| path.as_ref())),
            ("--graph (its states)", states.as_deref()),
            ("--status", self.status.map(|(path, _)| path)),
        ];
        let [report, plot, html, junit, sarif, trace, picture, main, states, status] = output::reserve(inputs, named)?;
        if let Some((option, folder)) = self.folder {
            temporary::make_folder(folder).map_err(|reason| (format!("{option}: {reason}"), Exit::Io))?;
        }
        let machine = || inputs.last().map(|(_, path)| path.display().to_string()).unwrap_or_default();
        let status = self.status.zip(status).map(|((_, command), file)| StatusFile::new(file, command, machine()));
        Ok(RunFiles {
            report: report.unwrap_or_else(Output::stdout),
            plot: plot_format.zip(plot),
            html,
            junit,
            sarif,
            trace: trace_format.zip(trace),
            picture: picture_format.zip(picture),
            graph: target.zip(main).map(|(target, main)| target.open(main, states)).transpose()?,
            status: status.transpose()?,
        })
    }
}

fn plot_format(path: &Path) -> Result<PictureFormat, String> {
    PictureFormat::of(path)?.ok_or_else(|| format!("cannot draw {}: the ending must be .svg or .png", path.display()))
}

impl RunFiles {
    /// The format of the trace, if one is to be saved.
    pub(crate) fn trace_format(&self) -> Option<TraceFormat> {
        self.trace.as_ref().map(|(format, _)| *format)
    }

    /// The form of the pictures of states, if they are to be drawn.
    pub(crate) fn picture_format(&self) -> Option<AlbumFormat> {
        self.picture.as_ref().map(|(format, _)| *format)
    }

    /// Writes a part of the report.
    pub(crate) fn put(&mut self, part: &Shown) -> Result<(), String> {
        self.report.put(part)
    }

    /// Takes the file of the report; nothing is written to stdout in its place.
    pub(crate) fn take_report(&mut self) -> Output {
        std::mem::replace(&mut self.report, Output::stdout())
    }

    /// Writes the rest of the report, or all of it.
    pub(crate) fn save_report(&mut self, text: &Shown) -> Result<(), String> {
        self.take_report().save(text)
    }

    /// Writes the HTML page, if requested.
    pub(crate) fn save_page(&mut self, page: impl FnOnce() -> Shown) -> Result<(), String> {
        self.html.take().map_or(Ok(()), |file| file.save(&page()))
    }

    /// Writes the test cases under this name, and the results with their rules.
    pub(crate) fn save_cases(&mut self, name: &str, cases: &[TestCase], (results, rules): (&[Json], &[Rule])) -> Result<(), String> {
        if let Some(junit) = self.junit.take() {
            junit.save(&junit::render(name, cases))?;
        }
        self.sarif.take().map_or(Ok(()), |sarif| sarif.save(&sarif::render(results, rules)))
    }

    /// As [`Self::save_cases`], for a machine that was rejected before anything was checked: reports of earlier runs are not replaced.
    pub(crate) fn save_refusal(&mut self, name: &str, cases: &[TestCase], results: &[Json]) -> Result<(), String> {
        if let Some(junit) = self.junit.take() {
            junit.save_refusal(&junit::render(name, cases))?;
        }
        self.sarif.take().map_or(Ok(()), |sarif| sarif.save_refusal(&sarif::render(results, &[])))
    }

    /// Writes the trace, if there is one; without one, no file is created.
    pub(crate) fn save_trace(&mut self, text: impl FnOnce(TraceFormat) -> Option<Shown>) -> Result<(), String> {
        let Some((format, file)) = self.trace.take() else { return Ok(()) };
        text(format).map_or(Ok(()), |text| file.save(&text))
    }

    /// Draws the states of a run of the machine in this file; `without` is the note if none of them has a picture.
    pub(crate) fn draw(
        &mut self,
        painter: Option<&Painter>,
        run: (&str, &Trace),
        (sources, without): (&SourceMap, &str),
    ) -> Result<(), String> {
        let Some((format, file)) = self.picture.take() else { return Ok(()) };
        let saved = painter.map(|painter| format.save(painter, run, file)).transpose();
        let Some(saved) = unless_not_made(saved)? else { return Ok(()) };
        match saved.flatten() {
            None => files::complain(&format!("note: {without}\n")),
            Some(remarks) => say_left_out(&remarks, sources),
        }
        Ok(())
    }

    /// Writes finished pictures, or prints this note if there are none.
    pub(crate) fn save_picture(&mut self, drawn: Option<&[u8]>, without: &str) -> Result<(), String> {
        match (self.picture.take(), drawn) {
            (None, _) => {}
            (Some((_, file)), Some(bytes)) => file.save_bytes(bytes)?,
            (Some(_), None) => files::complain(&format!("note: {without}\n")),
        }
        Ok(())
    }

    /// Writes how the run ended. The status of an earlier run is always replaced: it would claim that a search is running, or ended with a
    /// verdict.
    pub(crate) fn end_status(&mut self, verdict: Option<Verdict>) -> Result<(), String> {
        self.status.take().map_or(Ok(()), |status| status.end(verdict))
    }

    /// Reports a machine that was refused in all requested files; in none if one of them would replace an input.
    pub(crate) fn refuse(mut self, failure: &Failure, path: &Path, console: &Console) -> Exit {
        if !matches!(failure, Failure::Plain(_, Exit::Usage)) {
            let (cases, results) = of_refused(failure, path, &console.sources);
            let written = self.save_refusal(&path.display().to_string(), &cases, &results);
            if let Err(reason) = written.and_then(|()| self.end_status(None)) {
                return complain(&reason, Exit::Io);
            }
        }
        // Last, as it returns the exit code: the other files have the same message by now.
        console.refuse(failure, path, self.report)
    }
}

/// The test case and the results for a machine that was refused.
pub(crate) fn of_refused(failure: &Failure, path: &Path, sources: &SourceMap) -> (Vec<TestCase>, Vec<Json>) {
    let file = path.display().to_string();
    // An unreadable file has no place that a SARIF result could point to.
    let (title, reason, results) = match failure {
        Failure::Plain(reason, _) => ("it cannot be read", Shown::line(reason), Vec::new()),
        Failure::Refused(diagnostics, _) => {
            let errors = diagnostics.iter().map(|diagnostic| headline(diagnostic, sources));
            ("the machine is refused", Shown::join(errors, "\n"), sarif::of_diagnostics(diagnostics, sources))
        }
    };
    let result = TestResult::Failed(title.to_owned(), reason);
    (vec![TestCase { class: file, name: "it can be checked".to_owned(), seconds: 0.0, result }], results)
}
