import type { GuardrailReport } from "../../guardrails/chain.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";

/**
 * Records the result of each guardrail of a stage in the stage's span. Logs guardrails that blocked, could not check everything, or found
 * something with the action `warn` or `log`. Yields an event for each one that found something and let the run continue.
 */
export function* noteFindings(
  { ports, agent, trace }: Run,
  span: SpanHandle,
  reports: readonly GuardrailReport[],
): Generator<RunEvent, void> {
  const noted = new Map<string, number>();
  for (const { type, stage, outcome, hits } of reports) {
    const times = (noted.get(type) ?? 0) + 1;
    noted.set(type, times);
    span.set(times === 1 ? type : `${type}#${times}`, outcome);
    if (outcome === "passed") continue;
    const fields = { agent: agent.name, guardrail: type, stage, hits, trace_id: trace.traceId };
    if (outcome === "blocked") ports.log.info("guardrail.blocked", fields);
    if (outcome === "unchecked") ports.log.warn("guardrail.unchecked", fields);
    if (outcome === "warned") ports.log.warn("guardrail.warned", fields);
    if (outcome === "logged") ports.log.info("guardrail.logged", fields);
    if (outcome !== "blocked") yield { type: "guardrail", guardrail: type, stage, outcome, hits };
  }
}
