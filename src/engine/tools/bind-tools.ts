import { Value } from "@sinclair/typebox/value";
import type { Problem } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/did-you-mean.ts";
import type { AgentManifest } from "../../manifest/agent.ts";
import { publishedSchema } from "../../manifest/json-schema.ts";
import type { ToolEntry } from "../../manifest/tools.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { BuiltinTool, ToolPorts } from "./builtin/builtin-tool.ts";
import { builtinTools } from "./builtin/registry.ts";
import { readByTypeBox } from "./input-schema.ts";
import { createRateLimit } from "./rate-limit.ts";

const TIMEOUT_MS = 30_000;

/** The agent's tools by name, and a problem for each entry that can't be honoured. */
export function bindTools(
  { tools, permissions }: Pick<AgentManifest["spec"], "tools" | "permissions">,
  ports: ToolPorts,
): { tools: ReadonlyMap<string, BoundTool>; problems: Problem[] } {
  const bound = new Map<string, BoundTool>();
  const problems: Problem[] = [];
  for (const [index, entry] of tools.entries()) {
    const path = `spec.tools[${index}]`;
    const faults = faultsOf(entry, permissions.allowed_actions);
    problems.push(...faults.map(([key, message]) => ({ path: `${path}.${key}`, message })));
    const builtin = entry.type === "builtin" ? builtinTools.get(entry.name) : undefined;
    if (faults.length > 0 || !builtin) continue;
    if (bound.has(entry.name))
      problems.push({ path: `${path}.name`, message: `is given twice: ${entry.name}` });
    const limit = entry.rate_limit;
    bound.set(entry.name, {
      ...bindBuiltin(builtin, entry.config, ports, entry.description),
      timeoutMs: entry.timeout_seconds * 1000,
      ...(limit && { rateLimit: createRateLimit(ruleOf(limit), ports.clock) }),
    });
  }
  return { tools: bound, problems };
}

/** Every built-in tool that needs no configuration, as a caller without an agent may use it. */
export function bindBuiltinTools(ports: ToolPorts): ReadonlyMap<string, BoundTool> {
  return new Map([...builtinTools].map(([name, tool]) => [name, bindBuiltin(tool, {}, ports)]));
}

function bindBuiltin(
  builtin: BuiltinTool,
  config: Record<string, unknown>,
  ports: ToolPorts,
  description = builtin.description,
): BoundTool {
  const execute = builtin.build(
    Value.Default(builtin.options, { ...config }) as Record<string, unknown>,
    ports,
  );
  const { name, parameters } = builtin;
  return {
    tool: { name, type: "builtin", description, parameters: publishedSchema(parameters), execute },
    read: readByTypeBox(parameters),
    timeoutMs: TIMEOUT_MS,
  };
}

function faultsOf(
  entry: ToolEntry,
  allowedActions: readonly string[] | undefined,
): [key: string, message: string][] {
  if (entry.type !== "builtin")
    return [["type", `${entry.type} is not available in this version; there is builtin`]];
  const builtin = builtinTools.get(entry.name);
  if (!builtin) return [["name", unknownName(entry.name)]];
  const faults: [string, string][] = [];
  if (entry.requires_approval) faults.push(["requires_approval", "is not available in this version"]);
  if (entry.mode === "propose") faults.push(["mode", "propose is not available in this version"]);
  if (entry.parameters !== undefined) faults.push(["parameters", "can't be changed for a built-in tool"]);
  for (const action of entry.permissions) {
    if (allowedActions && !allowedActions.includes(action)) {
      faults.push(["permissions", `${action} is not among spec.permissions.allowed_actions`]);
    }
  }
  for (const { path, message } of Value.Errors(
    builtin.options,
    Value.Default(builtin.options, { ...entry.config }),
  )) {
    faults.push([`config${path.replaceAll("/", ".")}`, message]);
  }
  return faults;
}

function ruleOf(limit: { max_calls: number; window_seconds: number }) {
  return { callsMax: limit.max_calls, windowMs: limit.window_seconds * 1000 };
}

function unknownName(name: string): string {
  const near = didYouMean(name, builtinTools.keys());
  return `${name} is no built-in tool; ${near ? `did you mean ${near}?` : `there are ${[...builtinTools.keys()].join(", ")}`}`;
}
