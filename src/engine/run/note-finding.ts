import type { GuardrailReport } from "../guardrails/chain.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";

/** Notes what a guardrail found in its stage's span, and in the log where its action is to `warn` or to `log`. */
export function noteFinding(
  { ports, agent, trace }: Run,
  span: SpanHandle,
  { type, stage, outcome, hits }: GuardrailReport,
): RunEvent {
  span.set(type, outcome);
  const fields = { agent: agent.name, guardrail: type, stage, hits, trace_id: trace.traceId };
  if (outcome === "warned") ports.log.warn("guardrail.warned", fields);
  if (outcome === "logged") ports.log.info("guardrail.logged", fields);
  return { type: "guardrail", guardrail: type, stage, outcome, hits };
}
