// What the extension says when there is no program, and the arguments that it gets.

import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import program from "../source/program.js";
import settings from "../source/settings.js";

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
  const none = settings.read({ get: () => undefined });
  assert.equal(none.path, "bcheck");
  assert.deepEqual(settings.ofServer(none, true), ["lsp", "--time-limit", "10"]);
  const values = { path: " /a/bcheck ", deferred: ["3", "FLOOR=5"], arguments: ["--maxint", 7, " "], checkTimeLimit: 2.5, reportTimeLimit: -1 };
  const set = settings.read({ get: (name) => values[name] });
  const scope = ["--deferred", "3", "--deferred", "FLOOR=5", "--maxint", "7"];
  assert.equal(set.path, "/a/bcheck");
  assert.deepEqual(settings.ofServer(set, true), ["lsp", "--time-limit", "2.5", ...scope]);
  assert.deepEqual(settings.ofAnimation(set, "-m.mch"), ["animate", ...scope, "--", "-m.mch"]);
  assert.deepEqual(settings.ofReport(set, "check", "m.mch", "r.html"), ["check", "--time-limit", "60", "--html", "r.html", ...scope, "--", "m.mch"]);
  assert.deepEqual(settings.ofReport(set, "compare", "m.mch", "r.html"), [
    ...["compare", "--time-limit", "60", "--html", "r.html", "--deferred", "1..4", "--maxint", "7", "--", "m.mch"],
  ]);
});

test("in a folder that is not trusted, machines name files of their own folder only", () => {
  const set = settings.read({ get: () => undefined });
  assert.ok(settings.ofServer(set, false).includes("--include-only"));
});
