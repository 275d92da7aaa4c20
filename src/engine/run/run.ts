import type { ChainResult, ToolCallRecord } from "../../contracts/daemon/runs/run.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { SessionKey, Turn } from "../memory/conversation.ts";
import type { Message } from "../models/model.ts";
import type { HeldText } from "../run-state/held-text.ts";
import type { Interceptor } from "../run-state/interceptor.ts";
import type { ProposalList } from "../run-state/proposal-list.ts";
import type { RunEvent } from "../run-state/run-event.ts";
import type { EngineRequest } from "../run-state/run-request.ts";
import type { RunState } from "../run-state/run-state.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { UsageSink } from "../spending/usage-record.ts";
import type { StructuredAnswer } from "../structured/structured-output.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { TraceSink } from "../telemetry/trace.ts";
import type { RunTrace, SpanHandle } from "../telemetry/trace-recorder.ts";
import type { Passage } from "../tools/rag/agent-knowledge.ts";

/** Dependencies of a run other than the agent. */
export interface RunPorts {
  clock: Clock;
  newId: NewId;
  random: () => number;
  observer: RunObserver;
  traces: TraceSink;
  usage: UsageSink;
  /** Called for usage that servers may still report; the promise resolves when a correction, if any, was recorded. */
  usageAwaited?: (corrected: Promise<void>) => void;
  /** Returns the budget of an agent; undefined if it has none. */
  budgetOf: (tenant: string, agent: string) => Allowance | undefined;
  /** Returns the agent with that name if the tenant may run it. */
  findAgent: (tenant: string, name: string) => RunnableAgent | undefined;
  log: Logger;
  /** Removes known secrets from content for a trace. */
  redact: (value: unknown) => unknown;
  /** Removes known secrets from tool results for models; absent: no secrets are known. */
  maskKnown?: (text: string) => string;
  /**
   * Called for each conversation with a running summary that has new turns; must not wait. `ports` are those of the run. Absent: no summaries
   * are made.
   */
  conversationGrew?: (agent: RunnableAgent, key: SessionKey, ports: RunPorts) => void;
}

/** Context that a run passes to a run it starts: the nested run shares its limits and its trace. */
export interface ParentRun {
  /** Run whose usage includes that of the nested run. */
  run: Run;
  trace: RunTrace;
  /** Parent of the nested run's span. */
  span: SpanHandle;
  allowances: readonly Allowance[];
  proposals: ProposalList;
  /** Agents above, outermost first. */
  path: readonly string[];
  /** True if the starting run walks the agent's chain itself. */
  walksChain: boolean;
}

/** A run in progress. */
export interface Run {
  ports: RunPorts;
  agent: RunnableAgent;
  request: EngineRequest;
  parent: ParentRun | undefined;
  state: RunState;
  trace: RunTrace;
  /** When the outermost run began. If its session was ended since, the run stores nothing. */
  begunAtMs: number;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
  /** Limits on its model calls. */
  allowances: readonly Allowance[];
  proposals: ProposalList;
  /** Counts what the run holds, together with the runs above it. */
  held: HeldText;
  interceptor: Interceptor | undefined;
  /** True if its trace keeps question and answer, not only figures. */
  recordsContent: boolean;
  /** The query, and the conversation if the caller sent it, after the input guardrails. */
  query: string;
  history: readonly Message[] | undefined;
  /** What was said without the agent, after the input guardrails. */
  told: readonly Turn[];
  /** Passages shown in its prompt, in the order of their numbers. */
  passages: readonly Passage[];
  /** The answer after the output guardrails; complete once the orchestration has ended. */
  response: string;
  /** Tool calls and results after the output guardrails. */
  toolCalls: ToolCallRecord[];
  inputRedacted: boolean;
  outputFiltered: boolean;
  /** True if the answer stayed within its `cost_limit`. */
  withinBudget: boolean;
  /** Data that matches `output_schema`, read from the answer. */
  structured: StructuredAnswer | undefined;
  /** Results of the agents that run after this one. */
  chain: ChainResult | undefined;
  /** Time that they took, in milliseconds. */
  chainMs: number;
  /** Runs an agent inside this run; see `start-sub-run.ts`. */
  startInside(
    agent: RunnableAgent,
    request: EngineRequest,
    parent: ParentRun,
  ): AsyncGenerator<RunEvent, void>;
}
