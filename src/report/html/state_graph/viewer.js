// What is shown, and what keys and pointers do to it.

/** A whole graph up to this size is shown at first; of a larger one, a neighbourhood. */
const SHOWN_WHOLE = 150;
/** How many nodes a neighbourhood has at first, and how many one expansion adds at most. */
const NEIGHBOURHOOD = 20;
const EXPANSION = 40;
/** The most nodes of a neighbourhood: a larger one is seen better as a whole. */
const MOST_NEAR = 400;
/** How many of the last steps of a trace a neighbourhood shows: a longer trace is listed beside the picture. */
const SHOWN_PATH = 30;
/** How many values have a colour of their own; the others share the last one. */
const COLOURS = 9;

class Viewer {
  constructor(root) {
    this.root = root;
    this.original = readGraph(JSON.parse(root.querySelector("script").textContent));
    // Values of formulas were computed when the page was written; the operations of a state are known here.
    this.columns = [...this.original.columns, ...this.original.formulas, enabledOperations(this.original)];
    this.scene = { graph: this.original, layout: null, chosen: -1, path: [], matches: null, isMatch: null, tint: null, paint: [], recolour: () => this.recolour(), colourOfOperation: (operation) => this.operationPaint[operation] };
    this.colouring = 0;
    this.operationPaint = [];
    this.build();
    this.take(this.original);
    root.classList.add("scripted");
  }

  /** The elements, in the order in which the tabulator reaches them. */
  build() {
    const { graph } = this.scene;
    this.status = make("p", { class: "says", role: "status" });
    this.canvasElement = make("canvas", { tabindex: "0", role: "application", "aria-describedby": `${this.name()}-keys` });
    const names = this.columns.map((column) => column.name);
    this.form = choice([`neighbourhood`, "whole graph"], (at) => this.show(at ? "whole" : "near"));
    this.merging = choice(["nothing", ...names], (at) => this.merge(at ? this.columns[at - 1] : null));
    this.colours = choice(["operation that leads there first", "distance", ...names], (at) => { this.colouring = at; this.recolour(); this.canvas.repainted(); });
    this.query = make("input", { type: "search", autocomplete: "off", spellcheck: "false", oninput: () => this.search(), onkeydown: (event) => this.enterOfSearch(event) });
    const legend = make("ul", { class: "legend", "aria-label": "colours" });
    this.legend = legend;
    this.about = make("div", { class: "about-state", role: "region", "aria-label": "the chosen node" });
    this.table = new StateTable(this);
    this.root.append(
      make("fieldset", {}, make("legend", {}, "Picture"),
        field("show", this.form), field("merge nodes by the value of", this.merging), field("colour by", this.colours)),
      make("fieldset", {}, make("legend", {}, "Search"),
        field("printed values, operations, distances", this.query, "wide-field"),
        button("Previous match", () => this.toMatch(-1)), button("Next match", () => this.toMatch(1))),
      this.searchHelp(),
      this.status,
      make("div", { class: "row" },
        button("Zoom in", () => this.canvas.zoom(1.4)), button("Zoom out", () => this.canvas.zoom(1 / 1.4)), button("Show all", () => this.canvas.fit())),
      this.canvasElement,
      make("p", { class: "soft", id: `${this.name()}-keys` },
        "With the focus in the picture: arrows choose a node, Enter expands it, + and − zoom, 0 shows all, Shift with arrows moves the picture, N and P go to matches. " +
        "A click chooses and gives the focus, a double click expands; drag to move, then turn the wheel to zoom."),
      legend, this.about, this.table.element);
    this.canvas = new GraphCanvas(this.canvasElement, this.scene);
    this.listen();
  }

  /** A word that no other graph of the page has. */
  name() {
    const all = [...document.querySelectorAll(".state-graph")];
    return `state-graph-${all.indexOf(this.root)}`;
  }

  searchHelp() {
    const formulas = this.original.formulas.length
      ? "Formulas of B were evaluated by bcheck when the page was written: each can be compared with its value, and colours or merges nodes."
      : "Formulas of B are evaluated by bcheck when it writes the page, not here: name them by --html-project EXPR.";
    const example = this.columns[0] ? `${this.columns[0].name} = ${cut(this.columns[0].values[0], 24)}` : "distance = 1";
    return make("details", {}, make("summary", {}, "What can be searched for"),
      make("p", {}, "Conditions, joined by & between blanks. The page compares printed values; it evaluates no formula of B."),
      make("ul", {},
        make("li", {}, make("code", {}, example), ", also with /=, and for integers <, <=, >, >=; ", make("code", {}, "distance <= 3")),
        make("li", {}, make("code", {}, "enabled OPERATION"), " (a step of it leaves the state), ", make("code", {}, "after OPERATION"), " (a step of it leads there)"),
        make("li", {}, make("code", {}, "initial"), ", ", make("code", {}, "deadlock"), ", ", make("code", {}, "finding")),
        make("li", {}, "any other text: a part of a line of the state")),
      make("p", {}, formulas));
  }

  /** Shows this graph: that of the page, or a merged one. */
  take(graph) {
    Object.assign(this.scene, { graph: graph, chosen: -1, path: [], matches: null, isMatch: null });
    this.all = Array.from({ length: graph.size }, (_, node) => node);
    this.query.value = "";
    this.near = new Set();
    this.recolour();
    const first = this.firstOfInterest();
    this.near = this.neighbourhood(first);
    this.show(graph.size <= SHOWN_WHOLE ? "whole" : "near");
    this.choose(first, false);
    this.canvas.open(this.scene.layout.place[first]);
    this.say(`${counted(graph.size, graph.members ? "node" : graph.noun)}, ${counted(graph.from.length, "arrow")}.`);
  }

  /** The nearest node with a finding, else an initial one. */
  firstOfInterest() {
    const { graph } = this.scene;
    const found = this.all.filter((node) => troubles(graph, node));
    return found.reduce((best, node) => (graph.distance[node] < graph.distance[best] ? node : best), found.length ? found[0] : 0);
  }

  /** A node with the trace to it, and the nodes around both, the nearest first. */
  neighbourhood(node) {
    const { graph } = this.scene;
    const shown = new Set([node]);
    pathTo(graph, node).slice(-SHOWN_PATH).forEach((step) => shown.add(graph.from[step]));
    // A set is visited in the order of insertion, also of what is inserted meanwhile: breadth first.
    for (const one of shown) {
      for (const other of this.neighboursOf(one)) {
        if (shown.size >= NEIGHBOURHOOD) {
          return shown;
        }
        shown.add(other);
      }
    }
    return shown;
  }

  neighboursOf(node) {
    const { graph } = this.scene;
    const found = new Set();
    each(graph.leaving, node, (step) => found.add(graph.to[step]));
    each(graph.entering, node, (step) => found.add(graph.from[step]));
    found.delete(node);
    return found;
  }

  hiddenNeighbours(node) {
    return [...this.neighboursOf(node)].filter((other) => !this.near.has(other));
  }

  /** Shows the neighbourhood, or all. */
  show(form) {
    const { graph } = this.scene;
    this.form.selectedIndex = form === "whole" ? 1 : 0;
    const isSmall = form === "whole" && graph.size <= SHOWN_WHOLE;
    // A small graph is drawn with its arrows and words in either case.
    if (isSmall) {
      this.near = new Set(this.all);
    }
    const hidden = (node) => {
      const count = this.hiddenNeighbours(node).length;
      return count ? [`(+ ${count.toLocaleString("en")} not shown)`] : [];
    };
    const isNear = form === "near" || isSmall;
    const nodes = isNear ? [...this.near].sort((one, other) => one - other) : this.all;
    this.scene.layout = layOut(graph, nodes, isNear ? "near" : "whole", hidden);
    this.canvas.changed();
    this.canvas.open(this.scene.layout.place[this.scene.chosen]);
    this.label();
    this.describe();
  }

  /** What the picture shows, for those who hear it. */
  label() {
    const { graph, layout } = this.scene;
    const shown = layout.nodes.length === graph.size ? "all of them are shown" : `${layout.nodes.length} of them are shown`;
    this.canvasElement.setAttribute("aria-label", `Graph of ${graph.machine}: ${counted(graph.size, graph.members ? "node" : graph.noun)}, ${shown}`);
  }

  /** Adds the neighbours of a node that are not shown. */
  expand(node) {
    const hidden = this.hiddenNeighbours(node);
    const room = Math.max(0, Math.min(EXPANSION, MOST_NEAR - this.near.size));
    hidden.slice(0, room).forEach((other) => this.near.add(other));
    const rest = hidden.length - Math.min(room, hidden.length);
    if (this.scene.layout.form === "near") {
      this.relayout(node);
    }
    const full = this.near.size >= MOST_NEAR ? ` ${MOST_NEAR} are shown, which is the most: show only a neighbourhood first.` : " Expand it again for more.";
    this.say(`${counted(Math.min(room, hidden.length), "neighbour")} added to ${nameOf(this.scene.graph, node)}${rest ? `; ${rest.toLocaleString("en")} are not shown.${full}` : "."}`);
  }

  /** Lays out the neighbourhood anew; the view stays with a node. */
  relayout(node) {
    const view = { ...this.canvas.view };
    this.show("near");
    const at = this.scene.layout.place[node];
    this.canvas.view = { x: this.scene.layout.x[at], y: this.scene.layout.y[at], scale: Math.max(view.scale, 0.6) };
    this.canvas.moved();
  }

  /** Shows a node with what is around it, and nothing else. */
  around(node) {
    this.near = this.neighbourhood(node);
    this.show("near");
    this.choose(node);
  }

  /** Chooses a node: its values, and the trace to it. */
  choose(node, isRevealed = true) {
    const { scene } = this;
    scene.chosen = node;
    scene.path = pathTo(scene.graph, node);
    if (scene.layout.form === "near" && scene.layout.place[node] === -1) {
      // What leads to it is shown too, so that it does not stand alone.
      const added = [node, ...scene.path.slice(-SHOWN_PATH).map((step) => scene.graph.from[step])];
      if (this.near.size + added.length > MOST_NEAR) {
        this.near = this.neighbourhood(node);
      } else {
        added.forEach((one) => this.near.add(one));
      }
      this.relayout(node);
    } else if (isRevealed) {
      this.canvas.reveal(scene.layout.place[node]);
    }
    this.describe();
    this.canvas.request();
    this.say(`${nameOf(scene.graph, node)}, distance ${scene.graph.distance[node]}: ${cut(linesOf(scene.graph, node).join("; "), 160)}`);
  }

  describe() {
    if (this.scene.chosen !== -1) {
      this.about.replaceChildren(...aboutNode(this, this.scene.chosen));
    }
  }

  merge(column) {
    this.take(column ? mergedGraph(this.original, column) : this.original);
    this.table.reset();
  }

  /** The columns by which nodes of the present graph can be coloured and searched. */
  presentColumns() {
    return this.scene.graph === this.original ? this.columns : this.scene.graph.columns;
  }

  recolour() {
    const { scene } = this;
    const { graph } = scene;
    const theme = this.canvas.theme;
    this.operationPaint = this.colouring === 0 ? graph.operations.map((_, at) => theme.palette[Math.min(at, COLOURS)]) : [];
    if (this.colouring === 1) {
      this.byDistance(theme);
      return;
    }
    const column = this.colouring === 0 ? arrivingOperations(graph) : this.columnForColour();
    // The most frequent values get colours.
    const counts = new Array(column.values.length).fill(0);
    column.of.forEach((value) => { counts[value] += 1; });
    const present = column.values.map((_, value) => value).filter((value) => counts[value]);
    const ranked = this.colouring === 0 ? present : [...present].sort((one, other) => counts[other] - counts[one] || one - other);
    const initial = this.colouring === 0 ? graph.operations.length : -1;
    const rank = new Map();
    ranked.forEach((value, at) => rank.set(value, Math.min(this.colouring === 0 && value !== initial ? value : at, COLOURS)));
    if (initial !== -1) {
      rank.set(initial, COLOURS);
    }
    scene.tint = Uint16Array.from(column.of, (value) => rank.get(value));
    scene.paint = theme.palette;
    const named = ranked.filter((value) => rank.get(value) < COLOURS || value === initial);
    const entries = named.map((value) => [theme.palette[rank.get(value)], `${cut(column.values[value], 48)} (${counts[value].toLocaleString("en")})`]);
    const others = ranked.filter((value) => rank.get(value) === COLOURS && value !== initial);
    if (others.length) {
      const sum = others.reduce((sum, value) => sum + counts[value], 0);
      entries.push([theme.palette[COLOURS], `${counted(others.length, "other")} (${sum.toLocaleString("en")})`]);
    }
    this.fillLegend(column.name, entries);
  }

  /** The chosen column; a merged graph has only the one that it was merged by, whose values colour it. */
  columnForColour() {
    return this.scene.graph === this.original ? this.columns[this.colouring - 2] : this.scene.graph.columns[0];
  }

  byDistance(theme) {
    const { scene } = this;
    const most = scene.graph.distance.reduce((most, distance) => Math.max(most, distance), 1);
    const [near, far] = theme.ramp;
    const mixed = (share) => `rgb(${near.map((part, at) => Math.round(part + (far[at] - part) * share)).join(",")})`;
    scene.paint = Array.from({ length: most + 1 }, (_, distance) => mixed(distance / most));
    scene.tint = Uint16Array.from(scene.graph.distance);
    const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * most));
    this.fillLegend("distance", [...new Set(steps)].map((distance) => [scene.paint[distance], String(distance)]));
  }

  fillLegend(title, entries) {
    this.legend.replaceChildren(make("li", {}, `${title}:`), ...entries.map(([colour, text]) => make("li", {}, square(colour), make("span", { class: "label" }, text))));
  }

  search() {
    const { scene } = this;
    const found = searchNodes(this.query.value, scene.graph, this.presentColumns());
    const isSearch = this.query.value.trim() !== "";
    if (found.error) {
      this.say(`Nothing is searched: ${found.error}.`);
    } else if (isSearch) {
      const remarks = found.remarks.length ? ` (${found.remarks.join("; ")})` : "";
      this.say(`${found.nodes.length.toLocaleString("en")} of ${counted(scene.graph.size, scene.graph.members ? "node" : scene.graph.noun)} match${remarks}. Enter goes to the first one.`);
    } else {
      this.say("No search.");
    }
    scene.matches = isSearch && !found.error ? found.nodes : null;
    scene.isMatch = null;
    if (scene.matches) {
      scene.isMatch = new Uint8Array(scene.graph.size);
      scene.matches.forEach((node) => { scene.isMatch[node] = 1; });
    }
    this.table.reset();
    this.canvas.repainted();
  }

  enterOfSearch(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.toMatch(event.shiftKey ? -1 : 1);
    }
  }

  /** Chooses the next match, or the one before. */
  toMatch(by) {
    const { matches, chosen } = this.scene;
    if (!matches || !matches.length) {
      this.say(matches ? "No node matches." : "Search for something first.");
      return;
    }
    const next = by > 0 ? matches.find((node) => node > chosen) : [...matches].reverse().find((node) => node < chosen);
    this.choose(next === undefined ? matches[by > 0 ? 0 : matches.length - 1] : next);
    this.say(`Match ${matches.indexOf(this.scene.chosen) + 1} of ${matches.length.toLocaleString("en")}: ${this.status.textContent}`);
  }

  say(text) {
    this.status.textContent = text;
  }

  /** The nearest box in a direction: distance counts more across than along. */
  towards(across, down) {
    const { layout, chosen } = this.scene;
    const from = layout.place[chosen];
    if (from === -1 || from === undefined) {
      return layout.nodes[0];
    }
    let [best, least] = [-1, Infinity];
    layout.nodes.forEach((_, at) => {
      const [x, y] = [layout.x[at] - layout.x[from], layout.y[at] - layout.y[from]];
      const along = x * across + y * down;
      const aside = Math.abs(x * down) + Math.abs(y * across);
      const cost = along + 3 * aside;
      if (along > 1 && cost < least) {
        [best, least] = [at, cost];
      }
    });
    return best === -1 ? chosen : layout.nodes[best];
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const keys = {
      "+": () => this.canvas.zoom(1.25), "=": () => this.canvas.zoom(1.25), "-": () => this.canvas.zoom(0.8), "0": () => this.canvas.fit(),
      Enter: () => this.expandChosen(), n: () => this.toMatch(1), p: () => this.toMatch(-1),
    };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) {
      this.canvas.pan(arrow[0] * 80, arrow[1] * 80);
    } else if (arrow) {
      this.choose(this.towards(arrow[0], arrow[1]));
    } else if (keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]) {
      keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Enter on the picture: in the whole graph, it turns to the neighbourhood of the chosen node. */
  expandChosen() {
    if (this.scene.chosen === -1) {
      return;
    }
    if (this.scene.layout.form === "near") {
      this.expand(this.scene.chosen);
    } else {
      this.around(this.scene.chosen);
    }
  }

  listen() {
    const element = this.canvasElement;
    const pointers = new Map();
    let [travelled, span] = [0, 0];
    const at = (event) => [event.offsetX, event.offsetY];
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("wheel", (event) => {
      // Without the focus in the picture the wheel scrolls the page, as everywhere.
      if (event.ctrlKey || document.activeElement === element) {
        event.preventDefault();
        this.canvas.zoom(Math.exp(-event.deltaY / 400), ...at(event));
      }
    }, { passive: false });
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, at(event));
      [travelled, span] = [0, 0];
    });
    element.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) {
        return;
      }
      const [before, now] = [pointers.get(event.pointerId), at(event)];
      pointers.set(event.pointerId, now);
      travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      this.canvas.pan((before[0] - now[0]) / pointers.size, (before[1] - now[1]) / pointers.size);
      if (pointers.size === 2) {
        const [one, other] = [...pointers.values()];
        const apart = Math.hypot(one[0] - other[0], one[1] - other[1]);
        if (span) {
          this.canvas.zoom(apart / span, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
        }
        span = apart;
      }
    });
    element.addEventListener("pointerup", (event) => {
      pointers.delete(event.pointerId);
      const box = travelled < 5 ? this.canvas.boxAt(...at(event)) : -1;
      if (box !== -1) {
        this.choose(this.scene.layout.nodes[box], false);
      }
    });
    element.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
    element.addEventListener("dblclick", () => this.expandChosen());
  }
}

document.querySelectorAll(".state-graph").forEach((root) => { root.viewer = new Viewer(root); });
