import { AppError } from "../../../kit/app-error.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { Turn } from "../../memory/conversation.ts";
import type {
  Episode,
  EpisodicMemory,
  SemanticMemory,
  SemanticRecord,
} from "../../memory/long-term-memory.ts";
import { shownTurns } from "../../memory/memory-strategy.ts";
import { isRestoredStop } from "../../run-state/recorded-error.ts";
import type { SpanHandle } from "../../telemetry/trace-recorder.ts";
import type { Run } from "../run.ts";
import { type FailingMemory, noteMemoryFailure } from "./note-memory-failure.ts";
import { memoryScopeOf } from "./session.ts";

/** Maximum wait for a memory, because an answer is possible without it. */
const recallMsMax = 10_000;

/** Records from other sessions that are similar to the query, traced as `memory.semantic`; empty if the memory fails. */
export async function recallMemories(
  run: Run,
  memory: SemanticMemory,
  turns: readonly Turn[],
  parent: SpanHandle,
): Promise<SemanticRecord[]> {
  const scope = memoryScopeOf(run);
  const shownTraceIds = traceIdsOf(shownTurns(run.agent.memory.strategy, turns));
  const span = run.trace.start("memory.semantic", {}, parent);
  const memories = await orNothing(run, span, "semantic", (signal) =>
    memory.recall(scope, { query: run.query, shown: shownTraceIds, signal }),
  );
  span.set("memories", memories.length);
  span.set(
    "scores",
    memories.map(({ score }) => score),
  );
  span.end();
  return memories;
}

/** The most important earlier events, traced as `memory.episodic`; empty if the memory fails. */
export async function recallEpisodes(
  run: Run,
  memory: EpisodicMemory,
  parent: SpanHandle,
): Promise<Episode[]> {
  const scope = memoryScopeOf(run);
  const now = run.ports.clock.now();
  const span = run.trace.start("memory.episodic", {}, parent);
  const episodes = await orNothing(run, span, "episodic", (signal) => memory.recall(scope, { now, signal }));
  span.set("episodes", episodes.length);
  span.end();
  return episodes;
}

/** Items from the interceptor or the memory. If the memory fails, reports it and lets the run continue without items. */
async function orNothing<T extends object>(
  run: Run,
  span: SpanHandle,
  memory: FailingMemory,
  ask: (signal: AbortSignal) => Promise<T[]>,
): Promise<T[]> {
  const { agent, interceptor, signal, query } = run;
  const live = () => withinTime(run, memory, ask);
  try {
    return await (interceptor?.recalled({ agent: agent.name }, { of: memory, query }, live, signal) ??
      live());
  } catch (thrown) {
    signal.throwIfAborted();
    if (isRestoredStop(thrown)) throw thrown;
    noteMemoryFailure(run, span, { memory, step: "recall", thrown });
    return [];
  }
}

async function withinTime<T>(
  { ports, signal }: Run,
  memory: FailingMemory,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(ports.clock, recallMsMax, () => tooSlow(memory), [signal]);
  try {
    return await untilAborted(deadline.signal, () => ask(deadline.signal));
  } finally {
    deadline.dispose();
  }
}

function tooSlow(memory: FailingMemory): AppError {
  const message = `The ${memory} memory did not answer within ${recallMsMax / 1000} seconds.`;
  return new AppError("timed_out", "memory_timeout", message);
}

function traceIdsOf(turns: readonly Turn[]): string[] {
  const ids = turns.map(({ metadata }) => metadata.trace_id).filter((id) => typeof id === "string");
  return [...new Set(ids)];
}
