import { admits, type Circuit, type CircuitSettings, closedCircuit, step } from "./circuit-breaker.ts";
import type { Clock } from "./clock.ts";

export interface CallGuardOptions {
  clock: Clock;
  /** Whether the server failed; anything else that is thrown says nothing about it. */
  isOutage: (thrown: unknown) => boolean;
  /** The error for a call that is refused without asking the server. */
  refuse: (waitMs: number) => Error;
  settings?: CircuitSettings;
}

/** Three outages in a row, then 5 seconds until one call tries again. */
const settingsDefault: CircuitSettings = { failureThreshold: 3, cooldownMs: 5_000 };

/** Makes calls to one server; while it is down they fail at once, and one call after each pause tries whether it is back. */
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
      // A caller that leaves has no verdict, and returns the probe.
      if (signal?.aborted !== true && isOutage(thrown)) type = "failed";
      throw thrown;
    } finally {
      circuit = step(circuit, { type, epoch }, clock.monotonicMs(), settings);
    }
  };
}
