import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { OpenTrace, RecordedTrace, TraceSink } from "../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { roundMaxMs, type Worker } from "../../../kit/worker.ts";
import { isListed, type TraceFilter } from "./trace-filter.ts";

export interface BufferedTrace {
  tenant: string;
  trace: RecordedTrace;
  /** True if the run is only counted, and its trace is neither stored nor shown. */
  isCountedOnly?: true;
  /** True while some usage is still to come: the trace is shown, but not yet written. */
  isAwaited?: true;
}

/** Traces are buffered this long and then written together. */
const flushEveryMs = 250;
/** Maximum number of unwritten traces. Beyond it, the oldest are dropped and counted, so telemetry can't exhaust memory. */
const bufferedMax = 10_000;
const batchMax = 256;

/**
 * Takes finished traces without blocking and writes them in batches. Unwritten traces can be read here, so a trace is readable as soon as
 * its run ends. A crash loses at most the last 250 ms.
 */
export class TraceBuffer implements TraceSink {
  readonly #write: (batch: readonly BufferedTrace[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Traces by id, in order of arrival. */
  readonly #pending = new Map<string, BufferedTrace>();
  #dropped = 0;

  constructor(write: (batch: readonly BufferedTrace[]) => Promise<void>, clock: Clock, log: Logger) {
    this.#write = write;
    this.#clock = clock;
    this.#log = log;
  }

  record(tenant: string, trace: RecordedTrace, corrected?: Promise<RecordedTrace>): void {
    this.#take({ tenant, trace, ...(corrected && { isAwaited: true }) });
    void corrected?.then((final) => {
      // A stop may have written it before.
      if (this.#pending.has(trace.trace_id)) this.#take({ tenant, trace: final });
    });
  }

  count(tenant: string, trace: RecordedTrace): void {
    this.#take({ tenant, trace, isCountedOnly: true });
  }

  #take(buffered: BufferedTrace): void {
    this.#pending.set(buffered.trace.trace_id, buffered);
    if (this.#pending.size <= bufferedMax) return;
    const [oldest] = this.#pending.keys();
    if (oldest !== undefined) this.#pending.delete(oldest);
    this.#dropped++;
  }

  find(tenant: string, traceId: string): OpenTrace | undefined {
    const buffered = this.#pending.get(traceId);
    return buffered?.tenant === tenant && !buffered.isCountedOnly ? presentTrace(buffered.trace) : undefined;
  }

  /** Unwritten traces in order of arrival. A trace that began earlier may come later. */
  list(tenant: string, filter: TraceFilter): OpenTrace[] {
    const traces: OpenTrace[] = [];
    for (const pending of this.#pending.values()) {
      if (pending.tenant === tenant && !pending.isCountedOnly && isListed(pending.trace, filter)) {
        traces.push(presentTrace(pending.trace));
      }
    }
    return traces;
  }

  /** Writes all traces. If a write fails, the traces stay for the next flush. */
  flush(): Promise<void> {
    return this.#flush(() => true);
  }

  async #flush(isDue: (buffered: BufferedTrace) => boolean): Promise<void> {
    // Those that come meanwhile are for the next flush, so that this one ends.
    for (let left = this.#pending.size; left > 0; left -= batchMax) {
      const batch = [...this.#pending.values()].filter(isDue).slice(0, batchMax);
      if (batch.length === 0) break;
      await this.#write(batch);
      for (const { trace } of batch) this.#pending.delete(trace.trace_id);
    }
    if (this.#dropped === 0) return;
    this.#log.warn("traces.dropped", { count: this.#dropped });
    this.#dropped = 0;
  }

  /** Worker that flushes. At the stop, `flush` writes the rest. */
  worker(): Worker {
    return {
      name: "trace-writer",
      silenceMaxMs: roundMaxMs,
      run: async (signal, beat) => {
        while (!signal.aborted) {
          await sleep(this.#clock, flushEveryMs, signal).catch(() => undefined);
          await this.#flush(({ isAwaited }) => isAwaited !== true);
          beat?.();
        }
      },
    };
  }
}
