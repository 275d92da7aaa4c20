import type { Problem } from "../../kit/app-error.ts";
import type { FeedbackSource } from "../daemon/runs/feedback.ts";
import type { StreamFrame, Trace } from "../daemon/runs/run.ts";
import type { ServiceAddress } from "../service-call.ts";
import type { RegisterAgent, RegisteredAgent, RuntimeAgents } from "./agents.ts";
import type { RuntimeCatalog } from "./catalog.ts";
import type { RuntimeDocuments } from "./documents.ts";
import type {
  BeginningTexts,
  EndedRuns,
  LateTokens,
  RunEnded,
  RuntimeDecision,
  RuntimeRun,
  RuntimeVerdict,
  UsageCorrected,
} from "./runs.ts";
import type { StoredBytes } from "./stored.ts";

/** Address of the runtime. */
export interface RuntimeAddress extends ServiceAddress {
  /** Performs runs without encoding them, if the runtime is in this process. */
  run?: RuntimeClient["run"];
}

/** A frame of a stream, including the last one. */
export type RuntimeFrame =
  | Exclude<StreamFrame, { type: "done" } | { type: "error" }>
  | RunEnded
  | UsageCorrected;

/**
 * The runtime for control planes, in this process or over the network. Throws the AppError that the runtime sent, or `runtime_unreachable`
 * (502), in which case nothing has run.
 */
export interface RuntimeClient {
  /**
   * Builds and registers the agent, unless it is registered with this checksum. Throws `invalid_manifest` with `problems` if it can't run.
   */
  register(runtimeName: string, agent: RegisterAgent): Promise<RegisteredAgent>;
  /** Returns the problems that prevent a manifest of this tenant from running. Registers nothing. */
  check(tenantId: string, spec: unknown, keys?: "own"): Promise<Problem[]>;
  /**
   * Deletes the agent and its memory. `agentId` identifies the memory if the runtime doesn't have the agent; `tenantId` is needed for names
   * with a namespace.
   */
  deregister(runtimeName: string, agentId?: string, tenantId?: string): Promise<void>;
  /** Deletes what an agent remembers of a session. */
  forgetSession(
    runtimeName: string,
    session: { tenantId: string; agentId: string; sessionId: string },
  ): Promise<void>;
  /** Deletes the traces of a session's runs, with the verdicts on them, and the calls that they waited for. */
  forgetRuns(tenantId: string, sessionId: string): Promise<void>;
  /** Removes the agent and keeps its memory. */
  unload(runtimeName: string): Promise<void>;
  list(): Promise<RuntimeAgents>;
  /** Yields the frames of a run; the last one is `ended`. A reader that stops early cancels the run and doesn't learn its usage. */
  run(runtimeName: string, run: RuntimeRun): AsyncIterable<RuntimeFrame>;
  /** Resumes a paused run with or without the call. */
  decide(approvalId: string, decision: RuntimeDecision): AsyncIterable<RuntimeFrame>;
  /** Cancels a run; its stream then ends with `ended`. Does nothing if there is no such run. */
  cancel(runId: string): Promise<void>;
  /** Deletes the steps of durable runs whose ends are recorded. */
  forgetSteps(runs: EndedRuns["runs"]): Promise<void>;
  /** Returns the tokens of runs with `late_usage` that ended their streams before, each token once. */
  takeLateUsage(): Promise<LateTokens[]>;
  /** Returns the trace of a tenant's run; undefined if the runtime doesn't have it. */
  trace(tenantId: string, traceId: string): Promise<Trace | undefined>;
  /** Returns the beginnings of questions and answers by trace id, where the runtime keeps them. At most `askedTracesMax` ids. */
  traceTexts(tenantId: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, BeginningTexts>>;
  /** Stores a verdict beside the trace of a tenant's run. Does nothing if the runtime doesn't have the trace. */
  judge(tenantId: string, traceId: string, given: RuntimeVerdict): Promise<void>;
  /** Deletes a verdict; does nothing if there is none. */
  unjudge(tenantId: string, traceId: string, source: FeedbackSource): Promise<void>;
  /** Returns the bytes that these owners store in the runtime: memory, traces, documents and paused runs. */
  stored(owners: readonly string[]): Promise<StoredBytes["stored"]>;
  catalog(): Promise<RuntimeCatalog>;
  documents: RuntimeDocuments;
}
