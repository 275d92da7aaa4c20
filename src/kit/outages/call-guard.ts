import type { Clock } from "../clock.ts";
import type { CircuitSettings } from "./circuit-breaker.ts";
import { type CallEnding, SharedCircuit } from "./shared-circuit.ts";

export interface CallGuardOptions {
  clock: Clock;
  /** Returns true if the error means that the server failed. */
  isOutage: (thrown: unknown) => boolean;
  /** Returns the error for a call that is refused without asking the server. */
  refuse: (waitMs: number) => Error;
  settings?: CircuitSettings;
}

/** Opens after three outages in a row; allows one trial call after 5 seconds. */
const settingsDefault: CircuitSettings = { failureThreshold: 3, cooldownMs: 5_000 };

/** Whose call it is, and what aborts it. */
export interface GuardedCall {
  /** Person or paying party that the call is made for. */
  owner: string;
  signal?: AbortSignal | undefined;
}

/**
 * Makes calls to one server. While the server is down, an owner's calls fail at once, except for one trial call after each cool-down. What
 * one owner's calls cause shuts out no other owner; see `shared-circuit.ts`.
 */
export type CallGuard = <T>(call: GuardedCall, work: () => Promise<T>) => Promise<T>;

export function createCallGuard(options: CallGuardOptions): CallGuard {
  const { clock, isOutage, refuse, settings = settingsDefault } = options;
  const circuit = new SharedCircuit(clock, settings);
  return async ({ owner, signal }, work) => {
    const report = circuit.enter(owner);
    if (report === undefined) throw refuse(Math.max(1, circuit.probeDueInMs(owner)));
    let ending: CallEnding = "released";
    try {
      const result = await work();
      ending = "succeeded";
      return result;
    } catch (thrown) {
      // A call that the caller cancelled gives no verdict and returns the probe.
      if (signal?.aborted !== true && isOutage(thrown)) ending = "doubtful";
      throw thrown;
    } finally {
      report(ending);
    }
  };
}
