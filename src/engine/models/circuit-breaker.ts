/*
 * The circuit of one provider, told in words.
 *
 * closed     Calls pass. Each failure in a row is counted, a success forgets them. The third in a row opens the circuit.
 * open       Nobody passes for the cool-down (60 s). The first to ask afterwards passes as the probe: half-open.
 * half-open  Exactly one call, the probe, is under way; nobody else passes. Its success closes the circuit, its failure
 *            opens it for another cool-down. If it ends without a verdict (its caller left, or the request itself was at
 *            fault), the circuit is open again with nothing left to wait for: the next to ask is the probe.
 *
 * Every opening, probe and closing begins a new epoch, and each call carries the epoch it was admitted in. A result of an
 * older epoch says nothing about the provider as it is now and changes nothing: late answers of calls begun before the
 * opening neither close the circuit nor open it again.
 */

export interface CircuitSettings {
  /** Failures in a row that open the circuit. */
  failureThreshold: number;
  /** How long an open circuit lets nobody pass. */
  cooldownMs: number;
}

export const defaultCircuitSettings: CircuitSettings = { failureThreshold: 3, cooldownMs: 60_000 };

export type Circuit =
  | { phase: "closed"; epoch: number; failures: number }
  | { phase: "open"; epoch: number; probeDueAtMs: number }
  | { phase: "half_open"; epoch: number };

/** `asked`: a call wants to pass. The others end a call that was admitted in `epoch`; `released` is an end without a verdict. */
export type CircuitEvent = { type: "asked" } | { type: "succeeded" | "failed" | "released"; epoch: number };

export const closedCircuit: Circuit = { phase: "closed", epoch: 0, failures: 0 };

/** Whether a call that asks now passes; `step` with `asked` then makes it official. */
export function admits(circuit: Circuit, nowMs: number): boolean {
  return circuit.phase === "closed" || (circuit.phase === "open" && nowMs >= circuit.probeDueAtMs);
}

/** The circuit after `event`. An admitted call belongs to the epoch of the circuit that this returns for its `asked`. */
export function step(
  circuit: Circuit,
  event: CircuitEvent,
  nowMs: number,
  settings: CircuitSettings,
): Circuit {
  if (event.type === "asked") {
    if (circuit.phase !== "open" || !admits(circuit, nowMs)) return circuit;
    return { phase: "half_open", epoch: circuit.epoch + 1 };
  }
  if (event.epoch !== circuit.epoch) return circuit;
  switch (circuit.phase) {
    case "open":
      return circuit;
    case "closed":
      return whileClosed(circuit, event.type, nowMs, settings);
    case "half_open":
      if (event.type === "succeeded") return { phase: "closed", epoch: circuit.epoch + 1, failures: 0 };
      return opened(circuit, event.type === "failed" ? nowMs + settings.cooldownMs : nowMs);
  }
}

function whileClosed(
  circuit: Circuit & { phase: "closed" },
  ending: "succeeded" | "failed" | "released",
  nowMs: number,
  settings: CircuitSettings,
): Circuit {
  if (ending === "released") return circuit;
  if (ending === "succeeded") return circuit.failures === 0 ? circuit : { ...circuit, failures: 0 };
  const failures = circuit.failures + 1;
  if (failures < settings.failureThreshold) return { ...circuit, failures };
  return opened(circuit, nowMs + settings.cooldownMs);
}

function opened(circuit: Circuit, probeDueAtMs: number): Circuit {
  return { phase: "open", epoch: circuit.epoch + 1, probeDueAtMs };
}
