// A language server that was started, and the connection to it, with the library that VS Code's client is made of.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import protocol from "vscode-languageserver-protocol/node";

/**
 * Starts the server; its end is that of `child`.
 * @param {(connection: protocol.ProtocolConnection) => void} listen registers what is listened for
 */
export async function connect(listen = () => {}) {
  assert.ok(process.env.BCHECK, "BCHECK names the program");
  const child = spawn(process.env.BCHECK, ["lsp", "--time-limit", "60"], { stdio: ["pipe", "pipe", "inherit"] });
  const reader = new protocol.StreamMessageReader(child.stdout);
  const connection = protocol.createProtocolConnection(reader, new protocol.StreamMessageWriter(child.stdin));
  listen(connection);
  connection.listen();
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: null,
    capabilities: { workspace: { codeLens: { refreshSupport: true } } },
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  return { child, connection, capabilities };
}

/** Shuts the server down; gives its exit code. */
export async function disconnect({ child, connection }) {
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  return ended;
}
