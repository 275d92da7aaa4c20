import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { RecordedTrace, TraceSink } from "../../../../engine/telemetry/trace.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { Worker } from "../../../../kit/worker.ts";
import { otlpSpans, type SpanOrigin } from "./otlp-spans.ts";

export interface OtlpTarget {
  /** Where spans are posted, for example `http://127.0.0.1:4318/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
}

const exportEveryMs = 1000;
const tracesTogether = 256;
/** What one export may take, its retries included, and all of them at the stop. */
const exportWithinMs = 10_000;
const closeWithinMs = 3000;
/** Beyond this many unsent traces the oldest are dropped and counted: telemetry never costs a run its memory. */
const tracesWaitingMax = 4096;

/** Sends finished traces to an OpenTelemetry collector, by OTLP over HTTP with protobuf bodies. */
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

  record(_tenant: string, trace: RecordedTrace): void {
    this.#waiting.push(trace);
    if (this.#waiting.length <= tracesWaitingMax) return;
    this.#waiting.shift();
    this.#dropped++;
  }

  /** Sends all there is. What the collector does not take, after the retries that the protocol provides for, is dropped. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, tracesTogether);
      const failure = await this.#send(batch);
      this.#tell(failure);
      if (failure) this.#dropped += batch.length;
    }
    if (this.#dropped === 0) return;
    this.#log.warn("otlp.dropped", { traces: this.#dropped });
    this.#dropped = 0;
  }

  /** The loop that sends; what is left at the end is sent by whoever stops it, through `flush`. */
  worker(): Worker {
    return {
      name: "otlp-exporter",
      run: async (signal) => {
        while (!signal.aborted) {
          await sleep(this.#clock, exportEveryMs, signal).catch(() => undefined);
          if (!signal.aborted) await this.flush();
        }
      },
    };
  }

  /** Sends what is left, for as long as a stop may take, and gives up its connections. */
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

  /** The first failure and the first success after it, not each. */
  #tell(failure: Error | undefined): void {
    if (failure && !this.#isFailing) {
      this.#log.warn("otlp.failing", { endpoint: this.#target.endpoint, message: failure.message });
    }
    if (!failure && this.#isFailing) this.#log.info("otlp.recovered", { endpoint: this.#target.endpoint });
    this.#isFailing = failure !== undefined;
  }
}

/** The library is loaded with the first trace. */
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
