/*
 * The circuit between one owner and one server. `shared-circuit.ts` holds those of all owners of a server.
 *
 * closed     Calls pass. Each failure in a row is counted; a success resets the count. The third in a row opens the circuit.
 * open       No call passes for the cool-down (60 s). The first call afterwards passes as the probe: half-open.
 * half-open  Exactly one call, the probe, is running; no other call passes. Its success closes the circuit, its failure
 *            opens it for another cool-down. If it ends without a verdict (its caller left, or the request itself was at
 *            fault), the circuit is open again with no cool-down left: the next call is the probe. If a probe has not ended
 *            after another cool-down, the next call replaces it.
 *
 * Every opening, probe and closing begins a new epoch, and each call carries the epoch it was admitted in. A result of an
 * older epoch changes nothing, because it does not describe the server's present state: late answers of calls from before
 * the opening neither close the circuit nor open it again.
 */

export interface CircuitSettings {
  /** Failures in a row that open the circuit. */
  failureThreshold: number;
  /** How long an open circuit refuses all calls. */
  cooldownMs: number;
}

export const defaultCircuitSettings: CircuitSettings = { failureThreshold: 3, cooldownMs: 60_000 };

export type Circuit =
  | { phase: "closed"; epoch: number; failures: number }
  | { phase: "open"; epoch: number; probeDueAtMs: number }
  | { phase: "half_open"; epoch: number; probeDueAtMs: number };

/** `asked`: a call wants to pass. The others end a call that was admitted in `epoch`; `released` means an end without a verdict. */
export type CircuitEvent = { type: "asked" } | { type: "succeeded" | "failed" | "released"; epoch: number };

export const closedCircuit: Circuit = { phase: "closed", epoch: 0, failures: 0 };

/** Returns true if a call that asks now passes. `step` with `asked` then records it. */
export function admits(circuit: Circuit, nowMs: number): boolean {
  return circuit.phase === "closed" || nowMs >= circuit.probeDueAtMs;
}

/** Returns the circuit after `event`. For `asked`, the returned circuit's epoch is the epoch of the admitted call. */
export function step(
  circuit: Circuit,
  event: CircuitEvent,
  nowMs: number,
  { failureThreshold, cooldownMs }: CircuitSettings,
): Circuit {
  if (event.type === "asked") {
    if (circuit.phase === "closed" || !admits(circuit, nowMs)) return circuit;
    return { phase: "half_open", epoch: circuit.epoch + 1, probeDueAtMs: nowMs + cooldownMs };
  }
  if (event.epoch !== circuit.epoch) return circuit;
  switch (circuit.phase) {
    case "open":
      return circuit;
    case "closed": {
      if (event.type === "released") return circuit;
      const failures = event.type === "failed" ? circuit.failures + 1 : 0;
      if (failures >= failureThreshold) return opened(circuit, nowMs + cooldownMs);
      return failures === circuit.failures ? circuit : { ...circuit, failures };
    }
    case "half_open":
      if (event.type === "succeeded") return { phase: "closed", epoch: circuit.epoch + 1, failures: 0 };
      return opened(circuit, event.type === "failed" ? nowMs + cooldownMs : nowMs);
  }
}

function opened(circuit: Circuit, probeDueAtMs: number): Circuit {
  return { phase: "open", epoch: circuit.epoch + 1, probeDueAtMs };
}
