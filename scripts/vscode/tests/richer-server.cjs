#!/usr/bin/env node
// A program that answers as bcheck does and serves as `bcheck lsp`, but offers more than that: most of what the protocol has, and lenses
// and commands that the extension has, too.

const protocol = require("vscode-languageserver-protocol/node");

if (process.argv.includes("--version")) {
  console.log("bcheck 99.0.0");
} else if (!process.argv.includes("--help")) {
  serve();
}

function serve() {
  const reader = new protocol.StreamMessageReader(process.stdin);
  const connection = protocol.createProtocolConnection(reader, new protocol.StreamMessageWriter(process.stdout));
  connection.onRequest(protocol.InitializeRequest.type, () => ({
    capabilities: {
      textDocumentSync: 2,
      codeActionProvider: { codeActionKinds: ["quickfix"] },
      codeLensProvider: {},
      completionProvider: {},
      definitionProvider: true,
      documentFormattingProvider: true,
      documentHighlightProvider: true,
      documentSymbolProvider: true,
      executeCommandProvider: { commands: ["bcheck.check", "bcheck.stop", "bcheck.animate", "bcheck.other"] },
      foldingRangeProvider: true,
      hoverProvider: true,
      inlayHintProvider: true,
      referencesProvider: true,
      renameProvider: { prepareProvider: true },
      selectionRangeProvider: true,
      semanticTokensProvider: { legend: { tokenTypes: ["variable"], tokenModifiers: [] }, full: true },
      signatureHelpProvider: { triggerCharacters: ["("] },
      workspaceSymbolProvider: true,
    },
  }));
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  connection.onRequest(protocol.CodeLensRequest.type, ({ textDocument: { uri } }) =>
    ["bcheck.check", "bcheck.animate"].map((command) => ({ range, command: { title: command, command, arguments: [uri] } })),
  );
  connection.onRequest(protocol.ExecuteCommandRequest.type, ({ command, arguments: values }) => {
    const message = `${command} was executed with ${values?.length ?? 0} arguments`;
    connection.sendNotification(protocol.ShowMessageNotification.type, { type: 3, message });
    return null;
  });
  connection.onRequest(protocol.ShutdownRequest.type, () => null);
  connection.onNotification(protocol.ExitNotification.type, () => process.exit(0));
  connection.listen();
}
