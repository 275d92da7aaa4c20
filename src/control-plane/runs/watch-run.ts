import type { RuntimeClient } from "../../contracts/runtime/client.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { onAbort } from "../../kit/concurrency/on-abort.ts";
import { CutOff } from "./runtime-frames.ts";

/** Dependencies of a control plane that stops runs. */
export interface RunWatchDeps {
  clock: Clock;
  runtime: Pick<RuntimeClient, "cancel">;
  settings: { runTimeoutMs: number };
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

/** Reason why a run was stopped: its caller left, its time was over, or this process is stopping. */
export type StopReason = "cancelled" | "timeout" | "shutdown";

/** Control for stopping a run from this side. */
export interface RunStop {
  /** Undefined until the run is stopped. */
  readonly reason: StopReason | undefined;
  /** Tells the runtime to end the run, repeatedly, because a network call may be lost. */
  stop(reason: StopReason): void;
  /** Cut if the run was stopped and did not send its last frame in time. */
  readonly cutOff: CutOff;
  /** Called when the run has ended; stops all timers. */
  close(): void;
}

/** Time limit for a stopped run to report its usage. */
const lastWordMs = 10_000;
const againMs = 2_000;
/** Extra time for the runtime, which enforces the time limit itself. */
const timeoutGraceMs = 5_000;

/** Watches the run `runId`, and stops it when a signal of its caller aborts or its time limit passes. */
export function watchRun(
  { clock, runtime, settings, stopping }: RunWatchDeps,
  runId: string,
  cancelledBy: readonly AbortSignal[],
): RunStop {
  const ending = [...cancelledBy, stopping];
  const cutOff = new CutOff();
  let reason: StopReason | undefined;
  let stopTelling = () => {};
  let stopLastWord = () => {};

  const tell = () => {
    // A failed call is repeated; in the end the run is cut off.
    runtime.cancel(runId).catch(() => {});
    stopTelling = clock.timer(againMs, tell);
  };
  const stop = (why: StopReason) => {
    if (reason !== undefined) return;
    reason = why;
    stopLastWord = clock.timer(lastWordMs, () => cutOff.now(noLastWord()));
    tell();
  };
  const whoLeft = (): StopReason => (cancelledBy.some(({ aborted }) => aborted) ? "cancelled" : "shutdown");
  const deafened = ending.map((signal) => onAbort(signal, () => stop(whoLeft())));
  const stopTimeout = clock.timer(settings.runTimeoutMs + timeoutGraceMs, () => stop("timeout"));
  if (ending.some(({ aborted }) => aborted)) reason = whoLeft();
  return {
    get reason() {
      return reason;
    },
    stop,
    cutOff,
    close() {
      stopTimeout();
      stopTelling();
      stopLastWord();
      for (const deafen of deafened) deafen();
    },
  };
}

const noLastWord = () =>
  new AppError("upstream_failed", "runtime_failed", "The runtime did not end the run.");
