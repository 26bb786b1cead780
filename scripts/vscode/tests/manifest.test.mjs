// The manifest against the files that it names, the sources and the page for users.

import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { test } from "node:test";
import settings from "../source/settings.js";

const folder = new URL("../", import.meta.url);
const read = (path) => readFile(new URL(path, folder), "utf8");
const manifest = JSON.parse(await read("package.json"));
const { commands, configuration, grammars, languages, menus } = manifest.contributes;
const properties = configuration.properties;

test("ids and prefixes are our own, so that another extension for B may be installed, too", () => {
  assert.deepEqual(languages.map(({ id }) => id), ["classicalb"]);
  assert.deepEqual(grammars.map(({ scopeName }) => scopeName), ["source.b.bcheck"]);
  for (const name of [...commands.map(({ command }) => command), ...Object.keys(properties)]) {
    assert.match(name, /^bcheck\./);
  }
});

test("the version is that of bcheck", async () => {
  const cargo = await readFile(new URL("../../Cargo.toml", folder), "utf8");
  assert.equal(manifest.version, /^version = "([^"]+)"/m.exec(cargo)[1]);
});

test("the files that the manifest names are there", async () => {
  for (const path of [manifest.main, ...grammars.map(({ path }) => path), ...languages.map(({ configuration }) => configuration)]) {
    await access(new URL(path, folder));
  }
  assert.equal(JSON.parse(await read(grammars[0].path)).scopeName, grammars[0].scopeName);
});

test("each menu entry is a command that is declared", () => {
  const declared = commands.map(({ command }) => command);
  for (const { command } of Object.values(menus).flat()) {
    assert.ok(declared.includes(command), command);
  }
});

test("each setting has the default that the sources have, and a meaning", async () => {
  const set = settings.read({ get: () => undefined }, true);
  for (const [name, { default: value, description, markdownDescription }] of Object.entries(properties)) {
    assert.ok(description ?? markdownDescription, name);
    assert.deepEqual(set[name.slice("bcheck.".length)], value, name);
  }
  // What is no setting: whether the folder is trusted.
  assert.equal(Object.keys(set).length, Object.keys(properties).length + 1);
  assert.ok(settings.OF_SERVER.every((name) => name in properties));
});

test("what folders may set becomes arguments only in trusted ones; the program they may not set", () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.equal(properties["bcheck.path"].scope, "machine");
  const become = Object.entries(properties).filter(([, { type }]) => type === "string" || type === "array");
  const names = become.map(([name]) => name).filter((name) => name !== "bcheck.path");
  assert.deepEqual(names.sort(), [...restrictedConfigurations].sort());
});

test("the page for users names each setting and no other", async () => {
  const page = await read("README.md");
  const named = new Set([...page.matchAll(/`(bcheck\.[A-Za-z.]+)`/g)].map(([, name]) => name));
  assert.deepEqual([...named].sort(), Object.keys(properties).sort());
});

test("the language configuration's expressions compile and indent as machines are written", async () => {
  const { indentationRules, onEnterRules, wordPattern } = JSON.parse(await read("language-configuration.json"));
  const increase = new RegExp(indentationRules.increaseIndentPattern);
  const decrease = new RegExp(indentationRules.decreaseIndentPattern);
  for (const line of ["VARIABLES", "  up(x) =", "  BEGIN", "  IF x = 1 THEN", "  ELSE", "  ANY x WHERE // why", "OPERATIONS"]) {
    assert.match(line, increase);
  }
  for (const line of ["VARIABLES x", "  x := y", "  END;", "  x <= y", "  IF x THEN y END", "  scope_S == 2", "  a :=", "ENDING"]) {
    assert.doesNotMatch(line, increase);
  }
  for (const line of ["END", "    END;", "  ELSE", "  THEN x := 1", "OPERATIONS"]) {
    assert.match(line, decrease);
  }
  for (const line of ["ENDING", "  x := THEN", "  BEGIN", "  IF x"]) {
    assert.doesNotMatch(line, decrease);
  }
  onEnterRules.forEach(({ beforeText }) => new RegExp(beforeText));
  assert.deepEqual("größe_1 := x'12".match(new RegExp(wordPattern.pattern, `${wordPattern.flags}g`)), ["größe_1", "x", "12"]);
});
