// The grammar as VS Code runs it: vscode-textmate over Oniguruma.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const here = createRequire(import.meta.url);
const path = new URL("../dist/b.tmLanguage.json", import.meta.url);

await oniguruma.loadWASM((await readFile(here.resolve("vscode-oniguruma/release/onig.wasm"))).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(await readFile(path, "utf8"), "b.json"),
});
const grammar = await registry.loadGrammar("source.b.bcheck");

/**
 * The tokens of a text, each with its line, from 1, and its scopes without that of the language.
 * @param {string} text
 * @returns {{line: number, text: string, scopes: string[]}[]}
 */
export function marked(text) {
  let state = textmate.INITIAL;
  return text.split("\n").flatMap((line, index) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      line: index + 1,
      text: line.slice(startIndex, endIndex),
      scopes: scopes.slice(1),
    }));
  });
}
