import type { RunResult } from "../../../contracts/daemon/run.ts";
import type { RunRequest } from "../../../engine/run/run-request.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { DaemonDeps } from "../deps.ts";
import { admitRun } from "./admit-run.ts";

/** Runs an agent to its end and answers with the result, with its trace attached when asked for. */
export async function runOnce(
  deps: DaemonDeps,
  agent: RunnableAgent,
  request: RunRequest,
  withTrace: boolean,
  isRecorded = false,
): Promise<RunResult> {
  for await (const event of admitRun(deps, agent, request, isRecorded)) {
    if (event.type !== "done") continue;
    return withTrace && event.trace ? { ...event.result, trace: presentTrace(event.trace) } : event.result;
  }
  throw new AppError("internal", "internal", "The run ended without a result.");
}
