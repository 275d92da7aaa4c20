import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { type AwaitedRun, awaitedIn } from "../paused-runs/paused-runs.ts";
import { admitRun, type RunDeps } from "./admit-run.ts";
import type { LocatedAgent } from "./locate-agent.ts";
import type { AdmittedRequest } from "./run-router.ts";
import { costOf, type RunParts } from "./stream-frames.ts";

/**
 * Runs an agent to the end and returns the result. If the run must wait for a person or its caller, throws
 * AppError `approval_required` or `tool_result_required`.
 */
export function runOnce(
  deps: RunDeps,
  agent: LocatedAgent,
  request: AdmittedRequest,
  { isRecorded = false, ...parts }: RunParts & { isRecorded?: boolean } = {},
): Promise<RunResult> {
  return resultOf(admitRun(deps, agent, request, isRecorded), parts);
}

/** Returns the result of a run, or the input that it waits for. */
export async function resultOrAwaited(
  events: AsyncIterable<RunEvent>,
  parts?: RunParts,
): Promise<RunResult | AwaitedRun> {
  try {
    return await resultOf(events, parts);
  } catch (thrown) {
    const awaited = awaitedIn(toAppError(thrown));
    if (awaited === undefined) throw thrown;
    return awaited;
  }
}

async function resultOf(
  events: AsyncIterable<RunEvent>,
  { withTrace, withCost }: RunParts = {},
): Promise<RunResult> {
  for await (const event of events) {
    if (event.type !== "done") continue;
    if (withTrace !== true && withCost !== true) return event.result;
    return {
      ...event.result,
      ...(withCost && costOf(event)),
      ...(withTrace && event.trace ? { trace: presentTrace(event.trace) } : {}),
    };
  }
  throw new AppError("internal", "internal", "The run ended without a result.");
}
