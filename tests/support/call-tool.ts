import { bindTools } from "../../src/engine/tools/bind-tools.ts";
import type { BoundTool } from "../../src/engine/tools/bound-tool.ts";
import type { ToolPorts } from "../../src/engine/tools/builtin/builtin-tool.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { ToolContext, ToolResult } from "../../src/engine/tools/tool.ts";
import { systemClock } from "../../src/kit/clock.ts";
import type { ToolEntry } from "../../src/manifest/agent/tools.ts";
import { toolContext } from "./tool-context.ts";
import { toolPorts } from "./tool-ports.ts";

/** An entry of `spec.tools` with the defaults that reading fills in; `type: builtin` by default. */
export function toolEntry(entry: { name: string } & Record<string, unknown>): ToolEntry {
  const filledIn = { type: "builtin", permissions: [], timeout_seconds: 30, requires_approval: false };
  return { ...filledIn, mode: "execute", config: {}, ...entry } as unknown as ToolEntry;
}

/** Returns the tool of an entry; throws its problems. */
export function boundTool(
  entry: { name: string } & Record<string, unknown>,
  ports: Partial<ToolPorts> = {},
): BoundTool {
  const place = { tools: [toolEntry(entry)], permissions: {} };
  const { tools, problems } = bindTools(place, toolPorts({ clock: systemClock, ...ports }));
  const tool = tools.get(entry.name);
  if (tool !== undefined) return tool;
  throw new Error(problems.map(({ path, message }) => `${path} ${message}`).join("\n"));
}

/** Returns the result of an entry's tool for an input. */
export function callTool(
  entry: { name: string } & Record<string, unknown>,
  input: Record<string, unknown>,
  ports: Partial<ToolPorts> = {},
  context: Partial<ToolContext> = {},
): Promise<ToolResult> {
  return executeTool(boundTool(entry, ports), input, toolContext({ clock: systemClock, ...context }));
}
