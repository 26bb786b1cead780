// The grammar on all machines of the project: it marks what the server's outline lists, and nothing else.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";
import protocol from "vscode-languageserver-protocol/node";
import { connect, disconnect } from "./connection.mjs";
import { marked } from "./marking.mjs";

const root = fileURLToPath(new URL("../../../machines/", import.meta.url));
/** The scope of each kind of name, with the clauses whose entries in the outline are such names. */
const KINDS = [
  [/^entity\.name\.function\.operation\b/, ["OPERATIONS", "EVENTS", "LOCAL_OPERATIONS"]],
  [/^(?:entity\.name\.function\.definition|support\.variable\.setting)\b/, ["DEFINITIONS"]],
  [/^entity\.name\.type\.set\b/, ["SETS"]],
  [/^variable\.other\.constant\b/, ["CONSTANTS", "ABSTRACT_CONSTANTS", "CONCRETE_CONSTANTS"]],
  [/^variable\.other\.readwrite\b/, ["VARIABLES", "ABSTRACT_VARIABLES", "CONCRETE_VARIABLES"]],
];
let server;
const machines = [];

before(async () => {
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    // What is rejected has no outline, or one of what could be read.
    if (/\.(?:mch|ref|imp)$/.test(name) && !name.startsWith("rejected")) {
      const text = await readFile(join(root, name), "utf8");
      machines.push({ name, text, uri: pathToFileURL(join(root, name)).href, tokens: marked(text) });
    }
  }
  server = await connect();
});

after(async () => {
  assert.equal(await disconnect(server), 0);
});

test("the machines are found", () => {
  assert.ok(machines.length > 200, `${machines.length} machines`);
});

test("whatever is no name has a scope", () => {
  const isName = /^[\p{L}\p{N}_\s\u0300-\u036f]*$/u;
  for (const { name, tokens } of machines) {
    const without = tokens.filter(({ text, scopes }) => scopes.length === 0 && !isName.test(text));
    assert.deepEqual(without, [], name);
  }
});

test("what is declared is marked as what it is, and nothing else is", async () => {
  const differences = [];
  for (const { name, text, uri, tokens } of machines) {
    const textDocument = { uri, languageId: "classicalb", version: 1, text };
    await server.connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument });
    const [outline] = await server.connection.sendRequest(protocol.DocumentSymbolRequest.type, { textDocument: { uri } });
    await server.connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
    const clauses = outline.children ?? [];
    for (const [scope, names] of KINDS) {
      const entries = clauses.filter((clause) => names.includes(clause.name)).flatMap(({ children }) => children ?? []);
      const listed = new Set(entries.filter(({ detail }) => detail !== "element").map((entry) => entry.name));
      const found = tokens.filter(({ scopes }) => scope.test(scopes.at(-1) ?? "")).map((token) => token.text.replaceAll("`", ""));
      const missing = [...listed].filter((entry) => !found.includes(entry));
      const wrong = found.filter((entry) => !listed.has(entry));
      if (missing.length > 0 || wrong.length > 0) {
        differences.push(`${name}, ${names[0]}: not marked: ${missing.join(" ")}; marked: ${wrong.join(" ")}`);
      }
    }
  }
  assert.deepEqual(differences, []);
});
