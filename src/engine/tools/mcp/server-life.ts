import { retryDelayMs } from "../../../kit/retry.ts";

/**
 * State of a server, which decides when to connect. A needed server goes from `idle` to `starting`, then to `ready` or `down`. It stays
 * down for a delay that grows with each consecutive failure, up to five minutes; the next need after that starts it again. After one minute
 * in `ready`, the failure count starts anew.
 */
export type ServerState =
  | { is: "idle"; failures: number }
  | { is: "starting"; failures: number; sinceMs: number }
  | { is: "ready"; failures: number; sinceMs: number }
  | { is: "down"; failures: number; retryAtMs: number; fault: string };

export type ServerEvent =
  | { type: "start" }
  | { type: "started" }
  /** It could not be started, or the connection was lost. */
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

/** Returns true if a need for the server may start it now. */
export function mayStart(state: ServerState, nowMs: number): boolean {
  return state.is === "idle" || (state.is === "down" && nowMs >= state.retryAtMs);
}
