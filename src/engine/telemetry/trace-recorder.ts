import type { Clock } from "../../kit/clock.ts";
import type { RecordedSpan, RecordedTrace } from "./trace.ts";

/*
 * Telemetry: the spans of a run, and the ports that receive traces and metrics.
 */

type Status = RecordedTrace["status"];

/** A span that is still open. After `end`, its end and attributes no longer change. */
export interface SpanHandle {
  /** Index among the trace's spans. */
  readonly number: number;
  set(name: string, value: unknown): void;
  /** Sets an attribute even after the end; see `RunTrace.awaits`. */
  correct(name: string, value: unknown): void;
  end(status?: Status): void;
}

/** The spans of one run: a trace, or the part of a trace for a nested run. */
export interface RunTrace {
  readonly traceId: string;
  /** Span of the run. */
  readonly root: SpanHandle;
  /** Starts a span below `parent`; default: the root. */
  start(name: string, attributes?: Record<string, unknown>, parent?: SpanHandle): SpanHandle;
  /** Milliseconds since the run began. */
  elapsedMs(): number;
  /** Notes that attributes will be corrected until this promise resolves. */
  awaits(corrected: Promise<void>): void;
  /** Part for a nested run, with its span below `parent`. */
  nest(name: string, attributes: Record<string, unknown>, parent: SpanHandle): RunTrace;
  /** Ends the run's span. Spans below it that are still open end with status ERROR. */
  close(status: Status): void;
}

/** Collects the spans of one run. Each span costs two clock readings and one small object. */
export class TraceRecorder implements RunTrace {
  readonly traceId: string;
  readonly root: SpanHandle;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  readonly #originMs: number;
  readonly #spans: OpenSpan[] = [];
  #corrections: Promise<void>[] | undefined;

  constructor(clock: Clock, traceId: string, rootName: string, attributes: Record<string, unknown>) {
    this.traceId = traceId;
    this.#clock = clock;
    this.#startedAtMs = clock.now().getTime();
    this.#originMs = clock.monotonicMs();
    this.root = this.#open(rootName, -1, attributes);
  }

  start(name: string, attributes: Record<string, unknown> = {}, parent: SpanHandle = this.root): SpanHandle {
    return this.#open(name, parent.number, attributes);
  }

  elapsedMs(): number {
    return this.#clock.monotonicMs() - this.#originMs;
  }

  awaits(corrected: Promise<void>): void {
    this.#corrections ??= [];
    this.#corrections.push(corrected);
  }

  /** Resolves once all attributes are final; undefined if they are. */
  get corrected(): Promise<unknown> | undefined {
    return this.#corrections && Promise.all(this.#corrections);
  }

  nest(name: string, attributes: Record<string, unknown>, parent: SpanHandle): RunTrace {
    return nestedTrace(this, this.#clock, this.start(name, attributes, parent));
  }

  close(status: Status): void {
    this.root.end(status);
    for (const span of this.#spans) span.end("ERROR");
  }

  /** Ends spans that are still open, with status ERROR except for the root, and returns the trace. */
  finish(agent: string, sessionId: string, status: Status): RecordedTrace {
    const endMs = this.#clock.monotonicMs();
    const spans: RecordedSpan[] = [];
    for (const span of this.#spans) {
      span.endAt(endMs, span === this.root ? status : "ERROR");
      spans.push(span.recorded(this.#originMs, endMs));
    }
    return {
      trace_id: this.traceId,
      agent,
      session_id: sessionId,
      status,
      started_at_ms: this.#startedAtMs,
      duration_ms: roundMs(endMs - this.#originMs),
      spans,
    };
  }

  #open(name: string, parent: number, attributes: Record<string, unknown>): SpanHandle {
    const span = new OpenSpan(this.#clock, this.#spans.length, name, parent, attributes);
    this.#spans.push(span);
    return span;
  }
}

function nestedTrace(whole: RunTrace, clock: Clock, root: SpanHandle): RunTrace {
  const startedMs = clock.monotonicMs();
  const spans: SpanHandle[] = [];
  const start: RunTrace["start"] = (name, attributes, parent = root) => {
    const span = whole.start(name, attributes, parent);
    spans.push(span);
    return span;
  };
  return {
    traceId: whole.traceId,
    root,
    start,
    elapsedMs: () => clock.monotonicMs() - startedMs,
    awaits: (corrected) => whole.awaits(corrected),
    nest: (name, attributes, parent) => nestedTrace(whole, clock, start(name, attributes, parent)),
    close(status) {
      root.end(status);
      for (const span of spans) span.end("ERROR");
    },
  };
}

class OpenSpan implements SpanHandle {
  readonly number: number;
  readonly #name: string;
  readonly #parent: number;
  readonly #attributes: Record<string, unknown>;
  readonly #clock: Clock;
  readonly #startMs: number;
  #endMs: number | undefined;
  #status: Status = "OK";

  constructor(
    clock: Clock,
    number: number,
    name: string,
    parent: number,
    attributes: Record<string, unknown>,
  ) {
    this.#clock = clock;
    this.number = number;
    this.#name = name;
    this.#parent = parent;
    this.#attributes = attributes;
    this.#startMs = clock.monotonicMs();
  }

  set(name: string, value: unknown): void {
    if (this.#endMs === undefined) this.#attributes[name] = value;
  }

  correct(name: string, value: unknown): void {
    this.#attributes[name] = value;
  }

  end(status: Status = "OK"): void {
    this.endAt(this.#clock.monotonicMs(), status);
  }

  endAt(endMs: number, status: Status): void {
    if (this.#endMs !== undefined) return;
    this.#endMs = endMs;
    this.#status = status;
  }

  recorded(originMs: number, finishedMs: number): RecordedSpan {
    const durationMs = (this.#endMs ?? finishedMs) - this.#startMs;
    const startMs = roundMs(this.#startMs - originMs);
    return [this.#name, this.#parent, startMs, roundMs(durationMs), this.#status, this.#attributes];
  }
}

/** Milliseconds with microsecond precision, for traces and timings. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
