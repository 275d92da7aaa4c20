import type { Cassette, RecordedError } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Divergence, ReplayReport } from "../../../contracts/daemon/cassettes/cassettes.ts";
import type { RunPorts } from "../../run/run.ts";
import { runAgent } from "../../run/run-agent.ts";
import { isStop, readerLeft } from "../../run-state/recorded-error.ts";
import { wasConcurrent, wasCutOff } from "../compare/comparable-events.ts";
import { compareEvents } from "../compare/compare-events.ts";
import { firstDifference } from "../compare/first-difference.ts";
import { recordEvent } from "../record/mask-recording.ts";
import { type RecordOptions, recordRun } from "../record/record-run.ts";
import { describeBy } from "./describe-unmatched.ts";
import { type RebuildParts, rebuildAgents } from "./rebuild-agents.ts";
import { RecordedAnswers } from "./recorded-answers.ts";
import { ReplayClock } from "./replay-clock.ts";
import { collectEvents, type ReplayedRun, replayedRequest, requestedAgent } from "./replayed-run.ts";
import { Replayer } from "./replayer.ts";

/** Not the tenant of the recording: a replay reads and writes no tenant's data. */
const replayTenant = "replay";

/** The environment of a replay. */
export interface ReplayStage {
  parts: Omit<RebuildParts, "clock">;
  ports: Pick<RunPorts, "log" | "redact">;
}

export interface ReplayOptions {
  strict: boolean;
  /** Records the replay. */
  record?: RecordOptions;
  signal?: AbortSignal;
}

/**
 * Replays a recorded run using only the recorded answers and reports the first difference from the recording. Throws AppError
 * `invalid_cassette` if this version can't build its agents, and `signal`'s reason if that aborts.
 */
export async function replayRun(
  cassette: Cassette,
  { parts, ports }: ReplayStage,
  { strict, record, signal }: ReplayOptions,
): Promise<ReplayReport> {
  const { summary } = cassette;
  const answers = new RecordedAnswers(cassette.entries);
  const stoppedBy = stopIn(cassette);
  const replayer = new Replayer(answers, { strict, ...(stoppedBy === undefined ? {} : { stoppedBy }) });
  const clock = new ReplayClock(new Date(summary.recorded_at));
  const agentOf = rebuildAgents(cassette, { ...parts, clock });
  const silent: RunPorts = {
    log: ports.log,
    redact: ports.redact,
    clock,
    newId: () => summary.id,
    random: () => 0,
    observer: { runStarted() {}, runFinished() {}, toolExecuted() {}, memoryFailed() {} },
    traces: { record() {} },
    usage: { record() {} },
    budgetOf: () => undefined,
    findAgent: (_tenant, name) => agentOf(name),
  };
  const agent = requestedAgent(cassette, agentOf);
  const request = replayedRequest(cassette, replayer, { tenant: replayTenant, signal });
  const events =
    record === undefined ? runAgent(silent, agent, request) : recordRun(silent, agent, request, record);

  const wasStopped = summary.status === "stopped";
  let eventCount = 0;
  let isOver = false;
  const time = clock.run(
    () => isOver,
    () => replayer.askedCount + replayer.sequencer.passed + eventCount,
  );
  const played = await collectEvents(events, () => {
    eventCount++;
    replayer.told(eventCount);
  }).finally(() => {
    isOver = true;
  });
  await time;
  signal?.throwIfAborted();

  const got = played.events.map(recordEvent);
  const how = {
    wasStopped,
    isMasked: summary.redactions > 0,
    isConcurrent: wasConcurrent(cassette.entries),
    wasCutOff: wasCutOff(cassette.entries),
  };
  const compare = (commonOnly: boolean) => compareEvents(cassette.events, got, { ...how, commonOnly });
  // The error of a failed run is reported first: it says more than the missing last event.
  const divergence =
    replayer.divergence ??
    compare(true) ??
    compareOutcome(cassette, played, wasStopped) ??
    compare(false) ??
    unasked(answers, { wasStopped, strict });
  return {
    mode: "replay",
    cassette: summary.id,
    agent: summary.agent,
    identical: divergence === undefined,
    replayed: {
      events: played.events.length,
      model_calls: replayer.played.model,
      tool_calls: replayer.played.tool,
    },
    ...(divergence === undefined ? {} : { divergence: withHint(divergence, summary.redactions) }),
    warnings: replayer.warnings,
  };
}

/** The error that stopped the recorded run, if any. */
function stopIn({ outcome }: Cassette): RecordedError | undefined {
  if ("left" in outcome) return readerLeft;
  return "error" in outcome && isStop(outcome.error) ? outcome.error : undefined;
}

/** Compares how the runs ended, unless they ended with `done`, which has been compared as an event. */
function compareOutcome(
  { outcome }: Cassette,
  played: ReplayedRun,
  wasStopped: boolean,
): Divergence | undefined {
  if ("left" in outcome) return undefined;
  if ("result" in outcome) {
    if (played.error === undefined) return undefined;
    const { code, message } = played.error;
    return {
      at: "outcome",
      message: `The run failed (${code}): ${message} The recorded one ended well.`,
      got: played.error,
    };
  }
  // The recorded run was stopped from outside. The replay continued and may have ended in any way.
  if (wasStopped) return undefined;
  const expected = outcome.error;
  if (played.error === undefined) {
    return {
      at: "outcome",
      message: `The run ended well. The recorded one failed (${expected.code}): ${expected.message}`,
      expected,
    };
  }
  const difference = firstDifference(expected, played.error);
  if (difference === undefined) return undefined;
  return {
    at: "outcome",
    message: `The run failed otherwise than the recorded one: ${difference.path} of the error differs.`,
    difference,
    expected,
    got: played.error,
  };
}

/** Recorded answers that were never requested. Kinds other than model and tool calls count only in strict mode. */
function unasked(
  answers: RecordedAnswers,
  { wasStopped, strict }: { wasStopped: boolean; strict: boolean },
): Divergence | undefined {
  if (wasStopped) return undefined;
  const left = answers
    .left()
    .filter(({ kind }) => strict || kind === "model" || kind === "tool" || kind === "worker");
  const [first] = left;
  if (first === undefined) return undefined;
  const others = left.length === 1 ? "" : ` and ${left.length - 1} more`;
  return {
    at: "unasked",
    message: `A recorded answer (${first.kind}, to ${describeBy(first.by)})${others} was not asked for.`,
    kind: first.kind,
    ...first.by,
    expected: first.request,
  };
}

function withHint(divergence: Divergence, redactions: number): Divergence {
  if (redactions === 0) return divergence;
  return {
    ...divergence,
    message: `${divergence.message} The recording hides secrets; what depends on them may differ.`,
  };
}
