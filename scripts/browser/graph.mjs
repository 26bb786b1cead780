// Holds the graph of states in a report to what is promised of it: graph.mjs REPORT PICTURES. The report shall have 20,000 nodes; of a smaller
// one (a build without optimisation is too slow for them), a copy is enlarged to that many, and said to be.
// Every failure is reported; the exit code is 1 if there is any.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { accessibility, conclude, hold, launch, open } from "./held.mjs";

const NODES = 20_000;
const FIRST_PAINT_MS = 2_000;
const FRAMES_PER_SECOND = 30;
const DATA = /(<script type="application\/json">)(.*?)(<\/script>)/s;

/** The page with as many nodes as are wanted: copies of the graph side by side, with the same values. */
function enlarged(text) {
  const graph = JSON.parse(DATA.exec(text)[2]);
  const size = graph.distances.length;
  if (size >= NODES) {
    return text;
  }
  console.log(`  (enlarged from ${size} nodes by copies)`);
  const copies = Math.ceil(NODES / size);
  const repeated = (list) => Array.from({ length: copies }, () => list).flat();
  const moved = (list) => Array.from({ length: copies }, (_, copy) => list.map((node) => node + copy * size)).flat();
  graph.columns.concat(graph.formulas).forEach((column) => { column.of = repeated(column.of); });
  [graph.distances, graph.sizes, graph.initial, graph.deadlocks] = [repeated(graph.distances), repeated(graph.sizes), moved(graph.initial), moved(graph.deadlocks)];
  const steps = graph.steps;
  [steps.from, steps.to] = [moved(steps.from), moved(steps.to)];
  [steps.operation, steps.count, steps.label] = [steps.operation, steps.count, steps.label].map(repeated);
  const signs = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };
  const json = JSON.stringify(graph).replace(/[<>&]/g, (sign) => signs[sign]);
  return text.replace(DATA, (_, before, __, after) => before + json + after);
}

/** What the page shows at the moment. */
const state = (page) =>
  page.evaluate(() => {
    const { scene, canvas, status, near } = document.querySelector(".state-graph").viewer;
    const { form, nodes } = scene.layout;
    return { chosen: scene.chosen, form, shown: nodes.length, near: near.size, frames: canvas.frames, says: status.textContent, scale: canvas.view.scale };
  });

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Presses the tabulator until something has the focus. */
async function tabTo(page, selector) {
  for (let press = 0; press < 300; press += 1) {
    if (await page.evaluate((selector) => document.activeElement.matches(selector), selector)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  hold(false, `the tabulator reaches ${selector}`);
}

async function times(page) {
  await page.waitForFunction(() => document.querySelector(".state-graph").viewer.canvas.frames > 0);
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  const drawn = await page.evaluate(() => document.querySelector(".state-graph").viewer.canvas.firstFrame);
  console.log(`  first paint after ${Math.round(painted)} ms, the graph after ${Math.round(drawn)} ms`);
  hold(painted <= FIRST_PAINT_MS && drawn <= FIRST_PAINT_MS, `the first paint is within ${FIRST_PAINT_MS} ms: ${painted}, ${drawn}`);
}

/** Frames in a second in which a canvas of the same size is only filled: what this machine has to give at the moment. */
const capacity = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const element = document.querySelector(".state-graph canvas");
        element.scrollIntoView();
        const plain = document.createElement("canvas");
        [plain.width, plain.height] = [element.width, element.height];
        plain.style.cssText = `position: fixed; left: 0; top: 0; width: ${element.clientWidth}px; height: ${element.clientHeight}px;`;
        document.body.append(plain);
        const context = plain.getContext("2d", { alpha: false });
        const start = performance.now();
        let frames = 0;
        const fill = () => {
          frames += 1;
          context.fillStyle = frames % 2 ? "#777777" : "#888888";
          context.fillRect(0, 0, plain.width, plain.height);
          const passed = performance.now() - start;
          if (passed < 2000) {
            requestAnimationFrame(fill);
          } else {
            plain.remove();
            done(frames / (passed / 1000));
          }
        };
        requestAnimationFrame(fill);
      }),
  );

/** Frames in a second of zooming by the wheel, which turns once in each frame. */
async function fluency(page, what) {
  const most = await capacity(page);
  const rate = await page.evaluate(
    () =>
      new Promise((done) => {
        const viewer = document.querySelector(".state-graph").viewer;
        const element = viewer.canvasElement;
        element.scrollIntoView();
        element.focus();
        const box = element.getBoundingClientRect();
        const [before, start] = [viewer.canvas.frames, performance.now()];
        let turns = 0;
        const turn = () => {
          turns += 1;
          const deltaY = turns % 80 < 40 ? -25 : 25;
          element.dispatchEvent(new WheelEvent("wheel", { deltaY, clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, cancelable: true }));
          const passed = performance.now() - start;
          passed < 3000 ? requestAnimationFrame(turn) : done((viewer.canvas.frames - before) / (passed / 1000));
        };
        requestAnimationFrame(turn);
      }),
  );
  console.log(`  ${what}: ${Math.round(rate)} frames a second while zooming (a plain canvas: ${Math.round(most)})`);
  // A machine that has other work cannot give that many even to a plain canvas: then most of what it has is enough.
  const wanted = Math.min(FRAMES_PER_SECOND, 0.7 * most);
  hold(rate >= wanted, `${what}: ${rate} frames a second, ${wanted} are wanted`);
}

/** No two boxes, no two words, no word and box overlap; each text fits its box. */
async function noOverlaps(page, what) {
  const wrong = await page.evaluate(() => {
    const { layout } = document.querySelector(".state-graph").viewer.scene;
    const places = layout.nodes.map((node, at) => [`node ${node}`, layout.x[at], layout.y[at], layout.width[at], layout.height[at]]);
    layout.arrows.forEach((arrow) => arrow.at && places.push([arrow.word, ...arrow.at, ...arrow.size]));
    places.sort((one, other) => one[2] - one[4] / 2 - (other[2] - other[4] / 2));
    const wrong = [];
    places.forEach(([name, x, y, width, height], at) => {
      // Sorted by their upper ends: those that begin below this one are free of it.
      for (let next = at + 1; next < places.length && places[next][2] - places[next][4] / 2 < y + height / 2 - 0.01; next += 1) {
        const [other, otherX, , otherWidth] = places[next];
        if (Math.abs(x - otherX) < (width + otherWidth) / 2 - 0.01) {
          wrong.push(`${name} and ${other}`);
        }
      }
    });
    return wrong;
  });
  hold(wrong.length === 0, `${what}: these overlap: ${wrong.slice(0, 5).join("; ")}`);
}

/** Searches are what the same question to the data gives. */
async function searches(page) {
  const answers = await page.evaluate(() => {
    const viewer = document.querySelector(".state-graph").viewer;
    const graph = viewer.original;
    const value = (node) => valueIn(graph.columns[0], node);
    const valueIn = (column, node) => column.values[column.of[node]];
    const all = viewer.all;
    const some = value(all[Math.floor(all.length / 2)]);
    const leaves = (operation) => new Set([...graph.from].filter((_, step) => graph.operations[graph.operation[step]] === operation));
    const arrives = (operation) => new Set([...graph.to].filter((_, step) => graph.operations[graph.operation[step]] === operation));
    const [up, swapped] = [leaves("up"), arrives("swap")];
    const questions = [
      [`f = ${some}`, (node) => value(node) === some],
      [`f /= ${some}`, (node) => value(node) !== some],
      ["distance <= 7", (node) => graph.distance[node] <= 7],
      ["distance > 3 & distance < 9", (node) => graph.distance[node] > 3 && graph.distance[node] < 9],
      ["|->12,", (node) => value(node).includes("|->12,")],
      ["enabled up", (node) => up.has(node)],
      ["after swap & distance = 5", (node) => swapped.has(node) && graph.distance[node] === 5],
      ["initial", (node) => graph.isInitial[node] === 1],
      ["max(ran(f)) = 9", (node) => valueIn(graph.formulas[0], node) === "9"],
      ["max(ran(f)) >= 10", (node) => Number(valueIn(graph.formulas[0], node)) >= 10],
      ["deadlock", () => false],
    ];
    return questions.map(([text, test]) => {
      viewer.query.value = text;
      viewer.search();
      const expected = all.filter(test);
      return { text, found: viewer.scene.matches.length, expected: expected.length, same: expected.every((node) => viewer.scene.isMatch[node]), says: viewer.status.textContent };
    });
  });
  for (const { text, found, expected, same, says } of answers) {
    hold(found === expected && same, `${text}: ${found} of ${expected} found`);
    hold(says.startsWith(`${found.toLocaleString("en")} of `), `${text}: the number is said: ${says}`);
  }
  hold(answers.filter((answer) => answer.expected > 0).length >= 9, "most questions have answers");
}

async function byKeyboard(page) {
  await page.evaluate(() => document.activeElement.blur());
  await tabTo(page, ".state-graph input[type=search]");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.type("distance = 9 & enabled up");
  await page.keyboard.press("Enter");
  let now = await state(page);
  const distance = await page.evaluate((node) => document.querySelector(".state-graph").viewer.scene.graph.distance[node], now.chosen);
  hold(distance === 9 && now.says.startsWith("Match "), `Enter in the search goes to a match: ${JSON.stringify(now)}`);
  await tabTo(page, ".state-graph canvas");
  for (const key of ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"]) {
    const before = now.chosen;
    await page.keyboard.press(key);
    now = await state(page);
    hold(now.chosen !== before || key !== "ArrowUp", `${key} chooses another node`);
    hold(now.says.includes(`${now.chosen}, distance`), `${key}: what is chosen is said: ${now.says}`);
  }
  await page.keyboard.press("0");
  await page.keyboard.press("+");
  const larger = await state(page);
  await page.keyboard.press("-");
  hold((await state(page)).scale < larger.scale, "keys zoom");
  const hidden = await page.evaluate(() => {
    const viewer = document.querySelector(".state-graph").viewer;
    const node = [...viewer.near].find((node) => viewer.hiddenNeighbours(node).length > 0);
    viewer.choose(node);
    return Math.min(viewer.hiddenNeighbours(node).length, 40);
  });
  await page.evaluate(() => document.querySelector(".state-graph canvas").focus());
  const before = await state(page);
  await page.keyboard.press("Enter");
  now = await state(page);
  hold(hidden > 0 && now.shown === before.shown + hidden, `Enter expands: ${before.shown} + ${hidden}, ${now.shown}`);
  await tabTo(page, ".state-graph .about-state button");
  await page.keyboard.press("Enter");
}

/** A click on a box chooses its state; the trace to it begins in an initial state, each step where the one before ends. */
async function byPointer(page) {
  const target = await page.evaluate(() => {
    const viewer = document.querySelector(".state-graph").viewer;
    viewer.around(viewer.all.find((node) => viewer.scene.graph.distance[node] === 6));
    viewer.canvasElement.scrollIntoView();
    const { layout } = viewer.scene;
    const { view, width, height } = viewer.canvas;
    const at = viewer.canvas.inView().find((at) => layout.nodes[at] !== viewer.scene.chosen && Math.abs(layout.y[at] - view.y) * view.scale < height / 2 - 40);
    const box = viewer.canvasElement.getBoundingClientRect();
    return { node: layout.nodes[at], x: box.left + 1 + width / 2 + (layout.x[at] - view.x) * view.scale, y: box.top + 1 + height / 2 + (layout.y[at] - view.y) * view.scale };
  });
  await page.mouse.click(target.x, target.y);
  hold((await state(page)).chosen === target.node, `a click chooses node ${target.node}: ${JSON.stringify(await state(page))}`);
  const trace = await page.evaluate(() => {
    const { scene } = document.querySelector(".state-graph").viewer;
    const { graph, path, chosen } = scene;
    const shown = [...document.querySelectorAll(".state-graph .about-state ol > li")].map((item) => item.querySelector("button").textContent.split(" ")[1]);
    const nodes = [graph.from[path[0]], ...path.map((step) => graph.to[step])];
    const joined = path.every((step, at) => at === 0 || graph.from[step] === graph.to[path[at - 1]]);
    return { joined, length: path.length, distance: graph.distance[chosen], initial: graph.isInitial[nodes[0]], last: nodes.at(-1) === chosen, shown, nodes };
  });
  hold(trace.joined && trace.initial === 1 && trace.last && trace.length === trace.distance, `a shortest trace: ${JSON.stringify(trace)}`);
  hold(JSON.stringify(trace.shown.map(Number)) === JSON.stringify(trace.nodes), `the page shows the trace: ${trace.shown}`);
}

/** A merged graph has all nodes and all steps. */
async function merging(page) {
  const sums = await page.evaluate(() => {
    const viewer = document.querySelector(".state-graph").viewer;
    const sum = (list) => list.reduce((sum, count) => sum + count, 0);
    const whole = [viewer.original.size, sum(viewer.original.count)];
    const name = "max(ran(f))";
    const column = viewer.columns.findIndex((column) => column.name === name);
    viewer.merging.selectedIndex = column + 1;
    viewer.merging.dispatchEvent(new Event("change"));
    const { graph } = viewer.scene;
    const merged = [sum(graph.members.map((nodes) => nodes.length)), sum(graph.count)];
    const size = [graph.size, new Set(viewer.columns[column].of).size];
    return { whole, merged, size };
  });
  hold(JSON.stringify(sums.whole) === JSON.stringify(sums.merged), `merging keeps states and steps: ${JSON.stringify(sums)}`);
  hold(sums.size[0] === sums.size[1], `a node for each value: ${sums.size}`);
  await noOverlaps(page, "merged");
  await page.evaluate(() => {
    const viewer = document.querySelector(".state-graph").viewer;
    viewer.merging.selectedIndex = 0;
    viewer.merging.dispatchEvent(new Event("change"));
  });
  hold((await state(page)).form === "near", "without merging the graph is there again");
}

const show = (page, form) => page.evaluate((form) => document.querySelector(".state-graph").viewer.show(form), form);
const unfold = (page) => page.evaluate(() => document.querySelectorAll(".state-graph details").forEach((part) => { part.open = true; }));

const [report, pictures] = process.argv.slice(2).map((path) => resolve(path));
const large = join(pictures, "large-graph.html");
writeFileSync(large, enlarged(readFileSync(report, "utf8")));
console.log(`large graph: a page of ${(readFileSync(large).length / 1e6).toFixed(1)} MB`);
const browser = await launch();
try {
  const page = await open(browser, large);
  await times(page);
  await noOverlaps(page, "at first");
  await fluency(page, "neighbourhood");
  await searches(page);
  await byKeyboard(page);
  await noOverlaps(page, "expanded");
  await byPointer(page);
  await merging(page);
  await show(page, "whole");
  await page.waitForFunction(() => document.querySelector(".state-graph").viewer.canvas.overview?.arrows);
  hold((await state(page)).shown >= NODES, `all nodes are shown: ${JSON.stringify(await state(page))}`);
  await fluency(page, "whole graph");
  await noOverlaps(page, "whole graph");
  await page.close();
  for (const scheme of ["light", "dark"]) {
    for (const width of [1100, 390]) {
      const page = await open(browser, large, { scheme, width });
      for (const form of ["near", "whole"]) {
        await show(page, form);
        await unfold(page);
        await pause(1500);
        await accessibility(page, `${scheme}, ${width}, ${form}`);
        const label = await page.$eval(".state-graph canvas", (canvas) => canvas.getAttribute("aria-label"));
        hold(/^Graph of large: 2\d,\d{3} classes, /.test(label), `the picture has a name: ${label}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        hold(over <= 0, `${width} pixels are not wide enough by ${over}`);
        const graph = await page.$(".state-graph");
        await graph.screenshot({ path: join(pictures, `large-graph-${form}-${scheme}-${width}.png`) });
      }
      await page.close();
    }
  }
} finally {
  await browser.close();
}
conclude();
