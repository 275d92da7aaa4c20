import type { Clock } from "../clock.ts";
import { admits, type Circuit, type CircuitSettings, closedCircuit, step } from "./circuit-breaker.ts";

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

/** Makes calls to one server. While the server is down, calls fail at once, except for one trial call after each cool-down. */
export type CallGuard = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

export function createCallGuard(options: CallGuardOptions): CallGuard {
  const { clock, isOutage, refuse, settings = settingsDefault } = options;
  let circuit: Circuit = closedCircuit;
  return async (work, signal) => {
    const nowMs = clock.monotonicMs();
    if (circuit.phase !== "closed" && !admits(circuit, nowMs)) {
      throw refuse(Math.max(1, circuit.probeDueAtMs - nowMs));
    }
    circuit = step(circuit, { type: "asked" }, nowMs, settings);
    const { epoch } = circuit;
    let type: "succeeded" | "failed" | "released" = "released";
    try {
      const result = await work();
      type = "succeeded";
      return result;
    } catch (thrown) {
      // A call that the caller cancelled gives no verdict and returns the probe.
      if (signal?.aborted !== true && isOutage(thrown)) type = "failed";
      throw thrown;
    } finally {
      circuit = step(circuit, { type, epoch }, clock.monotonicMs(), settings);
    }
  };
}
