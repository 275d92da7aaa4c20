import { childCommand } from "../compose/child-command.ts";
import { discoverySettings } from "../compose/daemon/discovery-settings.ts";
import { openOnnx } from "../compose/daemon/onnx.ts";
import { openVectors } from "../compose/daemon/vectors.ts";
import { createProviderFetch } from "../compose/provider-fetch.ts";
import type { Config } from "../compose/settings/config.ts";
import { effectiveSecrets } from "../compose/settings/secrets/effective-secrets.ts";
import { toolSecrets } from "../compose/settings/secrets/tool-secrets.ts";
import { buildAgent } from "../engine/agents/build-agent.ts";
import type { RecallParts } from "../engine/agents/recall-sources.ts";
import { discoverModels } from "../engine/models/discover-models.ts";
import type { ModelSources } from "../engine/models/model-sources.ts";
import { resolveModels } from "../engine/models/resolve-models.ts";
import type { Skills } from "../engine/skills/skill.ts";
import { memoryPins } from "../engine/tools/mcp/tool-pins.ts";
import type { OwnTools } from "../engine/tools/own/own-tools.ts";
import type { KnowledgeBases } from "../engine/tools/rag/agent-knowledge.ts";
import type { Problem } from "../kit/app-error.ts";
import { AppError } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import { newId } from "../kit/id.ts";
import { silentLogger } from "../kit/log.ts";
import type { AgentManifest } from "../manifest/agent/agent.ts";
import type { RagPipelineManifest } from "../manifest/rag-pipeline.ts";
import type { Sender } from "../manifest/senders/sender.ts";
import { pipelineSenderProblems, senderProblems } from "../manifest/senders/sender-policy.ts";
import { buildPipeline } from "../retrieval/rag/rag-pipeline.ts";
import type { RetrievalParts } from "../retrieval/retrieval-ports.ts";
import { createOperatorParts } from "../services/daemon/agents/operator-parts.ts";
import { type PlaceSettings, placeOf } from "../services/daemon/memory/places/conversation-places.ts";
import { episodePlaceOf } from "../services/daemon/memory/places/episode-places.ts";
import { semanticSetup } from "../services/daemon/memory/semantic/semantic-setup.ts";
import { pipelineParts } from "../services/daemon/rag/open-rag.ts";
import { senderTerms } from "../services/daemon/untrusted/sender-terms.ts";
/** Checks agents like the start does, but stores and calls nothing. */
export interface AgentTrial {
  /** Returns the problems that prevent an agent from being built. */
  problems(manifest: AgentManifest, sender: Sender): Problem[];
  /** `provider/model` for agents that name none; undefined if there is no such model. */
  defaultModel: string | undefined;
}

/** Creates a trial that builds agents like the start does. */
export async function openAgentTrial(
  config: Config,
  { ownTools, skills }: { ownTools: OwnTools; skills: Skills },
  stored: ModelSources["stored"],
): Promise<AgentTrial> {
  const ports = { clock: systemClock, newId, log: silentLogger, toolPins: memoryPins() };
  const { refusal: _, ...models } = await findModels(config);
  const sources = { ...models, ...(stored && { stored }) };
  const onnx = openOnnx(config.dataFolder, silentLogger, systemClock);
  const retrieval = openVectors({ config, ...ports, random: Math.random }, { onnx, sources });
  const parts = createOperatorParts(config, {
    ...ports,
    sources,
    onnx,
    fetch: createProviderFetch(systemClock),
    helperCommand: childCommand,
    secret: toolSecrets(config),
    recall: recallPartsUnused(config, retrieval),
    knowledge: noKnowledge,
    conversationsOf(settings) {
      placeOf(settings, config);
      return { recent: async () => [], append: async () => {}, clear: async () => 0 };
    },
    modelCalled: () => {},
    ownTools,
    skills,
    // Names of connections are checked with all agents together.
    connections: { find: () => undefined },
    sealed: hasSealingKeys(config),
  });
  const terms = senderTerms(config, sources);
  const [first] = resolveModels(undefined, parts.models).candidates;
  return {
    defaultModel: first && `${first.provider}/${first.model}`,
    problems(manifest, sender) {
      try {
        const refused = senderProblems(manifest, sender, terms);
        if (refused.length === 0) buildAgent(manifest, { ...parts, sender });
        return refused;
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.details.problems !== undefined)
          return thrown.details.problems;
        throw thrown;
      }
    },
  };
}

/** No documents, because nothing is executed. */
const noKnowledge: KnowledgeBases = {
  pipeline: () => undefined,
  collection() {
    throw new Error("no tool is executed here");
  },
};

/** Parts for checking agents without running them: the settings are checked, and nothing is stored. */
function recallPartsUnused(config: PlaceSettings, retrieval: RetrievalParts): RecallParts {
  return {
    semanticOf(settings) {
      semanticSetup(settings, retrieval);
      return { recall: async () => [], keep: async () => {}, forgetSession: async () => {} };
    },
    episodicOf(settings) {
      episodePlaceOf(settings, config);
      return { recall: async () => [], record: async () => {}, forgetSession: async () => {} };
    },
  };
}

/** Returns a function that finds a pipeline's problems by building it. Stores and calls nothing. */
export async function pipelineBuildingProblems(
  config: Config,
): Promise<(manifest: RagPipelineManifest, sender: Sender) => Problem[]> {
  const world = { config, clock: systemClock, log: silentLogger, newId, random: Math.random };
  const onnx = openOnnx(config.dataFolder, silentLogger, systemClock);
  const { refusal: _, ...sources } = await findModels(config);
  const retrieval = openVectors(world, { onnx, sources });
  const terms = senderTerms(config, sources);
  const parts = pipelineParts(config, retrieval, "");
  return (manifest, sender) => {
    try {
      const refused = pipelineSenderProblems(manifest, sender, terms);
      if (refused.length === 0) buildPipeline(manifest, parts);
      return refused;
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.details.problems !== undefined) return thrown.details.problems;
      throw thrown;
    }
  };
}

/** Returns true if this configuration has keys for sealing, or creates them at the start. */
function hasSealingKeys(config: Config): boolean {
  if (config.secrets.generate && config.databaseUrl === undefined) return true;
  return effectiveSecrets(config).some(({ name, source }) => name === "sealing_keys" && source !== "none");
}

/** Finds the sources of models as a start does. */
const findModels = (config: Config) =>
  discoverModels(discoverySettings(config), {
    fetch: createProviderFetch(systemClock),
    clock: systemClock,
    newId,
  });
