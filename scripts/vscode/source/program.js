// The program bcheck: whether it can be started, and how it is run to its end.
//
// Invariant: it is started directly, never through a shell, so that no name of a file and no setting is read as a command.
// Deliberately elsewhere: which arguments it gets (settings.js), the language server, which the client of the protocol starts.

const { execFile } = require("node:child_process");

/** The longest that the program may take to tell its version. */
const PATIENCE_MS = 10_000;
/** The most that is kept of what a run prints. */
const LONGEST_OUTPUT_BYTES = 16 * 1024 * 1024;

/**
 * Asks a program for its version.
 * @param {string} path
 * @returns {Promise<{version: string} | {fault: string}>} the version, or a message that says what to do
 */
function inquire(path) {
  return new Promise((resolve) => {
    execFile(path, ["--version"], { timeout: PATIENCE_MS }, (error, stdout) => {
      const version = /^bcheck (\S+)/.exec(stdout ?? "");
      resolve(!error && version ? { version: version[1] } : { fault: faultOf(path, error) });
    });
  });
}

function faultOf(path, error) {
  if (error?.code === "ENOENT") {
    const place = /[\\/]/.test(path) ? "There is no such file" : "It is in no folder of PATH";
    const remedy = "install it (cargo install --path . in its sources), or write its full path into the setting bcheck.path";
    return `bcheck was not found as \`${path}\`. ${place}: ${remedy}.`;
  }
  if (error?.code === "EACCES") {
    return `\`${path}\` cannot be executed. Make it executable (chmod +x), or write the path of bcheck into the setting bcheck.path.`;
  }
  return `\`${path} --version\` does not answer as bcheck does. Write the path of bcheck into the setting bcheck.path.`;
}

/**
 * Why a program refuses arguments; undefined if it takes them.
 * @param {string} path
 * @param {string[]} args a command with options, without operands
 */
async function refusal(path, args) {
  // Arguments are read before help is printed.
  const { code, output } = await run(path, [...args, "--help"]);
  return code === 0 ? undefined : output.trim().split("\n", 1)[0].replace(/^error: /, "") || `it ends with ${code}`;
}

/**
 * Runs the program to its end.
 * @param {string} path
 * @param {string[]} args
 * @param {string} [folder] where it runs
 * @param {AbortSignal} [signal] asks it to stop and to report its results so far
 * @returns {Promise<{code: number | string | null, output: string}>} its exit code and all that it printed
 */
function run(path, args, folder, signal) {
  return new Promise((resolve) => {
    const options = { cwd: folder, maxBuffer: LONGEST_OUTPUT_BYTES, env: { ...process.env, NO_COLOR: "1" } };
    const child = execFile(path, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? null) : 0, output: `${stderr}${stdout}` });
    });
    const interrupt = () => child.kill("SIGINT");
    signal?.addEventListener("abort", interrupt);
    child.on("close", () => signal?.removeEventListener("abort", interrupt));
    if (signal?.aborted) {
      interrupt();
    }
  });
}

module.exports = { inquire, refusal, run };
