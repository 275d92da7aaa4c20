import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import type { RunEnding } from "./settle-invocation.ts";

/** Why a run was told to end: its caller left, its time was over, or this process stops. */
export type StopReason = Extract<RunEnding["status"], "cancelled" | "timeout"> | "shutdown";

/** What ends a run from this side. */
export interface RunStop {
  /** Undefined while nothing has told it to end. */
  readonly reason: StopReason | undefined;
  /** Tells the runtime to end the run; again and again, since a call of the network may be lost. */
  stop(reason: StopReason): void;
  /** Aborts when the run was told to end and has not said its last word in time. */
  readonly cutOff: AbortSignal;
  /** The run has ended: nothing more is told to anybody. */
  close(): void;
}

/** What a run that was told to end may take to say what it used. */
const lastWordMs = 10_000;
const againMs = 2_000;
/** What the runtime, which keeps the time itself, may be late by. */
const timeoutGraceMs = 5_000;

/** Watches over the run `runId`, told to end by the signals of its caller and by its time limit. */
export function watchRun(
  { clock, runtime, settings, stopping }: Pick<PlatformDeps, "clock" | "runtime" | "settings" | "stopping">,
  runId: string,
  cancelledBy: readonly AbortSignal[],
): RunStop {
  const cancelled = AbortSignal.any([...cancelledBy, stopping]);
  const cutOff = new AbortController();
  let reason: StopReason | undefined;
  let stopTelling = () => {};
  let stopLastWord = () => {};

  const tell = () => {
    // One that fails is told again; the run is cut off in the end.
    runtime.cancel(runId).catch(() => {});
    stopTelling = clock.timer(againMs, tell);
  };
  const stop = (why: StopReason) => {
    if (reason !== undefined) return;
    reason = why;
    stopLastWord = clock.timer(lastWordMs, () => cutOff.abort(noLastWord()));
    tell();
  };
  const whoLeft = (): StopReason => (cancelledBy.some(({ aborted }) => aborted) ? "cancelled" : "shutdown");
  const cancel = () => stop(whoLeft());
  const stopTimeout = clock.timer(settings.runTimeoutMs + timeoutGraceMs, () => stop("timeout"));
  if (cancelled.aborted) reason = whoLeft();
  else cancelled.addEventListener("abort", cancel, { once: true });
  return {
    get reason() {
      return reason;
    },
    stop,
    cutOff: cutOff.signal,
    close() {
      stopTimeout();
      stopTelling();
      stopLastWord();
      cancelled.removeEventListener("abort", cancel);
    },
  };
}

const noLastWord = () =>
  new AppError("upstream_failed", "runtime_failed", "The runtime did not end the run.");
