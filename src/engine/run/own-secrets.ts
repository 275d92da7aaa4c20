import { maskValues } from "../../kit/secrets/mask-values.ts";
import type { RunnableAgent } from "../agents/runnable-agent.ts";
import type { RunPorts } from "./run.ts";

type Masking = Pick<RunPorts, "maskKnown">;

/** Masks the secrets that all runs mask and those of the agent's own manifest; undefined if there are none. */
export function maskFor({ maskKnown }: Masking, agent: RunnableAgent | undefined): RunPorts["maskKnown"] {
  const own = agent?.secrets;
  if (own === undefined) return maskKnown;
  return (text) => own.mask(maskKnown?.(text) ?? text);
}

/** The ports for a run of the agent, which also mask its own secrets in tool results and traces. */
export function portsFor(ports: RunPorts, agent: RunnableAgent): RunPorts {
  const own = agent.secrets;
  const mask = maskFor(ports, agent);
  if (own === undefined || mask === undefined) return ports;
  return {
    ...ports,
    maskKnown: mask,
    redact: (value) => maskValues(ports.redact(value), (text) => own.mask(text)),
  };
}
