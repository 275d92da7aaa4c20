import { performInProcess } from "./cli/perform-in-process.ts";
import { endStartPolicy } from "./kit/process/jit-policy.ts";

// No top-level await: this file is compiled to bytecode.
const [command, ...rest] = process.argv.slice(2);

// A server ends it itself, once it is started.
if (command !== "serve") endStartPolicy();

if (command === "template-child" && rest.length === 0) {
  // Internal: the process in which templates of models and tenants are rendered.
  void import("./engine/templates/untrusted/template-child.ts").then(({ runTemplateChild }) =>
    runTemplateChild(),
  );
} else if (command === "sql-child" && rest.length === 0) {
  // Internal: the process in which statements run on SQLite databases.
  void import("./engine/tools/sql/sql-child.ts").then(({ runSqlChild }) => runSqlChild());
} else if (command === "tool-child" && rest.length === 0) {
  // Internal: the process in which tools of the workspace's own files run.
  void import("./engine/tools/own/own-tool-child.ts").then(({ runOwnToolChild }) => runOwnToolChild());
} else if (command === "document-child" && rest.length === 0) {
  // Internal: the process in which files are read as documents.
  void import("./retrieval/files/document-child.ts").then(({ runDocumentChild }) => runDocumentChild());
} else if (command === "replay-child" && rest.length === 0) {
  // Internal: the process in which recorded runs are replayed.
  void import("./compose/daemon/replay/replay-child.ts").then(({ runReplayChild }) => runReplayChild());
} else if (command === "onnx-child" && rest.length === 0) {
  // Internal: the process in which models of the user's own files run.
  void import("./onnx/child/onnx-child.ts").then(({ runOnnxChild }) => runOnnxChild());
} else if (command === "mcp-child" && rest.length === 0) {
  // Internal: the process between this program and an MCP server that it started.
  void import("./engine/tools/mcp/stdio/server-supervisor.ts").then(({ superviseServer }) =>
    superviseServer(),
  );
} else {
  void performInProcess(process.argv.slice(2));
}
