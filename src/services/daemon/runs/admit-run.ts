import { runAgent } from "../../../engine/run/run-agent.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { pausableAgents, runPausable } from "../approvals/run-pausable.ts";
import { record } from "../cassettes/record.ts";
import type { DaemonDeps } from "../deps.ts";

/** Runs an agent when a place is free, and records the run if requested. Throws `too_busy` if all places and the waiting queue are full. */
export async function* admitRun(
  deps: DaemonDeps,
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
  deps: DaemonDeps,
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
