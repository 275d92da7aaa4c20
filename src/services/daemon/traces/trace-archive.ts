import type {
  ChannelFeedbackGiven,
  FeedbackGiven,
  FeedbackSource,
  RunFeedback,
} from "../../../contracts/daemon/runs/feedback.ts";
import type { JudgedTrace } from "../../../contracts/daemon/runs/traces.ts";
import type { BeginningTexts } from "../../../contracts/runtime/runs.ts";
import type { OpenTrace } from "../../../engine/telemetry/trace.ts";
import type { Clock } from "../../../kit/clock.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import { pruneRunFacts } from "../run-stats/fact-store.ts";
import type { RunFactTables } from "../run-stats/schema.ts";
import { deleteFeedback, feedbackOf, saveChannelFeedback, saveFeedback } from "./feedback/store.ts";
import { listTraces, type TraceQuery } from "./list-store.ts";
import { deleteTracesOf, findTrace, type JudgedTraceTables, pruneTraces, tracesByIds } from "./store.ts";
import { beginningTexts, summarizeTrace } from "./summarize-trace.ts";
import type { TraceBuffer } from "./trace-buffer.ts";
import { microsOf } from "./trace-facts.ts";
import {
  comparePlaces,
  newestFirst,
  type TraceFilter,
  type TracePlace,
  type TraceSort,
} from "./trace-filter.ts";

export interface TraceRetention {
  days: number;
  bytesMax: number;
}

/** One page of traces. */
export interface ListedTraces {
  traces: JudgedTrace[];
  /** Position that a search has reached, if it ended early: the list goes on behind it. */
  reached?: TracePlace;
}

const pruneEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;
/** Days for which the facts of runs are kept, unless traces are kept longer. */
const runFactDays = 92;

/** Reads traces from the database and from the buffer. */
export interface TraceArchive {
  find(tenant: string, traceId: string): Promise<JudgedTrace | undefined>;
  /** Traces in the order of the query. */
  list(tenant: string, query: TraceQuery): Promise<ListedTraces>;
  /** Returns the beginnings of question and answer of each trace that keeps them, by id. */
  texts(tenant: string, traceIds: readonly string[]): Promise<Map<string, BeginningTexts>>;
  /** Stores a verdict in place of the one before. Returns false if there is no such trace. */
  judge(tenant: string, traceId: string, given: FeedbackGiven, at: Date): Promise<boolean>;
  /** Stores the verdict of the run's users in place of the one before. Returns false if there is no such trace. */
  judgeByUsers(tenant: string, traceId: string, given: ChannelFeedbackGiven): Promise<boolean>;
  /** Deletes a verdict. Returns false if there is none. */
  unjudge(tenant: string, traceId: string, source?: FeedbackSource): Promise<boolean>;
  /** Deletes the traces of a session, with their verdicts. */
  forgetSession(tenant: string, sessionId: string): Promise<void>;
}

export function createTraceArchive(storage: Storage<JudgedTraceTables>, buffer: TraceBuffer): TraceArchive {
  /** Returns the traces with their verdicts; only those that the filter includes. */
  async function judged(
    tenant: string,
    traces: readonly OpenTrace[],
    wanted: Pick<TraceFilter, "feedback" | "feedbackSource"> = {},
  ): Promise<JudgedTrace[]> {
    const ids = traces.map(({ trace_id }) => trace_id);
    const given = await feedbackOf(storage.read, storage.tables, tenant, ids);
    return traces.flatMap((trace) => {
      const verdicts = given.get(trace.trace_id) ?? {};
      return isWanted(verdicts, wanted) ? [{ ...trace, ...verdicts }] : [];
    });
  }
  const findTraceOf = async (tenant: string, traceId: string) =>
    buffer.find(tenant, traceId) ?? (await findTrace(storage, tenant, traceId));
  return {
    async find(tenant, traceId) {
      const trace = await findTraceOf(tenant, traceId);
      return trace && (await judged(tenant, [trace]))[0];
    },
    async list(tenant, { limit, ...filter }) {
      const { sort = newestFirst } = filter;
      const pending = await judged(tenant, buffer.list(tenant, filter), filter);
      const { traces: written, reached } = await listTraces(storage, tenant, { ...filter, limit });
      // A trace written between the two reads is in both.
      const seen = new Set(pending.map((trace) => trace.trace_id));
      const others = await judged(
        tenant,
        written.filter((trace) => !seen.has(trace.trace_id)),
      );
      const placed = [...pending, ...others].map((trace) => ({ trace, place: placeOfTrace(trace, sort.by) }));
      const traces = placed
        .filter(({ place }) => reached === undefined || comparePlaces(sort, place, reached) <= 0)
        .sort((a, b) => comparePlaces(sort, a.place, b.place))
        .slice(0, limit)
        .map(({ trace }) => trace);
      return { traces, ...(reached === undefined ? {} : { reached }) };
    },
    async texts(tenant, traceIds) {
      const texts = new Map<string, BeginningTexts>();
      const take = (trace: OpenTrace) => {
        const beginnings = beginningTexts(trace);
        if (beginnings !== undefined) texts.set(trace.trace_id, beginnings);
      };
      const pending = traceIds.flatMap((id) => buffer.find(tenant, id) ?? []);
      for (const trace of pending) take(trace);
      const buffered = new Set(pending.map(({ trace_id }) => trace_id));
      const written = traceIds.filter((id) => !buffered.has(id));
      for await (const trace of tracesByIds(storage, tenant, written)) take(trace);
      return texts;
    },
    async judge(tenant, traceId, given, at) {
      const trace = await findTraceOf(tenant, traceId);
      if (trace === undefined) return false;
      await saveFeedback(storage, { tenant, traceId, startedAt: new Date(trace.start_time) }, given, at);
      return true;
    },
    async judgeByUsers(tenant, traceId, given) {
      const trace = await findTraceOf(tenant, traceId);
      if (trace === undefined) return false;
      await saveChannelFeedback(storage, { tenant, traceId, startedAt: new Date(trace.start_time) }, given);
      return true;
    },
    unjudge: (tenant, traceId, source = "person") => deleteFeedback(storage, { tenant, traceId }, source),
    async forgetSession(tenant, sessionId) {
      await buffer.flush();
      while ((await deleteTracesOf(storage, tenant, sessionId)) > 0) await othersTurn();
    },
  };
}

/** Must match the condition in `list-store.ts`. */
function isWanted(
  { feedback, channel_feedback: ofUsers }: RunFeedback,
  { feedback: wanted, feedbackSource: source }: Pick<TraceFilter, "feedback" | "feedbackSource">,
): boolean {
  if (wanted === undefined) return true;
  const given = [...(source === "channel" ? [] : [feedback]), ...(source === "person" ? [] : [ofUsers])];
  return given.some((one) => one !== undefined && (wanted === "any" || one.rating === wanted));
}

/** Position of a trace in a list with this order. */
export function placeOfTrace(trace: OpenTrace, by: TraceSort["by"]): TracePlace {
  const { trace_id: traceId, start_time: start, duration_ms: durationMs } = trace;
  if (by === "time") return { key: Date.parse(start), traceId };
  return { key: by === "latency" ? durationMs : microsOf(summarizeTrace(trace).cost_usd ?? 0), traceId };
}

/** Worker that deletes traces and facts of runs beyond the operator's limits. */
export function tracePruner(
  storage: Storage<JudgedTraceTables & RunFactTables>,
  retention: TraceRetention,
  clock: Clock,
): Worker {
  const prune = async (signal: AbortSignal) => {
    const daysAgo = (days: number) => new Date(clock.now().getTime() - days * dayMs);
    const limits = { olderThan: daysAgo(retention.days), bytesMax: retention.bytesMax };
    await pruneTraces(storage, limits, signal);
    if (signal.aborted) return;
    await pruneRunFacts(storage, daysAgo(Math.max(runFactDays, retention.days)));
  };
  return repeatedWorker("trace-pruner", pruneEveryMs, clock, prune, {
    afterMs: pruneEveryMs,
    roundMs: pruneEveryMs,
  });
}
