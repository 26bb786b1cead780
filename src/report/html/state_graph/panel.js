// The parts of the page around the canvas: choices, legend, the chosen state, the table of states. Texts only ever become text nodes.

/** An element with attributes, listeners (`on…`) and content. */
function make(name, attributes, ...content) {
  const element = document.createElement(name);
  Object.entries(attributes || {}).forEach(([key, value]) => {
    if (key.startsWith("on")) {
      element.addEventListener(key.slice(2), value);
    } else if (value !== null && value !== undefined) {
      element.setAttribute(key, value);
    }
  });
  element.append(...content.flat().filter((part) => part !== null && part !== undefined));
  return element;
}

/** A text of B: its lines may end behind commas and before maplets, and never within a sign, as in the rest of the page. */
function notation(text) {
  return text.split(/([|<>+-]*->+)/).flatMap((part, at) => {
    if (at % 2 === 1) {
      return [make("wbr"), make("span", { class: "sign" }, part)];
    }
    return part.split(/(?<=,)/).flatMap((piece, place) => (place > 0 ? [make("wbr"), piece] : [piece]));
  });
}

function button(text, act, attributes) {
  return make("button", { type: "button", onclick: act, ...attributes }, text);
}

/** A field with its name above it. */
function field(name, control, className) {
  return make("label", { class: className }, name, control);
}

/** A list of choices; `choose` gets the position of the chosen one. */
function choice(names, choose) {
  const control = make("select", { onchange: () => choose(control.selectedIndex) });
  names.forEach((name) => control.append(make("option", {}, cut(name, 60))));
  return control;
}

/** A square of colour, for the legend. */
function square(colour) {
  const square = make("span", { class: "square", "aria-hidden": "true" });
  square.style.backgroundColor = colour;
  return square;
}

/** The most entries of a list that is shown at once, and the most steps of a trace at each of its ends. */
const LISTED = 30;
const LISTED_STEPS = 100;
/** Rows of a page of the table of states. */
const ROWS = 12;

/** A node as the page names it: numbers are those of files that --graph writes. */
function nameOf(graph, node) {
  return `${graph.members ? "node" : graph.noun} ${node}`;
}

/** What a step changes, in a line for each changed column. */
function changesOf(graph, step) {
  const [from, to] = [graph.from[step], graph.to[step]];
  const changed = graph.columns.filter((column) => column.of[from] !== column.of[to]);
  return changed.map((column) => make("div", { class: "label" }, notation(`${column.name}: ${valueOf(column, from)} → ${valueOf(column, to)}`)));
}

/** A step in words, with how many it stands for. */
function stepText(graph, step) {
  const more = graph.count[step] > 1 ? ` (the first of ${graph.count[step]})` : "";
  return make("span", { class: "label" }, notation(graph.labels[graph.label[step]]), graph.members && graph.count[step] > 1 ? ` ×${graph.count[step]}` : more);
}

/** The values of a node as a table. */
function valuesTable(graph, node) {
  const rows = [...graph.columns, ...graph.formulas].map((column) =>
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, column.name)), make("td", { class: "value" }, notation(valueOf(column, node)))));
  if (graph.members) {
    rows.push(make("tr", {}, make("th", { scope: "row" }, "stands for"), make("td", {}, counted(graph.members[node].length, graph.noun))));
  } else if (graph.sizes.length) {
    rows.push(make("tr", {}, make("th", { scope: "row" }, "stands for"), make("td", {}, counted(Number(graph.sizes[node]), "state"))));
  }
  const wrong = troubles(graph, node);
  if (wrong) {
    rows.push(make("tr", {}, make("th", { scope: "row" }, "found here"), make("td", { class: "failing" }, wrong)));
  }
  rows.push(make("tr", {}, make("th", { scope: "row" }, "distance"), make("td", {}, String(graph.distance[node]))));
  return make("table", {}, make("tbody", {}, rows));
}

/** The steps of a node in one direction, as a list in which each leads to its other end. */
function stepList(viewer, title, groups, ends, node) {
  const { graph } = viewer.scene;
  const steps = [];
  each(groups, node, (step) => steps.push(step));
  const items = steps.slice(0, LISTED).map((step) => {
    const other = ends[step];
    return make("li", {}, stepText(graph, step), " ", button(nameOf(graph, other), () => viewer.choose(other)), groups === graph.leaving ? changesOf(graph, step) : null);
  });
  const rest = steps.length > LISTED ? [make("li", {}, `and ${(steps.length - LISTED).toLocaleString("en")} more`)] : [];
  return [make("h3", {}, `${title} (${steps.length.toLocaleString("en")})`), items.length ? make("ul", {}, items, rest) : make("p", {}, "none")];
}

/** Everything about the chosen node. */
function aboutNode(viewer, node) {
  const { graph } = viewer.scene;
  const path = pathTo(graph, node);
  const start = path.length ? graph.from[path[0]] : node;
  const left = path.length - 2 * LISTED_STEPS;
  const listed = left > 0 ? [...path.slice(0, LISTED_STEPS), ...path.slice(-LISTED_STEPS)] : path;
  const way = listed.map((step, at) =>
    make("li", { value: left > 0 && at >= LISTED_STEPS ? at + left + 1 : at + 1 }, stepText(graph, step), " ", button(nameOf(graph, graph.to[step]), () => viewer.choose(graph.to[step])), changesOf(graph, step)));
  const first = make("li", {}, make("span", { class: "label" }, "INITIALISATION"), " ", button(nameOf(graph, start), () => viewer.choose(start)));
  const hidden = viewer.hiddenNeighbours(node).length;
  const acts = [];
  if (viewer.scene.layout.form === "near") {
    acts.push(button(hidden ? `Expand: show ${hidden.toLocaleString("en")} more neighbours` : "All neighbours are shown", () => viewer.expand(node), hidden ? {} : { disabled: "" }));
  }
  acts.push(button("Show only its neighbourhood", () => viewer.around(node)));
  return [
    make("h3", {}, `${nameOf(graph, node)}`),
    make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "values of the chosen node" }, valuesTable(graph, node)),
    make("div", { class: "row" }, acts),
    make("details", { open: "" },
      make("summary", {}, `${graph.members ? "A path" : "The trace"} to it: ${counted(path.length, "step")}`),
      left > 0 ? make("p", {}, `Listed are the first and the last ${LISTED_STEPS} steps; ${left.toLocaleString("en")} between them are left out.`) : null,
      make("ol", { start: "0" }, first, way)),
    make("details", {}, make("summary", {}, "Steps from it and to it"),
      stepList(viewer, "Steps from it", graph.leaving, graph.to, node),
      stepList(viewer, "Steps to it", graph.entering, graph.from, node)),
  ];
}

/** The states that a search has found, or all, page by page: what the picture shows, for keyboards and screen readers. */
class StateTable {
  constructor(viewer) {
    this.viewer = viewer;
    this.first = 0;
    this.caption = make("caption", {});
    this.body = make("tbody", {});
    this.head = make("tr", {});
    this.back = button("Previous page", () => this.turn(-ROWS));
    this.on = button("Next page", () => this.turn(ROWS));
    this.table = make("table", {}, this.caption, make("thead", {}, this.head), this.body);
    this.element = make("details", { ontoggle: () => this.fill() },
      make("summary", {}, "The same as a table"),
      make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "table of nodes" }, this.table),
      make("div", { class: "row" }, this.back, this.on));
  }

  get nodes() {
    return this.viewer.scene.matches || this.viewer.all;
  }

  reset() {
    this.first = 0;
    this.fill();
  }

  turn(by) {
    this.first = Math.min(Math.max(0, this.first + by), Math.max(0, this.nodes.length - 1));
    this.fill();
    this.viewer.say(this.caption.textContent);
  }

  fill() {
    if (!this.element.open) {
      return;
    }
    const { graph, matches } = this.viewer.scene;
    const nodes = this.nodes;
    const last = Math.min(nodes.length, this.first + ROWS);
    const total = nodes.length.toLocaleString("en");
    this.caption.textContent = nodes.length ? `Nodes ${this.first + 1} to ${last} of ${total}${matches ? " that match" : ""}` : "No node matches";
    const columns = [...graph.columns, ...graph.formulas];
    const heads = ["node", "distance", ...columns.map((column) => column.name), "steps"];
    this.head.replaceChildren(...heads.map((head) => make("th", { scope: "col" }, head)));
    this.body.replaceChildren(...nodes.slice(this.first, last).map((node) =>
      make("tr", {},
        make("th", { scope: "row" }, button(nameOf(graph, node), () => this.viewer.choose(node))),
        make("td", {}, String(graph.distance[node])),
        columns.map((column) => make("td", { class: "value" }, notation(cut(valueOf(column, node), 80)))),
        make("td", {}, String(degree(graph.leaving, node))))));
    this.back.disabled = this.first === 0;
    this.on.disabled = last >= nodes.length;
  }
}
