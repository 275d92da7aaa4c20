import type { Problem } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/did-you-mean.ts";
import type { AgentManifest } from "../../manifest/agent.ts";
import { checkValue } from "../../manifest/check-value.ts";
import { publishedSchema } from "../../manifest/json-schema.ts";
import type { ToolEntry } from "../../manifest/tools.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { BuiltinTool, ToolPorts } from "./builtin/builtin-tool.ts";
import { builtinTools } from "./builtin/registry.ts";
import { createRateLimit } from "./rate-limit.ts";

const timeoutMsDefault = 30_000;

/** An agent's tools by name, with the problems of those that can't be bound. */
export function bindTools(
  spec: Pick<AgentManifest["spec"], "tools" | "permissions">,
  ports: ToolPorts,
): { tools: ReadonlyMap<string, BoundTool>; problems: Problem[] } {
  const tools = new Map<string, BoundTool>();
  const problems: Problem[] = [];
  for (const [index, entry] of spec.tools.entries()) {
    const bound = bindEntry(entry, ports);
    if ("problem" in bound) {
      const { path, message } = bound.problem;
      problems.push({ path: `spec.tools[${index}].${path}`, message });
    } else tools.set(entry.name, bound);
  }
  return { tools, problems };
}

/** Every built-in tool with its default options and without limits of an agent's. */
export function bindBuiltinTools(ports: ToolPorts): ReadonlyMap<string, BoundTool> {
  return new Map(
    [...builtinTools].map(([name, tool]) => [name, { ...bindBuiltin(tool, {}, ports), timeoutMs: timeoutMsDefault }]),
  );
}

function bindEntry(entry: ToolEntry, ports: ToolPorts): BoundTool | { problem: Problem } {
  if (entry.type !== "builtin") return missing("type", `is ${entry.type}, which is not available in this version`);
  if (entry.requires_approval) return missing("requires_approval", "is not available in this version");
  if (entry.mode === "propose") return missing("mode", "propose is not available in this version");
  if (entry.parameters !== undefined) return missing("parameters", "can't be given: a built-in tool has its own");
  const builtin = builtinTools.get(entry.name);
  if (builtin === undefined) {
    const near = didYouMean(entry.name, builtinTools.keys());
    const mend = near === undefined ? `there are ${[...builtinTools.keys()].join(", ")}` : `did you mean ${near}?`;
    return missing("name", `names no built-in tool of this version; ${mend}`);
  }
  const bound = bindBuiltin(builtin, entry.config, ports);
  const { description, rate_limit, timeout_seconds } = entry;
  return {
    ...bound,
    tool: description === undefined ? bound.tool : { ...bound.tool, description },
    timeoutMs: timeout_seconds * 1000,
    ...(rate_limit === undefined
      ? {}
      : {
          rateLimit: createRateLimit(
            { callsMax: rate_limit.max_calls, windowMs: rate_limit.window_seconds * 1000 },
            ports.clock,
          ),
        }),
  };
}

function missing(path: string, message: string): { problem: Problem } {
  return { problem: { path, message } };
}

function bindBuiltin(
  builtin: BuiltinTool,
  options: Record<string, unknown>,
  ports: ToolPorts,
): Pick<BoundTool, "tool" | "read"> {
  const { name, description, parameters } = builtin;
  return {
    tool: { name, type: "builtin", description, parameters: publishedSchema(parameters), execute: builtin.build(options, ports) },
    read(input) {
      const { value, faults } = checkValue(parameters, input);
      const [fault] = faults;
      if (fault === undefined) return { input: value as Record<string, unknown> };
      return { fault: `${fault.path.join(".")} ${fault.message}`.trim() };
    },
  };
}
