// The TextMate grammar of B, which the build writes as JSON (bundle.mjs).
//
// Invariant: each keyword and each sign that `src/syntax/token.rs` lists is one token with a scope (tests/spellings.test.mjs holds both
// against each other). Deliberately elsewhere: what a name is, which only the server knows (semantic tokens).
//
// A grammar works line by line, with regular expressions of Oniguruma. Clauses are regions, since the same text means different things in
// them: `a = b` is an operation behind a semicolon of OPERATIONS, a set in SETS, a comparison elsewhere.

const text = String.raw;

/** Names of clauses, without those that a loop has, too. */
const CLAUSES = [
  "REFINES", "SEES", "USES", "INCLUDES", "EXTENDS", "IMPORTS", "PROMOTES", "CONSTRAINTS", "SETS", "CONSTANTS", "CONCRETE_CONSTANTS",
  "ABSTRACT_CONSTANTS", "PROPERTIES", "VARIABLES", "ABSTRACT_VARIABLES", "CONCRETE_VARIABLES", "ASSERTIONS", "DEFINITIONS", "PREDICATES",
  "INITIALISATION", "INITIALIZATION", "VALUES", "FREETYPES",
];
const OPERATIONS = ["OPERATIONS", "EVENTS", "LOCAL_OPERATIONS"];
const HEADERS = ["MACHINE", "MODEL", "SYSTEM", "REFINEMENT", "IMPLEMENTATION"];
const SUBSTITUTIONS = [
  "skip", "BEGIN", "END", "PRE", "THEN", "ASSERT", "CHOICE", "OR", "IF", "ELSIF", "ELSE", "SELECT", "WHEN", "CASE", "OF", "EITHER", "ANY",
  "WHERE", "LET", "BE", "IN", "VAR", "WHILE", "DO", "VARIANT",
];
const CONSTANTS = ["TRUE", "FALSE", "MININT", "MAXINT", "btrue", "bfalse"];
const TYPES = ["BOOL", "INTEGER", "NATURAL", "NATURAL1", "INT", "NAT", "NAT1", "STRING", "REAL", "FLOAT"];
const FUNCTIONS = [
  "bool", "POW", "POW1", "FIN", "FIN1", "card", "union", "inter", "min", "max", "succ", "pred", "dom", "ran", "id", "closure", "closure1",
  "iterate", "prj1", "prj2", "fnc", "rel", "seq", "seq1", "iseq", "iseq1", "perm", "size", "first", "last", "front", "tail", "rev", "conc",
  "struct", "rec",
];
const BINDERS = ["UNION", "INTER", "SIGMA", "PI"];
/** Definitions that set something, for bcheck or for ProB, by the beginning of their names. */
const SETTINGS = [
  "SET_PREF_", "scope_", "ASSERT_LTL", "ASSERT_CTL", "ANIMATION_", "VISB_", "CUSTOM_GRAPH", "FORCE_SYMMETRY_", "MAX_OPERATIONS_",
  "SEQUENCE_CHART", "GRAPH_",
];

const NAME = text`\p{L}[\p{L}\p{N}_]*`;
const DEFINED_AS = "(?:==|[≙≜])";
const word = (...words) => text`\b(?:${words.flat().join("|")})\b`;
const captures = (...scopes) => Object.fromEntries(scopes.map((scope, index) => [index + 1, { name: scope }]));
const include = (...rules) => rules.map((rule) => ({ include: `#${rule}` }));

/** A part of a text between two signs; where the second is missing, it ends at one of the words in `recovery`, or with the line. */
function between(open, close, bracket, recovery, patterns) {
  return {
    begin: open,
    beginCaptures: { 0: { name: `punctuation.section.${bracket}.begin.b` } },
    end: `(${close})|${recovery}`,
    endCaptures: { 1: { name: `punctuation.section.${bracket}.end.b` } },
    patterns,
  };
}

/** Clauses that declare or list names: up to the next clause, each name gets the scope. */
function listOfNames(clauses, scope, ...others) {
  return {
    begin: word(clauses),
    beginCaptures: { 0: { name: "keyword.other.clause.b" } },
    end: `(?=${word(CLAUSES, OPERATIONS, "INVARIANT", "VARIANT", "END")})`,
    patterns: [
      ...include("comments", "definition"),
      ...others,
      ...include("quoted-name"),
      { name: scope, match: NAME },
      ...include("signs"),
    ],
  };
}

const comments = {
  patterns: [
    {
      name: "comment.block.pragma.b",
      begin: text`(/\*)\s*(@\s*[\p{L}-]+)`,
      beginCaptures: captures("punctuation.definition.comment.begin.b", "keyword.other.pragma.b"),
      end: text`\*/`,
      endCaptures: { 0: { name: "punctuation.definition.comment.end.b" } },
    },
    {
      name: "comment.block.b",
      begin: text`/\*`,
      beginCaptures: { 0: { name: "punctuation.definition.comment.begin.b" } },
      end: text`\*/`,
      endCaptures: { 0: { name: "punctuation.definition.comment.end.b" } },
    },
    { name: "comment.line.double-slash.b", match: "(//).*$", captures: captures("punctuation.definition.comment.b") },
  ],
};

const header = {
  match: text`(${word(HEADERS)})(?:\s+(${NAME}))?`,
  captures: captures("keyword.other.clause.b", "entity.name.type.machine.b"),
};

const sets = listOfNames(
  ["SETS"],
  "entity.name.type.set.b",
  between(text`\{`, text`\}`, "braces", `(?=;|${word(CLAUSES, OPERATIONS, "INVARIANT", "END")})`, [
    ...include("comments", "quoted-name"),
    { name: "variable.other.enummember.b", match: NAME },
    ...include("signs"),
  ]),
);

const operations = {
  // INVARIANT does not end the clause, as loops have one.
  begin: `(?=${word(OPERATIONS)})`,
  end: `(?=${word(CLAUSES)})`,
  patterns: [
    ...include("comments"),
    {
      // A header stands behind the keyword of the clause, or behind a semicolon outside parentheses. The region goes on over comments and
      // ends of lines to the header, and ends before whatever else comes.
      begin: `(${word(OPERATIONS)})|(;)`,
      beginCaptures: captures("keyword.other.clause.b", "punctuation.separator.semicolon.b"),
      end: text`(?=[^\s/]|/(?![/*]))`,
      applyEndPatternLast: true,
      patterns: include("comments", "operation-header"),
    },
    ...include("expression"),
  ],
};

const operationHeader = {
  // Anchored to the places where one can begin: searched for everywhere, long lists of names would take quadratic time.
  match:
    text`(?:\G|^|(?<=\*/))\s*(?:(${NAME}(?:\s*,\s*${NAME})*)\s*(<--|[←⟵])\s*)?` +
    text`((?!${word(SUBSTITUTIONS, FUNCTIONS)})\b${NAME}(?:\.${NAME})*)\s*(\([^()]*\))?(?=\s*=(?![=>]))`,
  captures: {
    1: { patterns: include("parameters") },
    2: { name: "keyword.operator.assignment.b" },
    3: { name: "entity.name.function.operation.b" },
    4: { patterns: include("parameters") },
  },
};

const parameters = {
  patterns: [
    { name: "variable.parameter.b", match: NAME },
    { name: "punctuation.separator.comma.b", match: "," },
    { name: "punctuation.section.parens.begin.b", match: text`\(` },
    { name: "punctuation.section.parens.end.b", match: text`\)` },
  ],
};

const definition = {
  patterns: [
    {
      // A temporal formula in a string of one line.
      contentName: "meta.embedded.temporal.b",
      begin: text`\b(ASSERT_(?:LTL|CTL)[\p{L}\p{N}_]*)\s*(${DEFINED_AS})\s*(")`,
      beginCaptures: captures(
        "support.variable.setting.b",
        "keyword.operator.definition.b",
        "string.quoted.double.b punctuation.definition.string.begin.b",
      ),
      end: '(")|$',
      endCaptures: captures("string.quoted.double.b punctuation.definition.string.end.b"),
      patterns: include("temporal"),
    },
    {
      match: text`\b((?:${SETTINGS.join("|")})[\p{L}\p{N}_]*|GOAL|SCOPE|HEURISTIC_FUNCTION|PROB_REQUIRED_VERSION)\s*(?=${DEFINED_AS})`,
      captures: captures("support.variable.setting.b"),
    },
    {
      match: text`\b(${NAME})\s*(\([^()]*\))?\s*(?=${DEFINED_AS})`,
      captures: { 1: { name: "entity.name.function.definition.b" }, 2: { patterns: include("parameters") } },
    },
  ],
};

const braces = (...patterns) => between(text`\{`, text`\}`, "braces", '(?=")|$', patterns);
const temporal = {
  patterns: [
    ...include("escape"),
    // Between braces stands a predicate of B, in which sets have braces of their own.
    braces(...include("escape", "braces-in-string", "formula-in-string")),
    { name: "keyword.operator.temporal.b", match: text`\b(?:[AE][GFXU]?|GF|FG|[GFXUWRYHOST]|WF|SF|WEF|SEF)\b` },
    { name: "constant.language.b", match: word("true", "false", "deadlock", "sink", "goal", "current") },
    ...include("words", "signs"),
  ],
};

const strings = {
  patterns: [
    {
      name: "string.quoted.triple.b",
      begin: "'''",
      beginCaptures: { 0: { name: "punctuation.definition.string.begin.b" } },
      end: "'''",
      endCaptures: { 0: { name: "punctuation.definition.string.end.b" } },
      patterns: include("escape"),
    },
    {
      name: "string.quoted.double.b",
      begin: '"',
      beginCaptures: { 0: { name: "punctuation.definition.string.begin.b" } },
      end: '(")|$',
      endCaptures: captures("punctuation.definition.string.end.b"),
      patterns: include("escape"),
    },
  ],
};

const numbers = {
  patterns: [
    { name: "constant.numeric.hex.b", match: text`\b0x[0-9A-Fa-f]+` },
    { name: "constant.numeric.real.b", match: text`\b[0-9]+\.[0-9]+` },
    { name: "constant.numeric.integer.b", match: text`\b[0-9]+` },
  ],
};

/** Words and signs of formulas, which stand in temporal formulas, too. */
const words = {
  patterns: [
    { name: "keyword.operator.word.b", match: word("or", "not", "mod") },
    { name: "constant.language.b", match: `${word(CONSTANTS)}|[⊤⊥∅]` },
    { name: "support.type.b", match: `${word(TYPES)}|ℕ[1₁]?|[𝔹ℤℝ]` },
    { name: "support.function.b", match: text`${word(FUNCTIONS)}|@(?:finite|partition)\b|ℙ[1₁]?` },
    { name: "keyword.operator.quantifier.b", match: `${word(BINDERS)}|!(?!=)|[#%∀∃λ𝜆⋃⋂∑∏]` },
  ],
};

/** Signs, in this order, so that the longest one is taken. */
const signs = {
  patterns: [
    {
      name: "keyword.operator.arrow.b",
      match:
        text`<<[-−]>>|<<[-−]>|<[-−]>>|<[-−]>|\+[-−]>>|\+[-−]>|[-−][-−]>>|[-−][-−]>|>\+>>|>\+>|>[-−]>>|>[-−]>` +
        text`|[↔⇸→⤔↣⤀↠⤖\x{E100}\x{E101}\x{E102}]`,
    },
    { name: "keyword.operator.assignment.b", match: "<--|:=|::|:∈|[←⟵≔]" },
    { name: "keyword.operator.definition.b", match: DEFINED_AS },
    {
      name: "keyword.operator.relation.b",
      match: text`\|->|<<\||<\||\|>>|\|>|<\+|><|\|\||⁻¹|[~∼↦◁⩤◀▷⩥▶⋖⊗∥‖∘\x{E103}]`,
    },
    { name: "keyword.operator.sequence.b", match: text`<>|<-|[-−]>|/\|\\|\\\|/|[\^⌒↑↓⇾⇽]` },
    { name: "keyword.operator.logical.b", match: "<=>|=>|&&|[&∧∨¬⇒⟹⇔⟺]" },
    {
      name: "keyword.operator.comparison.b",
      match: "/<<:|/<:|<<:|<:|/:|/=|!=|<=|>=|[<>=:≠∈∉⊆⊈⊂⊊⊄≤≥⊇⊉⊃⊅∋∌⦂]",
    },
    { name: "keyword.operator.set.b", match: text`\\/|/\\|\.\.|[\\∪∩∖‥]` },
    { name: "keyword.operator.arithmetic.b", match: text`\*\*|[-+*/−×∗⨯÷˄]` },
    { name: "keyword.operator.before.b", match: text`\$[0-9]+` },
    { name: "punctuation.separator.comma.b", match: "," },
    { name: "punctuation.separator.semicolon.b", match: ";" },
    { name: "punctuation.accessor.b", match: "'" },
    { name: "punctuation.separator.binding.b", match: "[.·⋅∙•|∣❘]" },
    { name: "punctuation.section.parens.begin.b", match: text`\(` },
    { name: "punctuation.section.parens.end.b", match: text`\)` },
    { name: "punctuation.section.brackets.begin.b", match: text`\[` },
    { name: "punctuation.section.brackets.end.b", match: text`\]` },
    { name: "punctuation.section.braces.begin.b", match: text`\{` },
    { name: "punctuation.section.braces.end.b", match: text`\}` },
  ],
};

export const grammar = {
  name: "B",
  scopeName: "source.b.bcheck",
  patterns: [
    { name: "comment.line.shebang.b", match: text`\A#!.*$` },
    ...include("comments", "header", "references", "promotes", "sets", "constants", "variables", "operations", "expression"),
  ],
  repository: {
    comments,
    header,
    references: listOfNames(
      ["REFINES", "SEES", "USES", "INCLUDES", "EXTENDS", "IMPORTS"],
      "entity.other.inherited-class.b",
      ...include("parenthesised"),
    ),
    promotes: listOfNames(["PROMOTES"], "entity.name.function.promoted.b"),
    sets,
    constants: listOfNames(["CONSTANTS", "CONCRETE_CONSTANTS", "ABSTRACT_CONSTANTS"], "variable.other.constant.b"),
    variables: listOfNames(["VARIABLES", "ABSTRACT_VARIABLES", "CONCRETE_VARIABLES"], "variable.other.readwrite.b"),
    operations,
    "operation-header": operationHeader,
    parameters,
    definition,
    temporal,
    "braces-in-string": braces(...include("escape", "braces-in-string", "formula-in-string")),
    "formula-in-string": { patterns: include("quoted-name", "numbers", "words", "signs") },
    expression: {
      patterns: include("comments", "definition", "strings", "quoted-name", "parenthesised", "numbers", "keywords", "words", "signs"),
    },
    // Between parentheses a semicolon composes relations. One that is never closed ends with the clause.
    parenthesised: between(
      text`\(`,
      text`\)`,
      "parens",
      `(?=${word(CLAUSES, OPERATIONS, "INVARIANT", "VARIANT")})`,
      include("expression"),
    ),
    strings,
    escape: { name: "constant.character.escape.b", match: text`\\(?:[ntr"'\\]|u\{[0-9A-Fa-f]{1,6}\})` },
    "quoted-name": { name: "variable.other.quoted.b", match: "`[^`\\n]+`" },
    numbers,
    keywords: {
      patterns: [
        { name: "keyword.other.clause.b", match: word(HEADERS, CLAUSES, OPERATIONS, "INVARIANT") },
        { name: "keyword.control.b", match: word(SUBSTITUTIONS) },
      ],
    },
    words,
    signs,
  },
};
