import type { RunOverride } from "../../contracts/daemon/run-override.ts";
import type { Tape } from "../cassettes/tape.ts";
import type { ImagePart, Message, ModelParameters } from "../models/model.ts";
import type { RunLimits } from "./run-limits.ts";
import type { RunMeans } from "./run-means.ts";

/** One request to run an agent. Identity and secrets travel beside `context`, which the caller controls. */
export interface RunRequest {
  tenant: string;
  sessionId: string;
  query: string;
  context: Record<string, unknown>;
  /** Pictures that belong to the query; they are shown to the model in this run and not remembered. */
  images?: readonly ImagePart[];
  /** The conversation, given by the caller instead of memory: nothing is recalled and nothing is kept. */
  history?: readonly Message[];
  /** Hard limits on everything that the run does. */
  limits?: RunLimits;
  /** What its tools may use in the tenant's name; kept nowhere, not even while the run waits for a person. */
  means?: RunMeans;
  /** Records the run, or plays a recorded one. */
  tape?: Tape;
  /** Sampling parameters that win over the agent's own for this run. */
  parameters?: ModelParameters;
  /** What of the agent is another for this run. The agent that is run has it already; it is told in the trace. */
  override?: RunOverride;
  /** Whether the trace holds what was said; absent: as the agent has it. */
  traceContent?: boolean;
  /** Whether someone reads tokens as they come. */
  stream: boolean;
  /** Any of these cancels the run: the caller who goes away, the process that stops. */
  cancelledBy: readonly AbortSignal[];
  requestId?: string;
}
