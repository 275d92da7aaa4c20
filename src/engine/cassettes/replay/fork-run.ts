import type { Cassette, CassetteOutcome } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ForkReport } from "../../../contracts/daemon/cassettes/cassettes.ts";
import type { RunPorts } from "../../run/run.ts";
import { runAgent } from "../../run/run-agent.ts";
import { recordEvent } from "../record/mask-recording.ts";
import { type RecordOptions, recordRun } from "../record/record-run.ts";
import { type RebuildParts, rebuildAgents } from "./rebuild-agents.ts";
import { RecordedAnswers } from "./recorded-answers.ts";
import type { LiveParts } from "./replay-agent.ts";
import { collectEvents, type ReplayedRun, replayedRequest, requestedAgent } from "./replayed-run.ts";
import { Replayer } from "./replayer.ts";

/** The environment of a fork. Its spending is counted in `ports`, as for any run. */
export interface ForkStage {
  parts: RebuildParts;
  ports: RunPorts;
  tenant: string;
  live: Omit<LiveParts, "refused">;
}

export interface ForkOptions {
  /** Number of model calls that are played; all later ones are made. */
  from: number;
  strict: boolean;
  record?: RecordOptions;
  /** Keeps the question and the answer in the trace of the fork. */
  recordsContent: boolean;
  signal?: AbortSignal;
}

/**
 * Plays the beginning of a recorded run and continues it live. Recorded tool calls are played; others are carried out only if `live` allows
 * it. Conversations are neither read from a store nor written to one. Throws AppError `invalid_cassette` if this version can't build the
 * agents. A failure of the run itself is its outcome.
 */
export async function forkRun(
  cassette: Cassette,
  { parts, ports, tenant, live }: ForkStage,
  { from, strict, record, recordsContent, signal }: ForkOptions,
): Promise<ForkReport> {
  const { summary } = cassette;
  let refused = 0;
  const agentOf = rebuildAgents(cassette, parts, { ...live, refused: () => refused++ });
  const replayer = new Replayer(new RecordedAnswers(cassette.entries), { strict, liveAfter: from });
  const own: RunPorts = { ...ports, findAgent: (_tenant, name) => agentOf(name) };
  const agent = requestedAgent(cassette, agentOf);
  const request = {
    ...replayedRequest(cassette, replayer, { tenant, signal }),
    ...(recordsContent ? { traceContent: true } : {}),
    source: "playground" as const,
  };
  const played = await collectEvents(
    record === undefined ? runAgent(own, agent, request) : recordRun(own, agent, request, record),
  );
  signal?.throwIfAborted();
  const events = played.events.map(recordEvent);
  return {
    mode: "fork",
    cassette: summary.id,
    agent: summary.agent,
    played: { model_calls: replayer.played.model, tool_calls: replayer.played.tool },
    live: {
      model_calls: replayer.live.model,
      tool_calls: replayer.live.tool - refused,
      tools_refused: refused,
    },
    recorded: cassette.outcome,
    outcome: outcomeOf(played),
    events,
    ...(replayer.divergence === undefined ? {} : { divergence: replayer.divergence }),
    warnings: replayer.warnings,
    ...recordingOf(played),
  };
}

function outcomeOf({ events, error }: ReplayedRun): CassetteOutcome {
  if (error !== undefined) return { error };
  const last = events.at(-1);
  return last?.type === "done" ? { result: { ...last.result } } : { left: true };
}

/** The location of the fork's recording, from its result or from the error with which it failed. */
function recordingOf({ events, facts }: ReplayedRun): Pick<ForkReport, "recording" | "recording_error"> {
  const last = events.at(-1);
  const { cassette, cassette_error } = last?.type === "done" ? last.result : facts;
  if (typeof cassette === "string") return { recording: cassette };
  return typeof cassette_error === "string" ? { recording_error: cassette_error } : {};
}
