import type { AgentDetail, AgentSummary, McpServerView } from "../../../contracts/daemon/agents.ts";
import { withToolsNow } from "../../../engine/agents/live-tools.ts";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import { describeMissing } from "../../../engine/tools/mcp/oauth/describe-login-fault.ts";
import type { ToolSource } from "../../../engine/tools/tool-type.ts";
import { maskValues } from "../../../kit/secrets/mask-values.ts";
import { redactText } from "../../../kit/secrets/redact-text.ts";
import { modelCandidates } from "../../../manifest/agent/model.ts";
import type { AgentCatalog, CatalogEntry } from "./agent-catalog.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** Converts an agent to the form that the list returns. */
export function presentSummary(catalog: AgentCatalog, entry: CatalogEntry): AgentSummary {
  const { manifest } = entry;
  const [primary] = modelsOf(entry);
  const pattern = manifest?.spec.orchestration.pattern ?? "";
  return {
    name: entry.name,
    description: manifest?.spec.identity.description ?? "",
    model: primary === undefined ? "" : `${canonicalProvider(primary.provider)}/${primary.model}`,
    orchestration: pattern,
    pattern,
    status: catalog.statusOf(entry),
    ...errorOf(entry),
  };
}

/** Models that the manifest names, or the default models that the agent was built with. */
function modelsOf({ manifest, agent }: CatalogEntry): { provider: string; model: string }[] {
  const declared = manifest?.spec.model;
  const models = declared === undefined ? (agent?.candidates ?? []) : modelCandidates(declared);
  return models.map(({ provider, model }) => ({ provider, model }));
}

/** Converts an agent to its detailed form. */
export function presentDetail(catalog: AgentCatalog, entry: CatalogEntry): AgentDetail {
  const { manifest, agent, file, fault, candidate, canary } = entry;
  const servers = (agent?.live?.sources ?? []).flatMap(({ source }) => presentServer(source));
  const [primary, fallback] = modelsOf(entry);
  return {
    name: entry.name,
    description: manifest?.spec.identity.description ?? "",
    version: manifest?.metadata.version ?? "",
    namespace: manifest?.metadata.namespace ?? "",
    model: {
      primary: primary ?? null,
      fallback: fallback ?? null,
      routing: { strategy: agent?.strategy ?? manifest?.spec.model?.routing.strategy ?? "quality_first" },
      ...(manifest !== undefined && manifest.spec.model === undefined && primary !== undefined
        ? { is_default: true as const }
        : {}),
    },
    orchestration: {
      pattern: manifest?.spec.orchestration.pattern ?? "",
      max_iterations: manifest?.spec.orchestration.max_iterations ?? 0,
      timeout: manifest?.spec.orchestration.timeout_seconds ?? 0,
    },
    tools: presentTools(entry),
    ...(servers.length === 0 ? {} : { mcp_servers: servers }),
    // Store addresses may contain a password.
    memory: maskValues({ ...manifest?.spec.memory }, redactText) as Record<string, unknown>,
    status: catalog.statusOf(entry),
    ...errorOf(entry),
    ...(fault === undefined || fault.problems.length === 0 ? {} : { problems: fault.problems }),
    persisted: file !== undefined,
    ...(file === undefined ? {} : { file }),
    ...(agent === undefined ? {} : { fingerprint: fingerprintOf(agent) }),
    ...(candidate === undefined
      ? {}
      : { candidate: { fingerprint: fingerprintOf(candidate.agent), reasons: [...candidate.reasons] } }),
    ...(canary && {
      canary: { fingerprint: fingerprintOf(canary.version.agent), percent: canary.terms.percent },
    }),
  };
}

/** The tools of files are shown as the manifest declares them: a command that runs no agent doesn't load them. */
function presentTools({ agent, manifest }: CatalogEntry): AgentDetail["tools"] {
  if (agent === undefined) return [];
  const ofFiles = (agent.live?.sources ?? [])
    .filter(({ source }) => source.mcp === undefined && source.a2a === undefined)
    .map(({ source: { entry } }) => ({
      name: entry,
      type: "internal",
      description:
        manifest?.spec.tools?.find(({ name }) => name === entry)?.description ??
        "Its file in tools/ describes it.",
    }));
  const others = [...withToolsNow(agent).tools.values()]
    .map(({ tool: { name, type, description } }) => ({ name, type, description }))
    .filter(({ name }) => !ofFiles.some((one) => one.name === name));
  return [...others, ...ofFiles];
}

function presentServer({ entry, mcp }: ToolSource): McpServerView[] {
  if (mcp === undefined) return [];
  const { state, fault, tools, offered, hash, notes, changed, missingScope } = mcp.status();
  const message = fault ?? (missingScope === undefined ? undefined : describeMissing(missingScope));
  return [
    {
      name: entry,
      status: state,
      ...(message === undefined ? {} : { message }),
      ...(mcp.server.login?.token() === undefined ? {} : { logged_in: true as const }),
      tools_listed: tools,
      tools_offered: offered,
      ...(tools === 0 ? {} : { tools_hash: hash }),
      ...(notes.length === 0 ? {} : { notes: [...notes] }),
      ...(changed === undefined ? {} : { changed }),
    },
  ];
}

function errorOf({ fault }: CatalogEntry): { error?: string } {
  return fault === undefined ? {} : { error: fault.message };
}
