import { childCommand } from "./child-command.ts";

/** This program's helper processes by name. Each loads its own code alone. */
const helpers: ReadonlyMap<string, () => Promise<unknown>> = new Map([
  [
    // Templates of models and tenants are rendered in it.
    "template-child",
    async () => (await import("../engine/templates/untrusted/template-child.ts")).runTemplateChild(),
  ],
  [
    // Statements run in it on SQLite databases.
    "sql-child",
    async () => (await import("../engine/tools/sql/sql-child.ts")).runSqlChild(),
  ],
  [
    // Tools of the workspace's own files run in it.
    "tool-child",
    async () => (await import("../engine/tools/own/own-tool-child.ts")).runOwnToolChild(),
  ],
  [
    // Files are read in it as documents.
    "document-child",
    async () => (await import("../retrieval/files/document-child.ts")).runDocumentChild(),
  ],
  [
    // Recorded runs are replayed in it.
    "replay-child",
    async () =>
      (await import("../services/daemon/cassettes/replay/replay-child.ts")).runReplayChild(
        childCommand("template-child"),
      ),
  ],
  [
    // Models of the user's own files run in it.
    "onnx-child",
    async () => (await import("../onnx/child/onnx-child.ts")).runOnnxChild(),
  ],
  [
    // It stands between this program and an MCP server that it started.
    "mcp-child",
    async () => (await import("../engine/tools/mcp/stdio/server-supervisor.ts")).superviseServer(),
  ],
]);

/** Makes this process a helper if its arguments name one and nothing else. Returns false if they don't. */
export function becomeHelper([name = "", ...rest]: readonly string[]): boolean {
  const start = rest.length === 0 ? helpers.get(name) : undefined;
  void start?.();
  return start !== undefined;
}
