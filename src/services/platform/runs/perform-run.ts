import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RunEnded } from "../../../contracts/runtime/runs.ts";
import { followRun, type RunEnd } from "../../../control-plane/runs/follow-run.ts";
import type { CutFrames } from "../../../control-plane/runs/runtime-frames.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { retry } from "../../../kit/retry.ts";
import { isHanging } from "../../../storage/database-error.ts";
import { askedApproval } from "../approvals/record-approval.ts";
import { tenantScope } from "../counters/credit-counters.ts";
import type { Admitted, RunPlans } from "./admission/admission.ts";
import type { TenantRunDeps } from "./deps.ts";
import { handOver } from "./durable/hand-over.ts";
import { keptAnswerOf } from "./idempotency/kept-answer.ts";
import { correctInvocation } from "./settlement/correct-invocation.ts";
import {
  awaitingOf,
  continuedElsewhere,
  endingAfter,
  failureOfEnding,
  interrupted,
  type RunOutcome,
  resultOf,
} from "./settlement/run-outcome.ts";
import { type RunEnding, type Settled, settleInvocation } from "./settlement/settle-invocation.ts";

/** An admitted run, which must be settled exactly once. */
export interface BegunRun {
  tenantId: string;
  invocationId: string;
  sessionId: string;
  admitted: Admitted;
  /** True if its caller gave a key and may request the answer again. */
  isKeyed: boolean;
  /** True if its caller gets its frames as they come. */
  isStreamed: boolean;
  /** True if another process continues it if this one dies. */
  isDurable: boolean;
  /** Frames from the runtime. The run begins when they are first read. */
  frames: () => AsyncIterable<RuntimeFrame>;
  /** Signals that cancel the run, for example when the caller disconnects. */
  cancelledBy: readonly AbortSignal[];
}

/** Frames that the caller gets before the end. */
export type RunFrame = Exclude<RuntimeFrame, RunEnded | { type: "approval_required" | "corrected" }>;

/**
 * Performs an admitted run: yields the runtime's frames and returns the outcome, which is stored first. If the reader stops early, the run
 * is cancelled. In every case the run is settled once.
 */
export function performRun(deps: TenantRunDeps, run: BegunRun): AsyncGenerator<RunFrame, RunOutcome> {
  let wasSent = false;
  return followRun<RunFrame, RunOutcome, RunOutcome>(
    deps,
    { ...run, runId: run.invocationId },
    {
      show(frame) {
        if (frame.type === "approval_required" || frame.type === "corrected") return undefined;
        wasSent ||= run.isStreamed && frame.type !== "guardrail";
        return frame;
      },
      settle(end) {
        if (run.isDurable && isLeft(end)) return leave(deps, run);
        const { ended, thrown, stopped } = end;
        return settle(deps, run, endingAfter(ended, thrown, stopped, wasSent), ended);
      },
      resultOf: (outcome) => outcome,
      readLate: (frames) => deps.outlives(correctLater(deps, run, frames)),
    },
  );
}

/** Corrects the settled run by the usage that a provider reports after the answer. Nobody waits for it. */
async function correctLater(
  { storage, clock, log }: TenantRunDeps,
  run: BegunRun,
  frames: CutFrames,
): Promise<void> {
  try {
    const frame = await frames.next();
    if (frame?.type === "corrected") await correctInvocation(storage, run, frame.usage, clock.now());
  } catch (thrown) {
    // The estimate stays.
    log.warn("run.usage_not_corrected", { invocation_id: run.invocationId, err: thrown });
  } finally {
    frames.end();
  }
}

/** Delays between attempts to settle, so a short outage of storage doesn't cost the caller the answer. */
const settleAgainMs = [100, 500, 2000];
/** A storage that took so long to refuse is not asked again while the caller waits. */
const settleAgainWithinMs = 2_700;

/** Stores the end of the run and returns its outcome. */
async function settle(
  deps: TenantRunDeps,
  run: BegunRun,
  ending: RunEnding,
  ended: RunEnded | undefined,
): Promise<RunOutcome> {
  const { storage, clock, random } = deps;
  const outcomeOf = (settled: Settled): RunOutcome => {
    if (ending.status === "ok" && ended !== undefined) {
      const percent = creditPercent(settled, run.admitted.plans);
      return { kind: "done", result: resultOf(ended, settled), creditPercent: percent };
    }
    if (ending.approval !== undefined)
      return { kind: "awaiting", awaiting: awaitingOf(run, ending.approval) };
    return { kind: "failed", status: ending.status, error: failureOfEnding(ending, ended) };
  };
  const keeping = run.isKeyed
    ? { answer: (settled: Settled) => keptAnswerOf(deps, run, outcomeOf(settled)) }
    : {};
  const { approval } = ending;
  const asking =
    approval === undefined
      ? {}
      : { asked: askedApproval(deps, { tenantId: run.tenantId, id: approval.id }, approval.call) };
  const recorded = { ...ending, ...keeping, ...asking };
  const endedAt = clock.now();
  const write = async () => {
    const settled = await settleInvocation(storage, { ...run, owner: deps.owner }, recorded, endedAt);
    const { chargedMicros = 0 } = settled?.invocation ?? {};
    deps.metrics.runEnded(settled === undefined ? "interrupted" : ending.status, chargedMicros);
    return settled;
  };
  const startedMs = clock.monotonicMs();
  const settled = await retry(write, {
    attempts: settleAgainMs.length + 1,
    delaysMs: settleAgainMs,
    clock,
    random,
    shouldRetry: (failure) =>
      mayPass(failure) && !isHanging(failure) && clock.monotonicMs() - startedMs < settleAgainWithinMs,
  }).catch((thrown: unknown) => {
    if (mayPass(thrown)) {
      deps.unsettled.keep(run.invocationId, write);
      throw settledLater(run, thrown);
    }
    deps.metrics.runEnded("unrecorded", 0);
    throw thrown;
  });
  if (settled === undefined) return notSettled(run);
  if (ended?.steps_kept) deps.durable.forget(run);
  return outcomeOf(settled);
}

/** The run was ended, or taken over, because this process did not respond. */
const notSettled = ({ isDurable }: BegunRun): RunOutcome => ({
  kind: "failed",
  status: "interrupted",
  error: isDurable ? continuedElsewhere() : interrupted(),
});

/** Returns true if the run did not end: the platform or its runtime is stopping. */
const isLeft = ({ ended, stopped }: RunEnd): boolean =>
  ended?.outcome === "cancelled" || ended === undefined
    ? stopped === "shutdown" || (stopped === undefined && ended?.error?.fault === "service")
    : false;

async function leave(deps: TenantRunDeps, run: BegunRun): Promise<RunOutcome> {
  deps.metrics.runEnded("interrupted", 0);
  await handOver(deps, run);
  return { kind: "failed", status: "interrupted", error: continuedElsewhere() };
}

const mayPass = (failure: unknown) => toAppError(failure).kind === "unavailable";

function settledLater({ invocationId, isKeyed }: BegunRun, thrown: unknown): AppError {
  const { code, message, details } = toAppError(thrown);
  const where = isKeyed ? "send the request again with the same Idempotency-Key" : "read the invocation";
  const hint = `Run ${invocationId} has ended; its end and its charge will be recorded when the storage is available again. For its outcome, ${where}.`;
  return new AppError("unavailable", code, message, { cause: thrown, details: { ...details, hint } });
}

/** Charged share of the cap, grants included, that is used most, in whole percent, rounded down; undefined without a cap. */
function creditPercent({ counters }: Settled, { tenant, subscription }: RunPlans): number | undefined {
  let percent: number | undefined;
  for (const { scope, chargedMicros, allGrantsMicros } of counters) {
    const cap = (scope === tenantScope ? tenant : subscription)?.creditCapPeriodMicros;
    if (cap === undefined || cap === null || cap + allGrantsMicros === 0) continue;
    const used = Number((BigInt(chargedMicros) * 100n) / BigInt(cap + allGrantsMicros));
    percent = Math.max(percent ?? 0, used);
  }
  return percent;
}
