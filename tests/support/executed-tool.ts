import type { TemplateEngine } from "../../src/engine/templates/template.ts";
import { createTemplateCompiler } from "../../src/engine/templates/template-compiler.ts";
import { builtinWith } from "../../src/engine/tools/bind-builtin.ts";
import type { BuiltinTool, ToolPorts } from "../../src/engine/tools/builtin/builtin-tool.ts";
import { executeTool } from "../../src/engine/tools/execute-tool.ts";
import type { ToolContext, ToolResult } from "../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../src/engine/tools/tool-cache.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { toolContext } from "./tool-context.ts";
import { toolPorts } from "./tool-ports.ts";

/** Templates in this process; it refuses a model's templates. */
export const noTemplates: TemplateEngine = {
  compile: createTemplateCompiler().compile,
  renderUntrusted: () => Promise.reject(new Error("no template of a model's is rendered here")),
  close() {},
};

/** Differences from a call of a built-in tool without configuration, in a world without any services. */
export interface ToolSetting {
  config?: Record<string, unknown>;
  ports?: Partial<ToolPorts>;
  context?: Partial<ToolContext>;
}

/** Executes a built-in tool like a run, with all checks. */
export function executeBuiltin(
  tool: BuiltinTool,
  input: Record<string, unknown>,
  { config = {}, ports = {}, context = {} }: ToolSetting = {},
): Promise<ToolResult> {
  const clock = context.clock ?? systemClock;
  const world = toolPorts({ templates: noTemplates, cache: createMemoryCache(clock), clock, ...ports });
  const bound = { ...builtinWith(tool, config, world), timeoutMs: 30_000 };
  return executeTool(bound, input, toolContext({ clock, ...context }));
}
