import type { RunPorts } from "../run/run.ts";
import type { Tape } from "./tape.ts";

/** Ports whose ids and budgets are on the tape; the rest a run asks its tape for by itself. */
export function tapePorts(ports: RunPorts, tape: Tape, agent: string): RunPorts {
  return {
    ...ports,
    newId: () => tape.newId({ agent }, ports.newId),
    budgetOf: (tenant, name) => tape.budget({ agent: name }, ports.budgetOf(tenant, name)),
  };
}
