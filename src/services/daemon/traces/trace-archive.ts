import type { Trace } from "../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { TraceTables } from "./schema.ts";
import { findTrace, listTraces, pruneTraces } from "./store.ts";
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
  find(tenant: string, traceId: string): Promise<Trace | undefined>;
  /** Traces, newest first. */
  list(tenant: string, query: TraceFilter & { limit: number }): Promise<Trace[]>;
}

export function createTraceArchive(storage: Storage<TraceTables>, buffer: TraceBuffer): TraceArchive {
  return {
    find: async (tenant, traceId) =>
      buffer.find(tenant, traceId) ?? (await findTrace(storage, tenant, traceId)),
    async list(tenant, { limit, ...filter }) {
      const pending = buffer.list(tenant, filter);
      const written = await listTraces(storage, tenant, { ...filter, limit });
      // A trace written between the two reads is in both.
      const seen = new Set(pending.map((trace) => trace.trace_id));
      return [...pending, ...written.filter((trace) => !seen.has(trace.trace_id))]
        .sort(newestFirst)
        .slice(0, limit);
    },
  };
}

/** Traces are buffered when they end, so an earlier start may come later. */
function newestFirst(a: Trace, b: Trace): number {
  if (a.start_time !== b.start_time) return a.start_time < b.start_time ? 1 : -1;
  return a.trace_id < b.trace_id ? 1 : -1;
}

/** Worker that deletes traces beyond the operator's limits. */
export function tracePruner(storage: Storage<TraceTables>, retention: TraceRetention, clock: Clock): Worker {
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
