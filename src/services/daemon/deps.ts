import type { MeshRole } from "../../contracts/daemon/mesh.ts";
import type { ConversationArchive } from "../../engine/memory/conversation.ts";
import type { ConversationSettings } from "../../engine/memory/memory-strategy.ts";
import type { Breakers } from "../../engine/models/breakers.ts";
import type { ModelRouter } from "../../engine/models/model-router.ts";
import type { ProviderPorts } from "../../engine/models/providers/provider-kind.ts";
import type { RunPorts } from "../../engine/run/run.ts";
import type { BoundTool } from "../../engine/tools/bound-tool.ts";
import type { GuardedNetwork } from "../../engine/tools/network/guarded-network.ts";
import type { Clock } from "../../kit/clock.ts";
import type { AdmissionGate } from "../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { AgentCatalog } from "./agents/agent-catalog.ts";
import type { AgentLibrary } from "./agents/agent-library.ts";
import type { ManifestHistory } from "./agents/history/manifest-history.ts";
import type { OverriddenAgents } from "./agents/overridden-agents.ts";
import type { PausedAgents } from "./agents/paused-agents.ts";
import type { CanaryRuns } from "./canary/canary-runs.ts";
import type { CassettePorts } from "./cassettes/replay-cassette.ts";
import type { DaemonChannels } from "./channels/phone-messenger.ts";
import type { DaemonCosts } from "./costs/routes.ts";
import type { CallerRuns } from "./durable-runs/caller-runs.ts";
import type { DurableRuns } from "./durable-runs/durable-runs.ts";
import type { DaemonEvals } from "./evals/eval-routes.ts";
import type { McpTasks } from "./mcp/tasks/mcp-tasks.ts";
import type { DaemonRecall } from "./memory/daemon-recall.ts";
import type { RunHop } from "./mesh/hop/receive-run.ts";
import type { DaemonMesh } from "./mesh/routes.ts";
import type { DaemonMetrics } from "./metrics/daemon-metrics.ts";
import type { DaemonMl } from "./ml/loaded-models.ts";
import type { KeptThoughts } from "./openai/kept-thoughts.ts";
import type { OperationRoutesDeps } from "./operations/routes.ts";
import type { PausedRuns } from "./paused-runs/paused-runs.ts";
import type { ModelCatalog } from "./providers/model-catalog.ts";
import type { StoredProviders } from "./providers/stored-providers.ts";
import type { DaemonRag } from "./rag/daemon-rag.ts";
import type { ResponseRuns } from "./responses/response-runs.ts";
import type { RunStatistics } from "./run-stats/read-stats.ts";
import type { BackgroundPools } from "./runs/background-pools.ts";
import type { RunRouter } from "./runs/run-router.ts";
import type { AgentTickets } from "./runs/run-socket.ts";
import type { SkillFiles } from "./skills/skill-files.ts";
import type { DoctorCheckup, RetryParked } from "./system/doctor.ts";
import type { OwnToolFiles } from "./tools/own-tool-files.ts";
import type { TraceArchive } from "./traces/trace-archive.ts";
import type { Triggers } from "./triggers/triggers.ts";

/** Dependencies of all routes of the daemon. Each noun takes its own part of them. */
export interface DaemonDeps {
  version: string;
  startedAt: Date;
  clock: Clock;
  newId: NewId;
  log: Logger;
  catalog: AgentCatalog;
  library: AgentLibrary;
  /** Earlier manifests of the agents. */
  history: ManifestHistory;
  /** Versions that answer a share of the sessions. */
  canaries: CanaryRuns;
  paused: PausedAgents;
  overridden: OverriddenAgents;
  /** Limits the number of concurrent runs. */
  gate: AdmissionGate;
  /** Further limits runs that nobody waits for. */
  pools: BackgroundPools;
  /** Aborts when the time for a graceful stop is over; running work is cancelled. */
  stopping: AbortSignal;
  runs: RunPorts;
  /** Built-in tools with their default configuration, by name. */
  builtinTools: ReadonlyMap<string, BoundTool>;
  /** Tools in the workspace's own files. */
  ownTools: OwnToolFiles;
  /** Skills in the workspace's own folders. */
  skills: SkillFiles;
  breakers: Breakers;
  /** Returns the router for one model of one provider. Throws `model_not_found` for a provider that isn't configured. */
  routerFor: (provider: string, model: string) => ModelRouter;
  /** Model providers and the prices of their tokens. */
  modelCatalog: ModelCatalog;
  /** The providers that the owner set up through the API. */
  storedProviders: StoredProviders;
  /** Settings for calls to providers. */
  providerPorts: ProviderPorts;
  /** The models that the operator's files name. */
  directModels: () => { provider: string; model: string }[];
  /** Thoughts that models need back with the next request of the same conversation. */
  thoughts: KeptThoughts;
  traces: TraceArchive;
  runStats: RunStatistics;
  tickets: AgentTickets;
  /** True if traces of all runs keep question and answer, unless a request says otherwise. */
  recordsContent: boolean;
  cassettes: CassettePorts;
  channels: DaemonChannels;
  /** Undefined without sealing keys. In that case no agent that could need it is loaded. */
  approvals: PausedRuns | undefined;
  /** Stored answers of the Responses API. */
  responses: ResponseRuns;
  /** Steps of durable runs, and runs of the daemon's own callers that outlive their process. */
  durable: DurableRuns;
  callers: CallerRuns;
  /** What runs agents by itself. */
  triggers: Triggers;
  /** Calls of MCP clients that went on as tasks. */
  mcpTasks: McpTasks;
  /** Calls addresses that callers name. */
  network: Pick<GuardedNetwork, "request">;
  costs: DaemonCosts;
  /** Returns the store of conversations that a manifest's settings select. */
  conversationsOf: (settings: ConversationSettings | undefined) => ConversationArchive;
  recall: DaemonRecall;
  /** Evals of the workspace and their runs. */
  evals: DaemonEvals;
  /** Models in the user's own files. */
  ml: DaemonMl;
  /** Part that this node takes among others. */
  role: MeshRole;
  /** Undefined if the mesh is off. */
  mesh: DaemonMesh | undefined;
  /** The other nodes, as runs use them; undefined if this daemon works alone. */
  router: RunRouter | undefined;
  /** Runs of other nodes; undefined if this daemon takes none. */
  hop: RunHop | undefined;
  /** Documents and retrieval. */
  rag: DaemonRag;
  metrics: DaemonMetrics;
  checkups: () => readonly DoctorCheckup[];
  retryParked: RetryParked;
  /** Workers, leases and log, for the owner of the machine. */
  operations: OperationRoutesDeps["operations"];
}
