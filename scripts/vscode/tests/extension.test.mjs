// The extension as it is packaged, with the real server, in a stand-in for VS Code.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import editor from "./vscode.cjs";

const { happen, happenings, manifest, recorded, settings, vscode } = editor;
const MACHINE = "MACHINE counter\nVARIABLES x\nINVARIANT x : 0..2\nINITIALISATION x := 0\nOPERATIONS up = x := x + 1\nEND\n";
const subscriptions = [];
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
let extension;
let folder;
let machine;

/** Waits until something holds, which is asked after each event of this name. */
async function until(name, holds) {
  const signal = AbortSignal.timeout(60_000);
  while (!holds()) {
    await once(happenings, name, { signal });
  }
}

async function open(name, text) {
  const file = join(folder, name);
  await writeFile(file, text);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  vscode.window.activeTextEditor = { document };
  happen("activeEditor", vscode.window.activeTextEditor);
  return document;
}

function run(command, ...args) {
  return recorded.commands.get(command)(...args);
}

before(async () => {
  assert.ok(process.env.BCHECK, "BCHECK names the program");
  folder = await mkdtemp(join(tmpdir(), "bcheck test "));
  settings["bcheck.path"] = join(folder, "missing");
  extension = createRequire(import.meta.url)("../dist/extension.js");
  await extension.activate({ subscriptions });
});

after(async () => {
  await extension.deactivate();
  subscriptions.forEach((subscription) => subscription.dispose());
  await rm(folder, { recursive: true, force: true });
});

test("without the program, a message says what to do, and each command is there", async () => {
  const [{ severity, message, choices }] = recorded.messages;
  assert.equal(severity, "error");
  assert.match(message, /no such file.*cargo install.*bcheck\.path/);
  assert.deepEqual(choices, ["Open Settings", "Try Again"]);
  assert.match(recorded.statusItems[0].text, /error/);
  const declared = manifest.contributes.commands.map(({ command }) => command);
  assert.deepEqual([...recorded.commands.keys()].sort(), declared.sort());
});

test("commands without a machine say so", async () => {
  recorded.messages.length = 0;
  for (const { command } of manifest.contributes.menus.commandPalette) {
    await run(command);
  }
  assert.equal(recorded.messages.length, manifest.contributes.menus.commandPalette.length);
  assert.ok(recorded.messages.every(({ message }) => message.includes(".mch")));
});

test("the right path starts the server: the status tells, diagnostics arrive at their place", async () => {
  settings["bcheck.path"] = process.env.BCHECK;
  settings["bcheck.arguments"] = ["--maxint", "5"];
  happen("configuration", { affectsConfiguration: (name) => name === "bcheck.path" });
  machine = await open("counter.mch", MACHINE.replace(":= 0", ":= TRUE"));
  assert.equal(recorded.statusItems[0].isVisible, true);
  const published = () => recorded.diagnostics.get(machine.uri.toString()) ?? [];
  await until("diagnostics", () => published().length > 0);
  assert.equal(recorded.statusItems[0].text, "$(check) bcheck");
  assert.match(recorded.statusItems[0].tooltip, /lsp --time-limit 10 --maxint 5$/);
  const [{ range, source, severity }] = published();
  assert.deepEqual([range.start.line, range.start.character, source, severity], [3, 20, "bcheck", 0]);
});

test("a change of the text reaches the server", async () => {
  machine.text = MACHINE;
  machine.version = 2;
  const range = new vscode.Range(3, 20, 3, 24);
  happen("change", { document: machine, contentChanges: [{ range, rangeOffset: 0, rangeLength: 4, text: "0" }] });
  await until("diagnostics", () => recorded.diagnostics.get(machine.uri.toString()).length === 0);
});

test("hover, completion and definition come through the client, and can be switched off", async () => {
  const position = new vscode.Position(4, 21);
  const hover = await recorded.providers.get("Hover").provideHover(machine, position, token);
  assert.match(JSON.stringify(hover.contents), /INTEGER/);
  const complete = () => recorded.providers.get("CompletionItem").provideCompletionItems(machine, position, token, { triggerKind: 0 });
  assert.ok((await complete()).length > 50);
  const definition = await recorded.providers.get("Definition").provideDefinition(machine, position, token);
  assert.deepEqual([definition].flat()[0].range.start, new vscode.Position(1, 10));
  settings["bcheck.hover"] = settings["bcheck.completion"] = false;
  assert.equal(await recorded.providers.get("Hover").provideHover(machine, position, token), undefined);
  assert.equal(await complete(), undefined);
});

test("lenses: animation and report, whose commands take what the lens has, then those of the server", async () => {
  const lenses = async () => recorded.providers.get("CodeLens").provideCodeLenses(machine, token);
  const commands = (await lenses()).map(({ command }) => command);
  const [animate, , check] = commands;
  assert.deepEqual(commands.map(({ command }) => command), ["bcheck.animate", "bcheck.report", "bcheck.check"]);
  recorded.messages.length = 0;
  await run(check.command, ...check.arguments);
  await until("message", () => recorded.messages.some(({ message }) => message.includes("invariant_violation")));
  assert.match((await lenses())[2].command.title, /^invariant_violation/);
  await run(animate.command, ...animate.arguments);
  const [{ shellPath, shellArgs, cwd }] = recorded.terminals;
  assert.equal(shellPath, process.env.BCHECK);
  assert.deepEqual(shellArgs, ["animate", "--maxint", "5", "--", join(folder, "counter.mch")]);
  assert.equal(cwd, folder);
  settings["bcheck.lenses"] = false;
  assert.deepEqual((await lenses()).map(({ command }) => command.command), ["bcheck.check"]);
});

test("a report is of the text in the editor, in a panel that can do nothing; a second one takes its place", async () => {
  machine.isDirty = true;
  await run("bcheck.report");
  assert.equal(machine.isDirty, false);
  assert.equal(await readFile(machine.fileName, "utf8"), MACHINE);
  const [panel] = recorded.panels;
  assert.match(panel.title, /counter\.mch/);
  assert.match(panel.webview.html, /Content-Security-Policy[\s\S]*invariant_violation/);
  const { enableScripts, enableForms, enableCommandUris, localResourceRoots } = panel.options;
  assert.deepEqual([enableScripts, enableForms, enableCommandUris, localResourceRoots], [true, false, false, []]);
  await run("bcheck.report", machine.uri.toString());
  assert.equal(recorded.panels.length, 1);
  assert.match(panel.webview.html, /color-scheme: light;/);
  vscode.window.activeColorTheme = { kind: vscode.ColorThemeKind.Dark };
  happen("colours");
  assert.match(panel.webview.html, /color-scheme: dark;/);
  panel.dispose();
  const sets = await open("sets.mch", MACHINE.replace("VARIABLES", "SETS S\nVARIABLES").replace("x := x + 1", "skip"));
  await run("bcheck.compare", sets.uri);
  assert.equal(recorded.panels.length, 2);
  assert.match(recorded.panels[1].webview.html, /<table/);
});

test("what is not in a file is not reported on, and said so", async () => {
  recorded.messages.length = 0;
  const untitled = new editor.TextDocument(new vscode.Uri(new URL("untitled:Untitled-1")), MACHINE);
  vscode.window.activeTextEditor = { document: untitled };
  await run("bcheck.report");
  await run("bcheck.animate");
  assert.deepEqual(recorded.messages.map(({ message }) => /^Save Untitled-1 first/.test(message)), [true, true]);
});

test("a report of a machine with errors is its first error", async () => {
  recorded.messages.length = 0;
  await open("refused.mch", MACHINE.replace("x : 0..2", "y : 0..2"));
  await run("bcheck.report");
  assert.match(recorded.messages.at(-1).message, /No report of refused\.mch: .*error\[B/);
  assert.equal(recorded.panels.length, 2);
});

test("a setting that the server refuses is explained", async () => {
  settings["bcheck.arguments"] = ["--nonsense"];
  recorded.messages.length = 0;
  await run("bcheck.restart");
  const messages = recorded.messages.map(({ message }) => message);
  assert.equal(messages.length, 1, messages.join("\n"));
  assert.match(messages[0], /refuses its arguments: .*--nonsense.*bcheck\.arguments/);
  settings["bcheck.arguments"] = [];
  await run("bcheck.restart");
  assert.equal(recorded.statusItems[0].text, "$(check) bcheck");
});

test("a server that offers more is used as far as VS Code goes, and its commands do not clash with ours", async () => {
  const ours = recorded.commands.get("bcheck.animate");
  settings["bcheck.path"] = fileURLToPath(new URL("richer-server.cjs", import.meta.url));
  settings["bcheck.lenses"] = true;
  recorded.messages.length = 0;
  await run("bcheck.restart");
  assert.deepEqual(recorded.messages, []);
  assert.match(recorded.statusItems[0].tooltip, /^bcheck 99\.0\.0/);
  for (const kind of ["CodeActions", "DocumentFormattingEdit", "DocumentSemanticTokens", "FoldingRange", "InlayHints", "Rename", "SignatureHelp"]) {
    assert.ok(recorded.providers.has(kind), kind);
  }
  assert.equal(recorded.commands.get("bcheck.animate"), ours);
  const lenses = await recorded.providers.get("CodeLens").provideCodeLenses(machine, token);
  assert.deepEqual(lenses.map(({ command }) => command.command), ["bcheck.report", "bcheck.check", "bcheck.animate"]);
  await run("bcheck.other");
  await run("bcheck.check", machine.uri, { groupId: 0 });
  await run("bcheck.check", machine.uri.toString(), "ASSERT_LTL");
  const told = () => recorded.messages.map(({ message }) => message);
  await until("message", () => told().length === 3);
  const counts = told().map((message) => /^bcheck\.(?:other|check) was executed with (\d)/.exec(message)[1]);
  assert.deepEqual(counts, ["0", "1", "2"]);
  settings["bcheck.path"] = process.env.BCHECK;
  await run("bcheck.restart");
  assert.ok(!recorded.commands.has("bcheck.other"));
});

test("in a folder that is not trusted, the server is confined until it is", async () => {
  vscode.workspace.isTrusted = false;
  await run("bcheck.restart");
  assert.match(recorded.statusItems[0].tooltip, /--include-only/);
  vscode.workspace.isTrusted = true;
  happen("trust");
  // Waits its turn behind the restart.
  await run("bcheck.restart");
  assert.doesNotMatch(recorded.statusItems[0].tooltip, /--include-only/);
});

test("each setting of the manifest is read", () => {
  const declared = Object.keys(manifest.contributes.configuration.properties).sort();
  const read = [...recorded.settingsRead].filter((name) => name.startsWith("bcheck.")).sort();
  assert.deepEqual(read.filter((name) => declared.includes(name)), declared);
});
