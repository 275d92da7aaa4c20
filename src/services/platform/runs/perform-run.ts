import type { RuntimeFrame } from "../../../contracts/runtime/client.ts";
import type { RunEnded, RuntimeConnection } from "../../../contracts/runtime/runs.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import type { Admitted } from "./admission.ts";
import { creditPercent } from "./credit-percent.ts";
import { keptAnswerOf } from "./kept-answer.ts";
import { runtimeFailed } from "./registrations.ts";
import { endingOf, failureOfEnding, type RunOutcome, resultOf } from "./run-outcome.ts";
import { type RunEnding, type Settled, settleInvocation } from "./settle-invocation.ts";

/** A run that was admitted and now has to come to exactly one end. */
export interface BegunRun {
  tenantId: string;
  invocationId: string;
  runtimeName: string;
  sessionId: string;
  query: string;
  context: Record<string, unknown>;
  checksum: string;
  stream: boolean;
  connections: Record<string, RuntimeConnection>;
  runToken: string;
  admitted: Admitted;
  /** Cancels the run: the caller who leaves, the process that stops. */
  cancelledBy: readonly AbortSignal[];
}

type OnTheWay = Exclude<RuntimeFrame, RunEnded>;

/** What a cancelled run may take to say what it used. */
const lastWordMs = 10_000;
/** What the runtime may be late by before the run is ended from here. */
const timeoutGraceMs = 5_000;

/**
 * Runs what was admitted: the runtime's frames as they come, then how it ended, which is on record before it is told. A reader that
 * stops early cancels the run. However it goes, the run is settled once.
 */
export async function* performRun(deps: PlatformDeps, run: BegunRun): AsyncGenerator<OnTheWay, RunOutcome> {
  const { clock, runtime, settings } = deps;
  const cancelled = AbortSignal.any([...run.cancelledBy]);
  const cutOff = new AbortController();
  let stopLastWord = () => {};
  const cancel = () => {
    stopLastWord = clock.timer(lastWordMs, () => cutOff.abort(runCancelled()));
    runtime.cancel(run.invocationId).catch((thrown) => cutOff.abort(thrown));
  };
  const stopTimeout = clock.timer(settings.runTimeoutMs + timeoutGraceMs, cancel);
  cancelled.addEventListener("abort", cancel, { once: true });
  let ended: RunEnded | undefined;
  let thrown: unknown;
  let isRead = true;
  const frames = untilCutOff(runtime.run(run.runtimeName, runtimeRunOf(deps, run)), cutOff.signal);
  try {
    if (cancelled.aborted) cancel();
    for await (const frame of frames) {
      if (frame.type === "ended") {
        ended = frame;
        break;
      }
      isRead = false;
      yield frame;
      isRead = true;
    }
  } catch (failure) {
    thrown = failure;
  } finally {
    if (!isRead && ended === undefined) {
      // The reader has left: what the run used until it stops is still to be known.
      cancel();
      ended = await lastFrame(frames);
    }
    stopTimeout();
    stopLastWord();
    cancelled.removeEventListener("abort", cancel);
    if (!isRead) await settle(deps, run, endingAfter(ended, thrown, true), ended);
  }
  return settle(deps, run, endingAfter(ended, thrown, cancelled.aborted), ended);
}

function runtimeRunOf({ settings }: PlatformDeps, run: BegunRun) {
  const { hold, plans } = run.admitted;
  const limits = [plans.tenant, plans.subscription];
  const lowest = (of: (plan: NonNullable<(typeof limits)[number]>) => number | null) => {
    const known = limits.flatMap((plan) => (plan === undefined ? [] : (of(plan) ?? [])));
    return known.length === 0 ? undefined : Math.min(...known);
  };
  const callTokens = lowest(({ maxTokensPerCall }) => maxTokensPerCall);
  const iterations = lowest(({ maxIterations }) => maxIterations);
  return {
    run_id: run.invocationId,
    checksum: run.checksum,
    query: run.query,
    session_id: run.sessionId,
    context: run.context,
    stream: run.stream,
    connections: run.connections,
    run_token: run.runToken,
    limits: {
      total_tokens: hold.tokens,
      timeout_ms: settings.runTimeoutMs,
      ...(callTokens === undefined ? {} : { call_tokens: callTokens }),
      ...(iterations === undefined ? {} : { iterations }),
    },
  };
}

/** Without a last frame nothing is known of what was used: the run failed, or was cancelled. */
function endingAfter(ended: RunEnded | undefined, thrown: unknown, isCancelled: boolean): RunEnding {
  if (ended !== undefined) return endingOf(ended);
  const { code, message } = isCancelled ? runCancelled() : asFailure(thrown);
  return {
    status: isCancelled ? "cancelled" : "error",
    errorCode: code,
    message,
    usage: [],
    durationMs: 0,
    isCharged: false,
  };
}

async function settle(
  deps: PlatformDeps,
  run: BegunRun,
  ending: RunEnding,
  ended: RunEnded | undefined,
): Promise<RunOutcome> {
  const { storage, clock } = deps;
  const outcomeOf = (settled: Settled): RunOutcome => {
    if (ending.status === "ok" && ended !== undefined) {
      const percent = creditPercent(settled, run.admitted.plans);
      return { kind: "done", result: resultOf(ended, settled), creditPercent: percent };
    }
    if (ending.status === "awaiting_approval" && ended?.approval_id !== undefined) {
      const { invocationId: invocation_id, sessionId: session_id } = run;
      const awaiting = {
        invocation_id,
        status: "awaiting_approval" as const,
        approval_id: ended.approval_id,
        session_id,
      };
      return { kind: "awaiting", awaiting };
    }
    return { kind: "failed", status: ending.status, error: failureOfEnding(ending, ended) };
  };
  const answer = (settled: Settled) => keptAnswerOf(deps, run, outcomeOf(settled));
  const settled = await settleInvocation(storage, run, { ...ending, answer }, clock.now());
  if (settled !== undefined) return outcomeOf(settled);
  const error = new AppError("unavailable", "interrupted", "The run was interrupted; it is not charged.");
  return { kind: "failed", status: "interrupted", error };
}

async function lastFrame(frames: AsyncIterator<RuntimeFrame>): Promise<RunEnded | undefined> {
  try {
    for (;;) {
      const { value, done } = await frames.next();
      if (done) return undefined;
      if (value.type === "ended") return value;
    }
  } catch {
    return undefined;
  }
}

/** The frames until the signal aborts, which then rejects what is being waited for. Ending the loop over it does not end the source. */
function untilCutOff(
  source: AsyncIterable<RuntimeFrame>,
  signal: AbortSignal,
): AsyncIterableIterator<RuntimeFrame> {
  const frames = source[Symbol.asyncIterator]();
  const { promise: cut, reject } = Promise.withResolvers<never>();
  cut.catch(() => {});
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return {
    next: () => Promise.race([frames.next(), cut]),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function asFailure(thrown: unknown): AppError {
  const error = toAppError(thrown);
  return error.kind === "internal" ? runtimeFailed(thrown) : error;
}

const runCancelled = () => new AppError("unavailable", "run_cancelled", "The run was cancelled.");
