// Graphs in columns: what the page brings, and what merging makes of it.

/** The graph that the page brings. */
function readGraph(data) {
  const size = data.distances.length;
  const flags = (numbers) => {
    const flags = new Uint8Array(size);
    numbers.forEach((number) => { flags[number] = 1; });
    return flags;
  };
  const steps = data.steps;
  return indexed({
    machine: data.machine,
    noun: data.noun,
    size: size,
    columns: data.columns,
    formulas: data.formulas,
    distance: Int32Array.from(data.distances),
    isInitial: flags(data.initial),
    isDeadlock: flags(data.deadlocks),
    findings: new Map(data.findings),
    sizes: data.sizes,
    operations: data.operations,
    labels: steps.labels,
    from: Int32Array.from(steps.from),
    to: Int32Array.from(steps.to),
    operation: Int32Array.from(steps.operation),
    label: Int32Array.from(steps.label),
    count: steps.count,
    members: null,
  });
}

/** For each node: the positions of its steps, of the steps to it, and of the last step of a shortest path to it (or -1). */
function indexed(graph) {
  graph.leaving = grouped(graph.from, graph.size);
  graph.entering = grouped(graph.to, graph.size);
  graph.parent = new Int32Array(graph.size).fill(-1);
  for (let node = 0; node < graph.size; node += 1) {
    let best = graph.distance[node];
    each(graph.entering, node, (step) => {
      const distance = graph.distance[graph.from[step]];
      if (distance < best) {
        best = distance;
        graph.parent[node] = step;
      }
    });
  }
  return graph;
}

/** The positions of a list by their values, as a counting sort finds them. */
function grouped(values, size) {
  const start = new Int32Array(size + 1);
  values.forEach((value) => { start[value + 1] += 1; });
  for (let value = 0; value < size; value += 1) {
    start[value + 1] += start[value];
  }
  const next = start.slice();
  const positions = new Int32Array(values.length);
  values.forEach((value, position) => {
    positions[next[value]] = position;
    next[value] += 1;
  });
  return { start: start, positions: positions };
}

/** Visits the positions of one value. */
function each(groups, value, visit) {
  for (let at = groups.start[value]; at < groups.start[value + 1]; at += 1) {
    visit(groups.positions[at]);
  }
}

/** How many positions a value has. */
function degree(groups, value) {
  return groups.start[value + 1] - groups.start[value];
}

/** The steps of a shortest path from an initial state to a node. */
function pathTo(graph, node) {
  const path = [];
  for (let step = graph.parent[node]; step !== -1; step = graph.parent[graph.from[step]]) {
    path.push(step);
  }
  return path.reverse();
}

/** What is wrong with a node, or the goal, in words. */
function troubles(graph, node) {
  const found = graph.findings.get(node);
  return (found ? [found] : []).concat(graph.isDeadlock[node] ? ["deadlock"] : []).join(", ");
}

/** The value of a column in a node. */
function valueOf(column, node) {
  return column.values[column.of[node]];
}

/** The lines of a node, those about what is wrong first. */
function linesOf(graph, node) {
  const wrong = troubles(graph, node);
  const lines = wrong ? [wrong] : [];
  graph.columns.forEach((column) => {
    valueOf(column, node).split("\n").forEach((value) => { lines.push(`${column.name} = ${value}`); });
  });
  if (graph.members) {
    lines.push(`(${counted(graph.members[node].length, graph.noun)})`);
  } else if (graph.sizes.length && graph.sizes[node] !== "1") {
    lines.push(`(${graph.sizes[node]} states)`);
  }
  return lines.length ? lines : ["(no variables)"];
}

/** `3 states`, `1 class`, `20,000 configurations`. */
function counted(count, noun) {
  const plural = noun === "class" ? "classes" : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** The operations that each node enables, as a column like those of variables. */
function enabledOperations(graph) {
  const known = new Map();
  const of = new Int32Array(graph.size);
  for (let node = 0; node < graph.size; node += 1) {
    const enabled = new Set();
    each(graph.leaving, node, (step) => enabled.add(graph.operation[step]));
    const text = `{${[...enabled].sort((one, other) => one - other).map((number) => graph.operations[number]).join(", ")}}`;
    if (!known.has(text)) {
      known.set(text, known.size);
    }
    of[node] = known.get(text);
  }
  return { name: "enabled operations", values: [...known.keys()], of: of };
}

/** The operation of the last step of a shortest path to each node, as a column. */
function arrivingOperations(graph) {
  const initial = graph.operations.length;
  const of = Int32Array.from(graph.parent, (step) => (step === -1 ? initial : graph.operation[step]));
  return { name: "operation that leads there first", values: graph.operations.concat(["INITIALISATION"]), of: of };
}

/** The graph whose nodes are the values of a column, each for all nodes that have it. */
function mergedGraph(graph, column) {
  const numbers = new Map();
  const members = [];
  const number = Int32Array.from({ length: graph.size }, (_, node) => {
    const value = column.of[node];
    if (!numbers.has(value)) {
      numbers.set(value, members.length);
      members.push([]);
    }
    members[numbers.get(value)].push(node);
    return numbers.get(value);
  });
  const size = members.length;
  const some = (flags) => Uint8Array.from(members, (nodes) => Number(nodes.some((node) => flags[node])));
  const findings = new Map();
  members.forEach((nodes, at) => {
    const words = new Set(nodes.flatMap((node) => (graph.findings.has(node) ? graph.findings.get(node).split(", ") : [])));
    if (words.size) {
      findings.set(at, [...words].sort().join(", "));
    }
  });
  // One edge for each operation between two nodes. The key is exact: there are less than 2^16 nodes and 2^20 operations.
  const edges = new Map();
  graph.from.forEach((_, step) => {
    const key = (number[graph.from[step]] * size + number[graph.to[step]]) * graph.operations.length + graph.operation[step];
    edges.set(key, (edges.get(key) || 0) + graph.count[step]);
  });
  const keys = [...edges.keys()].sort((one, other) => one - other);
  const pair = (key) => Math.floor(key / graph.operations.length);
  const operation = Int32Array.from(keys, (key) => key % graph.operations.length);
  return indexed({
    machine: graph.machine,
    noun: graph.noun,
    size: size,
    columns: [{ name: column.name, values: column.values, of: Int32Array.from(members, (nodes) => column.of[nodes[0]]) }],
    formulas: [],
    distance: Int32Array.from(members, (nodes) => nodes.reduce((least, node) => Math.min(least, graph.distance[node]), Infinity)),
    isInitial: some(graph.isInitial),
    isDeadlock: some(graph.isDeadlock),
    findings: findings,
    sizes: [],
    operations: graph.operations,
    labels: graph.operations,
    from: Int32Array.from(keys, (key) => Math.floor(pair(key) / size)),
    to: Int32Array.from(keys, (key) => pair(key) % size),
    operation: operation,
    label: operation,
    count: keys.map((key) => edges.get(key)),
    members: members,
  });
}
