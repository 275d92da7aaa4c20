import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { RecordedTrace, TraceSink } from "../../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../../kit/worker.ts";
import { otlpSpans, type SpanOrigin } from "./otlp-spans.ts";

export interface OtlpTarget {
  /** URL that spans are posted to, for example `http://127.0.0.1:4318/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

const exportEveryMs = 1000;
const tracesTogether = 256;
/** Time limits for one export with its retries, and for all exports at the stop. */
const exportWithinMs = 10_000;
const closeWithinMs = 3000;
/** Maximum number of unsent traces. Beyond it, the oldest are dropped and counted, so telemetry can't exhaust memory. */
const tracesWaitingMax = 4096;

/** Exports finished traces to an OpenTelemetry collector over OTLP/HTTP with protobuf bodies. */
export class OtlpExporter implements TraceSink {
  readonly #target: OtlpTarget;
  readonly #version: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #waiting: RecordedTrace[] = [];
  #dropped = 0;
  #isFailing = false;
  #sender: Promise<{ exporter: SpanExporter; origin: SpanOrigin }> | undefined;

  constructor(target: OtlpTarget, version: string, clock: Clock, log: Logger) {
    this.#target = target;
    this.#version = version;
    this.#clock = clock;
    this.#log = log;
  }

  record(_tenant: string, trace: RecordedTrace, corrected?: Promise<RecordedTrace>): void {
    if (corrected === undefined) this.#take(trace);
    else void corrected.then((final) => this.#take(final));
  }

  #take(trace: RecordedTrace): void {
    this.#waiting.push(trace);
    if (this.#waiting.length <= tracesWaitingMax) return;
    this.#waiting.shift();
    this.#dropped++;
  }

  /** Sends all traces. Traces that the collector still refuses after the protocol's retries are dropped. */
  async flush(): Promise<void> {
    // Those that come meanwhile are for the next flush, so that this one ends.
    for (let left = this.#waiting.length; left > 0; left -= tracesTogether) {
      const batch = this.#waiting.splice(0, tracesTogether);
      const failure = await this.#send(batch);
      this.#logOutcome(failure);
      if (failure) this.#dropped += batch.length;
    }
    if (this.#dropped === 0) return;
    this.#log.warn("otlp.dropped", { traces: this.#dropped });
    this.#dropped = 0;
  }

  /** Worker that sends traces. At the stop, `close` sends the rest. */
  worker(): Worker {
    return repeatedWorker("otlp-exporter", exportEveryMs, this.#clock, () => this.flush(), {
      afterMs: exportEveryMs,
    });
  }

  /** Sends the remaining traces for up to 3 s and closes the connections. */
  async close(): Promise<void> {
    const patience = new AbortController();
    await Promise.race([
      this.flush(),
      sleep(this.#clock, closeWithinMs, patience.signal).catch(() => undefined),
    ]);
    patience.abort();
    void this.#sender?.then(({ exporter }) => exporter.shutdown());
  }

  async #send(batch: readonly RecordedTrace[]): Promise<Error | undefined> {
    this.#sender ??= openSender(this.#target, this.#version);
    const { exporter, origin } = await this.#sender;
    const spans: ReadableSpan[] = batch.flatMap((trace) => otlpSpans(trace, origin));
    return new Promise((resolve) => {
      exporter.export(spans, ({ code, error }) =>
        resolve(code === 0 ? undefined : (error ?? new Error("refused"))),
      );
    });
  }

  /** Logs the first failure and the first success after it, not every one. */
  #logOutcome(failure: Error | undefined): void {
    if (failure && !this.#isFailing) {
      this.#log.warn("otlp.failing", { endpoint: this.#target.endpoint, message: failure.message });
    }
    if (!failure && this.#isFailing) this.#log.info("otlp.recovered", { endpoint: this.#target.endpoint });
    this.#isFailing = failure !== undefined;
  }
}

/** Loads the library with the first trace. */
async function openSender({ endpoint, headers }: OtlpTarget, version: string) {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/resources"),
  ]);
  return {
    exporter: new OTLPTraceExporter({
      url: endpoint,
      headers: { ...headers },
      timeoutMillis: exportWithinMs,
    }),
    origin: {
      resource: resourceFromAttributes({ "service.name": "argosy", "service.version": version }),
      scope: { name: "argosy", version },
    },
  };
}
