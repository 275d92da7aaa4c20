import type { UsageRecord } from "../../../engine/spending/usage-record.ts";

/** Totals of model calls. */
export interface Tally {
  /** Cost of the calls with a known price, in micros of USD. */
  costMicros: number;
  inputTokens: number;
  outputTokens: number;
  calls: number;
  unpricedCalls: number;
  estimatedCalls: number;
  latencyMs: number;
}

export function newTally(): Tally {
  return {
    costMicros: 0,
    inputTokens: 0,
    outputTokens: 0,
    calls: 0,
    unpricedCalls: 0,
    estimatedCalls: 0,
    latencyMs: 0,
  };
}

export function addCall(tally: Tally, call: UsageRecord): void {
  tally.costMicros += call.costMicros ?? 0;
  tally.inputTokens += call.inputTokens;
  tally.outputTokens += call.outputTokens;
  if (call.corrects) {
    // The call itself was counted with its estimate.
    if (!call.estimated) tally.estimatedCalls--;
    return;
  }
  tally.calls++;
  if (call.costMicros === null) tally.unpricedCalls++;
  if (call.estimated) tally.estimatedCalls++;
  tally.latencyMs += call.latencyMs;
}

export function addTally(total: Tally, part: Tally): void {
  total.costMicros += part.costMicros;
  total.inputTokens += part.inputTokens;
  total.outputTokens += part.outputTokens;
  total.calls += part.calls;
  total.unpricedCalls += part.unpricedCalls;
  total.estimatedCalls += part.estimatedCalls;
  total.latencyMs += part.latencyMs;
}
