// Lenses over a machine: those that need VS Code, then those of the server, which check and may be long, as they show the verdict.
//
// Invariant: a command that the server offers itself is not offered twice.

const { CodeLens } = require("vscode");

/** What is offered before the check, with the command for each. */
const OFFERS = [
  { title: "animate", command: "bcheck.animate" },
  { title: "HTML report", command: "bcheck.report" },
];

/**
 * Adds ours to the lenses of the server.
 * @param {CodeLens[]} lenses
 * @param {import("vscode").Uri} uri the machine
 */
function withOffers(lenses, uri) {
  const commands = lenses.map((lens) => lens.command?.command);
  // The lens over the machine checks it or stops the check; that of a formula has its name as a second argument.
  const machine = lenses.find(({ command }) => /^bcheck\.(?:check|stop)$/.test(command?.command ?? "") && command.arguments?.length === 1);
  if (machine === undefined) {
    return lenses;
  }
  const offers = OFFERS.filter(({ command }) => !commands.includes(command));
  return [...offers.map((offer) => new CodeLens(machine.range, { ...offer, arguments: [uri] })), ...lenses];
}

module.exports = { withOffers };
