import { isPlayed, isUnpriced, skippedCall } from "../../../contracts/daemon/runs/traced-calls.ts";
import type { RecordedSpan } from "../../../engine/telemetry/trace.ts";

/** Sums over the spans of a run. */
export interface SpanFacts {
  /** Attributes of the answer of the requested agent: of its last one, or of its last call if none was answered. */
  answered: Record<string, unknown> | undefined;
  inputTokens: number;
  outputTokens: number;
  /** Undefined if no call had a known price. */
  costUsd: number | undefined;
  /** Model calls that `costUsd` does not include. */
  unpricedCalls: number;
  modelCalls: number;
  toolCalls: number;
}

/**
 * Adds up the spans of a run, without the calls that it repeated after a pause. Every finished run is counted, so it takes one pass. Parents
 * come before their children.
 */
export function addUpSpans(spans: readonly RecordedSpan[]): SpanFacts {
  const costs = new Sum();
  const inputs = new Sum();
  const outputs = new Sum();
  /** Spans of agents that worked for the requested one. */
  let others: Set<number> | undefined;
  let asked: Record<string, unknown> | undefined;
  let answered: Record<string, unknown> | undefined;
  let modelCalls = 0;
  let unpricedCalls = 0;
  let toolCalls = 0;
  for (let number = 0; number < spans.length; number++) {
    const span = spans[number];
    if (span === undefined) continue;
    const [name, parent, , , status, attributes] = span;
    if (parent !== -1 && (name === "agent.run" || others?.has(parent))) {
      others ??= new Set();
      others.add(number);
    }
    if (name === "tool.call" && !isPlayed(attributes)) toolCalls++;
    if (name !== "llm.complete") continue;
    if (attributes.error !== skippedCall && !isPlayed(attributes)) {
      modelCalls++;
      inputs.add(attributes.input_tokens);
      outputs.add(attributes.output_tokens);
      costs.add(attributes.cost_usd);
      if (isUnpriced(attributes)) unpricedCalls++;
    }
    if (typeof attributes.model !== "string" || others?.has(number)) continue;
    asked = attributes;
    if (status === "OK") answered = attributes;
  }
  return {
    answered: answered ?? asked,
    inputTokens: inputs.rounded ?? 0,
    outputTokens: outputs.rounded ?? 0,
    costUsd: costs.rounded,
    unpricedCalls,
    modelCalls,
    toolCalls,
  };
}

class Sum {
  #sum: number | undefined;

  add(value: unknown): void {
    if (typeof value === "number") this.#sum = (this.#sum ?? 0) + value;
  }

  /** Rounded to whole micros, as prices are; undefined if nothing was added. */
  get rounded(): number | undefined {
    return this.#sum === undefined ? undefined : Math.round(this.#sum * 1_000_000) / 1_000_000;
  }
}
