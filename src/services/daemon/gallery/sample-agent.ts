import type { GalleryAgent, GalleryTopic } from "../../../contracts/daemon/gallery.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { checkFile, type ManifestKind } from "../../../manifest/schema/manifest-kind.ts";

export type SampleAgent = Omit<GalleryAgent, "loaded">;

/** Describes a shipped agent by its file; undefined if the file's manifest is not valid for this daemon. */
export function sampleAgent(kind: ManifestKind<AgentManifest>, text: string): SampleAgent | undefined {
  const checked = checkFile(kind, text);
  if ("problems" in checked) return undefined;
  const { metadata, spec } = checked.manifest;
  const { primary } = spec.model ?? {};
  return {
    name: metadata.name,
    description: spec.identity.description ?? "",
    about: aboutIn(text),
    queries: queriesIn(text, metadata.name),
    pattern: spec.orchestration.pattern,
    topics: topicsOf(spec),
    tools: spec.tools.map(({ name, type }) => ({ name, type })),
    model: primary === undefined ? "" : `${primary.provider}/${primary.model}`,
    needs: needsOf(spec),
    manifest: text,
  };
}

type Spec = AgentManifest["spec"];

function topicsOf(spec: Spec): GalleryTopic[] {
  const { tools, guardrails, memory, model } = spec;
  const has = (type: string) => tools.some((tool) => tool.type === type);
  const topicsShown: Record<GalleryTopic, boolean> = {
    tools: tools.length > 0,
    mcp: has("mcp"),
    agents: has("agent"),
    approvals: tools.some(({ requires_approval }) => requires_approval === true),
    client_tools: has("client"),
    guardrails: guardrails.input.length + guardrails.output.length > 0,
    conversation_summary: memory.conversational?.strategy === "summary",
    semantic_memory: memory.semantic !== undefined,
    episodic_memory: memory.episodic !== undefined,
    knowledge: spec.knowledge !== undefined,
    structured_output: spec.output_schema !== undefined,
    chain: spec.chain !== undefined,
    fallback_models: model?.fallback !== undefined || (model?.fallbacks.length ?? 0) > 0,
    model_roles: Object.keys(model?.roles ?? {}).length > 0,
    channels: spec.channels.length > 0,
  };
  return (Object.keys(topicsShown) as GalleryTopic[]).filter((topic) => topicsShown[topic]);
}

function needsOf({ tools, chain, knowledge }: Spec): string[] {
  const workers = tools.flatMap(({ type, config }) => (type === "agent" ? [String(config.agent)] : []));
  const links = (chain?.on_complete ?? []).flatMap(({ agent, on_error }) =>
    on_error === "stop" || on_error === "continue" ? [agent] : [agent, on_error],
  );
  return [...new Set([...workers, ...links, ...(knowledge === undefined ? [] : [knowledge.pipeline])])];
}

/** Returns the comment at the start of a file, up to its indented example calls. */
function aboutIn(text: string): string {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => !/^# \S/.test(line));
  return lines
    .slice(0, end)
    .map((line) => line.slice(2))
    .join(" ")
    .trim();
}

/** Returns the queries of the example calls in a file's comment. */
function queriesIn(text: string, name: string): string[] {
  const calls = text.matchAll(/^# {3}(?:.* && )?argosy run (\S+) .*?(?:'([^'\n]+)'|"([^"\n]+)")$/gm);
  return [...calls].flatMap(([, agent, single, double]) => (agent === name ? (single ?? double ?? []) : []));
}
