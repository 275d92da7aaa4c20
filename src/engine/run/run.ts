import type { ChainResult, ToolCallRecord } from "../../contracts/daemon/run.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Tape } from "../cassettes/tape.ts";
import type { SessionKey } from "../memory/conversation.ts";
import type { Message } from "../models/model.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { UsageSink } from "../spending/usage-record.ts";
import type { StructuredAnswer } from "../structured/structured-output.ts";
import type { RunObserver } from "../telemetry/run-observer.ts";
import type { TraceSink } from "../telemetry/trace.ts";
import type { RunTrace, SpanHandle } from "../telemetry/trace-recorder.ts";
import type { Passage } from "../tools/rag/agent-knowledge.ts";
import type { ProposalList } from "./proposal-list.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunRequest } from "./run-request.ts";
import type { RunState } from "./run-state.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** What a run needs beside the agent. */
export interface RunPorts {
  clock: Clock;
  newId: NewId;
  random: () => number;
  observer: RunObserver;
  traces: TraceSink;
  usage: UsageSink;
  /** The budget that an agent has to keep within; undefined when it has none. */
  budgetOf: (tenant: string, agent: string) => Allowance | undefined;
  /** The agent of that name that the tenant may run; undefined when there is none. */
  findAgent: (tenant: string, name: string) => RunnableAgent | undefined;
  log: Logger;
  /** Takes known secrets out of what a trace is to hold of a run's content. */
  redact: (value: unknown) => unknown;
  /** Takes known secrets out of what models are told of tools; absent: none is known. */
  maskKnown?: (text: string) => string;
  /** Told of each conversation with running summaries that has new turns; doesn't wait. Absent: nobody sums up. */
  conversationGrew?: (agent: RunnableAgent, key: SessionKey) => void;
}

/** What a run hands down to a run that it starts: nothing below can spend more than it, or escape its trace. */
export interface ParentRun {
  /** What the run used is counted there. */
  run: Run;
  trace: RunTrace;
  /** Stands above the span of the run that is started. */
  span: SpanHandle;
  allowances: readonly Allowance[];
  proposals: ProposalList;
  /** The agents above, outermost first. */
  path: readonly string[];
  /** Whether whoever starts the run goes through the agent's chain itself. */
  walksChain: boolean;
}

/** One run under way. */
export interface Run {
  ports: RunPorts;
  agent: RunnableAgent;
  request: RunRequest;
  parent: ParentRun | undefined;
  state: RunState;
  trace: RunTrace;
  /** Aborts on cancellation and at the deadline. */
  signal: AbortSignal;
  /** What bounds its model calls. */
  allowances: readonly Allowance[];
  proposals: ProposalList;
  tape: Tape | undefined;
  /** Whether its trace holds what was said, not only figures. */
  recordsContent: boolean;
  /** What the user says, and the conversation if the caller brought it, as the input guardrails let them through. */
  query: string;
  history: readonly Message[] | undefined;
  /** What of the agent's documents its prompt shows, in the order of their numbers there. */
  passages: readonly Passage[];
  /** The answer as the output guardrails let it through; complete once the orchestration is. */
  response: string;
  /** The tool calls and their results as the output guardrails let them through. */
  toolCalls: ToolCallRecord[];
  inputRedacted: boolean;
  outputFiltered: boolean;
  /** Whether the answer kept within its `cost_limit`. */
  withinBudget: boolean;
  /** What `output_schema` made of the answer. */
  structured: StructuredAnswer | undefined;
  /** What became of the agents that run after this one. */
  chain: ChainResult | undefined;
  /** How long they have taken. */
  chainMs: number;
  /** Runs an agent inside this run; `start-sub-run.ts` says with what. */
  startInside(agent: RunnableAgent, request: RunRequest, parent: ParentRun): AsyncGenerator<RunEvent, void>;
}
