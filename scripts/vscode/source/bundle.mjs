// Writes what the extension consists of: its sources and the packages that they use as one file, the grammar, the licences of the packages.
//
// Invariant: a package that is part of the file has its licence in THIRD-PARTY.txt, or the build fails.

import { build } from "esbuild";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { grammar } from "./grammar.mjs";

const { metafile } = await build({
  entryPoints: ["source/extension.js"],
  outfile: "dist/extension.js",
  bundle: true,
  minify: true,
  legalComments: "none",
  platform: "node",
  format: "cjs",
  target: "node20",
  // There only when VS Code runs the extension.
  external: ["vscode"],
  metafile: true,
  logLevel: "warning",
});
await writeFile("dist/b.tmLanguage.json", `${JSON.stringify(grammar, null, 2)}\n`);

const [output] = Object.values(metafile.outputs);
const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
const folders = new Set(used.flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []));
const notices = [];
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) {
    throw new Error(`${name} has no licence file`);
  }
  notices.push(`${name} ${version} (${license})\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`);
}
await writeFile("THIRD-PARTY.txt", `dist/extension.js contains these packages.\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`);
