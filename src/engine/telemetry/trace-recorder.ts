import type { Clock } from "../../kit/clock.ts";
import type { Span, Trace } from "./trace.ts";

/** A span that is still running; once it has ended, its first end and its attributes stay as they are. */
export interface SpanHandle {
  readonly id: string;
  set(name: string, value: unknown): void;
  end(status?: Span["status"]): void;
}

/**
 * Collects the spans of one run. Recording costs two clock readings and one small object a span;
 * instants and durations are worked out once, in `finish`.
 */
export class TraceRecorder {
  readonly traceId: string;
  readonly root: SpanHandle;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #originMs: number;
  readonly #spans: OpenSpan[] = [];

  constructor(clock: Clock, traceId: string, rootName: string, attributes: Record<string, unknown>) {
    this.traceId = traceId;
    this.#clock = clock;
    this.#startedAtMs = clock.now().getTime();
    this.#originMs = clock.monotonicMs();
    this.root = this.#open(rootName, undefined, attributes);
  }

  /** Starts a span below `parent` (the root when absent). */
  start(name: string, attributes: Record<string, unknown> = {}, parent: SpanHandle = this.root): SpanHandle {
    return this.#open(name, parent.id, attributes);
  }

  /** Milliseconds since the run began. */
  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#originMs;
  }

  /** Ends what is still open, cut off by a failure or a cancellation, and returns the trace as the API shows it. */
  finish(agent: string, sessionId: string, status: Trace["status"]): Trace {
    const endMs = this.#clock.monotonicMs();
    const [root, ...others] = this.#spans;
    root?.endAt(endMs, status);
    for (const span of others) span.endAt(endMs, "ERROR");
    return {
      trace_id: this.traceId,
      agent,
      session_id: sessionId,
      status,
      start_time: this.#instant(this.#originMs),
      duration_ms: roundMs(endMs - this.#originMs),
      spans: this.#spans.map((span) => this.#present(span, endMs)),
    };
  }

  #open(name: string, parentId: string | undefined, attributes: Record<string, unknown>): SpanHandle {
    const span = new OpenSpan(
      this.#clock,
      spanId(this.traceId, this.#spans.length),
      name,
      parentId,
      attributes,
    );
    this.#spans.push(span);
    return span;
  }

  #present({ id, name, parentId, attributes, startMs, endMs, status }: OpenSpan, finishedMs: number): Span {
    const endedMs = endMs ?? finishedMs;
    return {
      name,
      span_id: id,
      ...(parentId === undefined ? {} : { parent_span_id: parentId }),
      start_time: this.#instant(startMs),
      end_time: this.#instant(endedMs),
      duration_ms: roundMs(endedMs - startMs),
      attributes,
      status,
    };
  }

  #instant(monotonicMs: number): string {
    return new Date(this.#startedAtMs + (monotonicMs - this.#originMs)).toISOString();
  }
}

class OpenSpan implements SpanHandle {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | undefined;
  readonly attributes: Record<string, unknown>;
  readonly startMs: number;
  endMs: number | undefined;
  status: Span["status"] = "OK";
  readonly #clock: Clock;

  constructor(
    clock: Clock,
    id: string,
    name: string,
    parentId: string | undefined,
    attributes: Record<string, unknown>,
  ) {
    this.#clock = clock;
    this.id = id;
    this.name = name;
    this.parentId = parentId;
    this.attributes = attributes;
    this.startMs = clock.monotonicMs();
  }

  set(name: string, value: unknown): void {
    if (this.endMs === undefined) this.attributes[name] = value;
  }

  end(status: Span["status"] = "OK"): void {
    this.endAt(this.#clock.monotonicMs(), status);
  }

  endAt(endMs: number, status: Span["status"]): void {
    if (this.endMs !== undefined) return;
    this.endMs = endMs;
    this.status = status;
  }
}

/** Milliseconds with microsecond precision, as traces and timings show them. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Sixteen hexadecimal digits, unique across traces by the random tail of the trace's UUID; within a trace they count up. */
function spanId(traceId: string, number: number): string {
  return traceId.slice(-11) + number.toString(16).padStart(5, "0");
}
