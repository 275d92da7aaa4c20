import { runAgent } from "../../../engine/run/run-agent.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { record } from "../cassettes/record.ts";
import type { DaemonDeps } from "../deps.ts";

/**
 * Runs an agent, recorded where that is asked for, once there is a place for it; `too_busy` when neither a place nor room to
 * wait is left.
 */
export async function* admitRun(
  deps: DaemonDeps,
  agent: RunnableAgent,
  request: RunRequest,
  isRecorded = false,
): AsyncGenerator<RunEvent, void> {
  const leave = await deps.gate.enter(request.cancelledBy[0]);
  try {
    yield* isRecorded ? record(deps, agent, request) : runAgent(deps.runs, agent, request);
  } finally {
    leave();
  }
}
