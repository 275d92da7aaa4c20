import type { GuardrailReport } from "../../guardrails/check-text.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";

/**
 * Records the result of each guardrail of a stage in the stage's span. Logs guardrails that blocked, could not check everything, or found
 * something with the action `warn` or `log`. Returns an event for each one that found something and let the run continue.
 */
export function noteFindings(
  { ports, agent, trace }: Run,
  span: SpanHandle,
  reports: readonly GuardrailReport[],
): readonly RunEvent[] {
  let events: RunEvent[] | undefined;
  for (let place = 0; place < reports.length; place++) {
    const report = reports[place];
    if (report === undefined) continue;
    const { type, stage, outcome, hits } = report;
    span.set(nameAt(reports, place, type), outcome);
    if (outcome === "passed") continue;
    const fields = { agent: agent.name, guardrail: type, stage, hits, trace_id: trace.traceId };
    if (outcome === "blocked") ports.log.info("guardrail.blocked", fields);
    if (outcome === "unchecked") ports.log.warn("guardrail.unchecked", fields);
    if (outcome === "warned") ports.log.warn("guardrail.warned", fields);
    if (outcome === "logged") ports.log.info("guardrail.logged", fields);
    if (outcome === "blocked") continue;
    events ??= [];
    events.push({ type: "guardrail", guardrail: type, stage, outcome, hits });
  }
  return events ?? none;
}

const none: readonly RunEvent[] = [];

/** The name of a guardrail's attribute: its type, with a number from the second of the type on. */
function nameAt(reports: readonly GuardrailReport[], place: number, type: string): string {
  let times = 1;
  for (let before = 0; before < place; before++) if (reports[before]?.type === type) times++;
  return times === 1 ? type : `${type}#${times}`;
}
