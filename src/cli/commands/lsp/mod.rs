//! `bcheck lsp`: the language server, over stdin and stdout.
//!
//! One thread handles messages one after the other (`Server`); all changes that have arrived are applied before texts are analysed again. A
//! check runs in a thread of its own and reports through a channel. `documents` stores the texts, `analysis` analyses them; `declared`,
//! `symbols`, `locals`, `formulas`, `hover` and `quick_fixes` answer requests about a place, `answers` all others, with `names` (in a
//! text), `references` and `rename` (in the project of `workspace`), `colours`, `folding`, `signatures`, `hints`; `verdict` runs checks,
//! `position` converts places to UTF-16, `handshake` initialises, `transport` reads and writes messages. Invariant: each request gets
//! exactly one answer, possibly an error; no text of the editor ends the server.

mod analysis;
mod answers;
mod colours;
mod declared;
mod documents;
mod folding;
mod formulas;
mod handshake;
mod hints;
mod hover;
mod locals;
mod names;
mod position;
mod quick_fixes;
mod references;
mod rename;
mod reply;
mod signatures;
mod symbols;
#[cfg(test)]
mod tests;
mod transport;
mod verdict;
mod workspace;

use crate::args::LspArgs;
use crate::exit::Exit;
use crate::exit::complain;
use answers::LookUp;
use bcheck_source::{FileId, Span};
use crossbeam::channel::{Receiver, Sender, TryRecvError};
use documents::{Document, Documents};
use handshake::{Editor, initialise};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLens, CodeLensOptions, Command, CompletionOptions, CompletionResponse, DocumentSymbolResponse,
    ExecuteCommandOptions, ExecuteCommandParams, GotoDefinitionResponse, Hover, HoverContents, LogMessageParams, MarkupContent, MarkupKind,
    MessageType, OneOf, SaveOptions, ServerCapabilities, ShowMessageParams, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use reply::{RequestError, json, parameters};
use serde_json::Value as Json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use verdict::{Handle, Verdict};

/// The command of the lens over a machine; its arguments are the machine's URI and optionally the name of a stated formula.
const CHECK: &str = "bcheck.check";
/// The command that stops it.
const STOP: &str = "bcheck.stop";
/// The stack of a check, as large as that of the program's main thread: formulas nest deeply, and address space is reserved, not used.
const STACK_BYTES: usize = 1 << 30;

/// The report of a check in a thread.
struct FinishedCheck {
    uri: Uri,
    version: i32,
    handle: Arc<Handle>,
    /// The name of the stated formula that was checked by itself.
    formula: Option<String>,
    verdict: Verdict,
}

/// Serves until the editor leaves.
pub(crate) fn run(args: &LspArgs) -> Exit {
    let (connection, threads) = match transport::connect() {
        Ok(connected) => connected,
        Err(error) => return complain(&crate::io::interrupt::no_thread(&error), Exit::Io),
    };
    let editor = match initialise(&connection, capabilities_of_server()) {
        Ok(editor) => editor,
        Err(error) => {
            let has_ended = error.channel_is_disconnected();
            drop(connection);
            // If the stream has ended, so has the reader, which knows why; otherwise it still reads, and joining it would block.
            let cause = if has_ended { threads.join().err().map(|cause| cause.to_string()) } else { None };
            let reason = cause.unwrap_or_else(|| error.to_string());
            return complain(&format!("no editor that speaks the Language Server Protocol on stdin: {}", shortened(&reason)), Exit::Io);
        }
    };
    // Unbounded, so that a check can end while the server is busy.
    let (report, finished) = crossbeam::channel::unbounded();
    let (documents, stopping, next_id) = (Documents::default(), false, 0);
    let mut server = Server { args, sender: connection.sender, report, documents, editor, stopping, next_id };
    let end = server.serve(&connection.receiver, &finished);
    // Both channels are closed before the threads are joined: the writer ends without senders, the reader without receivers.
    drop((server, connection.receiver));
    match end {
        Some(exit) => exit,
        // The stream ended without the notification `exit`.
        None => match threads.join() {
            Ok(()) => Exit::Unexpected,
            Err(error) => complain(&format!("the editor's message cannot be read: {}", shortened(&error.to_string())), Exit::Io),
        },
    }
}

/// The beginning of a message, which may repeat whole texts.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(300).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

fn capabilities_of_server() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        // Without the text, which is known from the changes: saving only means that a file on disk has changed.
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions::default()),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(
            CodeActionOptions { code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]), ..CodeActionOptions::default() }.into(),
        ),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![CHECK.to_owned(), STOP.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    };
    answers::announced(capabilities)
}

struct Server<'a> {
    args: &'a LspArgs,
    sender: Sender<Message>,
    report: Sender<FinishedCheck>,
    documents: Documents,
    editor: Editor,
    /// Whether the editor has announced that it will leave (`shutdown`).
    stopping: bool,
    next_id: i32,
}

impl Server<'_> {
    /// Answers until the editor leaves; returns the exit code, or `None` if the stream ends without `exit`.
    fn serve(&mut self, receiver: &Receiver<Message>, finished: &Receiver<FinishedCheck>) -> Option<Exit> {
        loop {
            let message = match receiver.try_recv() {
                Ok(message) => message,
                Err(TryRecvError::Disconnected) => return None,
                // Only when no message is waiting: a burst of edits is analysed once, at its end. Requests in between bring texts up to
                // date themselves.
                Err(TryRecvError::Empty) if self.documents.is_stale() => {
                    self.refresh();
                    continue;
                }
                Err(TryRecvError::Empty) => {
                    crossbeam::select! {
                        recv(receiver) -> message => message.ok()?,
                        recv(finished) -> check => {
                            if let Ok(check) = check {
                                self.finish(check);
                            }
                            continue;
                        }
                    }
                }
            };
            match message {
                Message::Request(request) => self.answer(request),
                Message::Notification(note) if note.method == notification::Exit::METHOD => {
                    // The protocol prescribes both codes: 0 after `shutdown`, 1 without it.
                    return Some(if self.stopping { Exit::Done } else { Exit::Unexpected });
                }
                Message::Notification(note) => {
                    let method = note.method.clone();
                    if catch_unwind(AssertUnwindSafe(|| self.take_note(note))).is_err() {
                        self.log(MessageType::ERROR, format!("bcheck is at fault: it panicked on {method}; please report it"));
                    }
                }
                // The server's own requests (to redraw lenses) need no further action.
                Message::Response(_) => {}
            }
        }
    }

    /// Sends a message. If the editor is gone, the next read reports it.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.sender.send(message.into());
    }

    fn log(&self, typ: MessageType, message: String) {
        self.send(Notification::new(notification::LogMessage::METHOD.to_owned(), LogMessageParams { typ, message }));
    }

    /// Analyses changed texts and publishes their diagnostics.
    fn refresh(&mut self) {
        let (published, complaints) = self.documents.refresh(&self.args.common.folders);
        for params in published {
            self.send(Notification::new(notification::PublishDiagnostics::METHOD.to_owned(), params));
        }
        complaints.into_iter().for_each(|complaint| self.log(MessageType::ERROR, complaint));
    }

    fn take_note(&mut self, note: Notification) {
        fn params<N: notification::Notification>(note: Notification) -> Option<N::Params> {
            note.extract(N::METHOD).ok()
        }
        match note.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                if let Some(params) = params::<notification::DidOpenTextDocument>(note) {
                    let item = params.text_document;
                    self.documents.open(item.uri, item.version, item.text);
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                if let Some(params) = params::<notification::DidChangeTextDocument>(note) {
                    let document = params.text_document;
                    self.documents.change(&document.uri, document.version, params.content_changes);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(params) = params::<notification::DidCloseTextDocument>(note) {
                    // Published at once, and without those of the closed text: the editor keeps diagnostics of closed files until they are
                    // replaced.
                    for uri in self.documents.close(&params.text_document.uri) {
                        let published = self.documents.diagnostics_of(uri);
                        self.send(Notification::new(notification::PublishDiagnostics::METHOD.to_owned(), published));
                    }
                }
            }
            notification::DidSaveTextDocument::METHOD | notification::DidChangeWatchedFiles::METHOD => self.documents.reload(),
            _ => {}
        }
    }

    /// Answers a request.
    fn answer(&mut self, request: Request) {
        let id = request.id.clone();
        let method = request.method.clone();
        let answered = catch_unwind(AssertUnwindSafe(|| {
            // An answer is about the text as the editor has it now.
            if self.documents.is_stale() {
                self.refresh();
            }
            self.result_of(request)
        }));
        let panicked =
            || Err(RequestError(ErrorCode::InternalError, format!("bcheck is at fault: it panicked on {method}; please report it")));
        let response = match answered.unwrap_or_else(|_| panicked()) {
            Ok(result) => Response::new_ok(id, result),
            Err(RequestError(code, reason)) => Response::new_err(id, code as i32, reason),
        };
        self.send(response);
    }

    fn result_of(&mut self, request: Request) -> Result<Json, RequestError> {
        if self.stopping {
            // By the protocol, only `exit` may follow.
            return Err(RequestError(ErrorCode::InvalidRequest, "the server has been shut down".to_owned()));
        }
        match request.method.as_str() {
            request::HoverRequest::METHOD => {
                let params = parameters::<request::HoverRequest>(request)?;
                Ok(json(self.hover(&params.text_document_position_params)))
            }
            request::GotoDefinition::METHOD => {
                let params = parameters::<request::GotoDefinition>(request)?;
                Ok(json(self.definition(&params.text_document_position_params)))
            }
            request::DocumentSymbolRequest::METHOD => {
                let params = parameters::<request::DocumentSymbolRequest>(request)?;
                let understood = self.documents.get(&params.text_document.uri).and_then(|document| document.understood.as_ref());
                Ok(json(understood.map(|understood| DocumentSymbolResponse::Nested(symbols::outline(understood)))))
            }
            request::Completion::METHOD => {
                let params = parameters::<request::Completion>(request)?;
                Ok(json(self.completion(&params.text_document_position)))
            }
            request::CodeLensRequest::METHOD => {
                let params = parameters::<request::CodeLensRequest>(request)?;
                Ok(json(self.documents.get(&params.text_document.uri).map(lenses)))
            }
            request::CodeActionRequest::METHOD => {
                let params = parameters::<request::CodeActionRequest>(request)?;
                let understood = self.documents.get(&params.text_document.uri).and_then(|document| document.understood.as_ref());
                Ok(json(understood.map(|understood| quick_fixes::quick_fixes(understood, &params))))
            }
            request::ExecuteCommand::METHOD => {
                let params = parameters::<request::ExecuteCommand>(request)?;
                self.execute(&params).map(|()| Json::Null)
            }
            request::Shutdown::METHOD => {
                self.stopping = true;
                self.documents.iter().filter_map(|document| document.running.as_ref()).for_each(|running| running.stop());
                Ok(Json::Null)
            }
            // Unknown notifications (`take_note`) may be ignored, requests must be answered.
            _ => LookUp { documents: &self.documents, folders: &self.args.common.folders, editor: &self.editor }.answer(request),
        }
    }

    fn hover(&self, at: &TextDocumentPositionParams) -> Option<Hover> {
        let document = self.documents.get(&at.text_document.uri)?;
        let understood = document.understood.as_ref()?;
        let name = hover::hover(understood, document.older.as_ref(), position::offset(&document.text, at.position));
        let name = name.map(|(value, span)| (value, position::range(&understood.sources, span)));
        // Below the type of the name there: what the last check found false at this place, and why.
        let verdicts = document.verdict.iter().chain(document.of_formulas.values());
        let why = verdicts.filter_map(|verdict| hover::why(verdict, at.position)).next();
        let (value, range) = match (name, why) {
            (Some((value, range)), Some((why, _))) => (format!("{value}\n\n{why}"), range),
            (found, why) => found.or(why)?,
        };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: Some(range) })
    }

    fn definition(&self, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
        let document = self.documents.get(&at.text_document.uri)?;
        let understood = document.understood.as_ref()?;
        let span = symbols::definition(understood, position::offset(&document.text, at.position))?;
        understood.location(&document.uri, span).map(GotoDefinitionResponse::Scalar)
    }

    fn completion(&self, at: &TextDocumentPositionParams) -> Option<CompletionResponse> {
        let document = self.documents.get(&at.text_document.uri)?;
        let understood = document.understood.as_ref()?;
        let model = understood.model.as_ref().or(document.older.as_ref());
        let offset = position::offset(&document.text, at.position);
        Some(CompletionResponse::Array(symbols::completions(understood, model, offset)))
    }

    /// Starts or stops a check; its verdict is reported as a message and in the lens.
    fn execute(&mut self, params: &ExecuteCommandParams) -> Result<(), RequestError> {
        // Editors without lenses run a command by its name alone, without arguments: then it applies to the text touched last.
        let uri = match params.arguments.first() {
            Some(argument) => serde_json::from_value::<Uri>(argument.clone()).ok(),
            None => self.documents.latest().cloned(),
        };
        let refuse = |reason: &str| RequestError(ErrorCode::InvalidParams, reason.to_owned());
        let uri = uri.ok_or_else(|| refuse("the argument of the command is the URI of an open machine"))?;
        let open = self.documents.texts();
        let document = self.documents.get_mut(&uri).ok_or_else(|| refuse("this machine is not open"))?;
        match params.command.as_str() {
            CHECK => {
                if let Some(running) = document.running.take() {
                    running.stop();
                }
                // One check per text: the previous one is about this or an older version, and was asked to stop.
                let handle = Arc::new(Handle::default());
                document.running = Some(Arc::clone(&handle));
                let formula = params.arguments.get(1).and_then(|name| name.as_str()).map(str::to_owned);
                match &formula {
                    Some(name) => drop(document.of_formulas.remove(name)),
                    None => document.verdict = None,
                }
                let request = verdict::Request {
                    path: document.path.clone(),
                    text: document.text.clone(),
                    folders: self.args.common.folders.clone(),
                    open,
                    scope: self.args.scope.clone(),
                    time_limit: self.args.time_limit.0,
                    formula,
                };
                let (version, report) = (document.version, self.report.clone());
                let work = move || {
                    let verdict = verdict::check(&request, &handle);
                    // The send fails if the server has ended meanwhile.
                    let _ = report.send(FinishedCheck { uri, version, handle, formula: request.formula, verdict });
                };
                let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK_BYTES).spawn(work);
                if let Err(error) = thread {
                    document.running = None;
                    return Err(RequestError(ErrorCode::InternalError, format!("no thread for the check: {error}")));
                }
                self.redraw();
                Ok(())
            }
            STOP => {
                if let Some(running) = &document.running {
                    running.stop();
                }
                Ok(())
            }
            other => Err(refuse(&format!("bcheck does not know the command {other}"))),
        }
    }

    /// Reports the end of a check to the editor.
    fn finish(&mut self, check: FinishedCheck) {
        let FinishedCheck { uri, version, handle, formula, verdict } = check;
        if self.stopping || self.documents.get(&uri).is_none() {
            return;
        }
        let name = self.documents.get(&uri).and_then(|document| Some(document.path.file_name()?.to_string_lossy().into_owned()));
        let name = name.unwrap_or_else(|| uri.as_str().to_owned());
        let subject = formula.as_ref().map_or_else(|| name.clone(), |formula| format!("{name}, {formula}"));
        let message = bcheck_source::shown!("{}: {}", subject, verdict.title).to_string();
        let typ = if verdict.is_bad { MessageType::WARNING } else { MessageType::INFO };
        if !verdict.report.is_empty() {
            self.log(MessageType::LOG, verdict.report.clone());
        }
        self.documents.finish(&uri, version, &handle, formula, verdict);
        self.send(Notification::new(notification::ShowMessage::METHOD.to_owned(), ShowMessageParams { typ, message }));
        self.redraw();
    }

    /// Asks the editor to request the lenses again.
    fn redraw(&mut self) {
        if self.editor.can_refresh {
            // The response is not awaited, so ids only have to be distinct.
            self.next_id += 1;
            let id = RequestId::from(self.next_id);
            self.send(Request::new(id, request::CodeLensRefresh::METHOD.to_owned(), Json::Null));
        }
    }
}

/// The lenses over a machine and over each formula that its definitions state: the verdict, or the command to get one.
fn lenses(document: &Document) -> Vec<CodeLens> {
    let Some(understood) = &document.understood else { return Vec::new() };
    let Some(machine) = &understood.machine else { return Vec::new() };
    let (title, command) = match (&document.running, &document.verdict) {
        (Some(_), _) => ("checking… (stop)".to_owned(), STOP),
        (None, Some(verdict)) => (format!("{} (check again)", verdict.title), CHECK),
        (None, None) => ("check this machine".to_owned(), CHECK),
    };
    let lens = |span: Span, title: String, command: &str, arguments: Vec<Json>| CodeLens {
        range: position::range(&understood.sources, span),
        command: Some(Command { title, command: command.to_owned(), arguments: Some(arguments) }),
        data: None,
    };
    let mut lenses = vec![lens(machine.name.span, title, command, vec![json(&document.uri)])];
    // Formulas of definition files are in another text.
    for stated in understood.stated.iter().filter(|stated| stated.span.file == FileId(0)) {
        let title = match document.of_formulas.get(&stated.name) {
            Some(verdict) => format!("{} (check again)", verdict.title),
            None => "check this formula".to_owned(),
        };
        lenses.push(lens(stated.span, title, CHECK, vec![json(&document.uri), json(&stated.name)]));
    }
    lenses
}
