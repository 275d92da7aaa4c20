import { maskValues } from "../../kit/mask-values.ts";
import type { RunPorts } from "./run.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

type Masking = Pick<RunPorts, "maskKnown">;

/** Masks what everyone's runs mask, and what the agent's own manifest holds secret; undefined: there is nothing to mask. */
export function maskFor({ maskKnown }: Masking, agent: RunnableAgent | undefined): RunPorts["maskKnown"] {
  const own = agent?.secrets;
  if (own === undefined) return maskKnown;
  return (text) => own.mask(maskKnown?.(text) ?? text);
}

/** The ports for a run of the agent: its own secrets are masked in what models are told and in its trace. */
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
