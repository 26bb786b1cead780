// Searching states by what the page has of them: printed values, operations, distances. No formula of B is evaluated here.

const COMPARISONS = {
  "=": (order) => order === 0,
  "/=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
};

/** A value without the blanks that only printing puts into it. */
function compact(text) {
  return text.replace(/\s+/g, "");
}

/** How two numbers are ordered; NaN if one of the texts is no integer. */
function ordered(one, other) {
  if (!/^-?\d+$/.test(one) || !/^-?\d+$/.test(other)) {
    return NaN;
  }
  const [left, right] = [BigInt(one), BigInt(other)];
  return left < right ? -1 : Number(left > right);
}

/** Tests nodes by a column: each distinct value is looked at once. */
function byColumn(column, holds) {
  const values = column.values.map(holds);
  return (node) => values[column.of[node]];
}

/** The test of a comparison with a printed value. */
function comparison(sign, wanted) {
  const isEquation = sign === "=" || sign === "/=";
  return (value) => {
    const order = isEquation ? Number(compact(value) !== compact(wanted)) : ordered(compact(value), compact(wanted));
    return COMPARISONS[sign](order);
  };
}

/** The test of one condition, perhaps with a remark on how it was read. */
function readCondition(text, graph, columns) {
  const word = text.toLowerCase();
  const words = {
    initial: (node) => graph.isInitial[node] === 1,
    deadlock: (node) => graph.isDeadlock[node] === 1,
    finding: (node) => graph.findings.has(node),
  };
  if (Object.hasOwn(words, word)) {
    return { test: words[word] };
  }
  const about = /^(enabled|after)\s+(\S+)$/.exec(text);
  if (about) {
    const operation = graph.operations.indexOf(about[2]);
    if (operation === -1) {
      return { error: `no operation is called ${about[2]}` };
    }
    const groups = about[1] === "enabled" ? graph.leaving : graph.entering;
    return {
      test: (node) => {
        let found = false;
        each(groups, node, (step) => { found = found || graph.operation[step] === operation; });
        return found;
      },
    };
  }
  // The longest sign first; names of columns may be formulas with signs of their own, so each sign is tried as the one between.
  for (const sign of ["/=", "<=", ">=", "=", "<", ">"]) {
    for (let at = text.lastIndexOf(sign); at > 0; at = text.lastIndexOf(sign, at - 1)) {
      const [name, wanted] = [text.slice(0, at).trim(), text.slice(at + sign.length).trim()];
      if (name === "distance") {
        const holds = comparison(sign, wanted);
        return { test: (node) => holds(String(graph.distance[node])) };
      }
      const column = columns.find((column) => compact(column.name) === compact(name));
      if (column) {
        return { test: byColumn(column, comparison(sign, wanted)) };
      }
    }
  }
  const wanted = compact(text).toLowerCase();
  const tests = columns.map((column) => byColumn(column, (value) => compact(`${column.name}=${value}`).toLowerCase().includes(wanted)));
  const isLikeFormula = /[=<>]/.test(text);
  return {
    test: (node) => tests.some((test) => test(node)),
    remark: isLikeFormula ? `“${text}” is no comparison of a variable with a printed value, so it was looked for as a text` : undefined,
  };
}

/** The nodes of which all conditions hold, or what is wrong with the text. */
function searchNodes(text, graph, columns) {
  const conditions = text.split(/\s&\s/).map((part) => part.trim()).filter((part) => part);
  const read = conditions.map((condition) => readCondition(condition, graph, columns));
  const error = read.map((condition) => condition.error).find((error) => error);
  if (error || !conditions.length) {
    return { error: error, nodes: [], remarks: [] };
  }
  const nodes = [];
  for (let node = 0; node < graph.size; node += 1) {
    if (read.every((condition) => condition.test(node))) {
      nodes.push(node);
    }
  }
  return { nodes: nodes, remarks: read.map((condition) => condition.remark).filter((remark) => remark) };
}
