import type { ToolCallRecord } from "../../contracts/daemon/runs/run.ts";
import type { FinishReason, Message, Usage } from "../models/model.ts";

/*
 * Context shared by all parts of a run: its request, its state and events so far, and the interceptor through which it reaches everything that
 * may answer differently next time. It stands below orchestration, which only sees these and its own port, `PatternRun`.
 */

/** One model call of a run and what it used. */
export interface ModelCallRecord {
  provider: string;
  model: string;
  /** Absent: the agent's own models, without a role. */
  role?: string;
  usage: Usage;
  /** Micros of USD; null if the model's price is unknown. */
  costMicros: number | null;
  latencyMs: number;
  /** True if the call was made and counted before the run paused. */
  played?: boolean;
  /** Resolves once `usage` is final: the server may report it after its answer. Never rejects. */
  settled?: Promise<void>;
}

/** State of a run so far, as plain data. */
export interface RunState {
  version: 1;
  /** Messages of the main conversation, oldest first, without the system prompt. */
  messages: Message[];
  /** The answer so far: the joined streamed text. */
  answer: string;
  /** Model calls of the orchestration. */
  iterations: number;
  toolCalls: ToolCallRecord[];
  /** Model calls of this agent itself. */
  modelCalls: ModelCallRecord[];
  /** Tokens of this agent's own calls, and of the agents that it called. */
  usage: Usage;
  delegated: Usage;
  /** Cost of the agents that it called, in micros of USD; null if a price is unknown. */
  delegatedMicros: number | null;
  /** Why the last model call ended. */
  finish: FinishReason;
  modelMs: number;
  toolMs: number;
  /** Provider and model of the last answer. */
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
    delegatedMicros: 0,
    modelMs: 0,
    toolMs: 0,
    provider: "",
    model: "",
    simulated: false,
  };
}

/** The counts that only some providers report. */
const usageParts = ["writtenTokens", "reasoningTokens", "audioInputTokens", "audioOutputTokens"] as const;

export function noUsage(): Usage {
  return { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false };
}

export function addUsage(total: Usage, call: Usage): void {
  total.inputTokens += call.inputTokens;
  total.outputTokens += call.outputTokens;
  total.cachedTokens += call.cachedTokens;
  for (const part of usageParts) {
    const tokens = call[part];
    if (tokens !== undefined) total[part] = (total[part] ?? 0) + tokens;
  }
  total.estimated ||= call.estimated;
}

/** The difference between two usages of a call. */
export function usageDifference(before: Usage, after: Usage): Usage {
  const difference: Usage = {
    inputTokens: after.inputTokens - before.inputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
    cachedTokens: after.cachedTokens - before.cachedTokens,
    estimated: after.estimated,
  };
  for (const part of usageParts) {
    const tokens = (after[part] ?? 0) - (before[part] ?? 0);
    if (tokens !== 0) difference[part] = tokens;
  }
  return difference;
}

/** Total tokens of a run and of the runs it started. */
export function totalUsage({ usage, delegated }: Pick<RunState, "usage" | "delegated">): Usage {
  const total = { ...usage };
  addUsage(total, delegated);
  return total;
}

/** Cost of a run and of the runs it started, in micros of USD; null if a price is unknown. Simulated calls without a price are free. */
export function totalCost({
  modelCalls,
  delegatedMicros,
  simulated,
}: Pick<RunState, "modelCalls" | "delegatedMicros" | "simulated">): number | null {
  let total = delegatedMicros;
  for (const { costMicros } of modelCalls) {
    if (total === null || (costMicros === null && !simulated)) return null;
    total += costMicros ?? 0;
  }
  return total;
}

/** Adds the cost of a nested run that has ended to the run that started it. */
export function addDelegatedCost(parent: RunState, cost: number | null): void {
  parent.delegatedMicros =
    parent.delegatedMicros === null || cost === null ? null : parent.delegatedMicros + cost;
}
