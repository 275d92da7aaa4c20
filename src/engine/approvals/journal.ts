import type { RecordedError } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { Clock } from "../../kit/clock.ts";
import type { RunFence, Turn } from "../memory/conversation.ts";
import { keptEvent, type ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type {
  AwaitedCall,
  Interceptor,
  InterceptorDecision,
  PendingCall,
  RecallQuestion,
  RequestedBy,
  RequestedCall,
} from "../run-state/interceptor.ts";
import { recordError, restoreStop, stopOf } from "../run-state/recorded-error.ts";
import { type Allowance, heldUnlessPlayed } from "../spending/allowance.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { KeptSteps } from "./kept-steps.ts";
import {
  failureOf,
  type JournalEntry,
  journalKey,
  type PausedRun,
  playedTurns,
  type Resumption,
  throwRecorded,
  writtenTurns,
} from "./paused-run.ts";
import { RunPause } from "./run-pause.ts";
import { toolMissing } from "./run-waits.ts";

type Kind = JournalEntry["kind"];
type EntryOf<K extends Kind> = Extract<JournalEntry, { kind: K }>;
type Content<K extends Kind> = Omit<EntryOf<K>, "key" | "kind">;

/** A key, made when it is first needed: most runs end before. */
type Key = () => string;

/** The place of a request in the journal. It gets its entry when the request has ended. Without an answer it stays empty. */
interface Place<K extends Kind = Kind> {
  kind: K;
  key: Key;
  entry?: () => JournalEntry;
  /** Of a model call: the error of the allowance that ended it. */
  refused?: RecordedError;
}

/**
 * Lets a run pause for a person's decision or a result from its caller (see `RunPause`), and resume later, also in another process. A resumed
 * run starts from the beginning and gets its earlier answers from the journal.
 *
 * A durable run also keeps its steps. It may continue in another process after a crash: then it takes the steps that are kept, and makes the
 * other requests.
 */
export class Journal implements Interceptor {
  readonly #pause: RunPause;
  readonly #steps: KeptSteps | undefined;
  readonly #places: Pick<Place, "entry">[];
  readonly #left = new Map<string, JournalEntry[]>();
  /** Places of model calls, by the messages of their requests. */
  readonly #modelPlaces = new WeakMap<ModelRequest["messages"], Place<"model">>();
  /** The newest decision or result, which is the journal's last entry. */
  readonly #last: JournalEntry | undefined;
  readonly #reached: () => void;
  /** The call for which the run is resumed. */
  readonly #decided: Pick<PausedRun, "by" | "pending"> | undefined;

  /** With `resumed`, the run continues from the call at which it paused. With `steps`, it is durable. */
  constructor(clock: Clock, resumed?: Resumption, steps?: KeptSteps) {
    this.#pause = new RunPause(clock, resumed !== undefined);
    this.#steps = steps;
    steps?.whenLost((reason) => this.#pause.stop(reason));
    this.#reached = resumed?.reached ?? (() => {});
    this.#decided = resumed?.run;
    const entries = [...(resumed?.run.entries ?? steps?.earlier ?? [])];
    if (resumed !== undefined) {
      const { by, pending } = resumed.run;
      this.#last =
        "result" in resumed
          ? { kind: "answer", key: callKey("answer", by, pending), result: resumed.result }
          : { kind: "decision", key: callKey("decision", by, pending), decision: resumed.decision };
      entries.push(this.#last);
    }
    this.#places = entries.map((entry) => ({ entry: () => entry }));
    for (const entry of entries) {
      // Calls of unknown outcome have ended the run before it gets here; see `unknownOutcomes`.
      if (entry.kind === "begun") continue;
      const alike = this.#left.get(entry.key);
      if (alike === undefined) this.#left.set(entry.key, [entry]);
      else alike.push(entry);
    }
  }

  /** Returns true until the run reaches the decided call. */
  get isPlaying(): boolean {
    return this.#pause.isPlaying;
  }

  /** Aborts with AppError `approval_required` or `tool_result_required` once all work in progress has ended. */
  get paused(): AbortSignal {
    return this.#pause.signal;
  }

  get runId(): string | undefined {
    return this.#steps?.runId;
  }

  get fence(): RunFence | undefined {
    return this.#steps?.fence;
  }

  get isContinued(): boolean {
    return this.#steps?.earlier !== undefined;
  }

  /** The call that the run waits for and the data for resuming it; undefined unless the run has paused. */
  get waiting(): Omit<PausedRun, "told"> | undefined {
    const { waiting } = this.#pause;
    if (waiting === undefined) return undefined;
    const entries = this.#places.flatMap(({ entry }) => entry?.() ?? []);
    return { version: 1, by: waiting.by, pending: waiting.call, entries };
  }

  /** Must be called when the run has ended. */
  dispose(): void {
    this.#pause.dispose();
  }

  kept(by: RequestedBy, request: ModelRequest): AsyncIterable<RoutedEvent> | undefined {
    const key = keyOf(() => modelKey(by, request));
    const entry = this.#take("model", key);
    if (entry !== undefined) return playedEvents(entry);
    // Other work comes between this question and the call, so a similar call may overtake it.
    this.#modelPlaces.set(request.messages, this.#reserve("model", key));
    return undefined;
  }

  refused({ messages }: ModelRequest, thrown: unknown): void {
    const place = this.#modelPlaces.get(messages);
    if (place === undefined) return;
    place.refused = recordError(thrown);
    // After a failed candidate the call has begun and ends by itself.
    if (place.entry === undefined) this.#fill(place, { events: [], error: place.refused });
  }

  async *model(
    by: RequestedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedEvent, void> {
    const place =
      this.#modelPlaces.get(request.messages) ??
      this.#reserve(
        "model",
        keyOf(() => modelKey(by, request)),
      );
    await this.#pause.begin(signal);
    const events: RoutedEvent[] = [];
    let failure: Partial<Content<"model">> = {};
    try {
      for await (const event of live()) {
        events.push(keptEvent(event));
        yield event;
      }
    } catch (thrown) {
      failure = failureOf(thrown, signal);
      throw thrown;
    } finally {
      if (place.refused !== undefined) failure = { error: place.refused };
      const role = by.role === undefined ? {} : { role: by.role };
      this.#fill(place, { ...role, events, ...failure }, signal);
      this.#pause.end();
    }
  }

  async tool(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
    _noted?: (seq: number) => void,
    isRepeatable = false,
  ): Promise<ToolResult> {
    const key = keyOf(() => callKey("tool", by, call));
    const entry = this.#take("tool", key);
    if (entry !== undefined) {
      if (entry.stopped !== undefined) throw restoreStop(entry.stopped);
      return entry.result;
    }
    const place = this.#reserve("tool", key);
    await this.#pause.begin(signal);
    try {
      if (!isRepeatable) await this.#noteBegun(call.tool, key, signal);
      const result = await live();
      this.#fill(place, { result, ...(signal.aborted && { stopped: stopOf(signal) }) }, signal);
      // Until this is stored, the outcome of the call is unknown to others.
      if (!isRepeatable) this.#steps?.hurry();
      return result;
    } finally {
      this.#pause.end();
    }
  }

  missing(by: RequestedBy, call: RequestedCall): void {
    if (!this.isPlaying || this.#decided === undefined) return;
    const isDecided = this.#decided.by.agent === by.agent && this.#decided.pending.tool === call.tool;
    const isAnswered = (this.#left.get(callKey("tool", by, call))?.length ?? 0) > 0;
    if (isDecided || isAnswered) this.#pause.stop(toolMissing(call.tool));
  }

  /** Always runs `live`: the journal holds the requests of the called agent itself. */
  async worker(
    _by: RequestedBy,
    _call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const result = await live();
    // The work was stopped together with the run, so its outcome is not a result.
    if (this.paused.aborted) signal.throwIfAborted();
    return result;
  }

  async turns(by: RequestedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]> {
    const key = keyOf(() => journalKey("turns", by, ""));
    const entry = this.#take("turns", key);
    if (entry !== undefined) return playedTurns(entry);
    return this.#record("turns", key, live, (turns = []) => ({ turns: writtenTurns(turns) }), signal);
  }

  async recalled<T extends object>(
    by: RequestedBy,
    { of, query }: RecallQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]> {
    const key = keyOf(() => journalKey("recall", by, [of, query]));
    const entry = this.#take("recall", key);
    if (entry === undefined) return this.#record("recall", key, live, (items = []) => ({ items }), signal);
    throwRecorded(entry);
    return entry.items as T[];
  }

  /** Calls that are played from the journal are not charged again. */
  budget(_by: RequestedBy, live: Allowance | undefined): Allowance | undefined {
    return live && heldUnlessPlayed(live);
  }

  now(by: RequestedBy, live: () => Date): Date {
    const key = keyOf(() => journalKey("now", by, ""));
    const entry = this.#take("now", key);
    if (entry !== undefined) return new Date(entry.at);
    const now = live();
    this.#fill(this.#reserve("now", key), { at: now.toISOString() });
    return now;
  }

  random(_by: RequestedBy, live: () => number): number {
    return live();
  }

  newId(_by: RequestedBy, live: () => string): string {
    return live();
  }

  async once(by: RequestedBy, deed: string, live: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const key = keyOf(() => journalKey("deed", by, deed));
    const entry = this.#take("deed", key);
    if (entry !== undefined) return throwRecorded(entry);
    await this.#record("deed", key, live, () => ({}), signal);
  }

  limited(by: RequestedBy, bound: BoundTool): BoundTool {
    const { rateLimit, tool } = bound;
    if (rateLimit === undefined) return bound;
    const key = keyOf(() => journalKey("limit", by, tool.name));
    return {
      ...bound,
      rateLimit: {
        admit: (scope) => {
          const entry = this.#take("limit", key);
          if (entry !== undefined) return entry.waitMs;
          const place = this.#reserve("limit", key);
          const fill = (waitMs: number | undefined) => {
            this.#fill(place, waitMs === undefined ? {} : { waitMs });
            return waitMs;
          };
          const waiting = rateLimit.admit(scope);
          return waiting instanceof Promise ? waiting.then(fill) : fill(waiting);
        },
      },
    };
  }

  async decision(by: RequestedBy, call: PendingCall, signal: AbortSignal): Promise<InterceptorDecision> {
    const entry = this.#take("decision", () => callKey("decision", by, call));
    if (entry !== undefined) {
      if (entry === this.#last) this.#open();
      return entry.decision;
    }
    return this.#pause.pauseFor(by, call, signal);
  }

  async answer(by: RequestedBy, call: AwaitedCall, signal: AbortSignal): Promise<ToolResult> {
    const entry = this.#take("answer", () => callKey("answer", by, call));
    if (entry !== undefined) {
      if (entry === this.#last) this.#open();
      return entry.result;
    }
    return this.#pause.pauseFor(by, call, signal);
  }

  /** Makes a request and keeps its answer, or its failure with the content of no answer. */
  async #record<K extends Kind, T>(
    kind: K,
    key: Key,
    live: () => Promise<T>,
    contentOf: (answer?: T) => Content<K>,
    signal: AbortSignal,
  ): Promise<T> {
    const place = this.#reserve(kind, key);
    await this.#pause.begin(signal);
    try {
      const answer = await live();
      this.#fill(place, contentOf(answer), signal);
      return answer;
    } catch (thrown) {
      this.#fill(place, { ...contentOf(), ...failureOf(thrown, signal) }, signal);
      throw thrown;
    } finally {
      this.#pause.end();
    }
  }

  #open(): void {
    this.#pause.open();
    this.#reached();
  }

  #take<K extends Kind>(kind: K, key: Key): EntryOf<K> | undefined {
    if (this.#left.size === 0) return undefined;
    const alike = this.#left.get(key());
    const entry = alike?.shift();
    if (entry?.kind !== kind) return undefined;
    this.#pause.advance();
    return entry as EntryOf<K>;
  }

  /** Adds the place of a request. Called when the request is made, because requests of the same key are told apart by their order. */
  #reserve<K extends Kind>(kind: K, key: Key): Place<K> {
    const place: Place<K> = { kind, key };
    this.#places.push(place);
    return place;
  }

  /** A request that was stopped because its process leaves has not ended: another process makes it again. */
  #fill<K extends Kind>(place: Place<K>, content: Content<K>, signal?: AbortSignal): void {
    if (this.paused.aborted) return;
    place.entry = () => ({ kind: place.kind, key: place.key(), ...content }) as unknown as JournalEntry;
    const steps = this.#steps;
    if (steps !== undefined && !(signal?.aborted === true && steps.isLeaving())) steps.add(place.entry);
  }

  /** Stores that the call is about to be made. No process makes it again unless its end is stored as well. */
  async #noteBegun(tool: string, key: Key, signal: AbortSignal): Promise<void> {
    if (this.#steps === undefined) return;
    this.#steps.add(() => ({ kind: "begun", key: key(), tool }));
    await this.#steps.stored();
    signal.throwIfAborted();
  }
}

function keyOf(make: () => string): Key {
  let key: string | undefined;
  return () => {
    key ??= make();
    return key;
  };
}

async function* playedEvents(entry: EntryOf<"model">): AsyncGenerator<RoutedEvent, void> {
  yield* entry.events;
  throwRecorded(entry);
}

/** Streaming, limits and the tools that a server currently lists are not part of the key. */
function modelKey(by: RequestedBy, { messages, toolChoice }: ModelRequest): string {
  return journalKey("model", by, [messages, toolChoice]);
}

function callKey(kind: Kind, by: RequestedBy, { tool, input }: RequestedCall): string {
  return journalKey(kind, by, [tool, input]);
}
