import { AppError, type ErrorKind, statusOfKind } from "../../kit/app-error.ts";
import type { FetchLike } from "../../kit/fetch/local-fetch.ts";
import { readSse } from "../../kit/fetch/sse.ts";
import { queryString, segment } from "../paths.ts";
import { serviceUrl } from "../service-call.ts";
import { ifMatch, type Tagged, taggedJson, tagOf } from "../tagged.ts";
import type { ManifestVersionDetail, ManifestVersionList } from "./agent-versions.ts";
import type { AgentDeleted, AgentDetail, AgentList, ManifestCheck } from "./agents.ts";
import type { BackupJob, BackupList, BackupStart } from "./backups.ts";
import type { Canary, CanaryEnd } from "./canary.ts";
import type { Cassette } from "./cassettes/cassette-file.ts";
import type { CassetteDeleted, CassetteList, ReplayAnswer, ReplayRequest } from "./cassettes/cassettes.ts";
import type { EvalProgress } from "./evals/eval-runs.ts";
import { type EvalSending, evalsClient } from "./evals/evals-client.ts";
import type { Gallery } from "./gallery.ts";
import type { LoginBegun, LoginDone, LoginFinish } from "./mcp-logins.ts";
import { memoryClient } from "./memory/memory-client.ts";
import { recallClient } from "./memory/recall-client.ts";
import type { MeshInvite, MeshJoined, MeshLeft, MeshState } from "./mesh.ts";
import type { MetricsReset, MetricsSnapshot } from "./metrics.ts";
import type {
  Budget,
  BudgetChange,
  BudgetList,
  CostHistory,
  CostSummary,
  PriceTable,
  UsageRecordList,
} from "./models/costs.ts";
import { mlClient } from "./models/ml-client.ts";
import type { ProviderList } from "./models/providers.ts";
import type {
  LocalServers,
  ProviderModels,
  ProviderSetup,
  ProviderTrial,
  ProviderTrialResult,
  StoredProvider,
} from "./models/stored-providers.ts";
import type { ChatCompletion, ChatCompletionRequest, EmbeddingList, EmbeddingsRequest } from "./openai.ts";
import type { LogPage, LogQuery, WorkerReport } from "./operations.ts";
import { type RagSending, ragClient } from "./rag/rag-client.ts";
import type {
  ApprovalDecision,
  ApprovalDetail,
  ApprovalList,
  ApprovalStatus,
  DecisionAnswer,
} from "./runs/approvals.ts";
import type { AwaitingApproval, AwaitingToolResult } from "./runs/awaited-run.ts";
import { ended } from "./runs/ended-run.ts";
import type { Feedback, FeedbackDeleted, FeedbackGiven } from "./runs/feedback.ts";
import type { RunRequest, RunResult, StreamFrame } from "./runs/run.ts";
import type { SourceFilter } from "./runs/run-sources.ts";
import type { RunStats, RunStatsQuery } from "./runs/run-stats.ts";
import type { StreamTicket } from "./runs/stream-ticket.ts";
import type {
  ClientToolCallDetail,
  ClientToolCallList,
  ToolCallResult,
  ToolCallStatus,
  ToolResultAnswer,
} from "./runs/tool-calls.ts";
import type { JudgedTrace, TraceList, TraceListQuery } from "./runs/traces.ts";
import type { SkillList } from "./skills.ts";
import type { StorageReport } from "./storage-report.ts";
import type { DoctorReport, RetriedWork, RetriedWorkInput, SystemStatus } from "./system.ts";
import type { BuiltinToolList, ToolExecuted, ToolExecution, ToolList } from "./tools.ts";
import { triggersClient } from "./triggers-client.ts";

/** Address of a daemon: in this process, through its control socket, or over the network. */
export interface DaemonAddress {
  fetch: FetchLike;
  /** For example `http://127.0.0.1:8000`. */
  baseUrl: string;
  token?: string;
}

export interface CassetteQuery {
  agent?: string;
  /** Returns only the recording of this run, if any. */
  trace_id?: string;
  limit?: number;
}

export interface ApprovalQuery {
  status?: ApprovalStatus;
  agent?: string;
  limit?: number;
}

export interface ToolCallQuery {
  status?: ToolCallStatus;
  agent?: string;
  limit?: number;
}

export interface CostQuery {
  agent?: string;
  /** Default: `traffic`, and `all` for single calls. */
  source?: SourceFilter;
  /** ISO 8601. */
  since?: string;
}

/** Typed client for the daemon's API. Throws the AppError that the daemon sent. */
export function daemonClient(address: DaemonAddress) {
  const call = async <T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> => {
    const response = await send(address, method, path, { body, signal });
    return (await response.json()) as T;
  };
  const sendManifest = async <T>(
    method: string,
    path: string,
    text: string,
    signal?: AbortSignal,
  ): Promise<T> => {
    const response = await send(address, method, path, { text, type: "application/yaml", signal });
    return (await response.json()) as T;
  };
  const providerPath = (name: string) => `/v1/system/providers/${segment(name)}`;
  const agentPath = (name: string) => `/v1/agents/${segment(name)}`;
  const mcpLoginPath = (agent: string, entry: string) => `${agentPath(agent)}/mcp/${segment(entry)}/login`;
  const budgetPath = (agent: string) => `/v1/costs/budgets/${segment(agent)}`;
  const approvalPath = (id: string) => `/v1/approvals/${segment(id)}`;
  const toolCallPath = (id: string) => `/v1/tool-calls/${segment(id)}`;
  const cassettePath = (id: string) => `/v1/cassettes/${segment(id)}`;
  return {
    listAgents: () => call<AgentList>("GET", "/v1/agents"),
    getAgent: (name: string) => call<AgentDetail>("GET", agentPath(name)),
    getCanary: (name: string) => call<Canary>("GET", `${agentPath(name)}/canary`),
    endCanary: (name: string, end: CanaryEnd) => call<Canary>("POST", `${agentPath(name)}/canary`, end),
    /** Manifests are sent as YAML, which includes JSON. */
    createAgent: (manifest: string) => sendManifest<AgentDetail>("POST", "/v1/agents", manifest),
    /** `match`: refuses with `version_changed` unless the manifest still has this tag. */
    replaceAgent: async (name: string, manifest: string, match?: string): Promise<AgentDetail> => {
      const sending = { text: manifest, type: "application/yaml", headers: ifMatch(match) };
      const response = await send(address, "PUT", agentPath(name), sending);
      return (await response.json()) as AgentDetail;
    },
    listManifestVersions: (name: string) => call<ManifestVersionList>("GET", `${agentPath(name)}/versions`),
    getManifestVersion: (name: string, number: number) =>
      call<ManifestVersionDetail>("GET", `${agentPath(name)}/versions/${number}`),
    /** Saves an earlier version as the agent's manifest. `match`: refuses unless the manifest still has this tag. */
    restoreManifestVersion: async (name: string, number: number, match?: string): Promise<AgentDetail> => {
      const path = `${agentPath(name)}/versions/${number}/restore`;
      return (await send(address, "POST", path, { headers: ifMatch(match) })).json();
    },
    validateAgent: (manifest: string, signal?: AbortSignal) =>
      sendManifest<ManifestCheck>("POST", "/v1/agents/validate", manifest, signal),
    deleteAgent: (name: string) => call<AgentDeleted>("DELETE", agentPath(name)),
    pauseAgent: (name: string) => call<AgentDetail>("POST", `${agentPath(name)}/pause`),
    beginMcpLogin: (agent: string, entry: string, redirectUri: string) =>
      call<LoginBegun>("POST", mcpLoginPath(agent, entry), { redirect_uri: redirectUri }),
    finishMcpLogin: (agent: string, entry: string, answer: LoginFinish) =>
      call<LoginDone>("POST", `${mcpLoginPath(agent, entry)}/finish`, answer),
    forgetMcpLogin: (agent: string, entry: string) => call<LoginDone>("DELETE", mcpLoginPath(agent, entry)),
    deployAgent: (name: string) => call<AgentDetail>("POST", `${agentPath(name)}/deploy`),
    /** Returns the newest manifest as written. */
    getManifest: async (name: string): Promise<string> =>
      (await send(address, "GET", `${agentPath(name)}/manifest`, { accept: "application/yaml" })).text(),
    /** Like `getManifest`, with the tag that a change sends back. */
    readManifest: async (name: string): Promise<Tagged<string>> => {
      const sending = { accept: "application/yaml" };
      const response = await send(address, "GET", `${agentPath(name)}/manifest`, sending);
      return { value: await response.text(), tag: tagOf(response) };
    },
    /**
     * Throws AppError `approval_required`, with an `AwaitingApproval` as facts, if the run waits for a person, and `tool_result_required`
     * (`AwaitingToolResult`) if it waits for its caller.
     */
    run: async (
      name: string,
      request: RunRequest,
      signal?: AbortSignal,
      query: { trace?: "true"; cost?: "true" } = {},
    ) =>
      ended(
        await call<RunResult | AwaitingApproval | AwaitingToolResult>(
          "POST",
          `${agentPath(name)}/run${queryString(query)}`,
          request,
          signal,
        ),
      ),
    /** Yields the frames of a run as they arrive. Stopping early cancels the run. */
    stream: (name: string, request: RunRequest, signal?: AbortSignal) =>
      streamFrames(address, `${agentPath(name)}/run`, request, signal),
    /**
     * Returns a ticket that opens the agent's WebSocket once, for clients that can't send a token with it: `/v1/ws/agent/{name}?ticket=…`.
     */
    streamTicket: (name: string) => call<StreamTicket>("POST", `${agentPath(name)}/stream-ticket`),
    ...memoryClient({ call, read: (path, signal) => send(address, "GET", path, { signal }) }),
    ...recallClient(call),
    ...triggersClient(call),
    listSkills: () => call<SkillList>("GET", "/v1/skills"),
    listTools: (query: { parameters?: true } = {}) => call<ToolList>("GET", `/v1/tools${queryString(query)}`),
    listBuiltinTools: () => call<BuiltinToolList>("GET", "/v1/tools/builtin"),
    executeTool: (request: ToolExecution) => call<ToolExecuted>("POST", "/v1/tools/execute", request),
    listTraces: (query: TraceListQuery = {}) => call<TraceList>("GET", `/v1/traces${queryString(query)}`),
    /** `tenant`: for the trace of a tenant's run, which only the owner of the machine may read. */
    getTrace: (id: string, query: { tenant?: string } = {}) =>
      call<JudgedTrace>("GET", `/v1/traces/${segment(id)}${queryString(query)}`),
    runStats: (query: RunStatsQuery = {}) => call<RunStats>("GET", `/v1/stats/runs${queryString(query)}`),
    giveFeedback: (id: string, feedback: FeedbackGiven) =>
      call<Feedback>("PUT", `/v1/traces/${segment(id)}/feedback`, feedback),
    deleteFeedback: (id: string) => call<FeedbackDeleted>("DELETE", `/v1/traces/${segment(id)}/feedback`),
    listCassettes: (query: CassetteQuery = {}) =>
      call<CassetteList>("GET", `/v1/cassettes${queryString(query)}`),
    getCassette: (id: string) => call<Cassette>("GET", cassettePath(id)),
    /** Returns the file itself. */
    getCassetteText: async (id: string): Promise<string> =>
      (await send(address, "GET", cassettePath(id), {})).text(),
    deleteCassette: (id: string) => call<CassetteDeleted>("DELETE", cassettePath(id)),
    replayCassette: (id: string, request: ReplayRequest = {}, signal?: AbortSignal) =>
      call<ReplayAnswer>("POST", `${cassettePath(id)}/replay`, request, signal),
    /** Replays a cassette that the daemon does not store. */
    replayGiven: (request: ReplayRequest & { cassette: unknown }, signal?: AbortSignal) =>
      call<ReplayAnswer>("POST", "/v1/cassettes/replay", request, signal),
    /** Asks the model `<provider>/<model>`, or the agent `agent/<name>`, in OpenAI's form. */
    complete: (request: ChatCompletionRequest, signal?: AbortSignal) =>
      call<ChatCompletion>("POST", "/v1/chat/completions", request, signal),
    embed: (request: EmbeddingsRequest, signal?: AbortSignal) =>
      call<EmbeddingList>("POST", "/v1/embeddings", request, signal),
    listApprovals: (query: ApprovalQuery = {}) =>
      call<ApprovalList>("GET", `/v1/approvals${queryString(query)}`),
    getApproval: (id: string) => call<ApprovalDetail>("GET", approvalPath(id)),
    /** Resumes a paused run with or without the call. Throws `approval_required` if it pauses again. */
    decideApproval: async (
      id: string,
      decision: "approve" | "reject",
      request: ApprovalDecision = {},
      signal?: AbortSignal,
    ) => ended(await call<DecisionAnswer>("POST", `${approvalPath(id)}/${decision}`, request, signal)),
    /** Like `decideApproval`, but yields the frames after the call. */
    streamDecision: (
      id: string,
      decision: "approve" | "reject",
      request: ApprovalDecision = {},
      signal?: AbortSignal,
    ) => streamFrames(address, `${approvalPath(id)}/${decision}`, request, signal),
    listToolCalls: (query: ToolCallQuery = {}) =>
      call<ClientToolCallList>("GET", `/v1/tool-calls${queryString(query)}`),
    getToolCall: (id: string) => call<ClientToolCallDetail>("GET", toolCallPath(id)),
    /** Resumes a paused run with the result of its call. Throws if it waits again. */
    answerToolCall: async (id: string, result: ToolCallResult, signal?: AbortSignal) =>
      ended(await call<ToolResultAnswer>("POST", `${toolCallPath(id)}/result`, result, signal)),
    /** Like `answerToolCall`, but yields the frames after the call. */
    streamToolResult: (id: string, result: ToolCallResult, signal?: AbortSignal) =>
      streamFrames(address, `${toolCallPath(id)}/result`, result, signal),
    costSummary: (query: CostQuery = {}) =>
      call<CostSummary>("GET", `/v1/costs/summary${queryString(query)}`),
    costHistory: (query: CostQuery & { interval?: CostHistory["interval"]; time_zone?: string } = {}) =>
      call<CostHistory>("GET", `/v1/costs/history${queryString(query)}`),
    listUsageRecords: (query: CostQuery & { limit?: number } = {}) =>
      call<UsageRecordList>("GET", `/v1/costs/records${queryString(query)}`),
    getPrices: () => call<PriceTable>("GET", "/v1/costs/prices"),
    listBudgets: () => call<BudgetList>("GET", "/v1/costs/budgets"),
    getBudget: (agent: string) => call<Budget>("GET", budgetPath(agent)),
    setBudget: (agent: string, change: BudgetChange) => call<Budget>("PUT", budgetPath(agent), change),
    metrics: () => call<MetricsSnapshot>("GET", "/v1/metrics"),
    resetMetrics: () => call<MetricsReset>("POST", "/v1/metrics/reset"),
    status: () => call<SystemStatus>("GET", "/v1/system/status"),
    retryParked: (body: RetriedWorkInput) => call<RetriedWork>("POST", "/v1/system/doctor/retry", body),
    doctor: () => call<DoctorReport>("GET", "/v1/system/doctor"),
    /** The owner of the machine alone may read the workers and the log. */
    workers: () => call<WorkerReport>("GET", "/v1/system/workers"),
    storage: () => call<StorageReport>("GET", "/v1/system/storage"),
    backups: () => call<BackupList>("GET", "/v1/system/backups"),
    /** Starts a backup; `backups` has its progress. */
    startBackup: (start: BackupStart = {}) => call<BackupJob>("POST", "/v1/system/backups", start),
    readLog: (query: LogQuery = {}) => call<LogPage>("GET", `/v1/system/logs${queryString(query)}`),
    /** Yields the newest lines of the log, then each group of new ones. */
    followLog: async function* (query: LogQuery, signal?: AbortSignal): AsyncGenerator<LogPage, void> {
      const path = `/v1/system/logs/events${queryString(query)}`;
      const response = await send(address, "GET", path, { signal, accept: "text/event-stream" });
      if (response.body === null) return;
      for await (const batch of readSse(response.body))
        for (const data of batch) yield JSON.parse(data) as LogPage;
    },
    meshState: () => call<MeshState>("GET", "/v1/mesh/state"),
    /** Creates a join code for the local network. Only the machine's owner may. */
    inviteToMesh: () => call<MeshInvite>("POST", "/v1/mesh/invite"),
    /** Lets this node return to the mesh, or join the node at another address. Only the machine's owner may. */
    joinMesh: (node: string, address: string) =>
      call<MeshJoined>("POST", "/v1/mesh/join", { node_id: node, address, agents: [] }),
    /** Lets a node leave the mesh. Only the machine's owner may. */
    leaveMesh: (node: string) => call<MeshLeft>("POST", "/v1/mesh/leave", { node_id: node }),
    listProviders: () => call<ProviderList>("GET", "/v1/system/providers"),
    listStoredProviders: () => call<{ providers: StoredProvider[] }>("GET", "/v1/system/providers/stored"),
    setUpProvider: (name: string, setup: ProviderSetup) =>
      call<StoredProvider>("PUT", providerPath(name), setup),
    deleteProvider: async (name: string) => void (await send(address, "DELETE", providerPath(name), {})),
    testProvider: (name: string, trial: ProviderTrial) =>
      call<ProviderTrialResult>("POST", `${providerPath(name)}/test`, trial),
    /** Looks for model servers on the daemon's machine. */
    detectProviders: () => call<LocalServers>("POST", "/v1/system/providers/detect"),
    /** Asks the provider's server. */
    listProviderModels: (name: string) => call<ProviderModels>("GET", `${providerPath(name)}/models`),
    ...mlClient(call),
    ...evalsClient(async <T>(method: string, path: string, sending: EvalSending = {}) => {
      const response = await send(address, method, path, sending);
      return (await response.json()) as T;
    }),
    /** Yields the progress of an eval's run. Stopping early does not stop the run. */
    followEvalRun: async function* (id: string, signal?: AbortSignal): AsyncGenerator<EvalProgress, void> {
      const path = `/v1/eval-runs/${segment(id)}/events`;
      const response = await send(address, "GET", path, { signal, accept: "text/event-stream" });
      if (response.body === null) return;
      for await (const batch of readSse(response.body))
        for (const data of batch) yield JSON.parse(data) as EvalProgress;
    },
    /** Returns the report of an eval's run as a file. */
    getEvalReport: async (id: string, format: "html" | "junit" | "json"): Promise<string> =>
      (await send(address, "GET", `/v1/eval-runs/${segment(id)}/report?format=${format}`, {})).text(),
    gallery: () => call<Gallery>("GET", "/v1/gallery"),
    /** Returns the JSON Schema of a kind of file, as this daemon accepts it. */
    manifestSchema: (kind: "agent" | "rag-pipeline") =>
      call<Record<string, unknown>>("GET", `/v1/schema/${segment(kind)}`),
    ...ragClient(
      async <T>(method: string, path: string, sending: RagSending = {}) => {
        const response = await send(address, method, path, sending);
        return (await response.json()) as T;
      },
      async <T>(method: string, path: string, sending: RagSending = {}) =>
        taggedJson<T>(await send(address, method, path, sending)),
    ),
  };
}

export type DaemonClient = ReturnType<typeof daemonClient>;

interface Sending {
  /** Sent as JSON. */
  body?: unknown;
  /** Sent unchanged, with the content type `type`. */
  text?: string;
  bytes?: Uint8Array<ArrayBuffer>;
  type?: string;
  signal?: AbortSignal | undefined;
  accept?: string;
  /** State of the file that the change was made for. */
  ifMatch?: string;
  /** Requests a job at once instead of waiting for the work. */
  prefersAsync?: boolean;
  headers?: Readonly<Record<string, string>>;
}

async function send(
  address: DaemonAddress,
  method: string,
  path: string,
  sending: Sending,
): Promise<Response> {
  const headers = new Headers({ accept: sending.accept ?? "application/json", ...sending.headers });
  const json = sending.body === undefined ? undefined : JSON.stringify(sending.body);
  const body = sending.bytes ?? sending.text ?? json;
  if (body !== undefined) headers.set("content-type", sending.type ?? "application/json");
  if (sending.ifMatch !== undefined) headers.set("if-match", `"${sending.ifMatch}"`);
  if (sending.prefersAsync) headers.set("prefer", "respond-async");
  if (address.token !== undefined) headers.set("authorization", `Bearer ${address.token}`);
  const response = await address.fetch(
    new Request(serviceUrl(address.baseUrl, path), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(sending.signal === undefined ? {} : { signal: sending.signal }),
    }),
  );
  if (response.ok) return response;
  throw await refusal(response);
}

async function* streamFrames(
  address: DaemonAddress,
  path: string,
  request: object,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamFrame, void> {
  const response = await send(address, "POST", path, { body: request, signal, accept: "text/event-stream" });
  if (response.body === null) return;
  for await (const batch of readSse(response.body)) {
    for (const data of batch) yield JSON.parse(data) as StreamFrame;
  }
}

/** Converts a refused request to the daemon's AppError. The kind follows from the status. */
async function refusal(response: Response): Promise<AppError> {
  const text = await response.text();
  const body = parseBody(text);
  const message = body.message ?? `The daemon answered ${response.status}.`;
  return new AppError(kindOf(response.status), body.error ?? "internal", message, {
    details: {
      ...(body.hint === undefined ? {} : { hint: body.hint }),
      ...(body.problems === undefined ? {} : { problems: body.problems }),
      ...upstreamOf(body),
      ...factsOf(body),
    },
  });
}

function upstreamOf({ details }: RefusalBody): { upstreamMessage?: string } {
  return details?.provider_message === undefined ? {} : { upstreamMessage: details.provider_message };
}

/** A failed run has a trace, and may have been recorded. */
function factsOf({ trace_id, cassette, cassette_error }: RefusalBody): { facts?: Record<string, unknown> } {
  const facts = {
    ...(trace_id === undefined ? {} : { trace_id }),
    ...(cassette === undefined ? {} : { cassette }),
    ...(cassette_error === undefined ? {} : { cassette_error }),
  };
  return Object.keys(facts).length === 0 ? {} : { facts };
}

interface RefusalBody {
  error?: string;
  message?: string;
  hint?: string;
  problems?: { path: string; message: string }[];
  trace_id?: string;
  cassette?: string;
  cassette_error?: string;
  details?: { provider_message?: string };
}

function parseBody(text: string): RefusalBody {
  try {
    return JSON.parse(text) as RefusalBody;
  } catch {
    return {};
  }
}

function kindOf(status: number): ErrorKind {
  for (const [kind, kindStatus] of Object.entries(statusOfKind)) {
    if (kindStatus === status) return kind as ErrorKind;
  }
  return status < 500 ? "invalid" : "internal";
}
