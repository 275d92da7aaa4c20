import { version } from "../../../package.json" with { type: "json" };
import { overrideAgent } from "../../engine/agents/override-agent.ts";
import { bindBuiltinTools } from "../../engine/tools/bind-tools.ts";
import { createOverriddenAgents } from "../../services/daemon/agents/overridden-agents.ts";
import type { DaemonDeps } from "../../services/daemon/deps.ts";
import type { OpenNodes } from "../../services/daemon/mesh/open-nodes.ts";
import { LoadedMlModels } from "../../services/daemon/ml/loaded-models.ts";
import { KeptThoughts } from "../../services/daemon/openai/kept-thoughts.ts";
import { namedModels } from "../../services/daemon/providers/named-models.ts";
import type { SharedFiles } from "../../services/daemon/shared-files/shared-files.ts";
import type { TenantApi } from "../../services/daemon/tenant-api/open-tenant-api.ts";
import type { Foundation } from "../foundation.ts";
import type { Operations } from "./operations.ts";
import type { AgentBuilding } from "./stages/agent-building.ts";
import type { DaemonAgents } from "./stages/agents.ts";
import type { DaemonKnowledge } from "./stages/knowledge.ts";
import type { DaemonModels } from "./stages/models.ts";
import type { DaemonRuns } from "./stages/runs.ts";
import type { DaemonState } from "./stages/state.ts";
import type { Telemetry } from "./stages/telemetry.ts";

/** The daemon below its routes. */
export interface DaemonStages {
  state: DaemonState;
  telemetry: Telemetry;
  models: DaemonModels;
  /** Undefined if this daemon works alone. */
  nodes: OpenNodes | undefined;
  knowledge: DaemonKnowledge;
  building: AgentBuilding;
  agents: DaemonAgents;
  /** Undefined without a shared database. */
  shared: SharedFiles | undefined;
  running: DaemonRuns;
  tenants: TenantApi;
  operations: Operations;
}

/** What the routes depend on, without the parts that run agents themselves: evals, channels, triggers and tasks. */
export type RunningDaemon = Omit<DaemonDeps, "evals" | "channels" | "triggers" | "mcpTasks">;

type Parts = Pick<Foundation, "config" | "clock" | "newId" | "log" | "checkups" | "retryParked">;

/** Returns what the routes of the daemon may touch. */
export function runningDaemon(
  { config, clock, newId, log, checkups, retryParked }: Parts,
  stages: DaemonStages,
): RunningDaemon {
  const { state, telemetry, models, nodes, knowledge, building, agents, running, operations } = stages;
  const { parts } = building;
  return {
    version,
    startedAt: clock.now(),
    clock,
    newId,
    log,
    catalog: state.catalog,
    library: agents.library,
    history: agents.history,
    canaries: agents.canaries,
    paused: state.paused,
    overridden: createOverriddenAgents((agent, override) =>
      overrideAgent(agent, override, building.overriding(agent.sender)),
    ),
    gate: state.gate,
    pools: state.pools,
    stopping: state.stopping.signal,
    runs: running.runs,
    builtinTools: bindBuiltinTools(parts.tools),
    ownTools: building.ownTools,
    skills: building.skills,
    breakers: parts.breakers,
    routerFor: running.routerFor,
    storedProviders: models.storedProviders,
    providerPorts: parts.models.ports,
    modelCatalog: { sources: models.sources, priceOf: parts.priceOf, rehearsing: config.models.rehearse },
    directModels: () => namedModels(models.files.providers()),
    thoughts: new KeptThoughts(),
    traces: telemetry.archive,
    runStats: telemetry.runStats,
    tickets: { storage: state.storage, clock },
    recordsContent: config.observability.record,
    cassettes: running.cassettes,
    approvals: running.approvals.pausedRuns,
    responses: running.responses,
    durable: running.durable,
    callers: running.callers,
    network: building.untrustedParts.tools.network,
    costs: running.costs,
    conversationsOf: knowledge.memory.conversationsOf,
    ml: { storage: state.storage, loaded: new LoadedMlModels(models.onnx) },
    rag: knowledge.rag.rag,
    recall: knowledge.recall.recall,
    metrics: telemetry.metrics,
    role: config.role,
    mesh: nodes?.mesh,
    router: nodes?.runs.router,
    hop: nodes?.runs.hop,
    checkups,
    retryParked,
    operations: {
      ...operations.ports,
      node: nodes?.mesh?.node.state().this_node,
      mask: (text) => config.knownSecrets.mask(text),
    },
  };
}
