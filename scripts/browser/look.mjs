// Opens each report of a folder in Chromium and holds it to what is promised of it: look.mjs REPORTS PICTURES.
// Every failure is reported; the exit code is 1 if there is any.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { accessibility, collect, collected, conclude, hold, launch, open } from "./held.mjs";

const WIDTHS = [390, 768, 1200, 2560];

const [reports, pictures] = process.argv.slice(2).map((path) => resolve(path));

/** The number of each step that is shown. */
const shown = (page) =>
  page.$$eval("article.step", (steps) =>
    steps.flatMap((step, index) => (getComputedStyle(step).display === "none" ? [] : [index])),
  );
const place = (page) => page.$eval(".trace .place", (place) => place.textContent);

async function stepThrough(page) {
  const count = (await page.$$("article.step")).length;
  hold(count > 1, "the trace has steps");
  const is = async (expected, how) => {
    hold(JSON.stringify(await shown(page)) === JSON.stringify([expected]), `${how} shows step ${expected}: ${await shown(page)}`);
    hold((await place(page)) === `step ${expected} of ${count - 1}`, `${how} says where it is: ${await place(page)}`);
  };
  await is(count - 1, "the page at first");
  await page.keyboard.press("Home");
  await is(0, "Home");
  for (let step = 1; step < count; step += 1) {
    await page.keyboard.press("ArrowRight");
    await is(step, "the right arrow");
    const changed = await page.$$eval("article.step.shown tr.changed", (rows) => rows.map((row) => row.cells[2].textContent));
    hold(changed.every((word) => /^(changed[:,] |new$)/.test(word)), `what changed is said: ${changed}`);
  }
  await page.keyboard.press("ArrowRight");
  await is(count - 1, "the right arrow at the end");
  await page.keyboard.press("ArrowLeft");
  await is(count - 2, "the left arrow");
  await page.keyboard.press("End");
  await is(count - 1, "End");
  // By the tabulator to the buttons, and by Enter through them.
  const focused = () => page.evaluate(() => document.activeElement.dataset.move ?? "");
  for (let press = 0; press < 200 && (await focused()) !== "first"; press += 1) {
    await page.keyboard.press("Tab");
  }
  hold((await focused()) === "first", "the buttons can be reached by the tabulator");
  await page.keyboard.press("Enter");
  await is(0, "Enter on the first button");
  await page.keyboard.press("ArrowRight");
  await is(Math.min(1, count - 1), "an arrow on a button");
  for (let press = 0; press < 10 && (await focused()) !== "all"; press += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Space");
  hold((await shown(page)).length === count, "all steps at once");
  await page.keyboard.press("Space");
}

/** Everything that takes the focus does so by the tabulator, and shows it. */
async function tabThrough(page) {
  await page.evaluate(() => {
    document.activeElement.blur();
    window.scrollTo(0, 0);
  });
  const wanted = await page.$$eval("a[href], button:enabled, input, select, [tabindex='0'], summary", (all) => all.filter((one) => one.checkVisibility()).length);
  const reached = await page.evaluateHandle(() => new Set());
  let visible = true;
  for (let press = 0; press < wanted + 2; press += 1) {
    await page.keyboard.press("Tab");
    visible &&= await page.evaluate((set) => {
      const one = document.activeElement;
      if (one === document.body) {
        return true;
      }
      set.add(one);
      return getComputedStyle(one).outlineStyle !== "none" && parseFloat(getComputedStyle(one).outlineWidth) >= 2;
    }, reached);
  }
  const count = await page.evaluate((set) => set.size, reached);
  hold(count === wanted, `the tabulator reaches everything: ${count} of ${wanted}`);
  hold(visible, "what has the focus shows it");
}

/** Words and markers of pictures stand out from their ground: axe does not look into them. */
async function contrastOfPictures(page, scheme) {
  const poor = await page.evaluate(() => {
    const parts = (colour) => colour.match(/[\d.]+/g)?.slice(0, 3).map(Number);
    const light = (colour) => {
      const [red, green, blue] = parts(colour).map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
      const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    };
    const poor = [];
    const seen = (colour) => colour !== "none" && !/^rgba\(.*, 0\)$/.test(colour);
    // Objects of VisB have the colours that the machine gives them, on white.
    for (const picture of document.querySelectorAll("svg:not(svg svg):not(.resources)")) {
      const own = picture.querySelector(".paper");
      const paper = own ? getComputedStyle(own).fill : getComputedStyle(document.body).backgroundColor;
      for (const text of [...picture.querySelectorAll("text")].filter((text) => !text.closest(".visb"))) {
        const box = text.closest("g.node")?.querySelector(".box") ?? text.parentElement.querySelector(":scope > rect");
        const ground = box && seen(getComputedStyle(box).fill) ? getComputedStyle(box).fill : paper;
        const found = contrast(getComputedStyle(text).fill, ground);
        if (found < 4.5) {
          poor.push(`${text.textContent}: ${found.toFixed(1)}`);
        }
      }
      for (const mark of picture.querySelectorAll(".marker, .line, .arrow, .link")) {
        if (mark.closest(".visb")) {
          continue;
        }
        const found = contrast(getComputedStyle(mark).stroke, paper);
        if (found < 3) {
          poor.push(`${mark.getAttribute("class")}: ${found.toFixed(1)}`);
        }
      }
    }
    return poor;
  });
  hold(poor.length === 0, `${scheme}: contrast in pictures: ${poor.slice(0, 5)}`);
}

/** No two words of a picture stand on each other, and none leaves it. */
async function noOverlaps(page) {
  const wrong = await page.evaluate(() => {
    const wrong = [];
    for (const picture of document.querySelectorAll("svg:not(svg svg):not(.resources)")) {
      const frame = picture.getBoundingClientRect();
      const texts = [...picture.querySelectorAll("text")].filter((text) => !text.closest(".visb"));
      const boxes = texts.map((text) => [text.textContent, text.getBoundingClientRect()]);
      for (const [index, [word, box]] of boxes.entries()) {
        if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
          wrong.push(`${word} leaves the picture`);
        }
        for (const [other, second] of boxes.slice(index + 1)) {
          const across = Math.min(box.right, second.right) - Math.max(box.left, second.left);
          const down = Math.min(box.bottom, second.bottom) - Math.max(box.top, second.top);
          if (across > 1 && down > 3) {
            wrong.push(`${word} and ${other}`);
          }
        }
      }
    }
    return wrong;
  });
  hold(wrong.length === 0, `words of pictures overlap: ${wrong.slice(0, 5).join("; ")}`);
}

/** Shows what is folded away, and all steps. */
async function unfold(page) {
  await page.evaluate(() => {
    document.querySelectorAll("details").forEach((part) => (part.open = true));
    document.querySelectorAll(".stepping").forEach((trace) => trace.classList.remove("stepping"));
  });
  // The observers of sizes are called before the second frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));
}

/** The page is as wide as the window, no word is broken, and what scrolls says so. */
async function fits(page, width) {
  const { over, broken, silent } = await page.evaluate(() => {
    const over = document.documentElement.scrollWidth - window.innerWidth;
    const broken = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement.checkVisibility() || text.parentElement.closest("svg, script, style, pre")) {
        continue;
      }
      for (const word of text.data.matchAll(/[\p{L}\p{N}_]+|[|<>+-]*->+/gu)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
        const isBroken = boxes.some((box) => Math.abs(box.top - boxes[0].top) > box.height / 2);
        // A name that is longer than a line has to be.
        const block = text.parentElement.closest("p, li, td, th, h1, h2, h3, summary, div");
        const length = boxes.reduce((sum, box) => sum + box.width, 0);
        if (isBroken && length <= block.clientWidth - parseFloat(getComputedStyle(block).paddingLeft)) {
          broken.push(`${word[0]} in ${block.textContent.slice(0, 40)}`);
        }
      }
    }
    const scrolls = (part) => /auto|scroll/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth + 1;
    const wide = [...document.querySelectorAll("body *")].filter((part) => part.checkVisibility() && scrolls(part));
    const silent = wide.filter((part) => !/scroll sideways/.test(getComputedStyle(part, "::before").content));
    return { over, broken, silent: silent.map((part) => part.outerHTML.slice(0, 80)) };
  });
  hold(over <= 0, `${width} pixels: the page is wider by ${over}`);
  hold(broken.length === 0, `${width} pixels: words are broken: ${broken.slice(0, 5)}`);
  hold(silent.length === 0, `${width} pixels: what scrolls does not say so: ${silent.slice(0, 3)}`);
}

/** On paper nothing scrolls, so nothing may be wider than the page. */
async function fitsOnPaper(page) {
  // A4 with margins of a centimetre, in CSS pixels.
  await page.setViewport({ width: 718, height: 1000 });
  await page.emulateMediaType("print");
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("main *")]
      .filter((part) => !part.closest("svg svg, .resources") && part.checkVisibility() && part.getBoundingClientRect().right > window.innerWidth + 1)
      .map((part) => part.outerHTML.slice(0, 80)),
  );
  hold(wide.length === 0, `on paper parts are cut off: ${wide.slice(0, 3)}`);
}

/** A page with a fault for each condition: each must be found, or the conditions say nothing. */
async function faultsAreFound(browser, folder) {
  const path = join(folder, "faults.html");
  const words = (x) => `<text x="${x}" y="20" fill="#ddd">overlapping</text>`;
  writeFileSync(
    path,
    `<!DOCTYPE html><html><head><title>t</title></head><body style="margin: 0"><main>
    <p style="color: #ccc">pale</p><img src="https://example.invalid/x.png">
    <p style="width: 25ch; word-break: break-all; font-family: monospace">one two three incomprehensibilities</p>
    <div class="mute" style="overflow-x: auto; width: 200px"><div style="width: 3000px">wide</div></div>
    <div style="width: 3000px">too wide</div><button style="outline: none">b</button>
    <svg width="200" height="40"><rect class="paper" width="200" height="40" fill="#fff"/>${words(10)}${words(20)}</svg>
    <script>console.error("complaint"); throw new Error("fault")</script></main></body></html>`,
  );
  collect();
  const page = await open(browser, path);
  await accessibility(page, "faults");
  await contrastOfPictures(page, "faults");
  await noOverlaps(page);
  await tabThrough(page);
  await fits(page, 1100);
  await fitsOnPaper(page);
  await page.close();
  const found = collected();
  const wanted = [
    "a request leaves the page", "console: complaint", "an error of the script: fault", "color-contrast", "html-has-lang", "image-alt",
    "contrast in pictures: overlapping", "words of pictures overlap", "what has the focus shows it", "the page is wider by",
    "words are broken: incomprehensibilities", "what scrolls does not say so", "on paper parts are cut off",
  ];
  for (const what of wanted) {
    hold(found.some((fault) => fault.includes(what)), `a page with this fault does not fail: ${what}`);
  }
}

const browser = await launch();
try {
  await faultsAreFound(browser, pictures);
  for (const file of readdirSync(reports).filter((name) => name.endsWith(".html")).sort()) {
    const path = join(reports, file);
    const name = basename(file, ".html");
    console.log(name);
    for (const scheme of ["light", "dark"]) {
      const page = await open(browser, path, { scheme });
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      hold((ground === "rgb(255, 255, 255)") === (scheme === "light"), `${scheme}: the ground is ${ground}`);
      await accessibility(page, scheme);
      await contrastOfPictures(page, scheme);
      await page.screenshot({ path: join(pictures, `${name}-${scheme}.png`), fullPage: true });
      if (scheme === "light") {
        if (name.startsWith("trace")) {
          await stepThrough(page);
        }
        await tabThrough(page);
        await noOverlaps(page);
        const steps = (await page.$$("article.step")).length;
        await fitsOnPaper(page);
        hold((await shown(page)).length === steps, "in print all steps are there");
        await page.pdf({ path: join(pictures, `${name}.pdf`), printBackground: true });
      }
      await page.close();
    }
    for (const width of WIDTHS) {
      const page = await open(browser, path, { width });
      await unfold(page);
      await fits(page, width);
      if (width !== 1200) {
        await page.screenshot({ path: join(pictures, `${name}-${width}.png`), fullPage: true });
      }
      if (width === WIDTHS[0]) {
        // Once more, with all that was folded away.
        await accessibility(page, `${width} pixels`);
      }
      await page.close();
    }
    const still = await open(browser, path, { script: false });
    // Without its script, a page cannot be asked by script: its text is.
    const text = await still.evaluate(() => document.body.innerText).catch(() => undefined);
    const heads = [...readFileSync(path, "utf8").matchAll(/<h3>(\d+) ([^<(&]+)/g)].map((head) => head[2].trim());
    hold(text === undefined || heads.every((head) => text.includes(head)), "without its script the page has all steps");
    await still.close();
  }
  for (const file of readdirSync(reports).filter((name) => name.endsWith(".svg")).sort()) {
    console.log(file);
    // A picture has no policy: by itself, it must neither load nor run anything.
    const page = await open(browser, join(reports, file));
    hold((await page.$$("script, foreignObject, iframe, image:not([href^='data:'])")).length === 0, "a picture has nothing that runs or loads");
    await page.close();
  }
} finally {
  await browser.close();
}
conclude();
