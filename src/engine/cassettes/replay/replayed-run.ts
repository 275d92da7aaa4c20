import type { Cassette, RecordedError } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunOverride } from "../../../contracts/daemon/runs/run-override.ts";
import type { ToolStubs } from "../../../contracts/daemon/runs/tool-stubs.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { Message, ModelParameters } from "../../models/model.ts";
import { recordError } from "../../run-state/recorded-error.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { EngineRequest, RunLimits } from "../../run-state/run-request.ts";
import type { Replayer } from "./replayer.ts";

/** Events and outcome of a played run. */
export interface ReplayedRun {
  events: RunEvent[];
  /** The error with which the run failed; undefined if it did not fail. */
  error: RecordedError | undefined;
  /** Facts of the error in addition to its message. */
  facts: Record<string, unknown>;
}

/** The agent that the recorded run requested. A cassette that has been checked always contains it. */
export function requestedAgent(
  { summary }: Cassette,
  agentOf: (name: string) => RunnableAgent | undefined,
): RunnableAgent {
  const agent = agentOf(summary.agent);
  if (agent !== undefined) return agent;
  throw new AppError("invalid", "invalid_cassette", `The cassette lacks the agent ${summary.agent}.`);
}

/** The recorded request, answered by `replayer`. */
export function replayedRequest(
  {
    request: { query, session_id, context, history, limits, parameters, override, tool_stubs, stream },
  }: Cassette,
  replayer: Replayer,
  { tenant, signal }: { tenant: string; signal: AbortSignal | undefined },
): EngineRequest {
  return {
    tenant,
    sessionId: session_id,
    query,
    context,
    ...(history === undefined ? {} : { history: history as unknown as readonly Message[] }),
    ...(limits === undefined ? {} : { limits: limits as RunLimits }),
    ...(parameters === undefined ? {} : { parameters: parameters as ModelParameters }),
    ...(override === undefined ? {} : { override: override as RunOverride }),
    ...(tool_stubs === undefined ? {} : { toolStubs: tool_stubs as ToolStubs }),
    stream,
    interceptor: replayer,
    cancelledBy: [replayer.signal, ...(signal === undefined ? [] : [signal])],
  };
}

/** Reads a run to its end and calls `told` after each event. */
export async function collectEvents(
  run: AsyncIterable<RunEvent>,
  told: () => void = () => {},
): Promise<ReplayedRun> {
  const played: ReplayedRun = { events: [], error: undefined, facts: {} };
  try {
    for await (const event of run) {
      played.events.push(event);
      told();
    }
  } catch (thrown) {
    played.error = recordError(thrown);
    played.facts = toAppError(thrown).details.facts ?? {};
  }
  return played;
}
