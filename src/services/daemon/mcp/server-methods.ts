import { AppError } from "../../../kit/app-error.ts";
import { listAgentTools } from "./agent-tools.ts";
import { callAgentTool } from "./call-agent-tool.ts";
import { listResources, listResourceTemplates, readResource } from "./resources.ts";
import type { AnswerMethod, McpDeps } from "./rpc-context.ts";

/** Methods that all revisions have. */
export const sharedMethods: ReadonlyMap<string, AnswerMethod> = new Map<string, AnswerMethod>([
  ["tools/list", listAgentTools],
  ["tools/call", callAgentTool],
  ["resources/list", listResources],
  ["resources/templates/list", listResourceTemplates],
  ["resources/read", readResource],
]);

export const toolsInstructions = "Each tool agent_<name> runs one agent and answers with what it says.";
export const resourcesInstructions = "Agents and the traces of their runs can be read as resources.";

/** This server, as clients see it. */
export const presentServer = ({ version }: Pick<McpDeps, "version">) => ({
  name: "argosy",
  title: "Argosy",
  version,
});

export function methodNotFound(method: string): AppError {
  const name = JSON.stringify(method.slice(0, 100));
  return new AppError("not_implemented", "method_not_found", `There is no method ${name}.`);
}
