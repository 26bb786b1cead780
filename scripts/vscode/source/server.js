// The language server and its client: started, started again when a setting changes, and shown in the status bar.
//
// Invariant: at most one server runs; starts and stops happen one after the other. Deliberately elsewhere: the commands (extension.js).

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");
const { withOffers } = require("./lenses.js");
const { inquire, refusal } = require("./program.js");
const { ofServer, read } = require("./settings.js");

const FILES = "**/*.{mch,ref,imp,sys,def}";
const LANGUAGE = "classicalb";

/** The settings as they are now. */
function current() {
  return read(vscode.workspace.getConfiguration("bcheck"), vscode.workspace.isTrusted);
}

class Server {
  /** @type {LanguageClient | undefined} */
  #client;
  /** The end of what was asked for last. */
  #last = Promise.resolve();
  /** Commands that the extension has registered itself. */
  #commands;
  #output;
  #status = vscode.window.createStatusBarItem("bcheck.server", vscode.StatusBarAlignment.Left);
  #watcher = vscode.workspace.createFileSystemWatcher(FILES);

  /**
   * @param {string[]} commands
   * @param {vscode.LogOutputChannel} output
   */
  constructor(commands, output) {
    this.#commands = new Set(commands);
    this.#output = output;
    this.#status.name = "bcheck";
  }

  /** Stops the server, if one runs, and starts it with the settings as they are now. */
  restart() {
    return this.#then(() => this.#stop().then(() => this.#start()));
  }

  /** Stops the server. */
  stop() {
    return this.#then(() => this.#stop());
  }

  /** Sends a command to the server; without one, says why there is none. */
  async execute(command, args) {
    await this.#last;
    if (this.#client?.state !== State.Running) {
      await this.restart();
    }
    if (this.#client?.state === State.Running) {
      await this.#client.sendRequest("workspace/executeCommand", { command, arguments: args });
    }
  }

  /** Shows the state of the server while a machine is in the editor. */
  follow(editor) {
    if (editor?.document.languageId === LANGUAGE) {
      this.#status.show();
    } else {
      this.#status.hide();
    }
  }

  dispose() {
    this.#status.dispose();
    this.#watcher.dispose();
  }

  /** Does something when all that was asked for before has ended, also if that went wrong. */
  #then(step) {
    this.#last = this.#last.catch(() => {}).then(step);
    return this.#last;
  }

  async #stop() {
    const client = this.#client;
    this.#client = undefined;
    await client?.dispose().catch((error) => this.#output.error(`The server did not stop as it should: ${error}`));
  }

  async #start() {
    const settings = current();
    this.#tell("$(sync~spin) bcheck", `starting ${settings.path}`);
    const answer = await inquire(settings.path);
    if ("fault" in answer) {
      this.#complain(answer.fault);
      return;
    }
    const args = ofServer(settings);
    const reason = await refusal(settings.path, args);
    if (reason !== undefined) {
      this.#complain(`bcheck refuses its arguments: ${reason}. Look at the settings bcheck.arguments and bcheck.deferred.`);
      return;
    }
    const run = { command: settings.path, args };
    const client = new LanguageClient("bcheck", "bcheck", { run, debug: run }, this.#options());
    client.registerFeature(this.#withoutOwnCommands());
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.#tell("$(check) bcheck", `bcheck ${answer.version}: ${[settings.path, ...args].join(" ")}`);
      } else if (newState === State.Stopped) {
        this.#tell("$(circle-slash) bcheck", "the language server has stopped");
      }
    });
    this.#client = client;
    try {
      await client.start();
    } catch (error) {
      this.#complain(`bcheck does not start: ${error.message ?? error}. The log may tell more.`);
    }
  }

  #options() {
    return {
      // Files only: what a machine refers to is found in its folder.
      documentSelector: [{ language: LANGUAGE, scheme: "file" }],
      outputChannel: this.#output,
      diagnosticCollectionName: "bcheck",
      synchronize: { fileEvents: this.#watcher },
      middleware: {
        provideHover: (document, position, token, next) => (current().hover ? next(document, position, token) : undefined),
        provideCompletionItem: (document, position, context, token, next) =>
          current().completion ? next(document, position, context, token) : undefined,
        provideCodeLenses: async (document, token, next) => {
          const lenses = (await next(document, token)) ?? [];
          return current().lenses ? withOffers(lenses, document.uri) : lenses;
        },
      },
    };
  }

  /** The client would register each command that the server names; of those that are there already it must not. */
  #withoutOwnCommands() {
    return {
      preInitialize: ({ executeCommandProvider: provider }) => {
        if (provider) {
          provider.commands = provider.commands.filter((command) => !this.#commands.has(command));
        }
      },
      fillClientCapabilities() {},
      initialize() {},
      getState: () => ({ kind: "static" }),
      clear() {},
    };
  }

  #tell(text, tooltip, command = "bcheck.log") {
    Object.assign(this.#status, { text, tooltip, command, backgroundColor: undefined });
  }

  #complain(fault) {
    this.#output.error(fault);
    this.#tell("$(error) bcheck", fault, "bcheck.restart");
    this.#status.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
    // Not waited for: the message may stay for hours.
    vscode.window.showErrorMessage(fault, "Open Settings", "Try Again").then((choice) => {
      if (choice === "Open Settings") {
        vscode.commands.executeCommand("workbench.action.openSettings", "bcheck");
      } else if (choice === "Try Again") {
        this.restart();
      }
    });
  }
}

module.exports = { LANGUAGE, Server, current };
