// What the extension says when there is no program, and the arguments that it gets.

import assert from "node:assert/strict";
import { chmod, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import program from "../source/program.js";
import settings from "../source/settings.js";

const manifest = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "bcheck test "));
});

after(() => rm(folder, { recursive: true, force: true }));

test("bcheck tells its version", async () => {
  const { version } = await program.inquire(process.env.BCHECK);
  assert.match(version, /^\d+\.\d+/);
});

test("a missing program gives a message that says what to do", async () => {
  const { fault } = await program.inquire("bcheck-that-is-not-there");
  assert.match(fault, /`bcheck-that-is-not-there`.*no folder of PATH.*cargo install.*bcheck\.path/);
  const { fault: ofPath } = await program.inquire(join(folder, "bcheck"));
  assert.match(ofPath, /no such file.*bcheck\.path/);
});

test("a program that cannot be executed, or is another one, gives a message, too", { skip: process.platform === "win32" }, async () => {
  const plain = join(folder, "plain");
  await writeFile(plain, "text");
  await chmod(plain, 0o644);
  assert.match((await program.inquire(plain)).fault, /cannot be executed.*chmod/);
  assert.match((await program.inquire("true")).fault, /does not answer as bcheck does.*bcheck\.path/);
});

test("settings become arguments; what is not set has its default", () => {
  const none = settings.read({ get: () => undefined }, true);
  assert.equal(none.path, "bcheck");
  assert.deepEqual(settings.ofServer(none), ["lsp", "--time-limit", "10"]);
  const lists = { deferred: ["3", "FLOOR=5"], arguments: ["--maxint", 7, " "] };
  const values = { path: " /a/bcheck ", checkTimeLimit: 2.5, reportTimeLimit: -1, ...lists };
  const set = settings.read({ get: (name) => values[name] }, true);
  const scope = ["--deferred", "3", "--deferred", "FLOOR=5", "--maxint", "7"];
  assert.equal(set.path, "/a/bcheck");
  assert.deepEqual(settings.ofServer(set), ["lsp", "--time-limit", "2.5", ...scope]);
  assert.deepEqual(settings.ofAnimation(set, "-m.mch"), ["animate", ...scope, "--", "-m.mch"]);
  const ofReport = (command) => settings.ofReport(set, command, "m.mch", "r.html").join(" ");
  assert.equal(ofReport("check"), "check --time-limit 60 --html r.html --deferred 3 --deferred FLOOR=5 --maxint 7 -- m.mch");
  assert.equal(ofReport("compare"), "compare --time-limit 60 --html r.html --deferred 1..4 --maxint 7 -- m.mch");
});

test("in a folder that is not trusted, machines name files of their own folder only", () => {
  const set = settings.read({ get: () => undefined }, false);
  const reports = ["check", "refine", "compare"].map((command) => settings.ofReport(set, command, "m.mch", "r.html"));
  for (const args of [settings.ofServer(set), settings.ofAnimation(set, "m.mch"), ...reports]) {
    assert.ok(args.includes("--include-only"), args.join(" "));
  }
});

test("the problem matcher reads what bcheck writes", async () => {
  const [{ pattern }] = manifest.contributes.problemMatchers;
  const file = join(folder, "wrong.mch");
  await writeFile(file, "MACHINE wrong\nVARIABLES x\nINVARIANT x : BOOL\nINITIALISATION x := 1\nEND\n");
  const { output } = await program.run(process.env.BCHECK, [file, "--format", "short"], folder);
  const found = output.split("\n").flatMap((line) => new RegExp(pattern.regexp).exec(line) ?? []);
  assert.equal(found[pattern.file], file, output);
  assert.deepEqual([found[pattern.line], found[pattern.column], found[pattern.severity]], ["4", "21", "error"]);
  assert.match(found[pattern.code], /^B\d{4}$/);
});

test("the machines that the grammar is tested on are checked as they state", async () => {
  const grammar = new URL("grammar/", import.meta.url);
  const names = (await readdir(grammar)).filter((name) => name.endsWith(".mch"));
  const stating = [];
  for (const name of names) {
    const file = fileURLToPath(new URL(name, grammar));
    if ((await readFile(file, "utf8")).includes("/*@ check")) {
      stating.push(file);
    }
  }
  assert.ok(stating.length >= 3);
  for (const file of stating) {
    const { code, output } = await program.run(process.env.BCHECK, ["suite", file], folder);
    assert.equal(code, 0, output);
  }
});
