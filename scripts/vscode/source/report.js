// Reports for a browser, as bcheck writes them: which command makes one of a machine, whether the page may be shown, and in which colours.
//
// Invariant: a page is shown only if its own policy forbids everything but styles and scripts that it names by their hashes, and pictures
// that it holds itself: so no page that was changed on the way, and nothing that a machine brings, runs or fetches anything.
// Deliberately elsewhere: the panel with the page (panel.js).

const { createHash } = require("node:crypto");
const { mkdtemp, readFile, rm } = require("node:fs/promises");
const { tmpdir } = require("node:os");
const { basename, dirname, join } = require("node:path");
const { run } = require("./program.js");
const { ofReport } = require("./settings.js");

/**
 * The command that checks a text: a refinement is checked against what it refines.
 * @param {string} text
 * @returns {"check" | "refine"}
 */
function commandFor(text) {
  const code = text.replace(/^\uFEFF?#!.*|\/\*[\s\S]*?\*\/|\/\/.*/g, " ").trimStart();
  return /^(?:REFINEMENT|IMPLEMENTATION)\b/.test(code) ? "refine" : "check";
}

const HEAD = /^<!DOCTYPE html>\s*<html[^>]*>\s*<head>\s*<meta charset="utf-8"\s*\/?>\s*/;
const POLICY = /^<meta http-equiv="Content-Security-Policy" content="([^"]*)"/;
const HASH = /^'sha(?:256|384|512)-[A-Za-z0-9+/]+=*'$/;
/** Directives that a policy must have, and the sources other than hashes that one may list. */
const NEEDED = ["default-src", "base-uri", "form-action"];
const ALLOWED = { "img-src": ["data:"], "font-src": ["data:"], "style-src": [], "script-src": [] };

/**
 * Why a page must not be shown; undefined if it may.
 * @param {string} page
 */
function objection(page) {
  // It stands before everything that it is to govern.
  const policy = HEAD.test(page) ? POLICY.exec(page.replace(HEAD, ""))?.[1] : undefined;
  if (policy === undefined) {
    return "the page has no Content-Security-Policy at its beginning";
  }
  const directives = new Map();
  for (const part of policy.split(";")) {
    const [name, ...sources] = part.trim().split(/\s+/);
    // Browsers take the first of several.
    if (name !== "" && !directives.has(name)) {
      directives.set(name, sources);
    }
  }
  for (const name of NEEDED) {
    if (directives.get(name)?.join(" ") !== "'none'") {
      return `its policy lacks ${name} 'none'`;
    }
  }
  for (const [name, sources] of directives) {
    const isHashed = name === "style-src" || name === "script-src";
    const refused = sources.find(
      (source) => source !== "'none'" && !ALLOWED[name]?.includes(source) && !(isHashed && HASH.test(source)),
    );
    if (refused !== undefined) {
      return `its policy allows ${refused} in ${name}`;
    }
  }
  return undefined;
}

/**
 * A page in the colours of the editor, which need not be those of the system that a page asks for.
 * @param {string} page
 * @param {boolean} isDark
 */
function coloured(page, isDark) {
  let changed = page;
  for (const [, style] of page.matchAll(/<style>([\s\S]*?)<\/style>/g)) {
    const fixed = style
      .replaceAll("@media screen and (prefers-color-scheme: dark)", isDark ? "@media screen" : "@media not all")
      .replaceAll("color-scheme: light dark", `color-scheme: ${isDark ? "dark" : "light"}`);
    // The policy names styles by their hashes. Functions, as texts to put in may not hold `$`.
    changed = changed.replace(style, () => fixed).replace(hash(style), () => hash(fixed));
  }
  return changed;
}

function hash(text) {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * Writes a report of a machine and reads it back.
 * @param {import("./settings.js").Settings} settings
 * @param {"check" | "refine" | "compare"} command
 * @param {string} file the machine
 * @param {AbortSignal} [signal] ends the run early, with the results so far
 * @returns {Promise<{page?: string, fault?: string, output: string}>} the page or why there is none, and all that was printed
 */
async function make(settings, command, file, signal) {
  const folder = await mkdtemp(join(tmpdir(), "bcheck-"));
  try {
    const path = join(folder, "report.html");
    const { code, output } = await run(settings.path, ofReport(settings, command, file, path), dirname(file), signal);
    const page = await readFile(path, "utf8").catch(() => undefined);
    if (page === undefined) {
      const reason = output.trim().split("\n", 1)[0] || `bcheck ended with ${code}`;
      return { fault: `No report of ${basename(file)}: ${reason}`, output };
    }
    const reason = objection(page);
    return reason === undefined ? { page, output } : { fault: `The report of ${basename(file)} is not shown: ${reason}.`, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

module.exports = { coloured, commandFor, make, objection };
