import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { RecordedTrace, Trace, TraceSink } from "../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import { isListed, type TraceFilter } from "./trace-filter.ts";

export interface BufferedTrace {
  tenant: string;
  trace: RecordedTrace;
}

/** Traces are kept this long before they are written together. */
const flushEveryMs = 250;
/** Beyond this many unwritten traces the oldest are dropped and counted: telemetry never costs a run its memory. */
const bufferedMax = 10_000;
const batchMax = 256;

/**
 * Takes finished traces without waiting and writes them in batches. What is not written yet can be found here,
 * so that a trace is readable from the moment its run ends; a crash loses at most the last quarter of a second.
 */
export class TraceBuffer implements TraceSink {
  readonly #write: (batch: readonly BufferedTrace[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By trace id, in order of arrival. */
  readonly #pending = new Map<string, BufferedTrace>();
  #dropped = 0;

  constructor(write: (batch: readonly BufferedTrace[]) => Promise<void>, clock: Clock, log: Logger) {
    this.#write = write;
    this.#clock = clock;
    this.#log = log;
  }

  record(tenant: string, trace: RecordedTrace): void {
    this.#pending.set(trace.trace_id, { tenant, trace });
    if (this.#pending.size <= bufferedMax) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#pending.delete(oldest);
    this.#dropped++;
  }

  find(tenant: string, traceId: string): Trace | undefined {
    const found = this.#pending.get(traceId);
    return found?.tenant === tenant ? presentTrace(found.trace) : undefined;
  }

  /** What is not written yet, in order of arrival: a trace that began earlier may come later. */
  list(tenant: string, filter: TraceFilter): Trace[] {
    const traces: Trace[] = [];
    for (const pending of this.#pending.values()) {
      if (pending.tenant === tenant && isListed(pending.trace, filter)) {
        traces.push(presentTrace(pending.trace));
      }
    }
    return traces;
  }

  /** Writes all there is; what can't be written stays for the next time. */
  async flush(): Promise<void> {
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.values()].slice(0, batchMax);
      await this.#write(batch);
      for (const { trace } of batch) this.#pending.delete(trace.trace_id);
    }
    if (this.#dropped === 0) return;
    this.#log.warn("traces.dropped", { count: this.#dropped });
    this.#dropped = 0;
  }

  /** The loop that flushes; what is left at the end is written by whoever stops it, through `flush`. */
  worker(): Worker {
    return {
      name: "trace-writer",
      run: async (signal) => {
        while (!signal.aborted) {
          await sleep(this.#clock, flushEveryMs, signal).catch(() => undefined);
          await this.flush();
        }
      },
    };
  }
}
