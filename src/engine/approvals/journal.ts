import type { Clock } from "../../kit/clock.ts";
import { untilAborted } from "../../kit/until-aborted.ts";
import type { Tape, TapedBy, TapedCall, TapedQuestion } from "../cassettes/tape.ts";
import { stopOf, tapeError, untapeError } from "../cassettes/taped-error.ts";
import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { ToolResult } from "../tools/tool.ts";
import { journalKey } from "./journal-key.ts";
import { heldUnlessPlayed } from "./journalled-allowance.ts";
import type {
  AwaitedCall,
  Decision,
  JournalEntry,
  PausedRun,
  PendingCall,
  Resumption,
} from "./paused-run.ts";
import { runWaits, wentAnotherWay } from "./run-waits.ts";
import { playedTurns, writtenTurns } from "./written-turns.ts";

type Kind = JournalEntry["kind"];
type EntryOf<K extends Kind> = Extract<JournalEntry, { kind: K }>;
type Content<K extends Kind> = Omit<EntryOf<K>, "key" | "kind">;

/** How long a run that goes on may find nothing in its journal before it comes to the decided call. */
const patienceMs = 30_000;

/**
 * Lets a run pause for a person's decision, or for what only its caller can do, and go on later, also in another process: the
 * run is run again, and what it was answered before is played to it. Four states: `playing`, until the run has come to the decided call, and nothing is asked
 * meanwhile that is not in the journal; `open`, asking and keeping every answer; `draining`, once a call has to wait for a
 * decision: what is under way ends, nothing is begun; `paused`, the run has been stopped.
 */
export class Journal implements Tape {
  /** Aborts, with AppError `approval_required` or `tool_result_required`, when everything that was under way has ended. */
  readonly paused: AbortSignal;
  readonly #pause = new AbortController();
  readonly #clock: Clock;
  readonly #entries: JournalEntry[];
  readonly #left = new Map<string, JournalEntry[]>();
  readonly #opened = Promise.withResolvers<void>();
  /** The newest decision: with it the journal is at its end. */
  readonly #last: JournalEntry | undefined;
  readonly #reached: () => void;
  #state: "playing" | "open" | "draining" | "paused";
  #pending: { by: TapedBy; call: PendingCall } | undefined;
  #underWay = 0;
  /** Whether something waits until the decided call is reached. */
  #isAwaited = false;
  #endPatience = () => {};

  /** With a run that paused and the decision, it goes on from there. */
  constructor(clock: Clock, resumed?: Resumption) {
    this.#clock = clock;
    this.#reached = resumed?.reached ?? (() => {});
    this.paused = this.#pause.signal;
    this.#entries = [...(resumed?.run.entries ?? [])];
    if (resumed !== undefined) {
      const { by, pending } = resumed.run;
      this.#last =
        "result" in resumed
          ? { kind: "answer", key: callKey("answer", by, pending), result: resumed.result }
          : { kind: "decision", key: callKey("decision", by, pending), decision: resumed.decision };
      this.#entries.push(this.#last);
    }
    for (const entry of this.#entries) {
      const alike = this.#left.get(entry.key);
      if (alike === undefined) this.#left.set(entry.key, [entry]);
      else alike.push(entry);
    }
    this.#state = resumed === undefined ? "open" : "playing";
  }

  /** Whether the run has not come to the decided call yet. */
  get isPlaying(): boolean {
    return this.#state === "playing";
  }

  /** What the run waits for, and what goes on from there; undefined unless it has paused. */
  get waiting(): Omit<PausedRun, "told"> | undefined {
    if (this.#pending === undefined || this.#state !== "paused") return undefined;
    return { version: 1, by: this.#pending.by, pending: this.#pending.call, entries: this.#entries };
  }

  /** To be called when the run has ended. */
  dispose(): void {
    this.#endPatience();
  }

  kept(by: TapedBy, request: ModelRequest): AsyncIterable<RoutedEvent> | undefined {
    const entry = this.#take("model", modelKey(by, request));
    return entry && playedEvents(entry);
  }

  async *model(
    by: TapedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedEvent, void> {
    const key = modelKey(by, request);
    await this.#begin(signal);
    const events: RoutedEvent[] = [];
    let error: EntryOf<"model">["error"];
    try {
      for await (const event of live()) {
        events.push(event);
        yield event;
      }
    } catch (thrown) {
      error = signal.aborted ? stopOf(signal) : tapeError(thrown);
      throw thrown;
    } finally {
      this.#note("model", key, { events, ...(error && { error }) });
      this.#end();
    }
  }

  async tool(
    by: TapedBy,
    call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const key = callKey("tool", by, call);
    const entry = this.#take("tool", key);
    if (entry !== undefined) {
      if (entry.stopped !== undefined) throw untapeError(entry.stopped);
      return entry.result;
    }
    await this.#begin(signal);
    try {
      const result = await live();
      this.#note("tool", key, { result, ...(signal.aborted && { stopped: stopOf(signal) }) });
      return result;
    } finally {
      this.#end();
    }
  }

  /** What works inside a call is in the journal itself. */
  async worker(
    _by: TapedBy,
    _call: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const result = await live();
    // The work was stopped with the run: that is no result of it.
    if (this.paused.aborted) signal.throwIfAborted();
    return result;
  }

  async turns(by: TapedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]> {
    const key = journalKey("turns", by, "");
    const entry = this.#take("turns", key);
    if (entry !== undefined) return playedTurns(entry);
    await this.#begin(signal);
    try {
      const turns = await live();
      this.#note("turns", key, { turns: writtenTurns(turns) });
      return turns;
    } catch (thrown) {
      this.#note("turns", key, { turns: [], error: signal.aborted ? stopOf(signal) : tapeError(thrown) });
      throw thrown;
    } finally {
      this.#end();
    }
  }

  async recalled<T extends object>(
    by: TapedBy,
    { of, query }: TapedQuestion,
    live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]> {
    const key = journalKey("recall", by, [of, query]);
    const entry = this.#take("recall", key);
    if (entry?.error !== undefined) throw untapeError(entry.error);
    if (entry !== undefined) return entry.items as T[];
    await this.#begin(signal);
    try {
      const items = await live();
      this.#note("recall", key, { items });
      return items;
    } catch (thrown) {
      this.#note("recall", key, { items: [], error: signal.aborted ? stopOf(signal) : tapeError(thrown) });
      throw thrown;
    } finally {
      this.#end();
    }
  }

  /** What is in the journal is paid for. */
  budget(_by: TapedBy, live: Allowance | undefined): Allowance | undefined {
    return live && heldUnlessPlayed(live);
  }

  now(by: TapedBy, live: () => Date): Date {
    const key = journalKey("now", by, "");
    const entry = this.#take("now", key);
    if (entry !== undefined) return new Date(entry.at);
    const now = live();
    this.#note("now", key, { at: now.toISOString() });
    return now;
  }

  random(_by: TapedBy, live: () => number): number {
    return live();
  }

  newId(_by: TapedBy, live: () => string): string {
    return live();
  }

  async once(by: TapedBy, deed: string, live: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const key = journalKey("deed", by, deed);
    if (this.#take("deed", key) !== undefined) return;
    await this.#begin(signal);
    try {
      await live();
      this.#note("deed", key, {});
    } finally {
      this.#end();
    }
  }

  limited(by: TapedBy, bound: BoundTool): BoundTool {
    const { rateLimit, tool } = bound;
    if (rateLimit === undefined) return bound;
    const key = journalKey("limit", by, tool.name);
    return {
      ...bound,
      rateLimit: {
        admit: (scope) => {
          const entry = this.#take("limit", key);
          if (entry !== undefined) return entry.waitMs;
          const waitMs = rateLimit.admit(scope);
          this.#note("limit", key, waitMs === undefined ? {} : { waitMs });
          return waitMs;
        },
      },
    };
  }

  async decision(by: TapedBy, call: PendingCall, signal: AbortSignal): Promise<Decision> {
    const entry = this.#take("decision", callKey("decision", by, call));
    if (entry !== undefined) {
      if (entry === this.#last) this.#open();
      return entry.decision;
    }
    return this.#pauseFor(by, call, signal);
  }

  async answer(by: TapedBy, call: AwaitedCall, signal: AbortSignal): Promise<ToolResult> {
    const entry = this.#take("answer", callKey("answer", by, call));
    if (entry !== undefined) {
      if (entry === this.#last) this.#open();
      return entry.result;
    }
    return this.#pauseFor(by, call, signal);
  }

  async #pauseFor(by: TapedBy, call: PendingCall, signal: AbortSignal): Promise<never> {
    if (this.isPlaying) await this.#untilOpen(signal);
    this.#drainFor(by, call);
    return untilAborted(signal, () => new Promise<never>(() => {}));
  }

  /** Waits until the run may ask for something that is not in the journal. */
  async #begin(signal: AbortSignal): Promise<void> {
    if (this.isPlaying) await this.#untilOpen(signal);
    // What would begin now waits for the decision too, and is stopped with the rest.
    if (this.#state !== "open") await untilAborted(signal, () => new Promise<never>(() => {}));
    this.#underWay++;
  }

  #end(): void {
    this.#underWay--;
    this.#pauseWhenIdle();
  }

  async #untilOpen(signal: AbortSignal): Promise<void> {
    this.#isAwaited = true;
    this.#beginPatience();
    await untilAborted(signal, () => this.#opened.promise);
  }

  /** A run that goes on as it did finds all it asks for up to the decided call, and comes to it. */
  #beginPatience(): void {
    this.#endPatience();
    this.#endPatience = this.#clock.timer(patienceMs, () => this.#pause.abort(wentAnotherWay()));
  }

  #open(): void {
    this.#endPatience();
    this.#state = "open";
    this.#reached();
    this.#opened.resolve();
  }

  /** Calls of the same turn are begun first. */
  #drainFor(by: TapedBy, call: PendingCall): void {
    if (this.#pending !== undefined) return;
    this.#pending = { by, call };
    setImmediate(() => {
      this.#state = "draining";
      this.#pauseWhenIdle();
    });
  }

  #pauseWhenIdle(): void {
    if (this.#state !== "draining" || this.#underWay > 0 || this.#pending === undefined) return;
    this.#state = "paused";
    this.#pause.abort(runWaits(this.#pending.call));
  }

  #take<K extends Kind>(kind: K, key: string): EntryOf<K> | undefined {
    const alike = this.#left.get(key);
    const entry = alike?.shift();
    if (entry?.kind !== kind) return undefined;
    if (this.isPlaying && this.#isAwaited) this.#beginPatience();
    return entry as EntryOf<K>;
  }

  #note<K extends Kind>(kind: K, key: string, content: Content<K>): void {
    if (this.paused.aborted) return;
    this.#entries.push({ kind, key, ...content } as unknown as JournalEntry);
  }
}

async function* playedEvents({ events, error }: EntryOf<"model">): AsyncGenerator<RoutedEvent, void> {
  yield* events;
  if (error !== undefined) throw untapeError(error);
}

/** Neither its limits nor whether somebody reads along make a request another one, nor which tools a server lists today. */
function modelKey(by: TapedBy, { messages, toolChoice }: ModelRequest): string {
  return journalKey("model", by, [messages, toolChoice]);
}

function callKey(kind: Kind, by: TapedBy, { tool, input }: TapedCall): string {
  return journalKey(kind, by, [tool, input]);
}
