// The extension of VS Code: commands, and what starts and ends with it.
//
// Invariant: each command that package.json declares is registered here, whether or not there is a server, and acts on the machine that it
// is given or else on the one in the editor. Deliberately elsewhere: the server (server.js), reports (report.js, panel.js).

const { basename, dirname } = require("node:path");
const vscode = require("vscode");
const { Panels } = require("./panel.js");
const { inquire } = require("./program.js");
const { commandFor, make } = require("./report.js");
const { LANGUAGE, Server, current } = require("./server.js");
const { OF_SERVER, ofAnimation } = require("./settings.js");

/** @type {Server | undefined} */
let server;

/** Called by VS Code when the first machine is opened. */
async function activate(context) {
  const output = vscode.window.createOutputChannel("bcheck", { log: true });
  const panels = new Panels();
  const commands = {
    "bcheck.check": (target, formula) => onMachine(target, ({ uri }) => forward("bcheck.check", uri, formula)),
    "bcheck.stop": (target) => onMachine(target, ({ uri }) => forward("bcheck.stop", uri)),
    "bcheck.animate": (target) => onMachine(target, animate),
    "bcheck.report": (target) => onMachine(target, (document) => report(document, commandFor(document.getText()), panels, output)),
    "bcheck.compare": (target) => onMachine(target, (document) => report(document, "compare", panels, output)),
    "bcheck.restart": () => server.restart(),
    "bcheck.log": () => output.show(),
  };
  server = new Server(Object.keys(commands), output);
  context.subscriptions.push(output, panels, server);
  for (const [name, act] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, act));
  }
  context.subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor((editor) => server.follow(editor)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (OF_SERVER.some((setting) => change.affectsConfiguration(setting))) {
        server.restart();
      }
    }),
  );
  server.follow(vscode.window.activeTextEditor);
  await server.restart();
}

/** Called by VS Code when it ends. */
function deactivate() {
  return server?.stop();
}

/**
 * Does something with a machine: the one that a lens or menu names, by its URI or as text, or else the one in the editor.
 * @param {vscode.Uri | string | undefined} target
 * @param {(document: vscode.TextDocument) => unknown} act
 */
async function onMachine(target, act) {
  const named = typeof target === "string" ? vscode.Uri.parse(target, true) : target;
  const document = named ? await vscode.workspace.openTextDocument(named) : vscode.window.activeTextEditor?.document;
  if (document?.languageId !== LANGUAGE) {
    vscode.window.showInformationMessage("Open a machine of B first: a file that ends in .mch, .ref or .imp.");
    return undefined;
  }
  return act(document);
}

function forward(command, uri, formula) {
  // Menus give something else as the second argument.
  return server.execute(command, typeof formula === "string" ? [uri.toString(), formula] : [uri.toString()]);
}

/** The settings, with the program found and all machines saved, as it reads files; undefined with a message if either is not to be had. */
async function prepared(document) {
  // Also those that the machine refers to.
  const machines = vscode.workspace.textDocuments.filter(({ languageId, uri }) => languageId === LANGUAGE && uri.scheme === "file");
  const unsaved = [];
  for (const machine of new Set([document, ...machines])) {
    if (machine.uri.scheme !== "file" || (machine.isDirty && !(await machine.save()))) {
      unsaved.push(basename(machine.fileName));
    }
  }
  if (unsaved.length > 0) {
    vscode.window.showErrorMessage(`Save ${unsaved.join(", ")} first: bcheck reads machines from their files.`);
    return undefined;
  }
  const settings = current();
  const answer = await inquire(settings.path);
  if ("fault" in answer) {
    vscode.window.showErrorMessage(answer.fault);
    return undefined;
  }
  return settings;
}

async function animate(document) {
  const settings = await prepared(document);
  if (settings === undefined) {
    return;
  }
  const terminal = vscode.window.createTerminal({
    name: `animate ${basename(document.fileName)}`,
    // The program itself, so that no shell reads the name of the file.
    shellPath: settings.path,
    shellArgs: ofAnimation(settings, document.fileName),
    cwd: dirname(document.fileName),
  });
  terminal.show();
}

async function report(document, command, panels, output) {
  const settings = await prepared(document);
  if (settings === undefined) {
    return;
  }
  const name = basename(document.fileName);
  const title = command === "compare" ? `${name}: comparison` : `${name}: report`;
  const progress = { location: vscode.ProgressLocation.Notification, title: `bcheck ${command} ${name}`, cancellable: true };
  const made = await vscode.window.withProgress(progress, (_, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort());
    return make(settings, command, document.fileName, stop.signal);
  });
  output.info(made.output);
  if (made.page !== undefined) {
    panels.show(`${command} ${document.uri}`, title, made.page);
  } else if ((await vscode.window.showErrorMessage(made.fault, "Show Log")) === "Show Log") {
    output.show();
  }
}

module.exports = { activate, deactivate };
