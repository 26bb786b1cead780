// Where boxes and arrows stand. The distance of a node from the initial states is its layer; what is left of a layout by layers (Sugiyama,
// Tagawa, Toda 1981) is the order within each, by barycentres. No two boxes overlap, no two words either: a word without room is left out.

const LETTER = 7.3;
const LINE = 17;
const GAP = { across: 46, down: 78 };
const LONGEST = { near: 56, whole: 24 };
const MOST_LINES = { near: 8, whole: 4 };
const PASSES = { near: 12, whole: 6 };
/** Width by height that a picture aims at. */
const ASPECT = 1.6;
/** How far an arrow that passes layers swerves to the side, the best first. */
const DETOURS = [0, 40, -40, 120, -120, 200, -200, 280, -280, 360, -360, 480, -480, 600, -600];
/** Up to this many arrows look for a way around boxes: among more, none can be followed anyway, and it would take long. */
const SPARSE = 300;
const ALONG = [0.5, 0.4, 0.6, 0.32, 0.68, 0.25, 0.75, 0.18, 0.82];

function cut(text, longest) {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** The lines of a box: long ones, and those beyond the most, are cut. */
function boxLines(graph, node, form) {
  const lines = linesOf(graph, node);
  const shown = lines.length > MOST_LINES[form] ? lines.slice(0, MOST_LINES[form] - 1).concat(["…"]) : lines;
  return shown.map((line) => cut(line, LONGEST[form]));
}

/** Places for these nodes: `form` is `near` for boxes of their own sizes with arrows, `whole` for equal boxes in rows. */
function layOut(graph, nodes, form, moreLines) {
  const place = new Int32Array(graph.size).fill(-1);
  nodes.forEach((node, at) => { place[node] = at; });
  const count = nodes.length;
  const layout = {
    form: form, nodes: nodes, place: place,
    x: new Float64Array(count), y: new Float64Array(count), width: new Float64Array(count), height: new Float64Array(count),
    lines: null, arrows: [], top: 0, bottom: 0, left: 0, right: 0,
  };
  sizeBoxes(graph, layout, moreLines);
  const layers = layersOf(graph, layout);
  const inRow = rowLength(layout, layers);
  order(graph, layout, layers, inRow);
  frame(layout);
  if (form === "near") {
    layout.arrows = arrowsOf(graph, layout);
    placeWords(layout);
    frame(layout);
  }
  return layout;
}

function sizeBoxes(graph, layout, moreLines) {
  if (layout.form === "near") {
    layout.lines = layout.nodes.map((node) => boxLines(graph, node, "near").concat(moreLines(node)));
    layout.lines.forEach((lines, at) => {
      layout.width[at] = Math.max(...lines.map((line) => line.length)) * LETTER + 18;
      layout.height[at] = lines.length * LINE + 10;
    });
    return;
  }
  // Equal boxes, as wide as the longest text of a column that is shown may be.
  const longest = graph.columns.map((column) => column.name.length + 3 + column.values.reduce((most, value) => Math.max(most, value.length), 0));
  const letters = Math.min(LONGEST.whole, Math.max(12, ...longest));
  const lines = Math.min(MOST_LINES.whole, graph.columns.length + 1);
  layout.width.fill(letters * LETTER + 18);
  layout.height.fill(lines * LINE + 10);
}

/** The nodes by their distances. */
function layersOf(graph, layout) {
  const layers = new Map();
  layout.nodes.forEach((node, at) => {
    const distance = graph.distance[node];
    if (!layers.has(distance)) {
      layers.set(distance, []);
    }
    layers.get(distance).push(at);
  });
  return [...layers.keys()].sort((one, other) => one - other).map((distance) => layers.get(distance));
}

/** How many boxes stand in a row, so that the picture is not much wider than high. */
function rowLength(layout, layers) {
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [across, down] = [mean(layout.width) + GAP.across, mean(layout.height) + GAP.down];
  let inRow = 6;
  const rows = () => layers.reduce((sum, layer) => sum + Math.ceil(layer.length / inRow), 0);
  while (inRow * across < ASPECT * rows() * down) {
    inRow = Math.ceil(inRow * 1.1);
  }
  return inRow;
}

/** Sweeps down and up by turns: each box wants to stand at the mean of its neighbours in other layers. */
function order(graph, layout, layers, inRow) {
  const passes = PASSES[layout.form];
  const layerOf = new Int32Array(layout.nodes.length);
  layers.forEach((layer, at) => layer.forEach((box) => { layerOf[box] = at; }));
  layers.forEach((layer) => inRows(layout, layer, inRow, null));
  const wanted = (box) => {
    let [sum, count] = [0, 0];
    const meet = (node) => {
      const other = layout.place[node];
      if (other !== -1 && layerOf[other] !== layerOf[box]) {
        sum += layout.x[other];
        count += 1;
      }
    };
    each(graph.leaving, layout.nodes[box], (step) => meet(graph.to[step]));
    each(graph.entering, layout.nodes[box], (step) => meet(graph.from[step]));
    return count ? sum / count : layout.x[box];
  };
  for (let pass = 0; pass < passes; pass += 1) {
    const sweep = pass % 2 === 0 ? layers : [...layers].reverse();
    sweep.forEach((layer) => {
      const wants = new Map(layer.map((box) => [box, wanted(box)]));
      // The last two sweeps keep the order and only move. The sort is stable, so equal barycentres keep their order.
      if (pass < passes - 2) {
        layer.sort((one, other) => wants.get(one) - wants.get(other));
      }
      inRows(layout, layer, inRow, wants);
    });
  }
  let down = 0;
  layers.forEach((layer) => { down = stack(layout, layer, inRow, down); });
}

/** A layer in rows that are filled column by column, so that the order goes from left to right; a single row follows its wishes. */
function inRows(layout, layer, inRow, wants) {
  const rows = Math.ceil(layer.length / inRow);
  if (rows === 1 && wants) {
    follow(layout, layer, wants);
    return;
  }
  const across = layer.reduce((most, box) => Math.max(most, layout.width[box]), 0) + GAP.across;
  const columns = Math.ceil(layer.length / rows);
  layer.forEach((box, at) => { layout.x[box] = (Math.floor(at / rows) - (columns - 1) / 2) * across; });
}

/** Moves boxes as near to their wishes as order and sizes allow: the mean of a solution that pushes right and of one that pushes left. */
function follow(layout, layer, wants) {
  const apart = (at) => (layout.width[layer[at - 1]] + layout.width[layer[at]]) / 2 + GAP.across;
  const fromLeft = layer.map((box) => wants.get(box));
  const fromRight = [...fromLeft];
  for (let at = 1; at < layer.length; at += 1) {
    fromLeft[at] = Math.max(fromLeft[at], fromLeft[at - 1] + apart(at));
  }
  for (let at = layer.length - 1; at > 0; at -= 1) {
    fromRight[at - 1] = Math.min(fromRight[at - 1], fromRight[at] - apart(at));
  }
  layer.forEach((box, at) => { layout.x[box] = (fromLeft[at] + fromRight[at]) / 2; });
}

/** Gives the rows of a layer their heights; returns where the next layer begins. */
function stack(layout, layer, inRow, down) {
  const rows = Math.ceil(layer.length / inRow);
  const height = layer.reduce((most, box) => Math.max(most, layout.height[box]), 0);
  const apart = layout.form === "near" ? GAP.down : GAP.down / 3;
  layer.forEach((box, at) => { layout.y[box] = down + (at % rows) * (height + apart) + height / 2; });
  // Many arrows need room for their words.
  return down + rows * (height + apart) + GAP.down - apart + 8 * Math.min(layer.length, 10);
}

/** The smallest frame around everything, with a margin. */
function frame(layout) {
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  const meet = (x, y, width, height) => {
    bounds.left = Math.min(bounds.left, x - width / 2);
    bounds.right = Math.max(bounds.right, x + width / 2);
    bounds.top = Math.min(bounds.top, y - height / 2);
    bounds.bottom = Math.max(bounds.bottom, y + height / 2);
  };
  layout.nodes.forEach((_, at) => meet(layout.x[at], layout.y[at], layout.width[at], layout.height[at]));
  layout.arrows.forEach((arrow) => {
    arrow.curve.forEach(([x, y]) => meet(x, y, 0, 0));
    if (arrow.at) {
      meet(arrow.at[0], arrow.at[1], arrow.size[0], arrow.size[1]);
    }
  });
  Object.assign(layout, { left: bounds.left - 24, right: bounds.right + 24, top: bounds.top - 24, bottom: bounds.bottom + 24 });
}

/** One arrow for each pair of boxes that are shown, with the words of its steps. */
function arrowsOf(graph, layout) {
  const pairs = new Map();
  layout.nodes.forEach((node, box) => {
    each(graph.leaving, node, (step) => {
      const to = layout.place[graph.to[step]];
      if (to === -1) {
        return;
      }
      const key = box * layout.nodes.length + to;
      if (!pairs.has(key)) {
        pairs.set(key, { from: box, to: to, words: [], operations: [] });
      }
      const name = graph.operations[graph.operation[step]];
      pairs.get(key).words.push(graph.count[step] > 1 ? `${name} ×${graph.count[step]}` : name);
      pairs.get(key).operations.push(graph.operation[step]);
    });
  });
  return [...pairs.values()].map((arrow) => {
    const word = cut(arrow.words.join(", "), LONGEST.near);
    return { from: arrow.from, to: arrow.to, operations: arrow.operations, word: word, at: null, size: [word.length * LETTER + 6, LINE], curve: pairs.size <= SPARSE ? curveOf(layout, arrow) : curveBy(layout, arrow, 0) };
  });
}

/** The curve of an arrow: one that passes layers goes around their boxes where it can. */
function curveOf(layout, arrow) {
  const straight = curveBy(layout, arrow, 0);
  const distance = Math.abs(layout.y[arrow.from] - layout.y[arrow.to]);
  if (distance < 2.5 * GAP.down) {
    return straight;
  }
  // Tested at points of the curve, not exactly, so with a margin.
  const holds = (at, [x, y]) => Math.abs(x - layout.x[at]) < layout.width[at] / 2 + 8 && Math.abs(y - layout.y[at]) < layout.height[at] / 2 + 8;
  const others = layout.nodes.map((_, at) => at).filter((at) => at !== arrow.from && at !== arrow.to);
  const isFree = (curve) => {
    const points = Array.from({ length: 31 }, (_, at) => pointOf(curve, (at + 1) / 32));
    return !others.some((at) => points.some((point) => holds(at, point)));
  };
  return DETOURS.map((out) => curveBy(layout, arrow, out)).find(isFree) || straight;
}

/** A cubic Bézier curve. Arrows down and arrows up leave on different sides of a box, so that both can be seen. */
function curveBy(layout, arrow, out) {
  const end = (box) => ({ x: layout.x[box], y: layout.y[box], half: [layout.width[box] / 2, layout.height[box] / 2], side: Math.min(layout.width[box] / 6, 26) });
  const [from, to] = [end(arrow.from), end(arrow.to)];
  if (arrow.from === arrow.to) {
    const [right, reach, rise] = [from.x + from.half[0], 34, Math.min(from.half[1], 14)];
    return [[right, from.y - rise], [right + reach, from.y - rise - 6], [right + reach, from.y + rise + 6], [right, from.y + rise]];
  }
  if (from.y + from.half[1] < to.y - to.half[1]) {
    const [a, b] = [[from.x - from.side, from.y + from.half[1]], [to.x - to.side, to.y - to.half[1]]];
    const bend = (b[1] - a[1]) * 0.45;
    return [a, [a[0] - out, a[1] + bend], [b[0] - out, b[1] - bend], b];
  }
  if (to.y + to.half[1] < from.y - from.half[1]) {
    const [a, b] = [[from.x + from.side, from.y - from.half[1]], [to.x + to.side, to.y + to.half[1]]];
    const bend = (a[1] - b[1]) * 0.45;
    return [a, [a[0] + out, a[1] - bend], [b[0] + out, b[1] + bend], b];
  }
  const [a, b] = [[from.x, from.y - from.half[1]], [to.x, to.y - to.half[1]]];
  const rise = 30 + Math.abs(a[0] - b[0]) * 0.08 + (a[0] < b[0] ? 0 : 22);
  return [a, [a[0], a[1] - rise], [b[0], b[1] - rise], b];
}

/** The point of a curve at a share of its length: Bernstein polynomials of degree 3. */
function pointOf(curve, share) {
  const rest = 1 - share;
  const [a, b, c, d] = [rest ** 3, 3 * rest * rest * share, 3 * rest * share * share, share ** 3];
  return [
    curve[0][0] * a + curve[1][0] * b + curve[2][0] * c + curve[3][0] * d,
    curve[0][1] * a + curve[1][1] * b + curve[2][1] * c + curve[3][1] * d,
  ];
}

/** Finds a place for each word where nothing stands yet; short arrows first, because they have the least choice. */
function placeWords(layout) {
  const taken = layout.nodes.map((_, at) => [layout.x[at], layout.y[at], layout.width[at], layout.height[at]]);
  const meets = (one, other) => Math.abs(one[0] - other[0]) * 2 < one[2] + other[2] && Math.abs(one[1] - other[1]) * 2 < one[3] + other[3];
  const reach = (arrow) => Math.abs(layout.y[arrow.from] - layout.y[arrow.to]);
  [...layout.arrows].sort((one, other) => reach(one) - reach(other) || one.from - other.from || one.to - other.to).forEach((arrow) => {
    for (const share of ALONG) {
      const [x, y] = pointOf(arrow.curve, share);
      const place = [arrow.from === arrow.to ? x + arrow.size[0] / 2 + 2 : x, y, arrow.size[0], arrow.size[1]];
      if (!taken.some((other) => meets(place, other))) {
        taken.push(place);
        arrow.at = [place[0], place[1]];
        return;
      }
    }
  });
}
