import type { FeedbackGiven } from "../../../contracts/daemon/runs/feedback.ts";
import type { JudgedTrace } from "../../../contracts/daemon/runs/traces.ts";
import type { Trace } from "../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import { deleteFeedback, feedbackOf, saveFeedback } from "./feedback/store.ts";
import { findTrace, type JudgedTraceTables, listTraces, pruneTraces } from "./store.ts";
import type { TraceBuffer } from "./trace-buffer.ts";
import type { TraceFilter } from "./trace-filter.ts";

export interface TraceRetention {
  days: number;
  bytesMax: number;
}

const pruneEveryMs = 60 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

/** Reads traces from the database and from the buffer. */
export interface TraceArchive {
  find(tenant: string, traceId: string): Promise<JudgedTrace | undefined>;
  /** Traces, newest first. */
  list(tenant: string, query: TraceFilter & { limit: number }): Promise<JudgedTrace[]>;
  /** Stores a verdict in place of the one before. Returns false if there is no such trace. */
  judge(tenant: string, traceId: string, given: FeedbackGiven, at: Date): Promise<boolean>;
  /** Deletes a verdict. Returns false if there is none. */
  unjudge(tenant: string, traceId: string): Promise<boolean>;
}

export function createTraceArchive(storage: Storage<JudgedTraceTables>, buffer: TraceBuffer): TraceArchive {
  /** Returns the traces with their verdicts; with `wanted`, only those with this verdict. */
  async function judged(
    tenant: string,
    traces: readonly Trace[],
    wanted?: TraceFilter["feedback"],
  ): Promise<JudgedTrace[]> {
    const ids = traces.map(({ trace_id }) => trace_id);
    const given = await feedbackOf(storage.read, storage.tables, tenant, ids);
    return traces.flatMap((trace) => {
      const feedback = given.get(trace.trace_id);
      if (wanted !== undefined && wanted !== (wanted === "any" ? feedback && "any" : feedback?.rating))
        return [];
      return [feedback === undefined ? trace : { ...trace, feedback }];
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
      const pending = await judged(tenant, buffer.list(tenant, filter), filter.feedback);
      const written = await listTraces(storage, tenant, { ...filter, limit });
      // A trace written between the two reads is in both.
      const seen = new Set(pending.map((trace) => trace.trace_id));
      const others = await judged(
        tenant,
        written.filter((trace) => !seen.has(trace.trace_id)),
      );
      return [...pending, ...others].sort(newestFirst).slice(0, limit);
    },
    async judge(tenant, traceId, given, at) {
      const trace = await findTraceOf(tenant, traceId);
      if (trace === undefined) return false;
      await saveFeedback(storage, { tenant, traceId, startedAt: new Date(trace.start_time) }, given, at);
      return true;
    },
    unjudge: (tenant, traceId) => deleteFeedback(storage, { tenant, traceId }),
  };
}

/** Traces are buffered when they end, so an earlier start may come later. */
function newestFirst(a: Trace, b: Trace): number {
  if (a.start_time !== b.start_time) return a.start_time < b.start_time ? 1 : -1;
  return a.trace_id < b.trace_id ? 1 : -1;
}

/** Worker that deletes traces beyond the operator's limits. */
export function tracePruner(
  storage: Storage<JudgedTraceTables>,
  retention: TraceRetention,
  clock: Clock,
): Worker {
  return {
    name: "trace-pruner",
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, pruneEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        const olderThan = new Date(clock.now().getTime() - retention.days * dayMs);
        await pruneTraces(storage, { olderThan, bytesMax: retention.bytesMax });
      }
    },
  };
}
