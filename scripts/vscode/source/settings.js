// What the user has set, and the arguments of bcheck that follow from it.
//
// Invariant: every setting that package.json declares is read here, and nowhere else. What a folder that is not trusted sets never
// reaches a command line: VS Code withholds those settings (`restrictedConfigurations` in package.json). Deliberately elsewhere: what
// the arguments mean (bcheck itself).

/** Settings that the language server gets when it starts: a change of one starts it again. */
const OF_SERVER = ["bcheck.path", "bcheck.deferred", "bcheck.arguments", "bcheck.checkTimeLimit"];

/**
 * @typedef {object} Settings
 * @property {string} path the program
 * @property {string[]} deferred sizes of deferred sets, as `3` or `FLOOR=5`
 * @property {string[]} arguments for each command
 * @property {number} checkTimeLimit seconds for a check in the text
 * @property {number} reportTimeLimit seconds for a report
 * @property {string} compareSizes sizes that a comparison goes through
 * @property {boolean} hover whether the type under the cursor is shown
 * @property {boolean} completion whether names are completed
 * @property {boolean} lenses whether reports and animation are offered over a machine
 * @property {boolean} isConfined whether machines may name files of their own folder only
 */

/**
 * Reads the settings.
 * @param {{get(name: string): any}} configuration the section `bcheck`
 * @param {boolean} isTrusted whether the user trusts the folder
 * @returns {Settings}
 */
function read(configuration, isTrusted) {
  return {
    path: String(configuration.get("path") ?? "").trim() || "bcheck",
    deferred: texts(configuration.get("deferred")),
    arguments: texts(configuration.get("arguments")),
    checkTimeLimit: positive(configuration.get("checkTimeLimit"), 10),
    reportTimeLimit: positive(configuration.get("reportTimeLimit"), 60),
    compareSizes: String(configuration.get("compareSizes") ?? "").trim() || "1..4",
    hover: configuration.get("hover") !== false,
    completion: configuration.get("completion") !== false,
    lenses: configuration.get("lenses") !== false,
    isConfined: !isTrusted,
  };
}

// Settings are edited by hand, as JSON: anything may stand there.
function texts(value) {
  return Array.isArray(value) ? value.map((text) => String(text).trim()).filter((text) => text !== "") : [];
}

function positive(value, otherwise) {
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}

function sizes(settings) {
  return settings.deferred.flatMap((size) => ["--deferred", size]);
}

/** What all commands get, at the end. */
function others(settings) {
  return [...(settings.isConfined ? ["--include-only"] : []), ...settings.arguments];
}

/** Arguments that start the language server. */
function ofServer(settings) {
  return ["lsp", "--time-limit", String(settings.checkTimeLimit), ...sizes(settings), ...others(settings)];
}

/** Arguments of an animation in a terminal. */
function ofAnimation(settings, file) {
  return ["animate", ...sizes(settings), ...others(settings), "--", file];
}

/**
 * Arguments that write a report for a browser.
 * @param {Settings} settings
 * @param {"check" | "refine" | "compare"} command
 * @param {string} file the machine
 * @param {string} page where the report goes
 */
function ofReport(settings, command, file, page) {
  // A comparison goes through sizes of its own.
  const deferred = command === "compare" ? ["--deferred", settings.compareSizes] : sizes(settings);
  const limit = ["--time-limit", String(settings.reportTimeLimit)];
  return [command, ...limit, "--html", page, ...deferred, ...others(settings), "--", file];
}

module.exports = { OF_SERVER, ofAnimation, ofReport, ofServer, read };
