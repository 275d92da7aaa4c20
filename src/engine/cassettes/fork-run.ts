import type { Cassette, CassetteOutcome } from "../../contracts/daemon/cassette-file.ts";
import type { ForkReport } from "../../contracts/daemon/cassettes.ts";
import type { RunPorts } from "../run/run.ts";
import { runAgent } from "../run/run-agent.ts";
import { tapeEvent } from "./mask-events.ts";
import { agentAsked, type PlayedRun, playEvents, playedRequest } from "./play-events.ts";
import { Player } from "./player.ts";
import { type RebuildParts, rebuildAgents } from "./rebuild-agents.ts";
import { type RecordOptions, recordRun } from "./record-run.ts";
import type { LiveParts } from "./replay-agent.ts";
import { tapePorts } from "./tape-ports.ts";
import { TapedAnswers } from "./taped-answers.ts";

/** What a fork stands on: what it spends is counted in `ports`, as any run's. */
export interface ForkStage {
  parts: RebuildParts;
  ports: RunPorts;
  tenant: string;
  live: Omit<LiveParts, "refused">;
}

export interface ForkOptions {
  /** Model calls that are played; all that come after them are made. */
  from: number;
  strict: boolean;
  record?: RecordOptions;
  signal?: AbortSignal;
}

/**
 * Plays the beginning of a recorded run and goes on live. Tool calls are played where they were recorded; the others are
 * carried out only as far as the stage allows. No conversation is read from a store or kept. Throws AppError
 * `invalid_cassette` when this version can't build the agents; how the run itself fails is its outcome.
 */
export async function forkRun(
  cassette: Cassette,
  { parts, ports, tenant, live }: ForkStage,
  { from, strict, record, signal }: ForkOptions,
): Promise<ForkReport> {
  const { summary } = cassette;
  let refused = 0;
  const agentOf = rebuildAgents(cassette, parts, { ...live, refused: () => refused++ });
  const player = new Player(new TapedAnswers(cassette.entries), { strict, liveAfter: from });
  const own: RunPorts = { ...ports, findAgent: (_tenant, name) => agentOf(name) };
  const agent = agentAsked(cassette, agentOf);
  const request = playedRequest(cassette, player, { tenant, signal });
  const played = await playEvents(
    record === undefined
      ? runAgent(tapePorts(own, player), agent, request)
      : recordRun(own, agent, request, record),
  );
  signal?.throwIfAborted();
  const events = played.events.map(tapeEvent);
  return {
    mode: "fork",
    cassette: summary.id,
    agent: summary.agent,
    played: { model_calls: player.played.model, tool_calls: player.played.tool },
    live: {
      model_calls: player.live.model,
      tool_calls: player.live.tool - refused,
      tools_refused: refused,
    },
    recorded: cassette.outcome,
    outcome: outcomeOf(played),
    events,
    ...(player.divergence === undefined ? {} : { divergence: player.divergence }),
    warnings: player.warnings,
    ...recordingOf(played),
  };
}

function outcomeOf({ events, error }: PlayedRun): CassetteOutcome {
  if (error !== undefined) return { error };
  const last = events.at(-1);
  return last?.type === "done" ? { result: { ...last.result } } : { left: true };
}

/** Where the recording of the fork is says its result, or the error that it failed by. */
function recordingOf({ events, facts }: PlayedRun): Pick<ForkReport, "recording" | "recording_error"> {
  const last = events.at(-1);
  const { cassette, cassette_error } = last?.type === "done" ? last.result : facts;
  if (typeof cassette === "string") return { recording: cassette };
  return typeof cassette_error === "string" ? { recording_error: cassette_error } : {};
}
