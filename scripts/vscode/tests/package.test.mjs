// The package: what it contains, and that it is small.

import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import yauzl from "yauzl";

const folder = new URL("../", import.meta.url);
const file = fileURLToPath(new URL("bcheck.vsix", folder));

async function entries() {
  const zip = await promisify(yauzl.open)(file, { lazyEntries: true });
  return new Promise((resolve, reject) => {
    const names = [];
    zip.on("entry", (entry) => {
      names.push(entry.fileName);
      zip.readEntry();
    });
    zip.on("end", () => resolve(names.sort()));
    zip.on("error", reject);
    zip.readEntry();
  });
}

test("the package has what the manifest names, the licences, and nothing else", async () => {
  assert.deepEqual(await entries(), [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/THIRD-PARTY.txt",
    "extension/dist/b.tmLanguage.json",
    "extension/dist/extension.js",
    "extension/language-configuration.json",
    "extension/package.json",
    "extension/readme.md",
  ]);
});

test("it is small", async () => {
  const { size } = await stat(file);
  assert.ok(size < 250_000, `${size} bytes`);
});

test("licences: our two, and one for each package in the bundle", async () => {
  const own = await readFile(new URL("LICENSE.txt", folder), "utf8");
  assert.match(own, /MIT/);
  assert.match(own, /Apache License/);
  const others = await readFile(new URL("THIRD-PARTY.txt", folder), "utf8");
  for (const name of ["vscode-languageclient", "vscode-jsonrpc", "vscode-languageserver-protocol", "vscode-languageserver-types"]) {
    assert.match(others, new RegExp(`^${name} \\d`, "m"));
  }
});
