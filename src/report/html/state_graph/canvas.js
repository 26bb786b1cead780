// Drawing on a canvas. What can be read is drawn in each frame; the arrows and spots of a large picture are drawn into an image once the view
// rests, and the image moves with the view meanwhile.

// As in pictures of small graphs.
const THEMES = {
  light: {
    paper: "#ffffff", ink: "#1b1f24", box: "#f3f5f8", border: "#4b545e", arrow: "#66707b", soft: "#8b949e", chosen: "#0a4a99", path: "#a3478a",
    wrong: ["#fbe3d6", "#a23b00"], goal: ["#d9efff", "#005a8c"],
    palette: ["#0072b2", "#b8500a", "#00795a", "#a3478a", "#806600", "#2679a3", "#a51d2d", "#4b3fb5", "#5f7a1f", "#5d5d5d"],
    ramp: [[86, 140, 190], [64, 10, 90]],
  },
  dark: {
    paper: "#14171c", ink: "#e6e9ee", box: "#232a33", border: "#b6bfca", arrow: "#929dab", soft: "#6e7a87", chosen: "#8ec2ff", path: "#e79ad0",
    wrong: ["#4a2412", "#ffa36b"], goal: ["#12344a", "#7cc7ff"],
    palette: ["#56b4e9", "#f0a03c", "#2fc79a", "#e79ad0", "#e6d450", "#8fd0ee", "#ff8f97", "#b3aaff", "#b5d468", "#b0b0b0"],
    ramp: [[90, 130, 190], [250, 230, 130]],
  },
};
/** A box with less pixels than this is a spot of colour; one with less has no text that can be read. */
const SPOT = 26;
const READABLE = 0.58;
/** How long the view rests before the image is drawn anew, in milliseconds, and how many arrows or spots are drawn in one go. */
const REST = 120;
const BATCH = 3000;
/** Up to this many spots are drawn in each frame. */
const DIRECT = 2500;

class GraphCanvas {
  /** `scene` has the graph, its layout, and what is marked; the canvas only reads it. */
  constructor(element, scene) {
    this.element = element;
    this.scene = scene;
    this.context = element.getContext("2d", { alpha: false });
    this.view = { x: 0, y: 0, scale: 1 };
    this.overview = null;
    this.sharp = null;
    this.frames = 0;
    this.isRequested = false;
    this.generation = 0;
    this.picture = 0;
    this.timer = 0;
    this.texts = new Map();
    this.dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { scene.recolour(); this.changed(); });
    new ResizeObserver(() => this.resize()).observe(element);
  }

  get theme() {
    // The colours that the page has: an editor that shows it may have chosen others than the system.
    const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
    return Object.values(THEMES).find((theme) => theme.paper === paper) || THEMES.light;
  }

  resize() {
    const density = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!width || !height) {
      return;
    }
    const wasEmpty = !this.width;
    [this.width, this.height, this.density] = [width, height, density];
    [this.element.width, this.element.height] = [Math.round(width * density), Math.round(height * density)];
    if (wasEmpty) {
      this.open(this.first);
    }
    this.changed();
  }

  /** Shows everything where its texts can be read then, or are too many; else a box with what is near it. */
  open(at) {
    this.first = at;
    if (!this.width) {
      return;
    }
    this.fit();
    const isChosen = at !== undefined && at !== -1;
    if (this.scene.layout.form === "near" && this.view.scale < READABLE && isChosen) {
      const scale = 0.9;
      this.view = { x: this.scene.layout.x[at], y: this.scene.layout.y[at] + (this.height * 0.25) / scale, scale: scale };
      this.moved();
    }
  }

  /** The picture is another one. */
  changed() {
    [this.overview, this.sharp] = [null, null];
    this.repainted();
  }

  /** Boxes have other colours; until there are new images, those of before are shown. */
  repainted() {
    this.texts.clear();
    this.picture += 1;
    const picture = this.picture;
    this.request();
    this.makeImages(this.fitting(), () => picture === this.picture, (images) => {
      [this.overview, this.sharp] = [images, null];
      this.moved();
    });
  }

  /** The view is another one: once it rests, the part in view gets an image of its own. */
  moved() {
    this.generation += 1;
    const generation = this.generation;
    clearTimeout(this.timer);
    if (this.overview) {
      const make = () => this.makeImages({ ...this.view }, () => generation === this.generation, (images) => { this.sharp = images; });
      this.timer = setTimeout(make, REST);
    }
    this.request();
  }

  request() {
    if (!this.isRequested) {
      this.isRequested = true;
      requestAnimationFrame(() => {
        this.isRequested = false;
        this.draw();
      });
    }
  }

  /** Shows everything; small pictures are not enlarged. */
  fit() {
    this.view = this.fitting();
    this.moved();
  }

  /** Changes the scale so that a point of the canvas stays where it is. */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(Math.max(this.view.scale * factor, this.leastScale()), 4);
    const [worldX, worldY] = this.world(x, y);
    this.view = { x: worldX - (x - this.width / 2) / scale, y: worldY - (y - this.height / 2) / scale, scale: scale };
    this.moved();
  }

  leastScale() {
    const { left, right, top, bottom } = this.scene.layout;
    return 0.5 * Math.min(this.width / (right - left), this.height / (bottom - top), 1);
  }

  pan(across, down) {
    this.view.x += across / this.view.scale;
    this.view.y += down / this.view.scale;
    this.moved();
  }

  /** Brings a box into view, large enough to be read. */
  reveal(at) {
    const { x, y } = this.scene.layout;
    const scale = Math.max(this.view.scale, 0.8);
    const isIn = Math.abs(x[at] - this.view.x) * scale < this.width * 0.4 && Math.abs(y[at] - this.view.y) * scale < this.height * 0.4;
    if (scale !== this.view.scale || !isIn) {
      this.view = { x: x[at], y: y[at], scale: scale };
    }
    this.moved();
  }

  world(x, y) {
    return [this.view.x + (x - this.width / 2) / this.view.scale, this.view.y + (y - this.height / 2) / this.view.scale];
  }

  /** The box at a point of the canvas, or -1. Small boxes may be missed by a few pixels. */
  boxAt(x, y) {
    const layout = this.scene.layout;
    const [worldX, worldY] = this.world(x, y);
    const slack = 3 / this.view.scale;
    return layout.nodes.findIndex((_, at) =>
      Math.abs(layout.x[at] - worldX) <= layout.width[at] / 2 + slack && Math.abs(layout.y[at] - worldY) <= layout.height[at] / 2 + slack);
  }

  /** The boxes that are in view. */
  inView(view = this.view) {
    const { x, y, width, height, nodes } = this.scene.layout;
    const [across, down] = [this.width / 2 / view.scale, this.height / 2 / view.scale];
    const found = [];
    for (let at = 0; at < nodes.length; at += 1) {
      if (Math.abs(x[at] - view.x) < across + width[at] / 2 && Math.abs(y[at] - view.y) < down + height[at] / 2) {
        found.push(at);
      }
    }
    return found;
  }

  /** Coordinates of the picture from now on. */
  enter(context, view = this.view) {
    const scale = view.scale * this.density;
    context.setTransform(scale, 0, 0, scale, this.density * (this.width / 2 - view.x * view.scale), this.density * (this.height / 2 - view.y * view.scale));
  }

  draw() {
    if (!this.width) {
      return;
    }
    this.frames += 1;
    this.firstFrame = this.firstFrame || performance.now();
    const { context, theme, scene } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, this.element.width, this.element.height);
    const found = this.inView();
    this.pasteImages();
    this.enter(context);
    if (scene.layout.form === "near") {
      scene.layout.arrows.forEach((arrow) => this.curve(arrow));
    }
    this.strokePath();
    if (!this.isSpot(found[0], this.view)) {
      found.forEach((at) => this.box(at));
    } else if (found.length <= DIRECT || !this.overview) {
      this.spots(context, this.view, found);
    }
    if (scene.layout.form === "near" && this.view.scale >= READABLE) {
      scene.layout.arrows.forEach((arrow) => this.word(arrow));
    }
    this.marks(found);
  }

  isDim(at) {
    return this.scene.isMatch !== null && !this.scene.isMatch[this.scene.layout.nodes[at]];
  }

  colour(at) {
    return this.scene.paint[this.scene.tint[this.scene.layout.nodes[at]]];
  }

  /** Boxes as spots of colour, at least two pixels wide; those of one colour together. */
  spots(context, view, found) {
    const { scene } = this;
    const { x, y, width, height, nodes } = scene.layout;
    const least = 2 / view.scale;
    const groups = new Map();
    found.forEach((at) => {
      const key = scene.tint[nodes[at]] * 2 + Number(this.isDim(at));
      if (!groups.has(key)) {
        groups.set(key, []);
      }
      groups.get(key).push(at);
    });
    groups.forEach((boxes, key) => {
      context.globalAlpha = key % 2 ? 0.2 : 1;
      context.fillStyle = scene.paint[Math.floor(key / 2)];
      boxes.forEach((at) => {
        const [across, down] = [Math.max(width[at], least), Math.max(height[at], least)];
        context.fillRect(x[at] - across / 2, y[at] - down / 2, across, down);
      });
    });
    context.globalAlpha = 1;
  }

  box(at) {
    const { context, theme, scene } = this;
    const { x, y, width, height, nodes } = scene.layout;
    const [left, top, node] = [x[at] - width[at] / 2, y[at] - height[at] / 2, nodes[at]];
    const wrong = troubles(scene.graph, node);
    const [fill, border] = wrong ? theme[wrong === "goal_found" ? "goal" : "wrong"] : [theme.box, theme.border];
    context.globalAlpha = this.isDim(at) ? 0.3 : 1;
    context.beginPath();
    context.roundRect(left, top, width[at], height[at], 4);
    context.fillStyle = fill;
    context.fill();
    context.fillStyle = this.colour(at);
    context.fillRect(left + 1, top + 1, 6, height[at] - 2);
    context.strokeStyle = border;
    context.lineWidth = scene.graph.isInitial[node] ? 3 : 1;
    context.setLineDash(wrong ? [6, 3] : []);
    context.stroke();
    context.setLineDash([]);
    if (this.view.scale >= READABLE) {
      context.fillStyle = theme.ink;
      context.font = "12px ui-monospace, \"DejaVu Sans Mono\", monospace";
      this.linesAt(at).forEach((line, index) => context.fillText(line, left + 11, top + 17.5 + LINE * index, width[at] - 14));
    }
    context.globalAlpha = 1;
  }

  linesAt(at) {
    const { layout, graph } = this.scene;
    if (layout.lines) {
      return layout.lines[at];
    }
    if (!this.texts.has(at)) {
      this.texts.set(at, boxLines(graph, layout.nodes[at], "whole"));
    }
    return this.texts.get(at);
  }

  curve(arrow) {
    const { context, theme, scene } = this;
    const [a, b, c, d] = arrow.curve;
    const colour = scene.colourOfOperation(arrow.operations[0]) || theme.arrow;
    context.globalAlpha = this.isDim(arrow.from) && this.isDim(arrow.to) ? 0.25 : 1;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 1.3;
    context.beginPath();
    context.moveTo(a[0], a[1]);
    context.bezierCurveTo(b[0], b[1], c[0], c[1], d[0], d[1]);
    context.stroke();
    const turn = Math.atan2(d[1] - c[1], d[0] - c[0]);
    const corner = (angle) => [d[0] - 9 * Math.cos(turn + angle), d[1] - 9 * Math.sin(turn + angle)];
    context.beginPath();
    context.moveTo(d[0], d[1]);
    context.lineTo(...corner(0.42));
    context.lineTo(...corner(-0.42));
    context.fill();
    context.globalAlpha = 1;
  }

  word(arrow) {
    if (!arrow.at) {
      return;
    }
    const { context, theme } = this;
    context.font = "12px ui-monospace, \"DejaVu Sans Mono\", monospace";
    context.textAlign = "center";
    context.lineWidth = 4;
    context.lineJoin = "round";
    context.strokeStyle = theme.paper;
    context.strokeText(arrow.word, arrow.at[0], arrow.at[1] + 4, arrow.size[0]);
    context.fillStyle = theme.ink;
    context.fillText(arrow.word, arrow.at[0], arrow.at[1] + 4, arrow.size[0]);
    context.textAlign = "start";
  }

  /** The trace to the chosen node, drawn thick. */
  strokePath() {
    const { context, theme, scene } = this;
    const { place, x, y, height } = scene.layout;
    context.strokeStyle = theme.path;
    context.lineWidth = Math.max(3, 2 / this.view.scale);
    scene.path.forEach((step) => {
      const [from, to] = [place[scene.graph.from[step]], place[scene.graph.to[step]]];
      if (from !== -1 && to !== -1) {
        const arrow = scene.layout.arrows.find((arrow) => arrow.from === from && arrow.to === to);
        context.beginPath();
        if (arrow) {
          const [a, b, c, d] = arrow.curve;
          context.moveTo(a[0], a[1]);
          context.bezierCurveTo(b[0], b[1], c[0], c[1], d[0], d[1]);
        } else {
          context.moveTo(x[from], y[from] + height[from] / 2);
          context.lineTo(x[to], y[to] - height[to] / 2);
        }
        context.stroke();
      }
    });
  }

  /** Frames around the boxes that a search has found, and around the chosen one. */
  marks(found) {
    const { context, theme, scene } = this;
    const { x, y, width, height, nodes, place } = scene.layout;
    const pixel = 1 / this.view.scale;
    const frame = (at, out, thick, colour) => {
      context.strokeStyle = colour;
      context.lineWidth = thick * pixel;
      const [across, down] = [Math.max(width[at], 4 * pixel) + 2 * out * pixel, Math.max(height[at], 4 * pixel) + 2 * out * pixel];
      context.strokeRect(x[at] - across / 2, y[at] - down / 2, across, down);
    };
    if (scene.isMatch && scene.matches.length < scene.graph.size) {
      const room = Math.min(found.length, 2000);
      found.filter((at) => scene.isMatch[nodes[at]]).slice(0, room).forEach((at) => frame(at, 1.5, 1.5, theme.ink));
    }
    const chosen = scene.chosen === -1 ? -1 : place[scene.chosen];
    if (chosen !== -1) {
      frame(chosen, 4, 3, theme.chosen);
    }
  }

  /** The images of a large picture, where the view has moved since: all of it below, the part last in view above. */
  pasteImages() {
    this.context.imageSmoothingQuality = "low";
    const isCovering = this.paste(this.sharp, true);
    if (this.overview && !isCovering) {
      this.paste(this.overview);
      this.paste(this.sharp);
    }
  }

  /** Puts images where they belong in this view; with `onlyIfCovering`, only if nothing else would be seen. Returns whether that is so. */
  paste(images, onlyIfCovering = false) {
    if (!images || (images === this.sharp && !images.arrows)) {
      return false;
    }
    const { view, arrows, spots } = images;
    const scale = this.view.scale / view.scale;
    const offset = (centre, was, size) => this.density * (size / 2 - (centre - was) * this.view.scale - (size / 2) * scale);
    const [left, top] = [offset(this.view.x, view.x, this.width), offset(this.view.y, view.y, this.height)];
    const [width, height] = [spots.width * scale, spots.height * scale];
    const isCovering = left <= 0 && top <= 0 && left + width >= this.element.width && top + height >= this.element.height;
    if (isCovering || !onlyIfCovering) {
      [arrows, spots].filter((image) => image).forEach((image) => this.context.drawImage(image, left, top, width, height));
    }
    return isCovering;
  }

  /** The view that shows everything; small pictures are not enlarged. */
  fitting() {
    const { left, right, top, bottom } = this.scene.layout;
    const scale = Math.min(this.width / (right - left), this.height / (bottom - top), 1.2);
    return { x: (left + right) / 2, y: (top + bottom) / 2, scale: scale || 1 };
  }

  /**
   * Draws a large picture into images, in batches, so that none of them delays a frame for long: first its spots, then the arrows below.
   * `take` gets the images as soon as the spots are there.
   */
  makeImages(view, isWanted, take) {
    if (this.scene.layout.form === "near" || !this.width) {
      return;
    }
    const images = { view: view, spots: this.image(), arrows: null };
    const [spots, arrows] = [images.spots.getContext("2d"), this.image()];
    this.enter(spots, view);
    const below = arrows.getContext("2d", { alpha: false });
    below.fillStyle = this.theme.paper;
    below.fillRect(0, 0, arrows.width, arrows.height);
    this.enter(below, view);
    const batches = [
      ...this.spotBatches(spots, view, this.inView(view)), () => take(images),
      ...this.arrowBatches(below, view, this.stepsInView(view)), () => { images.arrows = arrows; this.request(); },
    ];
    const go = () => {
      if (isWanted()) {
        batches.shift()();
        if (batches.length) {
          setTimeout(go, 0);
        }
      }
    };
    go();
  }

  image() {
    const image = document.createElement("canvas");
    [image.width, image.height] = [this.element.width, this.element.height];
    return image;
  }

  arrowBatches(context, view, steps) {
    const { graph, layout } = this.scene;
    const { place, x, y, height } = layout;
    const draw = (part) => {
      context.strokeStyle = this.theme.arrow;
      context.lineWidth = Math.max(0.7, Math.min(1.3, view.scale)) / view.scale;
      context.globalAlpha = Math.max(0.08, Math.min(0.9, 1500 / (steps.length + 1)));
      context.beginPath();
      part.forEach((step) => {
        const [from, to] = [place[graph.from[step]], place[graph.to[step]]];
        const sign = Math.sign(y[to] - y[from]);
        context.moveTo(x[from], y[from] + (sign * height[from]) / 2);
        context.lineTo(x[to], y[to] - (sign * height[to]) / 2);
      });
      context.stroke();
      context.globalAlpha = 1;
    };
    return inParts(steps).map((part) => () => draw(part));
  }

  spotBatches(context, view, boxes) {
    return this.isSpot(boxes[0], view) ? inParts(boxes).map((part) => () => this.spots(context, view, part)) : [];
  }

  isSpot(at, view) {
    return at !== undefined && this.scene.layout.width[at] * view.scale < SPOT;
  }

  /** Steps of which an end may be in view. */
  stepsInView(view) {
    const { graph, layout } = this.scene;
    const { place, x, y } = layout;
    const [across, down] = [this.width / 2 / view.scale + 100, this.height / 2 / view.scale + 100];
    const isOutside = (one, other, centre, half) => Math.max(one, other) < centre - half || Math.min(one, other) > centre + half;
    const found = [];
    for (let step = 0; step < graph.from.length; step += 1) {
      const [from, to] = [place[graph.from[step]], place[graph.to[step]]];
      if (from !== to && !isOutside(x[from], x[to], view.x, across) && !isOutside(y[from], y[to], view.y, down)) {
        found.push(step);
      }
    }
    return found;
  }
}

/** A list in parts that are drawn without a pause. */
function inParts(list) {
  return Array.from({ length: Math.ceil(list.length / BATCH) }, (_, at) => list.slice(at * BATCH, (at + 1) * BATCH));
}
