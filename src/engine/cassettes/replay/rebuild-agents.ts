import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type AgentManifest, agentSchema } from "../../../manifest/agent/agent.ts";
import { problemsOf } from "../../../manifest/fault.ts";
import { checkValue } from "../../../manifest/schema/check-value.ts";
import type { ManifestRegistries } from "../../../manifest/schema/registries.ts";
import { type AgentParts, buildAgent } from "../../agents/build-agent.ts";
import type { RecallParts } from "../../agents/recall-sources.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import { createBreakers } from "../../models/breakers.ts";
import type { TemplateEngine } from "../../templates/template.ts";
import type { AgentKnowledge, KnowledgeBases } from "../../tools/rag/agent-knowledge.ts";
import { createMemoryCache } from "../../tools/tool-cache.ts";
import { type LiveParts, offline, replayAgent } from "./replay-agent.ts";

/** Dependencies for building a cassette's agents. None of them reaches outside the process. */
export interface RebuildParts {
  /** Providers, tools and other registered parts of this executable. */
  registries: ManifestRegistries;
  templates: TemplateEngine;
  clock: Clock;
}

/**
 * Finds the agents of a cassette by name, and builds each from its manifest on first use. Throws AppError `invalid_cassette` if this
 * version can't build one.
 */
export function rebuildAgents(
  { agents }: Cassette,
  parts: RebuildParts,
  live?: LiveParts,
): (name: string) => RunnableAgent | undefined {
  const offlineParts = partsWithoutReach(parts);
  const built = new Map<string, RunnableAgent>();
  return (name) => {
    const known = built.get(name);
    if (known !== undefined) return known;
    const recorded = Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (recorded === undefined) return undefined;
    const manifest = readManifest(name, recorded.manifest, parts.registries);
    const agent = replayAgent(build(name, manifest, offlineParts), recorded, live);
    built.set(name, agent);
    return agent;
  };
}

/** Accepts any provider and tool names: they belong to the installation that recorded, and a replay calls neither. */
function readManifest(
  name: string,
  manifest: unknown,
  { providers: _, toolTypes: __, builtinTools: ___, ...registries }: ManifestRegistries,
): AgentManifest {
  const { value, faults } = checkValue(agentSchema(registries), manifest);
  if (faults.length > 0) throw unbuildable(name, problemsOf(faults));
  return value as AgentManifest;
}

/** Leaves out tools that can't be bound here: the recording has everything the model was told about them. */
function build(name: string, manifest: AgentManifest, parts: AgentParts): RunnableAgent {
  try {
    const { spec } = manifest;
    const tools = spec.tools.filter((tool) => !bindingReachesOut.has(tool.type));
    return buildAgent({ ...manifest, spec: { ...spec, tools } }, parts);
  } catch (thrown) {
    const problems = problemsIn(thrown);
    const ofTools = problems.filter(({ path }) => /^spec\.tools\[/.test(path));
    if (ofTools.length === 0 || ofTools.length < problems.length) throw unbuildable(name, problems);
    const faulty = new Set(ofTools.map(({ path }) => Number(/\d+/.exec(path)?.[0])));
    const { spec } = manifest;
    const bindable = spec.tools.filter((tool) => !bindingReachesOut.has(tool.type));
    const tools = bindable.filter((_, index) => !faulty.has(index));
    return build(name, { ...manifest, spec: { ...spec, tools } }, parts);
  }
}

/** Types of tools whose binding asks a server for its tools. */
const bindingReachesOut: ReadonlySet<string> = new Set(["mcp"]);

function partsWithoutReach({ registries, templates, clock }: RebuildParts): AgentParts {
  const noFetch = () => Promise.reject(offline("the network"));
  return {
    // A cassette may come from an untrusted source.
    sender: "stranger",
    registries,
    templates,
    // Uses the rehearsal provider for building; `replayAgent` then replaces the models by the recording.
    models: {
      sources: { variable: () => undefined },
      ports: { fetch: noFetch, clock, newId: () => "" },
      rehearse: true,
    },
    breakers: createBreakers(clock),
    tools: {
      templates,
      cache: createMemoryCache(clock),
      clock,
      network: { request: noFetch, fetch: noFetch },
      secret: () => undefined,
      conceal() {},
      files: { workspace: "/", offLimits: ["/"] },
      sql: { run: () => Promise.reject(offline("a database")), close() {} },
      knowledge: noKnowledge,
    },
    recall: noRecall,
    conversationsOf: () => ({ recent: async () => [], append: async () => {}, clear: async () => 0 }),
    priceOf: () => undefined,
    clock,
    modelCalled: () => {},
  };
}

const noRecall: RecallParts = {
  semanticOf: () => ({
    recall: () => Promise.reject(offline("a memory")),
    keep: async () => {},
    forgetSession: async () => {},
  }),
  episodicOf: () => ({
    recall: () => Promise.reject(offline("a memory")),
    record: async () => {},
    forgetSession: async () => {},
  }),
};

const offlineKnowledge: AgentKnowledge = {
  query: () => Promise.reject(offline("documents")),
  ingest: () => Promise.reject(offline("documents")),
};

const noKnowledge: KnowledgeBases = {
  pipeline: () => offlineKnowledge,
  collection: () => offlineKnowledge,
};

function problemsIn(thrown: unknown): readonly Problem[] {
  if (thrown instanceof AppError && thrown.details.problems !== undefined) return thrown.details.problems;
  throw thrown;
}

function unbuildable(name: string, problems: readonly Problem[]): AppError {
  const [first] = problems;
  const reason = first === undefined ? "its manifest is not valid" : `${first.path} ${first.message}`;
  return new AppError(
    "invalid",
    "invalid_cassette",
    `The cassette's agent ${name} can't be built by this version: ${reason}.`,
    { details: { problems: [...problems] } },
  );
}
