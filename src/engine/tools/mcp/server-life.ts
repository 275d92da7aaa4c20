import { retryDelayMs } from "../../../kit/retry.ts";

/**
 * The life of a server, as far as it decides when to connect. A server that is wanted goes from `idle` to `starting`, and
 * from there to `ready` or `down`. Down it stays for a while that grows with each failure in a row, up to five minutes; the
 * next need after that starts it again. One that was ready for a minute has recovered: its next failure is a first one.
 */
export type ServerState =
  | { is: "idle"; failures: number }
  | { is: "starting"; failures: number; sinceMs: number }
  | { is: "ready"; failures: number; sinceMs: number }
  | { is: "down"; failures: number; retryAtMs: number; fault: string };

export type ServerEvent =
  | { type: "start" }
  | { type: "started" }
  /** It could not be started, or was lost. */
  | { type: "failed"; fault: string }
  /** It was closed on purpose. */
  | { type: "closed" };

export const unstarted: ServerState = { is: "idle", failures: 0 };

const retryDelaysMs = [1000, 2000, 5000, 15_000, 60_000, 300_000];
const recoveredMs = 60_000;

export function step(state: ServerState, event: ServerEvent, nowMs: number): ServerState {
  switch (event.type) {
    case "start":
      return { is: "starting", failures: state.failures, sinceMs: nowMs };
    case "started":
      return { is: "ready", failures: state.failures, sinceMs: nowMs };
    case "closed":
      return { is: "idle", failures: state.failures };
    case "failed": {
      const hasRecovered = state.is === "ready" && nowMs - state.sinceMs >= recoveredMs;
      const failures = hasRecovered ? 1 : state.failures + 1;
      const retryAtMs = nowMs + retryDelayMs(retryDelaysMs, failures);
      return { is: "down", failures, retryAtMs, fault: event.fault };
    }
  }
}

/** Whether a need for the server may start it now. */
export function mayStart(state: ServerState, nowMs: number): boolean {
  return state.is === "idle" || (state.is === "down" && nowMs >= state.retryAtMs);
}
