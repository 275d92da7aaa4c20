import type { RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunResult, Trace } from "../../contracts/daemon/runs/run.ts";
import { isModelCall } from "../../contracts/daemon/runs/traced-calls.ts";
import type { Observation } from "../checks/observation.ts";

/** The part of a run's result that an observation reads; a recorded result has it too. */
type Answered = Pick<
  RunResult,
  "response" | "tool_calls" | "usage" | "timing" | "provider" | "model" | "metadata"
> &
  Partial<Pick<RunResult, "data" | "trace_id">>;

/** Observation of a run that gave an answer. */
export function observeResult(query: string, result: Answered, costUsd: number | undefined): Observation {
  const {
    response,
    data,
    tool_calls: calls,
    usage,
    timing,
    provider,
    model,
    metadata,
    trace_id: traceId,
  } = result;
  const { guardrails, sources = [], iterations, simulated } = metadata;
  return {
    query,
    response,
    ...(data !== undefined && { data }),
    calls: calls.map(({ tool, input, output }) => ({ tool, input, output })),
    steps: iterations,
    tokens: usage.total_tokens,
    ...(costUsd !== undefined && { costUsd }),
    latencyMs: timing.total_ms,
    inputRedacted: guardrails?.input_pii_redacted ?? false,
    outputFiltered: guardrails?.output_filtered ?? false,
    documents: [...new Set(sources.map(({ document_id: id }) => id))],
    model: `${provider}/${model}`,
    simulated: simulated === true,
    ...(traceId !== undefined && { traceId }),
  };
}

/** Observation of a failed run. */
export function observeFailure(
  query: string,
  { code, message }: Pick<RecordedError, "code" | "message">,
  { costUsd, traceId }: { costUsd?: number | undefined; traceId?: string | undefined },
): Observation {
  return {
    query,
    response: "",
    error: { code, message },
    calls: [],
    steps: 0,
    tokens: 0,
    ...(costUsd !== undefined && { costUsd }),
    latencyMs: 0,
    inputRedacted: false,
    outputFiltered: false,
    documents: [],
    simulated: false,
    ...(traceId !== undefined && { traceId }),
  };
}

/** Prices as far as an eval needs them for failed runs, whose traces have the costs themselves. */
export interface KnownPrices {
  /** Returns true if the model's price is known or its calls are free. */
  isKnown: (provider: string, model: string) => boolean;
  /** Returns true if all calls of the provider are free. */
  isFree: (provider: string) => boolean;
}

/** Cost of a run and of all runs inside it, in US dollars; undefined if the price of a model is unknown. */
export function costOfTrace({ spans }: Trace, { isKnown }: KnownPrices): number | undefined {
  const isSimulated = spans.some(({ attributes }) => attributes.simulated === true);
  let total = 0;
  for (const span of spans) {
    if (!isModelCall(span)) continue;
    const { attributes } = span;
    const { cost_usd: cost, provider, model } = attributes;
    if (typeof cost === "number") total += cost;
    else if (!isSimulated && provider !== undefined && !isKnown(String(provider), String(model)))
      return undefined;
  }
  return total;
}
