// The grammar against the parser's own table of tokens, src/syntax/token.rs.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { marked } from "./marking.mjs";

const folder = new URL("../", import.meta.url);
const root = new URL("../../", folder);
let spellings;

before(async () => {
  const source = await readFile(new URL("src/syntax/token.rs", root), "utf8");
  const table = /^terminals! \{$([\s\S]*?)^\}$/m.exec(source)[1];
  const rows = table.split("\n").filter((line) => /^ +\w+:/.test(line));
  const literals = rows.flatMap((row) => row.match(/"(?:[^"\\]|\\.)*"/g));
  // Literals of Rust are those of JSON but for `\u{E100}`.
  spellings = literals.map((literal) => JSON.parse(literal.replace(/\\u\{(\w{4})\}/g, "\\u$1")));
});

test("the table of tokens is found", () => {
  assert.ok(spellings.length > 250, `${spellings.length} spellings`);
  for (const known of ["MACHINE", "<<->>", "\\/", "λ", "@partition", "\u{E103}"]) {
    assert.ok(spellings.includes(known), known);
  }
});

test("each spelling of the parser is one token with a scope", () => {
  const faults = [];
  for (const spelling of spellings) {
    // Behind a name with a blank, as most signs stand between operands.
    const found = marked(`x ${spelling} y`).find(({ text, scopes }) => text.trim() === spelling && scopes.length > 0);
    if (found === undefined || !/^(?:keyword|constant|support|punctuation)\./.test(found.scopes[0])) {
      faults.push(spelling);
    }
  }
  assert.deepEqual(faults, []);
});

test("each word that the grammar marks is a keyword of the parser", async () => {
  const text = await readFile(new URL("dist/b.tmLanguage.json", folder), "utf8");
  const { repository } = JSON.parse(text);
  const patterns = [...repository.keywords.patterns, ...repository.words.patterns].map(({ match }) => match);
  const words = patterns.flatMap((pattern) => /\\b\(\?:([\w|]+)\)\\b/.exec(pattern)?.[1].split("|") ?? []);
  assert.ok(words.length > 100, `${words.length} words`);
  assert.deepEqual(words.filter((word) => !spellings.includes(word)), []);
});

test("names that only begin as keywords are names", () => {
  for (const name of ["ENDING", "cardinal", "notx", "or_1", "INTEGERS", "model", "éor", "or\u0301"]) {
    const [, token] = marked(`( ${name} `);
    assert.deepEqual(token?.scopes ?? [], [], name);
  }
});

test("long lines are marked in time that grows with their length only", () => {
  const lines = (size) => [
    `${"(x = 1 & y : {1,2} => f(x) <+ {a |-> b}) or ".repeat(size / 10)}x = 1`,
    `OPERATIONS ${"a, ".repeat(size)}b`,
    `DEFINITIONS ${"f(a, b) ".repeat(size)}`,
    `ASSERT_LTL == "${"{".repeat(size)}`,
  ];
  const time = (line) => {
    const started = performance.now();
    marked(line);
    return performance.now() - started;
  };
  lines(100).forEach(time);
  const [short, long] = [lines(800), lines(6400)].map((each) => each.map(time));
  // Eight times the length; the seconds are for a busy machine, and quadratic time would be far more.
  long.forEach((ms, index) => assert.ok(ms < 20 * short[index] + 3000, `line ${index}: ${short[index]} ms, then ${ms} ms`));
});
