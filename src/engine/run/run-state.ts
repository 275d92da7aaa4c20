import type { ToolCallRecord } from "../../contracts/daemon/run.ts";
import type { FinishReason, Message, Usage } from "../models/model.ts";

/** One model call of a run and what it used. */
export interface ModelCallRecord {
  provider: string;
  model: string;
  /** Absent: the agent's own models answered in no role. */
  role?: string;
  usage: Usage;
  /** Micros of USD; null when the model's price is not known. */
  costMicros: number | null;
  latencyMs: number;
  /** Whether it was made, and counted, before the run paused. */
  played?: boolean;
}

/** Everything a run has gathered so far, as plain data. */
export interface RunState {
  version: 1;
  /** What the model has seen and said in the main conversation, oldest first, without the system prompt. */
  messages: Message[];
  /** The answer so far: what was streamed, joined. */
  answer: string;
  /** Model calls of the orchestration. */
  iterations: number;
  toolCalls: ToolCallRecord[];
  /** The model calls of this agent's own. */
  modelCalls: ModelCallRecord[];
  /** Tokens of this agent's own calls, and of the agents that it let work. */
  usage: Usage;
  delegated: Usage;
  /** Why the last model call ended. */
  finish: FinishReason;
  modelMs: number;
  toolMs: number;
  /** Who gave the last answer. */
  provider: string;
  model: string;
  simulated: boolean;
}

export function newRunState(messages: Message[]): RunState {
  return {
    version: 1,
    messages,
    answer: "",
    iterations: 0,
    toolCalls: [],
    modelCalls: [],
    finish: "stop",
    usage: noUsage(),
    delegated: noUsage(),
    modelMs: 0,
    toolMs: 0,
    provider: "",
    model: "",
    simulated: false,
  };
}

export function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false };
}

export function addUsage(total: Usage, call: Usage): void {
  total.inputTokens += call.inputTokens;
  total.outputTokens += call.outputTokens;
  total.cachedTokens += call.cachedTokens;
  if (call.writtenTokens !== undefined) total.writtenTokens = (total.writtenTokens ?? 0) + call.writtenTokens;
  total.estimated ||= call.estimated;
}

/** The tokens of a run and of all that worked for it. */
export function totalUsage({ usage, delegated }: Pick<RunState, "usage" | "delegated">): Usage {
  const total = { ...usage };
  addUsage(total, delegated);
  return total;
}
