import { untilAborted } from "../../kit/concurrency/until-aborted.ts";
import type { Episode, EpisodicMemory } from "../memory/episodic-memory.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import { episodeOf } from "./episode-of.ts";
import type { RunEnding } from "./finish-run.ts";
import { memoryScopeOf } from "./memory-scope-of.ts";
import { type FailingMemory, noteMemoryFailure } from "./note-memory-failure.ts";
import { persistTurns } from "./persist-turns.ts";
import type { Run } from "./run.ts";

/**
 * Stores the exchange of a run in its conversation and in the agent's other memories, traced as `memory_persist`. A failure of the other
 * memories does not fail the answer. Nothing is stored if the caller sent the history.
 */
export async function persistMemory(run: Run): Promise<void> {
  const { agent, request, trace } = run;
  if (request.history !== undefined) return;
  const span = trace.start("memory_persist");
  await persistTurns(run);
  const { semantic, episodic } = agent.recall ?? {};
  if (semantic === undefined && episodic === undefined) return span.end();
  await Promise.all([
    semantic &&
      keep(run, "semantic", span, () =>
        semantic.keep(memoryScopeOf(run), {
          query: run.query,
          response: run.response,
          traceId: trace.traceId,
          at: run.ports.clock.now(),
        }),
      ),
    episodic &&
      keep(run, "episodic", span, () =>
        episodic.record(memoryScopeOf(run), episodeOf(run, { status: "ok" })),
      ),
  ]);
  span.end();
}

/** Failed endings that are recorded as episodes. */
const remembered: ReadonlySet<RunEnding["status"]> = new Set(["error", "blocked", "timeout"]);

/** Records a failed run as an episode if the agent has episodic memory. Not awaited. */
export function recordFailure(run: Run, ending: RunEnding): void {
  const { agent, request } = run;
  const episodic = agent.recall?.episodic;
  if (episodic === undefined || request.history !== undefined || !remembered.has(ending.status)) return;
  void recordQuietly(run, episodic, episodeOf(run, ending));
}

async function recordQuietly(run: Run, episodic: EpisodicMemory, episode: Episode): Promise<void> {
  try {
    await episodic.record(memoryScopeOf(run), episode);
  } catch (thrown) {
    noteMemoryFailure(run, undefined, { memory: "episodic", step: "keep", thrown });
  }
}

async function keep(
  run: Run,
  memory: FailingMemory,
  parent: SpanHandle,
  write: () => Promise<void>,
): Promise<void> {
  const { agent, signal, tape, trace, query, response } = run;
  const span = trace.start(`memory.${memory}`, {}, parent);
  const written = () => untilAborted(signal, write);
  try {
    if (tape?.once === undefined) await written();
    else await tape.once({ agent: agent.name }, JSON.stringify([memory, query, response]), written, signal);
    span.end();
  } catch (thrown) {
    signal.throwIfAborted();
    noteMemoryFailure(run, span, { memory, step: "keep", thrown });
  }
}
