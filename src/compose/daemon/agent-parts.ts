import { type AgentParts, buildAgent } from "../../engine/agents/build-agent.ts";
import { registriesOf } from "../../engine/agents/manifest-registries.ts";
import type { RecallParts } from "../../engine/agents/recall-sources.ts";
import { createBreakers, type SharedBreakers } from "../../engine/models/breakers.ts";
import type { ModelSources } from "../../engine/models/model-sources.ts";
import type { ProviderFetch } from "../../engine/models/providers/provider-kind.ts";
import { resolveModels } from "../../engine/models/resolve-models.ts";
import { configuredPrice, tablePrice } from "../../engine/spending/price-table.ts";
import { createMinijinjaEngine } from "../../engine/templates/minijinja/minijinja-engine.ts";
import { type LoginStore, memoryLogins } from "../../engine/tools/mcp/oauth/login-store.ts";
import { memoryPins, type ToolPins } from "../../engine/tools/mcp/tool-pins.ts";
import { resolveBySystem } from "../../engine/tools/network/address/address-resolver.ts";
import { createGuardedNetwork } from "../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../engine/tools/network/direct-connection.ts";
import type { OperatorConnections } from "../../engine/tools/network/request/operator-connections.ts";
import type { OwnTools } from "../../engine/tools/own/own-tools.ts";
import type { KnowledgeBases } from "../../engine/tools/rag/agent-knowledge.ts";
import { createSqlRunner } from "../../engine/tools/sql/sql-runner.ts";
import { createMemoryCache } from "../../engine/tools/tool-cache.ts";
import { AppError, type Problem } from "../../kit/app-error.ts";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { type NewId, newId } from "../../kit/id.ts";
import { type Logger, silentLogger } from "../../kit/log.ts";
import type { FaultSwitch } from "../../kit/outages/fault-switch.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { Sender } from "../../manifest/senders/sender.ts";
import { senderProblems } from "../../manifest/senders/sender-policy.ts";
import type { OnnxRuntime } from "../../onnx/onnx-runtime.ts";
import type { RetrievalParts } from "../../retrieval/retrieval-ports.ts";
import { semanticSetup } from "../../services/daemon/memory/semantic/semantic-setup.ts";
import { workspaceReach } from "../../services/daemon/tools/workspace-reach.ts";
import { senderTerms } from "../../services/daemon/untrusted/sender-terms.ts";
import { childCommand } from "../child-command.ts";
import { createProviderFetch } from "../provider-fetch.ts";
import type { Config } from "../settings/config.ts";
import { inferenceEndpoint } from "../settings/inference-endpoint.ts";
import { toolSecrets } from "../settings/secrets/tool-secrets.ts";
import { approvalsRefused, hasSealingKeys } from "./approvals.ts";
import { createMcpServers } from "./mcp-servers.ts";
import { placeOf } from "./memory/conversation-places.ts";
import { episodePlaceOf } from "./memory/episode-places.ts";
import { discoverModels } from "./model-discovery.ts";
import { openOnnx } from "./onnx.ts";
import { openVectors } from "./vectors.ts";

/** Parts for building agents besides the configuration. */
export interface AgentPorts extends Pick<AgentParts, "conversationsOf" | "modelCalled"> {
  /** If absent, no agent with semantic or episodic memory can be built. */
  recall?: RecallParts;
  /** If absent, no agent with documents can be built. */
  knowledge?: KnowledgeBases;
  clock: Clock;
  newId: NewId;
  log: Logger;
  /** Faults that a drill injects; absent: there are none. */
  faults?: Pick<FaultSwitch, "models">;
  /** Calls the models of inference nodes; absent: there are none. */
  inference?: () => ProviderFetch | undefined;
  sources: ModelSources;
  /** Tools that MCP servers offered when last seen. */
  toolPins: ToolPins;
  /** Logins at MCP servers. If absent, they last as long as the process. */
  logins?: LoginStore;
  /** Models in the user's own files. If absent, a separate runtime starts with the first call. */
  onnx?: OnnxRuntime;
  /** Tools in the workspace's own files. If absent, agents have none. */
  ownTools?: OwnTools;
  /** Connections in connections.yaml. If absent, agents have none. */
  connections?: OperatorConnections;
  /** True if there are keys to seal runs that wait for a person. */
  sealed: boolean;
}

/** Parts of the operator's agents. Tenants' agents use the same providers, each as its owner meets them. */
export type OperatorParts = AgentParts & { breakers: SharedBreakers };

/** Sends calls to models of inference nodes there, and all others to their address. */
function fetchFor({
  inference,
  faults,
  clock,
}: Pick<AgentPorts, "inference" | "faults" | "clock">): ProviderFetch {
  const toAddress = createProviderFetch(clock);
  return (url, init) => {
    const standIn = faults?.models?.(url, init);
    if (standIn !== undefined) return standIn;
    if (!url.startsWith(`${inferenceEndpoint}/`)) return toAddress(url, init);
    const atNodes = inference?.();
    if (atNodes === undefined) throw new TypeError("This process knows of no inference nodes.");
    return atNodes(url, init);
  };
}

/** Creates the parts for building agents under this configuration. */
export function createAgentParts(config: Config, ports: AgentPorts): OperatorParts {
  const { clock } = ports;
  const circuit = config.providers.circuit_breaker;
  const templates = createMinijinjaEngine({ clock, childCommand: childCommand("template-child") });
  const network = createGuardedNetwork({
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: config.network,
  });
  const mcp = createMcpServers(config, {
    clock,
    log: ports.log,
    network,
    pins: ports.toolPins,
    logins: ports.logins ?? memoryLogins(),
  });
  const files = workspaceReach(config);
  const sql = createSqlRunner({ clock, childCommand: childCommand("sql-child"), files });
  const onnx = ports.onnx ?? openOnnx(config.dataFolder, ports.log, clock);
  return {
    sender: "file",
    registries: registriesOf(config),
    templates,
    models: {
      sources: ports.sources,
      ports: {
        fetch: fetchFor(ports),
        clock,
        newId: ports.newId,
        onnx: { runtime: onnx, templates },
      },
      rehearse: config.models.rehearse,
    },
    breakers: createBreakers(clock, {
      failureThreshold: circuit.failure_threshold,
      cooldownMs: circuit.recovery_seconds * 1000,
    }),
    tools: {
      templates,
      cache: createMemoryCache(clock),
      clock,
      network,
      mcp,
      secret: toolSecrets(config),
      conceal: (secret) => config.knownSecrets.add(secret),
      files,
      sql,
      ...(ports.ownTools && { ownTools: ports.ownTools }),
      ...(ports.connections && { connections: ports.connections }),
      ...(ports.knowledge && { knowledge: ports.knowledge }),
      ...(ports.sealed ? {} : { approvalsRefused }),
    },
    ...(ports.recall && { recall: ports.recall }),
    conversationsOf: ports.conversationsOf,
    priceOf: (model) =>
      configuredPrice(ports.sources.file?.providers ?? {}, model.provider, model.model) ??
      tablePrice(config.prices, model),
    clock,
    modelCalled: ports.modelCalled,
  };
}

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
  ownTools: OwnTools,
  stored: ModelSources["stored"],
): Promise<AgentTrial> {
  const ports = { clock: systemClock, newId, log: silentLogger, toolPins: memoryPins() };
  const { refusal: _, ...found } = await discoverModels({ config, ...ports });
  const sources = { ...found, ...(stored && { stored }) };
  const onnx = openOnnx(config.dataFolder, silentLogger, systemClock);
  const retrieval = openVectors({ config, ...ports, random: Math.random }, { onnx, sources });
  const parts = createAgentParts(config, {
    ...ports,
    sources,
    onnx,
    recall: recallPartsUnused(config, retrieval),
    knowledge: noKnowledge,
    conversationsOf(settings) {
      placeOf(settings, config);
      return { recent: async () => [], append: async () => {}, clear: async () => 0 };
    },
    modelCalled: () => {},
    ownTools,
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
function recallPartsUnused(config: Config, retrieval: RetrievalParts): RecallParts {
  return {
    semanticOf(settings) {
      semanticSetup(settings, retrieval);
      return { recall: async () => [], keep: async () => {} };
    },
    episodicOf(settings) {
      episodePlaceOf(settings, config);
      return { recall: async () => [], record: async () => {} };
    },
  };
}
