// Opens each report of a folder in Chromium and holds it to what is promised of it: look.mjs REPORTS PICTURES.
// Every failure is reported; the exit code is 1 if there is any.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { accessibility, conclude, hold, launch, open } from "./held.mjs";

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
    // Pictures of states have colours of the machine's.
    for (const picture of [...document.querySelectorAll("svg")].filter((picture) => picture.querySelector(".paper"))) {
      const paper = getComputedStyle(picture.querySelector(".paper")).fill;
      for (const text of picture.querySelectorAll("text")) {
        const box = text.closest("g.node")?.querySelector(".box");
        const ground = box ? getComputedStyle(box).fill : paper;
        const found = contrast(getComputedStyle(text).fill, ground);
        if (found < 4.5) {
          poor.push(`${text.textContent}: ${found.toFixed(1)}`);
        }
      }
      for (const mark of picture.querySelectorAll(".marker, .line, .arrow")) {
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
    for (const picture of document.querySelectorAll("svg")) {
      const frame = picture.getBoundingClientRect();
      const boxes = [...picture.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
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

const browser = await launch();
try {
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
        await page.emulateMediaType("print");
        hold((await shown(page)).length === steps, "in print all steps are there");
        await page.pdf({ path: join(pictures, `${name}.pdf`), printBackground: true });
      }
      await page.close();
    }
    const narrow = await open(browser, path, { width: 360 });
    const over = await narrow.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    hold(over <= 0, `a narrow window is not wide enough by ${over} pixels`);
    await narrow.close();
    const still = await open(browser, path, { script: false });
    // Without its script, a page cannot be asked by script: its text is.
    const text = await still.evaluate(() => document.body.innerText).catch(() => undefined);
    const heads = [...readFileSync(path, "utf8").matchAll(/<h3>(\d+) ([^<(&]+)/g)].map((head) => head[2].trim());
    hold(text === undefined || heads.every((head) => text.includes(head)), "without its script the page has all steps");
    await still.close();
  }
} finally {
  await browser.close();
}
conclude();
