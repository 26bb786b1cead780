// Reports: which command makes one, which page is refused, and reports of the program itself.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import report from "../source/report.js";
import settings from "../source/settings.js";

const PROGRAM = process.env.BCHECK;
const MACHINE = "MACHINE counter\nVARIABLES x\nINVARIANT x : 0..2\nINITIALISATION x := 0\nOPERATIONS up = x := x + 1\nEND\n";
const set = settings.read({ get: (name) => ({ path: PROGRAM, reportTimeLimit: 60, compareSizes: "1..2" })[name] }, true);
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "bcheck test "));
});

after(() => rm(folder, { recursive: true, force: true }));

async function machine(name, text) {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

function page(policy) {
  const head = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n';
  return `${head}<meta http-equiv="Content-Security-Policy" content="${policy}"/>`;
}

const STRICT = "default-src 'none'; base-uri 'none'; form-action 'none'";

test("refinements are checked against what they refine", () => {
  assert.equal(report.commandFor("MACHINE m END"), "check");
  assert.equal(report.commandFor("/*@ refine */\n// REFINEMENT of c\nREFINEMENT r REFINES m END"), "refine");
  assert.equal(report.commandFor("IMPLEMENTATION i REFINES m END"), "refine");
  assert.equal(report.commandFor("// IMPLEMENTATION\nMACHINE m /* REFINEMENT */ END"), "check");
});

test("a page is shown if its policy allows nothing but what it names by hash, and its own pictures", () => {
  const hash = "'sha256-jBTuSX7EyKH/xCGAttoT1dYf60b6TCh0hxVWXi/AbJc='";
  assert.equal(report.objection(page(`${STRICT}; style-src ${hash} ${hash}; script-src ${hash}`)), undefined);
  assert.equal(report.objection(page(`${STRICT}; img-src data:; style-src ${hash}`)), undefined);
});

test("a page with another policy is refused, with the reason", () => {
  const cases = [
    ["<html><head></head></html>", /no Content-Security-Policy/],
    [`<script>alert(1)</script>${page(STRICT)}`, /no Content-Security-Policy/],
    [page("default-src 'self'; base-uri 'none'; form-action 'none'"), /default-src/],
    [page("default-src 'none'; form-action 'none'"), /base-uri/],
    [page(`${STRICT}; script-src 'unsafe-inline'`), /'unsafe-inline' in script-src/],
    [page(`${STRICT}; script-src 'nonce-abc'`), /nonce/],
    [page(`${STRICT}; script-src data:`), /data: in script-src/],
    [page(`${STRICT}; img-src https:`), /https: in img-src/],
    [page(`${STRICT}; connect-src *`), /in connect-src/],
    [page(`script-src *; ${STRICT}; script-src 'none'`), /\* in script-src/],
  ];
  for (const [text, reason] of cases) {
    assert.match(report.objection(text) ?? "no objection", reason);
  }
});

test("a page in the colours of the editor has the hash of each of its styles and scripts in its policy", async () => {
  const { page: made } = await report.make(set, "check", await machine("colours.mch", MACHINE));
  for (const shown of [made, report.coloured(made, true), report.coloured(made, false)]) {
    assert.equal(report.objection(shown), undefined);
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(shown)[1];
    const parts = [...shown.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)].map(([, , text]) => text);
    assert.ok(parts.length >= 2);
    for (const text of parts) {
      assert.ok(policy.includes(`'sha256-${createHash("sha256").update(text).digest("base64")}'`), text.slice(0, 80));
    }
  }
  const asked = (page) => page.includes("prefers-color-scheme");
  assert.deepEqual([made, report.coloured(made, true), report.coloured(made, false)].map(asked), [true, false, false]);
});

test("a report of a violation is made and may be shown; nothing stays behind", async () => {
  const folders = async () => (await readdir(tmpdir())).filter((name) => /^bcheck-/.test(name));
  const before = await folders();
  const file = await machine("a machine; $(touch x).mch", MACHINE);
  const made = await report.make(set, "check", file);
  assert.equal(made.fault, undefined);
  assert.match(made.page, /invariant_violation/);
  assert.deepEqual((await folders()).filter((name) => !before.includes(name)), []);
});

test("a comparison is made and may be shown", async () => {
  const file = await machine("sets.mch", MACHINE.replace("VARIABLES", "SETS S\nVARIABLES").replace("x := x + 1", "skip"));
  const made = await report.make(set, "compare", file);
  assert.equal(made.fault, undefined);
  assert.match(made.page, /<table/);
});

test("a refinement is checked against the machine beside it", async () => {
  const abstract = MACHINE.replace("MACHINE counter", "MACHINE base").replace("x := x + 1", "x :: 0..2");
  await machine("base.mch", abstract);
  const text = abstract.replace("MACHINE base", "REFINEMENT finer REFINES base").replace("x :: 0..2", "x := 3 - x");
  const made = await report.make(set, report.commandFor(text), await machine("finer.ref", text));
  assert.equal(made.fault, undefined, made.output);
  assert.match(made.page, /refinement_violation/);
});

test("a refused machine gives its first error instead", async () => {
  const made = await report.make(set, "check", await machine("refused.mch", MACHINE.replace(":= 0", ":= TRUE")));
  assert.equal(made.page, undefined);
  assert.match(made.fault, /^No report of refused\.mch: .*refused\.mch:4:\d+: error\[B\d{4}\]/);
});

test("a run that is stopped gives the results so far", { skip: process.platform === "win32" }, async () => {
  const file = await machine("endless.mch", MACHINE.replace("0..2", "INTEGER"));
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 1500);
  const made = await report.make(set, "check", file, stop.signal);
  assert.equal(made.fault, undefined, made.output);
  assert.match(made.page, /incomplete/);
});
