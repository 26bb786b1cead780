// A stand-in for VS Code: as much of its interface as the extension and its client of the protocol use, with what they ask for recorded.
//
// Invariant: a function that is not listed here is missing, so that no test passes by an accident of the stand-in; classes and
// enumerations that only the client names are empty. Deliberately elsewhere: what VS Code itself does with it all.

const { EventEmitter: Emitter } = require("node:events");
const { readFileSync } = require("node:fs");
const { readFile, writeFile } = require("node:fs/promises");
const Module = require("node:module");
const { join } = require("node:path");
const { fileURLToPath, pathToFileURL } = require("node:url");

const manifest = JSON.parse(readFileSync(join(__dirname, "..", "package.json"), "utf8"));
const defaults = manifest.contributes.configuration.properties;

/** What was registered, shown and read. */
const recorded = {
  commands: new Map(),
  providers: new Map(),
  settingsRead: new Set(),
  messages: [],
  panels: [],
  terminals: [],
  statusItems: [],
  diagnostics: new Map(),
  log: "",
};
/** What the user has set; everything else has the default of the manifest. */
const settings = {};
const happenings = new Emitter();

/** The function that subscribes to an event of this name. */
function event(name) {
  return (listener, self, disposables) => {
    const bound = self ? listener.bind(self) : listener;
    happenings.on(name, bound);
    const subscription = new Disposable(() => happenings.off(name, bound));
    disposables?.push(subscription);
    return subscription;
  };
}

/** Lets something happen, and tells all who listen. */
function happen(name, value) {
  happenings.emit(name, value);
}

class Disposable {
  constructor(dispose) {
    this.dispose = dispose ?? (() => {});
  }
  static from(...parts) {
    return new Disposable(() => parts.forEach((part) => part.dispose()));
  }
}

class EventEmitter {
  #listeners = new Set();
  event = (listener, self) => {
    const bound = self ? listener.bind(self) : listener;
    this.#listeners.add(bound);
    return new Disposable(() => this.#listeners.delete(bound));
  };
  fire(value) {
    [...this.#listeners].forEach((listener) => listener(value));
  }
  dispose() {
    this.#listeners.clear();
  }
}

class CancellationTokenSource {
  #cancelled = new EventEmitter();
  token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };
  cancel() {
    this.token.isCancellationRequested = true;
    this.#cancelled.fire();
  }
  dispose() {}
}

class Uri {
  constructor(url) {
    this.url = url;
    this.scheme = url.protocol.slice(0, -1);
    this.path = decodeURIComponent(url.pathname);
  }
  get fsPath() {
    return this.scheme === "file" ? fileURLToPath(this.url) : this.path;
  }
  toString() {
    return this.url.href;
  }
  static parse(text) {
    return new Uri(new URL(text));
  }
  static file(path) {
    return new Uri(pathToFileURL(path));
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(...ends) {
    const [start, end] = ends.length === 2 ? ends : [new Position(ends[0], ends[1]), new Position(ends[2], ends[3])];
    Object.assign(this, { start, end });
  }
}

/** A class whose instances have the arguments of their construction as these fields. */
function fields(...names) {
  return class {
    constructor(...values) {
      names.forEach((name, index) => {
        this[name] = values[index];
      });
    }
  };
}

class MarkdownString {
  constructor(value = "") {
    this.value = value;
  }
  appendMarkdown(more) {
    this.value += more;
    return this;
  }
}

/** A text in the editor, of a file. */
class TextDocument {
  version = 1;
  isDirty = false;
  isClosed = false;
  constructor(uri, text, languageId = "classicalb") {
    Object.assign(this, { uri, text, languageId, fileName: uri.fsPath });
  }
  getText() {
    return this.text;
  }
  async save() {
    await writeFile(this.fileName, this.text);
    this.isDirty = false;
    return true;
  }
}

async function openTextDocument(uri) {
  const open = workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open) {
    return open;
  }
  const document = new TextDocument(uri, await readFile(uri.fsPath, "utf8"));
  workspace.textDocuments.push(document);
  happen("open", document);
  return document;
}

function getConfiguration(section) {
  const key = (name) => (section ? `${section}.${name}` : name);
  return {
    get(name, otherwise) {
      recorded.settingsRead.add(key(name));
      return settings[key(name)] ?? defaults[key(name)]?.default ?? otherwise;
    },
    inspect: () => undefined,
    has: (name) => key(name) in defaults,
  };
}

function register(kind) {
  return (selector, provider) => {
    recorded.providers.set(kind, provider);
    return new Disposable(() => recorded.providers.delete(kind));
  };
}

function show(severity) {
  return async (message, ...choices) => {
    recorded.messages.push({ severity, message, choices });
    happen("message");
    return undefined;
  };
}

function recordLog(text) {
  recorded.log += text;
  happen("log");
}

const workspace = {
  textDocuments: [],
  notebookDocuments: [],
  workspaceFolders: undefined,
  isTrusted: true,
  getConfiguration,
  openTextDocument,
  createFileSystemWatcher: () => ({
    onDidCreate: event("created"),
    onDidChange: event("changed"),
    onDidDelete: event("deleted"),
    dispose() {},
  }),
  onDidChangeConfiguration: event("configuration"),
  onDidGrantWorkspaceTrust: event("trust"),
  onDidChangeWorkspaceFolders: event("folders"),
  onDidOpenTextDocument: event("open"),
  onDidChangeTextDocument: event("change"),
  onDidCloseTextDocument: event("close"),
  onDidSaveTextDocument: event("save"),
  onWillSaveTextDocument: event("willSave"),
  onWillSaveTextDocumentWaitUntil: event("willSaveWaitUntil"),
  onDidOpenNotebookDocument: event("notebook"),
  onDidChangeNotebookDocument: event("notebook"),
  onDidCloseNotebookDocument: event("notebook"),
  onDidSaveNotebookDocument: event("notebook"),
  onDidCreateFiles: event("files"),
  onDidRenameFiles: event("files"),
  onDidDeleteFiles: event("files"),
  onWillCreateFiles: event("files"),
  onWillRenameFiles: event("files"),
  onWillDeleteFiles: event("files"),
};

const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: { all: [], onDidChangeTabs: event("tabs"), onDidChangeTabGroups: event("tabs") },
  activeColorTheme: { kind: 1 },
  onDidChangeActiveColorTheme: event("colours"),
  onDidChangeActiveTextEditor: event("activeEditor"),
  onDidChangeVisibleTextEditors: event("visibleEditors"),
  showErrorMessage: show("error"),
  showWarningMessage: show("warning"),
  showInformationMessage: show("information"),
  createOutputChannel(name, options) {
    const appendLine = (line) => recordLog(`${line}\n`);
    const channel = { name, append: recordLog, appendLine, show: () => recordLog("(shown)"), dispose() {} };
    const levels = { trace: recordLog, debug: recordLog, info: recordLog, warn: recordLog, error: recordLog };
    return options?.log ? { ...channel, ...levels, logLevel: 3, onDidChangeLogLevel: event("logLevel") } : channel;
  },
  createStatusBarItem(id) {
    const item = { id, isVisible: false, dispose() {} };
    item.show = () => (item.isVisible = true);
    item.hide = () => (item.isVisible = false);
    recorded.statusItems.push(item);
    return item;
  },
  createTerminal(options) {
    recorded.terminals.push(options);
    return { show() {}, dispose() {} };
  },
  createWebviewPanel(type, title, place, options) {
    const disposed = new EventEmitter();
    const panel = { type, title, place, options, webview: { html: "" }, reveal() {}, onDidDispose: disposed.event };
    panel.dispose = () => disposed.fire();
    recorded.panels.push(panel);
    return panel;
  },
  withProgress(options, task) {
    const source = new CancellationTokenSource();
    happen("progress", source);
    return task({ report() {} }, source.token);
  },
};

const languages = {
  match: (selector, document) => {
    const filters = [selector].flat();
    return filters.some(({ language, scheme }) => language === document.languageId && scheme === document.uri.scheme) ? 10 : 0;
  },
  createDiagnosticCollection: () => ({
    set(uri, diagnostics) {
      recorded.diagnostics.set(uri.toString(), diagnostics);
      happen("diagnostics");
    },
    delete: (uri) => recorded.diagnostics.delete(uri.toString()),
    clear: () => recorded.diagnostics.clear(),
    dispose() {},
  }),
};
const KINDS = ["CodeActions", "CodeLens", "CompletionItem", "Definition", "DocumentFormattingEdit", "DocumentHighlight", "DocumentLink"];
const LATER_KINDS = ["DocumentRangeFormattingEdit", "DocumentSymbol", "FoldingRange", "Hover", "InlayHints", "OnTypeFormattingEdit"];
const LAST_KINDS = ["Reference", "Rename", "SelectionRange", "SignatureHelp", "DocumentSemanticTokens", "DocumentRangeSemanticTokens"];
for (const kind of [...KINDS, ...LATER_KINDS, ...LAST_KINDS, "CallHierarchy", "TypeHierarchy"]) {
  languages[`register${kind}Provider`] = register(kind);
}
languages.registerWorkspaceSymbolProvider = (provider) => register("WorkspaceSymbol")(undefined, provider);

const commands = {
  registerCommand(name, act) {
    if (recorded.commands.has(name)) {
      throw new Error(`command '${name}' already exists`);
    }
    recorded.commands.set(name, act);
    return new Disposable(() => recorded.commands.delete(name));
  },
  executeCommand: async (name, ...args) => recorded.commands.get(name)?.(...args),
};

const vscode = {
  version: "1.91.0",
  env: { language: "en", appName: "a stand-in" },
  commands,
  languages,
  window,
  workspace,
  CancellationTokenSource,
  Disposable,
  EventEmitter,
  MarkdownString,
  Position,
  Range,
  Uri,
  CodeLens: fields("range", "command"),
  CompletionItem: fields("label", "kind"),
  CompletionList: fields("items", "isIncomplete"),
  Diagnostic: fields("range", "message", "severity"),
  DocumentSymbol: fields("name", "detail", "kind", "range", "selectionRange"),
  Hover: fields("contents", "range"),
  Location: fields("uri", "range"),
  ThemeColor: fields("id"),
  ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  LogLevel: { Off: 0, Trace: 1, Debug: 2, Info: 3, Warning: 4, Error: 5 },
  ProgressLocation: { Window: 10, Notification: 15 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  ViewColumn: { Active: -1, Beside: -2 },
};
/** Classes that the client extends or constructs, and enumerations that it reads, which no test needs. */
const EMPTY = [
  "CallHierarchyIncomingCall", "CallHierarchyItem", "CallHierarchyOutgoingCall", "CancellationError", "CodeAction", "CodeActionKind",
  "CodeActionTriggerKind", "Color", "ColorInformation", "ColorPresentation", "CompletionItemKind", "CompletionItemTag", "CompletionTriggerKind",
  "DiagnosticRelatedInformation", "DiagnosticTag", "DocumentHighlight", "DocumentHighlightKind", "DocumentLink", "FileType", "FoldingRange",
  "FoldingRangeKind", "InlayHint", "InlayHintLabelPart", "InlineCompletionItem", "InlineCompletionList", "InlineCompletionTriggerKind",
  "InlineValueEvaluatableExpression", "InlineValueText", "InlineValueVariableLookup", "LinkedEditingRanges", "NotebookCellKind",
  "ParameterInformation", "RelativePattern", "SelectionRange", "SemanticTokens", "SemanticTokensEdit", "SemanticTokensEdits",
  "SignatureHelp", "SignatureHelpTriggerKind", "SignatureInformation", "SnippetString", "SnippetTextEdit", "SymbolInformation",
  "SymbolKind", "SymbolTag", "TabInputCustom", "TabInputNotebook", "TabInputText", "TabInputTextDiff", "TextDocumentSaveReason", "TextEdit",
  "TypeHierarchyItem", "WorkspaceEdit",
];
for (const name of EMPTY) {
  vscode[name] = new Proxy(class {}, { get: (type, member) => (member in type ? type[member] : nothing(member)) });
}

/** A member of an enumeration that is not listed: some kinds are asked for by `append`, all others are only passed on. */
function nothing(member) {
  return { value: String(member), append: (more) => nothing(`${String(member)}.${more}`) };
}

const load = Module._load;
Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));

module.exports = { TextDocument, happen, happenings, manifest, recorded, settings, vscode };
