import type { Clock } from "../../kit/clock.ts";
import type { Span, Trace } from "./trace.ts";

interface OpenSpan {
  name: string;
  id: string;
  parentId: string | undefined;
  startMs: number;
  endMs: number | undefined;
  attributes: Record<string, unknown>;
  failed: boolean;
}

/** A span that is still running; ending it twice keeps the first end. */
export interface SpanHandle {
  readonly id: string;
  set(name: string, value: unknown): void;
  end(status?: "OK" | "ERROR"): void;
}

/**
 * Collects the spans of one run. Recording costs two clock readings and one small object a span;
 * instants and durations are worked out once, in `finish`.
 */
export class TraceRecorder {
  readonly traceId: string;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #originMs: number;
  readonly #spans: OpenSpan[] = [];
  readonly #spanIdBase: bigint;
  readonly #root: SpanHandle;

  constructor(clock: Clock, traceId: string, rootName: string, attributes: Record<string, unknown>) {
    this.traceId = traceId;
    this.#clock = clock;
    this.#startedAtMs = clock.now().getTime();
    this.#originMs = clock.monotonicMs();
    this.#spanIdBase = spanIdBase(traceId);
    this.#root = this.#open(rootName, undefined, attributes);
  }

  get root(): SpanHandle {
    return this.#root;
  }

  /** Starts a span below `parent` (the root when absent). */
  start(name: string, attributes: Record<string, unknown> = {}, parent: SpanHandle = this.#root): SpanHandle {
    return this.#open(name, parent.id, attributes);
  }

  /** Milliseconds since the run began. */
  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#originMs;
  }

  /** Ends what is still open and returns the trace as the API shows it. */
  finish(agent: string, sessionId: string, status: "OK" | "ERROR"): Trace {
    this.#root.end(status);
    const endMs = this.#clock.monotonicMs();
    const spans = this.#spans.map((span) => this.#present(span, endMs));
    return {
      trace_id: this.traceId,
      agent,
      session_id: sessionId,
      status,
      start_time: this.#instant(this.#originMs),
      duration_ms: spans[0]?.duration_ms ?? 0,
      spans,
    };
  }

  #open(name: string, parentId: string | undefined, attributes: Record<string, unknown>): SpanHandle {
    const id = BigInt.asUintN(64, this.#spanIdBase + BigInt(this.#spans.length))
      .toString(16)
      .padStart(16, "0");
    const span: OpenSpan = {
      name,
      id,
      parentId,
      startMs: this.#clock.monotonicMs(),
      endMs: undefined,
      attributes,
      failed: false,
    };
    this.#spans.push(span);
    const clock = this.#clock;
    return {
      id,
      set(attribute, value) {
        span.attributes[attribute] = value;
      },
      end(status = "OK") {
        if (span.endMs !== undefined) return;
        span.endMs = clock.monotonicMs();
        span.failed = status === "ERROR";
      },
    };
  }

  #present(span: OpenSpan, finishedMs: number): Span {
    const endMs = span.endMs ?? finishedMs;
    return {
      name: span.name,
      span_id: span.id,
      ...(span.parentId === undefined ? {} : { parent_span_id: span.parentId }),
      start_time: this.#instant(span.startMs),
      end_time: this.#instant(endMs),
      duration_ms: roundMs(endMs - span.startMs),
      attributes: span.attributes,
      // A span that nobody ended was cut off by a failure or a cancellation.
      status: span.failed || span.endMs === undefined ? "ERROR" : "OK",
    };
  }

  #instant(monotonicMs: number): string {
    return new Date(this.#startedAtMs + (monotonicMs - this.#originMs)).toISOString();
  }
}

/** Milliseconds with microsecond precision, as traces and timings show them. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The random tail of a UUID makes span ids unique across traces; within a trace they count up. */
function spanIdBase(traceId: string): bigint {
  return BigInt(`0x${traceId.replaceAll("-", "").slice(-16)}`);
}
