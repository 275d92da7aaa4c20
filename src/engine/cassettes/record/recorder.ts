import type {
  LaterStop,
  RecordedError,
  RequestKind,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { Turn } from "../../memory/conversation.ts";
import { keptEvent, type ModelRequest } from "../../models/model.ts";
import type { RoutedEvent } from "../../models/model-router.ts";
import type { Interceptor, RecallQuestion, RequestedBy, RequestedCall } from "../../run-state/interceptor.ts";
import { readerLeft, recordError, stopOf } from "../../run-state/recorded-error.ts";
import type { RunEvent } from "../../run-state/run-event.ts";
import type { EngineRequest } from "../../run-state/run-request.ts";
import type { Allowance } from "../../spending/allowance.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { recordedAllowance } from "../recorded-allowance.ts";

/** A request and its answer before masking. A model's answer grows while it streams. */
export interface Noted {
  kind: RequestKind;
  by: RequestedBy;
  request: unknown;
  /** A `RecordedAnswer` whose instants are still Dates; undefined if no answer has come. */
  answer: unknown;
  /** Positions of the beginning and the end among all beginnings and ends; `ended` is undefined until the call has ended. */
  began: number;
  ended: number | undefined;
  afterEvents: number;
  /** Signal of the run that made the request, if its calls can be cut off. */
  signal: AbortSignal | undefined;
  /** The error that had stopped that run when the answer came. */
  stopped: RecordedError | undefined;
  /** The error that stopped it later, after its last request. */
  last: LaterStop | undefined;
}

/** A finished recording before secrets are masked. */
export interface Recording {
  /** The version of this program. */
  argosy: string;
  recordedAt: Date;
  /** The requested agent first, then the other agents that took part. */
  agents: readonly RunnableAgent[];
  request: EngineRequest;
  noted: readonly Noted[];
  events: readonly RunEvent[];
  ending: { result: unknown } | { thrown: unknown } | "left";
}

/**
 * Records the requests of a run and their answers as references, without copying, masking or writing during the run. If the run is itself a
 * replay, the answers come from the interceptor `under` this one.
 */
export class Recorder implements Interceptor {
  readonly noted: Noted[] = [];
  readonly room: RecordingRoom;
  readonly #under: Interceptor | undefined;
  readonly #eventsTold: () => number;
  /** Errors that stopped the recorded runs, by their signals. */
  readonly #lastStops = new Map<AbortSignal, LaterStop>();
  readonly #watched = new WeakSet<AbortSignal>();
  #moments = 0;

  constructor(eventsTold: () => number, under?: Interceptor, room = new RecordingRoom()) {
    this.room = room;
    this.#eventsTold = eventsTold;
    this.#under = under;
  }

  /**
   * Marks the last request of each run that was stopped by its timeout or its caller, because such a stop may come between two requests.
   * Must be called when all runs have ended.
   */
  finish(): void {
    const last = new Map<AbortSignal, Noted>();
    for (const noted of this.noted) if (noted.signal) last.set(noted.signal, noted);
    for (const [signal, noted] of last) {
      if (noted.stopped === undefined)
        noted.last = this.#lastStops.get(signal) ?? this.#under?.stopOf?.(signal)?.last;
    }
  }

  async *model(
    by: RequestedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
    tell?: (seq: number) => void,
  ): AsyncGenerator<RoutedEvent, void> {
    if (this.#under?.stopOf?.(signal) !== undefined)
      return yield* this.#under.model(by, request, live, signal);
    // Copied because the limit of the answer is written into the request during the call.
    const noted = this.#note("model", by, { ...request }, signal);
    tell?.(this.noted.length);
    const answer: { events: RoutedEvent[]; error?: RecordedError } = { events: [] };
    noted.answer = answer;
    let isWhole = false;
    try {
      const events = this.#under === undefined ? live() : this.#under.model(by, request, live, signal);
      for await (const event of events) {
        if (this.room.take(event)) answer.events.push(keptEvent(event));
        else answer.events = [];
        yield event;
      }
      isWhole = true;
    } catch (thrown) {
      answer.error = signal.aborted ? stopOf(signal) : recordError(thrown);
      throw thrown;
    } finally {
      if (!isWhole && answer.error === undefined) answer.error = readerLeft;
      this.#end(noted);
    }
  }

  tool(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    tell?: (seq: number) => void,
  ): Promise<ToolResult> {
    return this.#call("tool", by, call, live, signal, tell);
  }

  worker(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    tell?: (seq: number) => void,
  ): Promise<ToolResult> {
    return this.#call("worker", by, call, live, signal, tell);
  }

  async turns(by: RequestedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]> {
    const noted = this.#note("memory", by, {}, signal);
    try {
      const turns = await (this.#under?.turns(by, live, signal) ?? live());
      noted.answer = { turns };
      return turns;
    } catch (thrown) {
      noted.answer = { turns: [], error: signal.aborted ? stopOf(signal) : recordError(thrown) };
      throw thrown;
    } finally {
      this.#end(noted);
    }
  }

  async recalled<T extends object>(
    by: RequestedBy,
    question: RecallQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]> {
    const noted = this.#note("recall", by, question, signal);
    try {
      const items = await (this.#under?.recalled(by, question, live, signal) ?? live());
      noted.answer = { items };
      return items;
    } catch (thrown) {
      noted.answer = { items: [], error: signal.aborted ? stopOf(signal) : recordError(thrown) };
      throw thrown;
    } finally {
      this.#end(noted);
    }
  }

  budget(by: RequestedBy, live: Allowance | undefined): Allowance | undefined {
    const answer = this.#under === undefined ? live : this.#under.budget(by, live);
    return (
      answer &&
      recordedAllowance(answer, (answer) => {
        const noted = this.#note("budget", by, {});
        noted.answer = answer;
        this.#end(noted);
      })
    );
  }

  now(by: RequestedBy, live: () => Date): Date {
    const now = this.#under?.now(by, live) ?? live();
    this.#noteAtOnce("clock", by, { at: now });
    return now;
  }

  random(by: RequestedBy, live: () => number): number {
    const value = this.#under?.random(by, live) ?? live();
    this.#noteAtOnce("random", by, { value });
    return value;
  }

  newId(by: RequestedBy, live: () => string): string {
    const value = this.#under?.newId(by, live) ?? live();
    this.#noteAtOnce("id", by, { value });
    return value;
  }

  async #call(
    kind: "tool" | "worker",
    by: RequestedBy,
    { tool, input }: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    tell: ((seq: number) => void) | undefined,
  ): Promise<ToolResult> {
    const noted = this.#note(kind, by, { tool, input: snapshot(input) }, signal);
    tell?.(this.noted.length);
    const result = await (this.#under?.[kind](by, { tool, input }, live, signal) ?? live());
    noted.answer = { result };
    this.#end(noted);
    return result;
  }

  #note(kind: RequestKind, by: RequestedBy, request: unknown, signal?: AbortSignal): Noted {
    const noted: Noted = {
      kind,
      by,
      request,
      answer: undefined,
      began: ++this.#moments,
      ended: undefined,
      afterEvents: this.#eventsTold(),
      signal,
      stopped: undefined,
      last: undefined,
    };
    this.noted.push(noted);
    if (signal) this.#watch(signal);
    return noted;
  }

  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    const stop = () => {
      const error = stopIn(signal);
      if (error !== undefined) this.#lastStops.set(signal, { error, after_events: this.#eventsTold() });
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  }

  #noteAtOnce(kind: RequestKind, by: RequestedBy, answer: unknown): void {
    const noted = this.#note(kind, by, {});
    noted.answer = answer;
    this.#end(noted);
  }

  #end(noted: Noted): void {
    noted.ended = ++this.#moments;
    const { signal } = noted;
    if (signal) noted.stopped = stopIn(signal) ?? this.#under?.stopOf?.(signal)?.stopped;
  }
}

/** Bytes that a recording may hold while its run goes on. Each event counts, as an answer may come in very small pieces. */
const heldBytesMax = 128 * 1024 * 1024;
const eventBytes = 160;

/** Counts the events of a recording. The texts in them are the run's own, which has a limit for them. */
export class RecordingRoom {
  #left: number;

  constructor(bytesMax = heldBytesMax) {
    this.#left = bytesMax;
  }

  get isFull(): boolean {
    return this.#left < 0;
  }

  /** Returns false if there is no room for another event. */
  take(event: { type: string }): boolean {
    this.#left -= eventBytes;
    if ("text" in event && typeof event.text === "string") this.#left -= event.text.length;
    return !this.isFull;
  }
}

/** Other endings abort the signal without an AppError. */
function stopIn({ aborted, reason }: AbortSignal): RecordedError | undefined {
  return aborted && reason instanceof AppError ? recordError(reason) : undefined;
}

/** Copied because a tool may change its input. */
function snapshot(input: Record<string, unknown>): unknown {
  try {
    return structuredClone(input);
  } catch {
    return input;
  }
}
