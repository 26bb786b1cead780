// The protocol between client and server, with the library that VS Code's client is made of.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import protocol from "vscode-languageserver-protocol/node";
import { connect, disconnect } from "./connection.mjs";

const WRONG = `MACHINE wrong
VARIABLES xx
INVARIANT xx : 0..3
INITIALISATION xx := TRUE
OPERATIONS up = PRE xx < 3 THEN xx := xx + 1 END
END
`;
const RIGHT = WRONG.replace("TRUE", "0").replace("wrong", "right");
const WRONG_URI = "file:///nowhere/wrong.mch";
const RIGHT_URI = "file:///nowhere/right.mch";

let server;
let connection;
const published = new Map();
const messages = [];
const waiting = [];

/** Waits until something holds, which is asked after each message of the server. */
async function until(what, holds) {
  while (!holds()) {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within a minute`)), 60_000);
      waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

function heard() {
  waiting.splice(0).forEach((resume) => resume());
}

function place(text, part) {
  const lines = text.slice(0, text.indexOf(part)).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
}

function open(uri, text) {
  const textDocument = { uri, languageId: "classicalb", version: 1, text };
  connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument });
}

function ask(type, uri, text, part) {
  return connection.sendRequest(type, { textDocument: { uri }, position: place(text, part) });
}

before(async () => {
  server = await connect((listener) => {
    listener.onNotification(protocol.PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
      published.set(uri, diagnostics);
      heard();
    });
    listener.onNotification(protocol.ShowMessageNotification.type, (message) => {
      messages.push(message);
      heard();
    });
    listener.onNotification(protocol.LogMessageNotification.type, heard);
    listener.onRequest(protocol.CodeLensRefreshRequest.type, () => null);
  });
  ({ connection } = server);
});

after(() => server?.child.kill());

test("the server offers what the extension relies on", () => {
  for (const provider of ["hoverProvider", "completionProvider", "definitionProvider", "codeLensProvider", "documentSymbolProvider"]) {
    assert.ok(server.capabilities[provider], provider);
  }
  for (const command of ["bcheck.check", "bcheck.stop"]) {
    assert.ok(server.capabilities.executeCommandProvider.commands.includes(command), command);
  }
});

test("a wrong machine gets a diagnostic at the place of its fault", async () => {
  open(WRONG_URI, WRONG);
  await until("diagnostics", () => published.has(WRONG_URI));
  const [error] = published.get(WRONG_URI).filter(({ severity }) => severity === protocol.DiagnosticSeverity.Error);
  assert.ok(error, JSON.stringify(published.get(WRONG_URI)));
  assert.equal(error.source, "bcheck");
  assert.match(String(error.code), /^B\d{4}$/);
  const start = place(WRONG, "TRUE");
  assert.deepEqual(error.range, { start, end: { line: start.line, character: start.character + 4 } });
});

test("a repaired machine has none", async () => {
  const start = place(WRONG, "TRUE");
  const range = { start, end: { line: start.line, character: start.character + 4 } };
  published.delete(WRONG_URI);
  connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: WRONG_URI, version: 2 },
    contentChanges: [{ range, text: "0" }],
  });
  await until("diagnostics", () => published.has(WRONG_URI));
  assert.deepEqual(published.get(WRONG_URI), []);
});

test("hover, definition, completion and outline answer", async () => {
  open(RIGHT_URI, RIGHT);
  const hover = await ask(protocol.HoverRequest.type, RIGHT_URI, RIGHT, "xx < 3");
  assert.match(JSON.stringify(hover.contents), /xx.*INTEGER/);
  const definition = await ask(protocol.DefinitionRequest.type, RIGHT_URI, RIGHT, "xx < 3");
  assert.equal(definition.uri, RIGHT_URI);
  assert.deepEqual(definition.range.start, place(RIGHT, "xx"));
  const completion = await ask(protocol.CompletionRequest.type, RIGHT_URI, RIGHT, "xx + 1");
  const labels = (completion.items ?? completion).map(({ label }) => label);
  assert.ok(labels.includes("xx") && labels.includes("INVARIANT"), labels.join(" "));
  const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri: RIGHT_URI } });
  assert.match(JSON.stringify(symbols), /"up"/);
});

test("the command of a lens checks the machine, and the lens shows the verdict", async () => {
  const lenses = () => connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri: RIGHT_URI } });
  const [lens] = await lenses();
  assert.equal(lens.command.command, "bcheck.check");
  assert.deepEqual(lens.command.arguments, [RIGHT_URI]);
  assert.deepEqual(lens.range.start, place(RIGHT, "right"));
  await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: lens.command.command, arguments: lens.command.arguments });
  await until("verdict", () => messages.some(({ message }) => message.includes("right.mch: deadlock")));
  const [after] = await lenses();
  assert.match(after.command.title, /^deadlock/);
});

test("requests and commands that are not known are answered by errors", async () => {
  await assert.rejects(connection.sendRequest("bcheck/nonsense", {}), { code: protocol.ErrorCodes.MethodNotFound });
  const unknown = { command: "bcheck.nonsense", arguments: [RIGHT_URI] };
  await assert.rejects(connection.sendRequest(protocol.ExecuteCommandRequest.type, unknown), { code: protocol.ErrorCodes.InvalidParams });
});

test("the server ends with 0 after shutdown and exit", async () => {
  assert.equal(await disconnect(server), 0);
});
