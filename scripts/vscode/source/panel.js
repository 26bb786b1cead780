// Panels with reports, one for each machine and command.
//
// Invariant: a page reaches no file and no command of VS Code, and sends no messages: all it can do is what its own script does to itself.
// Deliberately elsewhere: what a page must be like (report.js).

const vscode = require("vscode");
const { coloured } = require("./report.js");

/** Shows pages; a new one of the same machine and command takes the place of the old one. */
class Panels {
  /** @type {Map<string, {panel: vscode.WebviewPanel, page: string}>} */
  #open = new Map();
  #colours = vscode.window.onDidChangeActiveColorTheme(() => this.#open.forEach((shown) => this.#draw(shown)));

  /**
   * @param {string} key machine and command
   * @param {string} title
   * @param {string} page
   */
  show(key, title, page) {
    const shown = { panel: this.#open.get(key)?.panel ?? this.#create(key, title), page };
    this.#open.set(key, shown);
    this.#draw(shown);
    shown.panel.reveal(undefined, true);
  }

  #draw({ panel, page }) {
    const { Dark, HighContrast } = vscode.ColorThemeKind;
    panel.webview.html = coloured(page, [Dark, HighContrast].includes(vscode.window.activeColorTheme.kind));
  }

  #create(key, title) {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("bcheck.report", title, place, {
      enableScripts: true,
      enableForms: false,
      enableCommandUris: false,
      enableFindWidget: true,
      localResourceRoots: [],
      // A page keeps the step that is looked at in itself only.
      retainContextWhenHidden: true,
    });
    panel.onDidDispose(() => this.#open.delete(key));
    return panel;
  }

  dispose() {
    this.#colours.dispose();
    for (const { panel } of [...this.#open.values()]) {
      panel.dispose();
    }
  }
}

module.exports = { Panels };
