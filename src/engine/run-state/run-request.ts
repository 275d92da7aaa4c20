import type { RunRemember } from "../../contracts/daemon/runs/run.ts";
import type { RunOverride } from "../../contracts/daemon/runs/run-override.ts";
import { type RunSource, usualSource } from "../../contracts/daemon/runs/run-sources.ts";
import type { ToolStubs } from "../../contracts/daemon/runs/tool-stubs.ts";
import type { RunTurn } from "../../contracts/daemon/runs/turns.ts";
import type { TraceParent } from "../../kit/trace-parent.ts";
import type { ImagePart, Message, ModelParameters } from "../models/model.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { RunMeans } from "../tools/run-means.ts";
import type { ToolProgress } from "../tools/tool.ts";
import type { Interceptor } from "./interceptor.ts";

/** A request to run an agent. Identity and secrets are separate from `context`, which the caller controls. */
export interface EngineRequest {
  tenant: string;
  sessionId: string;
  query: string;
  context: Record<string, unknown>;
  /** What was said in the conversation without a run of the agent, oldest first. It is stored before the query. */
  turns?: readonly RunTurn[];
  /** Images of the query. The model receives them in this run; they are not stored. */
  images?: readonly ImagePart[];
  /** The conversation, sent by the caller. With it, memory is neither read nor written. */
  history?: readonly Message[];
  /** Hard limits on the run and everything it starts. */
  limits?: RunLimits;
  /** Tenant resources for its tools. They are never stored, not even while the run waits for a person. */
  means?: RunMeans;
  /** Takes the progress of tools, also of sub-runs, while they work. */
  progress?: (told: ToolProgress) => void;
  /** Records the run, or plays a recorded one. */
  interceptor?: Interceptor;
  /** Sampling parameters that override the agent's own for this run. */
  parameters?: ModelParameters;
  /** Overrides of this run. They are already applied to the agent; the trace lists them. */
  override?: RunOverride;
  /** Fingerprint of the version that answers, while the agent has more than one. A run that pauses resumes on it. */
  version?: string;
  /** Prepared results of tools, also for the agents that it calls. A run with stubs never pauses, because they are not stored. */
  toolStubs?: ToolStubs;
  /** What it and the agents that it calls store; absent: everything that their memories keep. */
  remember?: RunRemember;
  /** True to keep question and answer in the trace; absent: the agent's setting. */
  traceContent?: boolean;
  /** True if the caller reads tokens as they arrive. */
  stream: boolean;
  /** True if the caller takes tokens that arrived together as one `tokens` event. Calls through an interceptor are never bundled. */
  bundles?: boolean;
  /** Each of these signals cancels the run, for example if the caller disconnects or the process stops. */
  cancelledBy: readonly AbortSignal[];
  requestId?: string;
  /** When the run began, in milliseconds, if it has paused since; absent: it begins now. */
  begunAtMs?: number;
  /** What fired the run, if no caller asked for it. The trace names it. */
  trigger?: RunTrigger;
  /** Why it was started; absent: by its trigger, or else as production. */
  source?: RunSource;
  /** Name of the node that accepted the request, if it was another one. The trace names it. */
  routedFrom?: string;
  /** Trace of the caller that this run is a part of. */
  traceParent?: TraceParent | undefined;
}

/** Why a run was started. */
export const sourceOf = ({ source, trigger }: Pick<EngineRequest, "source" | "trigger">): RunSource =>
  source ?? (trigger === undefined ? usualSource : "trigger");

/** A fire of a trigger. */
export interface RunTrigger {
  name: string;
  type: string;
  /** Id of the fire. */
  fire: string;
}

/**
 * Hard limits set by the caller of a run; for absent ones only the agent's limits apply. Everything the run starts, such as sub-agents and
 * chain links, shares them.
 */
export interface RunLimits {
  /** Tokens of all model calls together. */
  totalTokens?: number;
  /** Answer tokens of one model call. */
  callTokens?: number;
  /** Model calls of an orchestration loop. */
  iterations?: number;
  /** Milliseconds from the start of the run. */
  timeoutMs?: number;
}

/** A run that another run starts. */
export interface SubRun {
  agent: string;
  /** Differences from the parent run; session, interceptor and limits are shared. */
  request: Pick<EngineRequest, "query" | "context" | "cancelledBy"> & { timeoutMs?: number };
  /** Parent of the run's span. */
  span: SpanHandle;
  /** Allowances of the parent run, or shares of them. */
  allowances: readonly Allowance[];
  walksChain: boolean;
}
