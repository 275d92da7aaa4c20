import type { RunPorts } from "../run/run.ts";
import type { Tape } from "./tape.ts";

/** Ports whose budgets are on the tape; for the rest a run asks its tape by itself. */
export function tapePorts(ports: RunPorts, tape: Tape): RunPorts {
  return {
    ...ports,
    budgetOf: (tenant, name) => tape.budget({ agent: name }, ports.budgetOf(tenant, name)),
  };
}
