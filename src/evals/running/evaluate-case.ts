import { refusedCallPrefix } from "../../contracts/daemon/runs/tool-stubs.ts";
import type { CaseResult, CheckOutcome, TurnResult } from "../../contracts/evals/eval-run.ts";
import { inPieces, isWork } from "../../kit/concurrency/others-turn.ts";
import { WorkTooCostly } from "../../kit/concurrency/work-budget.ts";
import { type CaseWork, createCaseWork } from "../checks/case-work.ts";
import { type Check, type CheckPorts, failed } from "../checks/check.ts";
import { type Observation, wholeConversation } from "../checks/observation.ts";
import type { LoadedCase } from "../dataset/compile-cases.ts";
import type { Attempt } from "./plan-attempts.ts";

/** Codes of attempts whose agent did not run, so that no check can expect them. */
const withoutRun: ReadonlySet<string> = new Set(["not_recorded", "recording_stale"]);

/** Checks what an attempt showed. A failed run and a refused tool call fail the case unless a check expects the failure. */
export async function evaluateCase(
  { case: one, target, repeat }: Attempt,
  turns: readonly Observation[],
  ports: CheckPorts,
  signal: AbortSignal,
): Promise<CaseResult> {
  const whole = wholeConversation(turns);
  const work = createCaseWork();
  const performed = await Promise.all([
    ...turns.flatMap((seen, index) =>
      (one.turns[index]?.checks ?? []).map((check) =>
        perform(check, seen, { one, ports, signal, work, turn: index + 1 }),
      ),
    ),
    ...one.checks.map((check) => perform(check, whole, { one, ports, signal, work })),
  ]);
  const checks = [...impliedChecks(one, turns), ...performed.map(({ outcome }) => outcome)];
  const costs = [whole.costUsd, ...performed.map(({ costUsd }) => costUsd)];
  return {
    case: one.id,
    target: target.name,
    repeat,
    passed: checks.every(({ passed, informative }) => passed || informative === true),
    checks,
    turns: turns.map(turnResult),
    ...(one.expected !== undefined && { expected: one.expected }),
    ...(one.label !== undefined && { label: one.label }),
    ...(one.tags.length > 0 && { tags: [...one.tags] }),
    ...(whole.model !== undefined && { model: whole.model }),
    ...(whole.simulated && { simulated: true as const }),
    steps: whole.steps,
    tokens: whole.tokens,
    cost_usd: costs.some((cost) => cost === undefined)
      ? null
      : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    ...(whole.creditsMicros !== undefined && { credits_micros: whole.creditsMicros }),
    latency_ms: Math.round(whole.latencyMs),
  };
}

/** The case of a check, and what it may use. */
interface Circumstances {
  one: LoadedCase;
  ports: CheckPorts;
  signal: AbortSignal;
  work: CaseWork;
  turn?: number;
}

async function perform(
  check: Check,
  seen: Observation,
  { one, ports, signal, work, turn }: Circumstances,
): Promise<{ outcome: CheckOutcome; costUsd: number | undefined }> {
  const verdictOf = async () => {
    try {
      const verdict = check.perform(seen, one, ports, signal, work);
      return await (isWork(verdict) ? inPieces(verdict, signal) : verdict);
    } catch (thrown) {
      if (thrown instanceof WorkTooCostly) return failed(beyondCaseWork);
      throw thrown;
    }
  };
  const { costUsd, ...verdict } = await verdictOf();
  const isFree = check.kind !== "judge";
  return {
    outcome: { check: check.name, kind: check.kind, ...(turn !== undefined && { turn }), ...verdict },
    costUsd: isFree ? 0 : costUsd,
  };
}

/** Reason of a check for which the work of its case's checks was too much. */
export const beyondCaseWork = "check exceeded its work allowance";

function impliedChecks(one: LoadedCase, turns: readonly Observation[]): CheckOutcome[] {
  return turns.flatMap((seen, index) => {
    const turn = turns.length > 1 ? { turn: index + 1 } : {};
    const isLast = index === turns.length - 1;
    const checks = [...(one.turns[index]?.checks ?? []), ...(isLast ? one.checks : [])];
    const isExpected = seen.error !== undefined && isFailureExpected(seen.error.code, checks);
    const outcomes: CheckOutcome[] = [];
    if (seen.error !== undefined && !isExpected) {
      const reason = `${seen.error.code}: ${seen.error.message}`;
      outcomes.push({ check: "run", kind: "run", ...turn, passed: false, reason });
    }
    const refused = seen.calls.find(({ output }) => isRefused(output));
    if (refused !== undefined) {
      const reason = `${refused.tool} was called with ${JSON.stringify(refused.input).slice(0, 300)}, and no stub fits`;
      outcomes.push({ check: "stubs", kind: "stubs", ...turn, passed: false, reason });
    }
    return outcomes;
  });
}

/** Returns true if a check is about the failure: `error` about any, `guardrail` about a block. */
function isFailureExpected(code: string, checks: readonly Check[]): boolean {
  if (withoutRun.has(code)) return false;
  return checks.some(
    ({ kind }) => kind === "error" || (kind === "guardrail" && code === "guardrail_blocked"),
  );
}

function isRefused(output: unknown): boolean {
  const error = (output as { error?: unknown } | null)?.error;
  return typeof error === "string" && error.startsWith(refusedCallPrefix);
}

const turnResult = ({ query, response, error, calls, traceId, invocationId }: Observation): TurnResult => ({
  query,
  response,
  ...(error && { error }),
  calls: calls.map((call) => ({ ...call })),
  ...(traceId !== undefined && { trace_id: traceId }),
  ...(invocationId !== undefined && { invocation_id: invocationId }),
});
