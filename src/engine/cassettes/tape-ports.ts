import type { RunPorts } from "../run/run.ts";
import type { Tape } from "./tape.ts";

/** Ports whose budgets go through the tape. A run sends its other requests to the tape directly. */
export function tapePorts(ports: RunPorts, tape: Tape): RunPorts {
  return {
    ...ports,
    budgetOf: (tenant, name) => tape.budget({ agent: name }, ports.budgetOf(tenant, name)),
  };
}
