import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { runAgent } from "../../../engine/run/run-agent.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { RunRequest } from "../../../engine/run-state/run-request.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { OverriddenAgents } from "../agents/overridden-agents.ts";
import { record } from "../cassettes/record.ts";
import type { CassettePorts } from "../cassettes/replay-cassette.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import { pausableAgents, runPausable } from "../paused-runs/run-pausable.ts";

/** Dependencies of runs for callers of the daemon's API. */
export interface RunDeps {
  version: string;
  clock: Clock;
  newId: NewId;
  log: Logger;
  catalog: AgentCatalog;
  overridden: OverriddenAgents;
  /** Limits the number of concurrent runs. */
  gate: AdmissionGate;
  /** Aborts when the time for a graceful stop is over; running work is cancelled. */
  stopping: AbortSignal;
  runs: RunPorts;
  /** True if traces of all runs keep question and answer, unless a request says otherwise. */
  recordsContent: boolean;
  cassettes: CassettePorts;
  /** Undefined without sealing keys. In that case no agent that could need it is loaded. */
  approvals: PausedRuns | undefined;
}

/** Runs an agent when a place is free, and records the run if requested. Throws `too_busy` if all places and the waiting queue are full. */
export async function* admitRun(
  deps: RunDeps,
  agent: RunnableAgent,
  request: RunRequest,
  isRecorded = false,
): AsyncGenerator<RunEvent, void> {
  const leave = await deps.gate.enter(request.cancelledBy[0]);
  try {
    yield* begin(deps, agent, request, isRecorded);
  } finally {
    leave();
  }
}

function begin(
  deps: RunDeps,
  agent: RunnableAgent,
  request: RunRequest,
  isRecorded: boolean,
): AsyncGenerator<RunEvent, void> {
  const agents = deps.approvals && pausableAgents(deps, agent);
  if (deps.approvals === undefined || agents === undefined) {
    return isRecorded ? record(deps, agent, request) : runAgent(deps.runs, agent, request);
  }
  if (isRecorded) throw notRecordable(agent);
  return runPausable(deps, deps.approvals, agents, agent, request);
}

function notRecordable({ name }: RunnableAgent): AppError {
  const message = `A run of agent ${name} may wait for a person or its caller, and such runs can't be recorded.`;
  return new AppError("unprocessable", "run_not_recordable", message, {
    details: {
      hint: "Omit `record`, or remove `requires_approval` and tools of type `client` from the agent.",
    },
  });
}
