import type { Problem } from "../../kit/app-error.ts";
import type { StreamFrame } from "../daemon/run.ts";
import type { RegisterAgent, RegisteredAgent, RuntimeAgents } from "./agents.ts";
import type { RuntimeCatalog } from "./catalog.ts";
import type { RuntimeDocuments } from "./documents.ts";
import type { RunEnded, RuntimeDecision, RuntimeRun } from "./runs.ts";

/** A frame on the way, or the last one. */
export type RuntimeFrame = Exclude<StreamFrame, { type: "done" } | { type: "error" }> | RunEnded;

/**
 * The runtime as the control planes see it, in this process or over the network. Refusals arrive as the AppError that the
 * runtime sent; one that can't be reached is `runtime_unreachable` (502), and then nothing was run.
 */
export interface RuntimeClient {
  /** Builds the agent unless it is there with this checksum. Throws `invalid_manifest` with `problems` when it can't run. */
  register(runtimeName: string, agent: RegisterAgent): Promise<RegisteredAgent>;
  /** What keeps a manifest of this tenant from running; nothing is registered. */
  check(tenantId: string, spec: unknown): Promise<Problem[]>;
  /** Deletes the agent with all that is remembered of it; `agentId` finds its memory where the runtime doesn't have the agent. */
  deregister(runtimeName: string, agentId?: string): Promise<void>;
  list(): Promise<RuntimeAgents>;
  /** The frames of a run; the last is `ended`. A reader that stops early cancels the run, and learns nothing of its usage. */
  run(runtimeName: string, run: RuntimeRun): AsyncIterable<RuntimeFrame>;
  /** Lets a paused run go on with the call, or without it. */
  decide(approvalId: string, decision: RuntimeDecision): AsyncIterable<RuntimeFrame>;
  /** Tells a run to end; its stream then comes to `ended`. Nothing happens when there is no such run. */
  cancel(runId: string): Promise<void>;
  catalog(): Promise<RuntimeCatalog>;
  documents: RuntimeDocuments;
}
