/*
 * State that decides whether a vendor is called. After three consecutive calls that found it unavailable, calls are refused for half a
 * minute. Then calls pass again, and the first failure refuses them for another half minute.
 */
export interface VendorCircuit {
  failures: number;
  closedUntilMs: number;
}

const failuresMax = 3;
const pauseMs = 30_000;

export const openCircuit: VendorCircuit = { failures: 0, closedUntilMs: 0 };

/** The state after a call. */
export function afterCall(circuit: VendorCircuit, wasAvailable: boolean, nowMs: number): VendorCircuit {
  if (wasAvailable) return openCircuit;
  const failures = Math.min(circuit.failures + 1, failuresMax);
  return { failures, closedUntilMs: failures < failuresMax ? 0 : nowMs + pauseMs };
}

/** Milliseconds until a call may pass; 0: now. */
export function closedForMs({ closedUntilMs }: VendorCircuit, nowMs: number): number {
  return Math.max(0, closedUntilMs - nowMs);
}
