import { version } from "../../../../package.json" with { type: "json" };
import type { AgentParts } from "../../../engine/agents/build-agent.ts";
import { type RegistrySettings, registriesOf } from "../../../engine/agents/manifest-registries.ts";
import type { RecallParts } from "../../../engine/agents/recall-sources.ts";
import { createBreakers, type SharedBreakers } from "../../../engine/models/breakers.ts";
import { inferenceEndpoint } from "../../../engine/models/inference-endpoint.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import { LearnedDialects } from "../../../engine/models/providers/openai/learned-dialect.ts";
import type { ProviderFetch } from "../../../engine/models/providers/provider-kind.ts";
import type { Skills } from "../../../engine/skills/skill.ts";
import { configuredPrice, tablePrice } from "../../../engine/spending/price-table.ts";
import { createMinijinjaEngine } from "../../../engine/templates/minijinja/minijinja-engine.ts";
import { type ReachSettings, workspaceReach } from "../../../engine/tools/files/workspace-reach.ts";
import { McpServers } from "../../../engine/tools/mcp/mcp-servers.ts";
import { type LoginStore, memoryLogins } from "../../../engine/tools/mcp/oauth/login-store.ts";
import type { ToolPins } from "../../../engine/tools/mcp/tool-pins.ts";
import { resolveBySystem } from "../../../engine/tools/network/address/address-resolver.ts";
import type { OpenedNetworks } from "../../../engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../../engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../../engine/tools/network/direct-connection.ts";
import type { OperatorConnections } from "../../../engine/tools/network/request/operator-connections.ts";
import type { OwnTools } from "../../../engine/tools/own/own-tools.ts";
import type { KnowledgeBases } from "../../../engine/tools/rag/agent-knowledge.ts";
import { createSqlRunner } from "../../../engine/tools/sql/sql-runner.ts";
import { createMemoryCache } from "../../../engine/tools/tool-cache.ts";
import type { WorkspacePrograms } from "../../../engine/tools/workspace-programs.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { CircuitSettings } from "../../../kit/outages/circuit-breaker.ts";
import type { FaultSwitch } from "../../../kit/outages/fault-switch.ts";
import type { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import type { PricesFile } from "../../../manifest/files/prices-file.ts";
import type { ProvidersFile } from "../../../manifest/files/providers-file.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";

/** Settings that the operator's agents are built with. */
export interface OperatorSettings extends RegistrySettings, ReachSettings {
  network: OpenedNetworks;
  knownSecrets: SecretRegistry;
  programs: Pick<WorkspacePrograms, "refusal">;
  variable: (name: string) => string | undefined;
  models: { rehearse: boolean };
  prices: PricesFile;
}

/** Parts for building agents besides the configuration. */
export interface OperatorPorts extends Pick<AgentParts, "conversationsOf" | "modelCalled"> {
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
  inference?: ProviderFetch | undefined;
  sources: ModelSources;
  /** providers.yaml and prices.yaml as they are now. Absent: as they were at the start. */
  files?: { providers(): ProvidersFile; prices(): PricesFile };
  /** Calls the endpoints of the operator's own configuration. */
  fetch: ProviderFetch;
  /** Command that starts a helper process of this program. */
  helperCommand: (name: string) => string[];
  /** Returns the variables of tools. */
  secret: AgentParts["tools"]["secret"];
  /** Tools that MCP servers offered when last seen. */
  toolPins: ToolPins;
  /** Logins at MCP servers. If absent, they last as long as the process. */
  logins?: LoginStore;
  /** Models in the user's own files. */
  onnx: OnnxRuntime;
  /** Tools in the workspace's own files. If absent, agents have none. */
  ownTools?: OwnTools;
  /** Skills in the workspace's own folders. If absent, agents have none of these. */
  skills?: Skills;
  /** Connections in connections.yaml. If absent, agents have none. */
  connections?: OperatorConnections;
  /** Windows of rate limits that nodes share; absent: there are none. */
  windows?: AgentParts["tools"]["windows"];
  /** True if there are keys to seal runs that wait for a person. */
  sealed: boolean;
}

/** Parts of the operator's agents. Tenants' agents use the same providers, each as its owner meets them. */
export type OperatorParts = AgentParts & { breakers: SharedBreakers; circuit: CircuitSettings };

/** Settings of the circuit breakers, as the file has them at each read. */
function circuitIn(providers: () => ProvidersFile): CircuitSettings {
  return {
    get failureThreshold() {
      return providers().circuit_breaker.failure_threshold;
    },
    get cooldownMs() {
      return providers().circuit_breaker.recovery_seconds * 1000;
    },
  };
}

/** Sends calls to models of inference nodes there, and all others to their address. */
function fetchFor({
  inference,
  faults,
  fetch: toAddress,
}: Pick<OperatorPorts, "inference" | "faults" | "fetch">): ProviderFetch {
  return (url, init) => {
    const standIn = faults?.models?.(url, init);
    if (standIn !== undefined) return standIn;
    if (!url.startsWith(`${inferenceEndpoint}/`)) return toAddress(url, init);
    if (inference === undefined) throw new TypeError("This process knows of no inference nodes.");
    return inference(url, init);
  };
}

/** Creates the parts for building agents under this configuration. */
export function createOperatorParts(config: OperatorSettings, ports: OperatorPorts): OperatorParts {
  const { clock } = ports;
  const modelFiles = ports.files ?? { providers: () => config.providers, prices: () => config.prices };
  const circuit = circuitIn(modelFiles.providers);
  const templates = createMinijinjaEngine({ clock, childCommand: ports.helperCommand("template-child") });
  const network = createGuardedNetwork({
    clock,
    connect: createDirectConnections(clock),
    resolve: resolveBySystem,
    opened: config.network,
  });
  const mcp = new McpServers({
    clock,
    log: ports.log,
    network,
    pins: ports.toolPins,
    logins: ports.logins ?? memoryLogins(),
    conceal: (secret) => config.knownSecrets.add(secret),
    version,
    supervisor: ports.helperCommand("mcp-child"),
    refusal: config.programs.refusal,
    folder: config.workspace,
    path: config.variable("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
  });
  const files = workspaceReach(config);
  const sql = createSqlRunner({ clock, childCommand: ports.helperCommand("sql-child"), files });
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
        mask: (text) => config.knownSecrets.mask(text),
        dialects: new LearnedDialects((model, message) =>
          ports.log.warn("provider.adapted", { model, message }),
        ),
        onnx: { runtime: ports.onnx, templates },
      },
      rehearse: config.models.rehearse,
    },
    circuit,
    breakers: createBreakers(clock, circuit),
    tools: {
      templates,
      cache: createMemoryCache(clock),
      clock,
      network,
      mcp,
      secret: ports.secret,
      conceal: (secret) => config.knownSecrets.add(secret),
      files,
      sql,
      ...(ports.windows && { windows: ports.windows }),
      ...(ports.ownTools && { ownTools: ports.ownTools }),
      ...(ports.connections && { connections: ports.connections }),
      ...(ports.knowledge && { knowledge: ports.knowledge }),
      ...(ports.sealed ? {} : { approvalsRefused }),
    },
    ...(ports.skills && { skills: ports.skills }),
    ...(ports.recall && { recall: ports.recall }),
    conversationsOf: ports.conversationsOf,
    priceOf: (model) =>
      configuredPrice(ports.sources.file?.providers ?? {}, model.provider, model.model) ??
      tablePrice(modelFiles.prices(), model),
    clock,
    modelCalled: ports.modelCalled,
  };
}

/** Reason why tools can't require approval without keys. */
const approvalsRefused =
  "needs keys to seal waiting runs with: set ARGOSY_SEALING_KEYS, or make keys with `argosy secrets init`";
