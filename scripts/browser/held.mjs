// What all tests of pages share: a page that may load nothing, conditions that are counted, accessibility by axe-core.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let failures = 0;
let held = 0;
/** What failed of a page that is meant to fail; of other pages, nothing is collected. */
let expected;

export function hold(condition, what) {
  held += 1;
  if (condition) {
    return;
  }
  if (expected) {
    expected.push(what);
    return;
  }
  failures += 1;
  console.error(`  FAILED ${what}`);
}

/** From here on, conditions are meant to fail. */
export function collect() {
  expected = [];
}

/** Those that have failed since then; from here on, they must hold again. */
export function collected() {
  const failed = expected;
  expected = undefined;
  return failed;
}

/** Says how many conditions hold; the exit code is 1 if one does not. */
export function conclude() {
  console.log(failures === 0 ? `all ${held} conditions hold` : `${failures} of ${held} conditions failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

export const launch = () =>
  puppeteer.launch({
    executablePath: process.env.CHROMIUM,
    headless: true,
    // As root, as in containers, Chromium has no sandbox, and little shared memory. The pages are our own.
    args: process.getuid?.() === 0 ? ["--no-sandbox", "--disable-dev-shm-usage"] : [],
  });

/** A page that may load nothing but itself, and whose complaints are failures. */
export async function open(browser, path, { scheme = "light", script = true, width = 1100 } = {}) {
  const page = await browser.newPage();
  const own = pathToFileURL(path).href;
  await page.setViewport({ width, height: 900 });
  await page.setJavaScriptEnabled(script);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    // Images that stand in the page are requests as well.
    const isOwn = request.url() === own || request.url().startsWith("data:image/");
    hold(isOwn, `a request leaves the page: ${request.url()}`);
    isOwn ? request.continue() : request.abort();
  });
  page.on("console", (message) => hold(message.type() !== "error" && message.type() !== "warn", `console: ${message.text()}`));
  page.on("pageerror", (error) => hold(false, `an error of the script: ${error.message}`));
  await page.goto(own);
  return page;
}

export async function accessibility(page, scheme) {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations", "passes"] }));
  hold(passes.some((rule) => rule.id === "color-contrast"), `${scheme}: axe has looked at contrast`);
  for (const { id, help, nodes } of violations) {
    hold(false, `${scheme}: ${id} (${help}): ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
  }
}
