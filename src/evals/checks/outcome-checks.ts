import { nearestMicros, usdText } from "../../contracts/amounts.ts";
import { type BuildCheck, failed, passed } from "./check.ts";
import type { Observation } from "./observation.ts";

type Outcome = Parameters<BuildCheck<"guardrail">>[0];

export const guardrail: BuildCheck<"guardrail"> = (expected) => ({
  perform(seen) {
    const outcomes = outcomesOf(seen);
    return outcomes.includes(expected)
      ? passed(outcomes.join(", "))
      : failed(`expected ${expected}, got ${outcomes.join(", ")}`);
  },
});

export const error: BuildCheck<"error"> = (code) => ({
  perform({ error: fault }) {
    if (fault?.code === code) return passed();
    return failed(
      fault === undefined ? `the run ended well, expected ${code}` : `expected ${code}, got ${fault.code}`,
    );
  },
});

export const maxCost: BuildCheck<"max_cost_usd"> = (most) => ({
  perform({ costUsd, model }) {
    if (costUsd === undefined)
      return failed(`the price of ${model ?? "the model"} is unknown; write it into prices.yaml`);
    const reason = `${usdText(nearestMicros(costUsd))} of at most ${usdText(nearestMicros(most))}`;
    return costUsd <= most ? passed(reason) : failed(reason);
  },
});

export const maxTokens: BuildCheck<"max_tokens"> = (most) => ({
  perform({ tokens }) {
    const reason = `${tokens} of at most ${most} tokens`;
    return tokens <= most ? passed(reason) : failed(reason);
  },
});

export const maxLatency: BuildCheck<"max_latency_ms"> = (most) => ({
  perform({ latencyMs }) {
    const reason = `${Math.round(latencyMs)} of at most ${most} ms`;
    return { passed: latencyMs <= most, informative: true, reason };
  },
});

export const retrieved: BuildCheck<"retrieved"> = ({ document, within }) => ({
  perform({ documents }) {
    const at = documents.indexOf(document);
    const score = at === -1 ? 0 : 1 / (at + 1);
    if (at !== -1 && at < within) return { ...passed(`rank ${at + 1}`), score };
    const placing = at === -1 ? "is not among" : `has rank ${at + 1} of`;
    const reason = `${document} ${placing} the passages: ${documents.length === 0 ? "none" : documents.slice(0, 5).join(", ")}`;
    return { ...failed(reason), score };
  },
});

function outcomesOf({ error: fault, inputRedacted, outputFiltered }: Observation): Outcome[] {
  const changed: Outcome[] = [
    ...(fault?.code === "guardrail_blocked" ? (["blocked"] as const) : []),
    ...(inputRedacted ? (["input_redacted"] as const) : []),
    ...(outputFiltered ? (["output_filtered"] as const) : []),
  ];
  return changed.length === 0 ? ["passed"] : changed;
}
