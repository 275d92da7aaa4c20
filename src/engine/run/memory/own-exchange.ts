import type { Turn } from "../../memory/conversation.ts";
import type { Run } from "../run.ts";

/*
 * The exchange of a durable run in its conversation. It is stored in another commit than the step that says so, so a process may die
 * between the two. The process that continues the run then finds the exchange by the run's id.
 */

/** Turns of a session that are looked at for the exchange of an interrupted run. */
export const ownExchangeWithin = 64;

/** Metadata of the turns of this run. */
export function exchangeMetadata({ interceptor, trace }: Run): Record<string, unknown> {
  const runId = interceptor?.runId;
  return runId === undefined ? { trace_id: trace.traceId } : { trace_id: trace.traceId, run_id: runId };
}

/** The turns without the exchange that this run stored before it was interrupted. */
export function withoutOwnExchange(run: Run, turns: Turn[]): Turn[] {
  if (run.interceptor?.isContinued !== true) return turns;
  const at = ownQuestion(run, turns);
  return at === -1 ? turns : turns.toSpliced(at, 2);
}

/** Returns true if a continued run stored its exchange, which is among the turns, before it was interrupted. */
export const hasOwnExchange = (run: Run, turns: readonly Turn[]): boolean => ownQuestion(run, turns) !== -1;

/** An agent that works for the run several times has an exchange for each of its questions. */
function ownQuestion({ interceptor, query, ports }: Run, turns: readonly Turn[]): number {
  const maskedQuery = ports.maskKnown?.(query) ?? query;
  return turns.findLastIndex(
    ({ role, content, metadata }) =>
      role === "user" && content === maskedQuery && metadata.run_id === interceptor?.runId,
  );
}
