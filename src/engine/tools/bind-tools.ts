import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent.ts";
import type { ToolEntry, ToolType } from "../../manifest/tools.ts";
import { bindAgentTool } from "./agent-tool.ts";
import { bindBuiltin, builtinWith } from "./bind-builtin.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolPorts } from "./builtin/builtin-tool.ts";
import { builtinTools } from "./builtin/registry.ts";
import { createRateLimit } from "./rate-limit.ts";
import type { BindEntry, EntryPlace, TypedTool } from "./tool-kind.ts";

const TIMEOUT_MS = 30_000;

/** How the tools of each type are made; a type that is missing here is not available. */
const kinds: { readonly [T in ToolType]?: BindEntry<T> } = { builtin: bindBuiltin, agent: bindAgentTool };

/** Values of `type` that a tool entry may have. */
export const boundToolTypes: readonly string[] = Object.keys(kinds);

type ToolSpecs = Pick<AgentManifest["spec"], "tools" | "permissions"> &
  Partial<Pick<AgentManifest["spec"], "prompts">>;

/** The agent's tools by name, and a problem for each entry that can't be honoured. */
export function bindTools(
  { tools, permissions, prompts }: ToolSpecs,
  ports: ToolPorts,
): { tools: ReadonlyMap<string, BoundTool>; problems: Problem[] } {
  const bound = new Map<string, BoundTool>();
  const problems: Problem[] = [];
  for (const [index, entry] of tools.entries()) {
    const place = { path: `spec.tools[${index}]`, ports, templates: prompts?.templates ?? {} };
    const typed = bindTyped(entry, place);
    const faults = [
      ...faultsOf(entry, permissions.allowed_actions, place),
      ...("problems" in typed ? typed.problems : []),
    ];
    problems.push(...faults);
    if (faults.length > 0 || "problems" in typed) continue;
    if (bound.has(entry.name))
      problems.push({ path: `${place.path}.name`, message: `is given twice: ${entry.name}` });
    const limit = entry.rate_limit;
    bound.set(entry.name, {
      ...typed,
      ...(limit && { rateLimit: createRateLimit(ruleOf(limit), ports.clock) }),
      ...(entry.mode === "propose" && { proposes: true }),
    });
  }
  return { tools: bound, problems };
}

/** Every built-in tool that needs no configuration, as a caller without an agent may use it. */
export function bindBuiltinTools(ports: ToolPorts): ReadonlyMap<string, BoundTool> {
  return new Map(
    [...builtinTools].map(([name, tool]) => [
      name,
      { ...builtinWith(tool, {}, ports), timeoutMs: TIMEOUT_MS },
    ]),
  );
}

function bindTyped(entry: ToolEntry, place: EntryPlace): TypedTool | { problems: Problem[] } {
  const bind = kinds[entry.type] as BindEntry<ToolType> | undefined;
  if (bind !== undefined) return bind(entry, place);
  const message = `${entry.type} is not available in this version; there is ${boundToolTypes.join(", ")}`;
  return { problems: [{ path: `${place.path}.type`, message }] };
}

/** What an entry asks for that no tool can do, whatever its type. */
function faultsOf(
  entry: ToolEntry,
  allowedActions: readonly string[] | undefined,
  { path }: EntryPlace,
): Problem[] {
  const refused = entry.permissions.filter((action) => allowedActions?.includes(action) === false);
  return [
    ...(entry.requires_approval
      ? [{ path: `${path}.requires_approval`, message: "is not available in this version" }]
      : []),
    ...refused.map((action) => ({
      path: `${path}.permissions`,
      message: `${action} is not among spec.permissions.allowed_actions`,
    })),
  ];
}

function ruleOf(limit: { max_calls: number; window_seconds: number }) {
  return { callsMax: limit.max_calls, windowMs: limit.window_seconds * 1000 };
}
