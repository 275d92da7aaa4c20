import { runCommandLine } from "./cli/command-line.ts";
import { leave, processShell } from "./cli/process-shell.ts";

// No top-level await: this file is compiled to bytecode.
const [command, ...rest] = process.argv.slice(2);

if (command === "template-child" && rest.length === 0) {
  // Not for people: the process in which templates of models and tenants are rendered.
  void import("./engine/prompts/template-child.ts").then(({ runTemplateChild }) => runTemplateChild());
} else {
  void runCommandLine(process.argv.slice(2), processShell()).then(leave);
}
