import type { Problem } from "../../kit/app-error.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { ToolEntry, ToolType } from "../../manifest/agent/tools.ts";
import { createSchemaAllowance, type SchemaAllowance } from "../structured/schema-allowance.ts";
import { bindA2aTool } from "./a2a/a2a-tool.ts";
import { bindAgentTool } from "./agent-tool.ts";
import { bindBuiltin, builtinWith } from "./bind-builtin.ts";
import type { BoundTool } from "./bound-tool.ts";
import type { ToolPorts } from "./builtin/builtin-tool.ts";
import { builtinTools } from "./builtin/registry.ts";
import { bindClientTool } from "./client-tool.ts";
import { bindInternal } from "./internal/registry.ts";
import { bindMcp } from "./mcp/bind-mcp.ts";
import { bindOwnTool } from "./own/bind-own-tool.ts";
import { bindRagTool } from "./rag/rag-tool.ts";
import { rateLimitOf } from "./rate-limit.ts";
import type { BindEntry, EntryPlace, ToolSource } from "./tool-type.ts";
import { bindWebhookTool } from "./webhook-tool.ts";

const TIMEOUT_MS = 30_000;

/** Binding functions by type; types that are missing here are not supported. */
const kinds: { readonly [T in ToolType]?: BindEntry<T> } = {
  builtin: bindBuiltin,
  internal: (entry, place) =>
    place.ports.ownTools === undefined
      ? bindInternal(entry, place)
      : bindOwnTool(entry, place, place.ports.ownTools),
  agent: bindAgentTool,
  webhook: bindWebhookTool,
  mcp: bindMcp,
  rag: bindRagTool,
  client: bindClientTool,
  a2a: bindA2aTool,
};

/** Supported values of `type` in a tool entry. */
export const boundToolTypes: readonly string[] = Object.keys(kinds);

type ToolSpecs = Pick<AgentManifest["spec"], "tools" | "permissions"> &
  Partial<Pick<AgentManifest["spec"], "prompts">>;

/** Terms of an entry that apply to each of its tools, whatever their type. */
type EntryTerms = Pick<BoundTool, "rateLimit" | "proposes" | "requiresApproval">;

/** An entry whose tools are listed elsewhere, and the terms for each of them. */
export interface BoundSource {
  source: ToolSource;
  terms: EntryTerms;
}

export interface BoundTools {
  /** Tools by name. */
  tools: ReadonlyMap<string, BoundTool>;
  sources: readonly BoundSource[];
  /** Problems of the entries that can't be bound. */
  problems: Problem[];
}

/** Binds the agent's tools and the sources of further tools. Their schemas share `schemas` with the agent's other schemas. */
export function bindTools(
  { tools, permissions, prompts }: ToolSpecs,
  ports: ToolPorts,
  schemas: SchemaAllowance = createSchemaAllowance(),
): BoundTools {
  const bound = new Map<string, BoundTool>();
  const sources: BoundSource[] = [];
  const names = new Set<string>();
  const problems: Problem[] = [];
  const templates = prompts?.templates ?? {};
  for (const [index, entry] of tools.entries()) {
    const place = { path: `spec.tools[${index}]`, ports, templates, schemas };
    const typed = bindTyped(entry, place);
    const faults = [
      ...faultsOf(entry, permissions.allowed_actions, place),
      ...("problems" in typed ? typed.problems : []),
    ];
    problems.push(...faults);
    if (faults.length > 0 || "problems" in typed) continue;
    if (names.has(entry.name))
      problems.push({ path: `${place.path}.name`, message: `is given twice: ${entry.name}` });
    names.add(entry.name);
    const terms = termsOf(entry, ports);
    if ("source" in typed) sources.push({ source: typed.source, terms });
    else bound.set(entry.name, { ...typed, ...terms });
  }
  return { tools: bound, sources, problems };
}

function termsOf(
  { rate_limit: limit, mode, requires_approval }: ToolEntry,
  { clock, windows }: ToolPorts,
): EntryTerms {
  return {
    ...(limit && { rateLimit: rateLimitOf(ruleOf(limit), clock, windows) }),
    ...(mode === "propose" && { proposes: true }),
    // Proposed calls are decided on later.
    ...(requires_approval && mode === "execute" && { requiresApproval: true }),
  };
}

/** Every built-in tool with default options, for callers without an agent. */
export function bindBuiltinTools(ports: ToolPorts): ReadonlyMap<string, BoundTool> {
  return new Map(
    [...builtinTools].map(([name, tool]) => [
      name,
      { ...builtinWith(tool, {}, ports), timeoutMs: TIMEOUT_MS },
    ]),
  );
}

function bindTyped(entry: ToolEntry, place: EntryPlace): ReturnType<BindEntry<ToolType>> {
  const bind = kinds[entry.type] as BindEntry<ToolType> | undefined;
  if (bind !== undefined) return bind(entry, place);
  const message = `${entry.type} is not available in this version; there is ${boundToolTypes.join(", ")}`;
  return { problems: [{ path: `${place.path}.type`, message }] };
}

/** Settings of an entry that no tool can honour, whatever its type. */
function faultsOf(
  entry: ToolEntry,
  allowedActions: readonly string[] | undefined,
  { path, ports }: EntryPlace,
): Problem[] {
  const refused = entry.permissions.filter((action) => allowedActions?.includes(action) === false);
  return [
    ...(entry.requires_approval && entry.mode === "execute" && ports.approvalsRefused !== undefined
      ? [{ path: `${path}.requires_approval`, message: ports.approvalsRefused }]
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
