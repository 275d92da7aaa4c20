import type {
  CassetteEntry,
  EntryOf,
  LaterStop,
  RecordedError,
  RequestKind,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Divergence } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Turn } from "../../memory/conversation.ts";
import type { ModelRequest } from "../../models/model.ts";
import type { RoutedEvent } from "../../models/model-router.ts";
import type {
  Interceptor,
  RecallQuestion,
  RequestedBy,
  RequestedCall,
  Stop,
} from "../../run-state/interceptor.ts";
import { restoreError } from "../../run-state/recorded-error.ts";
import type { Allowance } from "../../spending/allowance.ts";
import type { ToolResult } from "../../tools/tool.ts";
import { replayedAllowance } from "../recorded-allowance.ts";
import { comparedPart, requestKey } from "../request-key.ts";
import { AnswerSequencer } from "./answer-sequencer.ts";
import { describeUnmatched } from "./describe-unmatched.ts";
import type { RecordedAnswers } from "./recorded-answers.ts";

export interface ReplayerOptions {
  /** If true, a request that was not recorded ends the run. Otherwise it gets the next unused answer of its kind. */
  strict: boolean;
  /** For a fork: number of model calls that are played. Later model calls, and tool calls that were not recorded, are made. */
  liveAfter?: number;
  /** The error that stopped the recorded run. Requests beyond its end fail with the same error. */
  stoppedBy?: RecordedError;
}

export interface ReplayedCounts {
  model: number;
  tool: number;
}

const warningsMax = 50;

/** Kinds of requests that the process can answer itself. */
const withoutRecording: ReadonlySet<RequestKind> = new Set(["clock", "random", "id"]);

/** Answers the requests of a run from a recording. */
export class Replayer implements Interceptor {
  readonly sequencer = new AnswerSequencer();
  /** Numbers of calls that were played and of calls that were made. */
  readonly played: ReplayedCounts = { model: 0, tool: 0 };
  readonly live: ReplayedCounts = { model: 0, tool: 0 };
  readonly warnings: string[] = [];
  readonly #answers: RecordedAnswers;
  readonly #options: ReplayerOptions;
  readonly #diverged = new AbortController();
  readonly #asked = new Map<RequestKind, number>();
  /** Stops of runs that got no further in the recording, by the runs' signals. */
  readonly #stopped = new WeakMap<AbortSignal, Stop>();
  /** Errors that stopped the called agents that are now running. Requests without a recorded answer fail with them. */
  readonly #stopping: RecordedError[] = [];
  #failuresPlayed = 0;
  #lastStop: LaterStop | undefined;
  #told = 0;
  #divergence: Divergence | undefined;

  constructor(answers: RecordedAnswers, options: ReplayerOptions) {
    this.#answers = answers;
    this.#options = options;
  }

  /** Aborts when the run makes a request that has no answer. */
  get signal(): AbortSignal {
    return this.#diverged.signal;
  }

  /** The request that had no answer. */
  get divergence(): Divergence | undefined {
    return this.#divergence;
  }

  /** Number of requests so far. */
  get askedCount(): number {
    return [...this.#asked.values()].reduce((sum, count) => sum + count, 0);
  }

  async *model(
    by: RequestedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedEvent, void> {
    signal.throwIfAborted();
    this.#throwIfStopped(signal);
    const number = this.#count("model");
    const { liveAfter } = this.#options;
    const isPlayed = liveAfter === undefined || number <= liveAfter;
    // A fork shares the event loop with other runs, and each of its requests holds the whole conversation.
    if (liveAfter !== undefined) await othersTurn();
    const entry = isPlayed ? await this.#answer("model", by, comparedPart("model", request)) : undefined;
    if (entry === undefined) {
      if (this.#mayNotGoOn) throw this.#end();
      this.live.model++;
      yield* live();
      return;
    }
    this.played.model++;
    await this.sequencer.pass(entry.ended);
    signal.throwIfAborted();
    for (const event of entry.answer.events) {
      yield liveAfter === undefined ? (event as RoutedEvent) : unpaid(event as RoutedEvent);
    }
    this.#mark(entry, signal);
    if (entry.answer.error !== undefined) throw this.#failure(entry.answer.error);
  }

  async tool(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    this.#count("tool");
    const entry = await this.#answer("tool", by, call, (other) => nameOf(other) === call.tool);
    if (entry === undefined) {
      if (this.#mayNotGoOn) return { success: false, error: this.#end().message };
      this.live.tool++;
      return live();
    }
    this.played.tool++;
    await this.sequencer.pass(entry.ended);
    this.#mark(entry, signal);
    return entry.answer.result as ToolResult;
  }

  async worker(
    by: RequestedBy,
    call: RequestedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    this.#count("worker");
    const entry = await this.#answer("worker", by, call, (other) => nameOf(other) === call.tool);
    if (entry === undefined && this.#mayNotGoOn) return { success: false, error: this.#end().message };
    this.played.tool++;
    if (entry === undefined) return live();
    const recorded = entry.answer.result as ToolResult;
    const { stopped } = entry;
    if (stopped !== undefined) this.#stopping.push(stopped);
    const failuresBefore = this.#failuresPlayed;
    const played = await live();
    if (stopped !== undefined) this.#stopping.splice(this.#stopping.indexOf(stopped), 1);
    this.#mark(entry, signal);
    // The error message of a call that was cut off depends on which timer fired first, so the recorded one is used.
    const wasCutOff = stopped !== undefined || this.#failuresPlayed > failuresBefore;
    return wasCutOff && !recorded.success ? recorded : played;
  }

  async turns(by: RequestedBy, _live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]> {
    const entry = await this.#answer("memory", by, {});
    if (entry === undefined) {
      if (this.#mayNotGoOn) throw this.#end();
      return [];
    }
    await this.sequencer.pass(entry.ended);
    this.#mark(entry, signal);
    const { turns, error } = entry.answer;
    if (error !== undefined) throw this.#failure(error);
    return turns.map((turn) => ({ ...turn, at: new Date(turn.at) }));
  }

  async recalled<T extends object>(
    by: RequestedBy,
    question: RecallQuestion,
    _live: () => Promise<T[]>,
    signal: AbortSignal,
  ): Promise<T[]> {
    const entry = await this.#answer("recall", by, question, (other) => isOf(other, question.of));
    if (entry === undefined) {
      if (this.#mayNotGoOn) throw this.#end();
      return [];
    }
    await this.sequencer.pass(entry.ended);
    this.#mark(entry, signal);
    const { items, error } = entry.answer;
    if (error !== undefined) throw this.#failure(error);
    // The nearest answer may come from another source, whose items have another shape.
    return isOf(entry.request, question.of) ? (items as T[]) : [];
  }

  stopOf(signal: AbortSignal): Stop | undefined {
    return this.#stopped.get(signal);
  }

  /** A fork's live calls are charged to its budget as usual. */
  budget(by: RequestedBy, live: Allowance | undefined): Allowance | undefined {
    if (this.#options.liveAfter !== undefined) return live;
    if (!this.#answers.has("budget", by.agent)) return undefined;
    return replayedAllowance(() => this.#answers.take("budget", requestKey("budget", by, {}))?.answer);
  }

  now(by: RequestedBy, live: () => Date): Date {
    const entry = this.#answerTo("clock", by, {});
    return entry === undefined ? live() : new Date(entry.answer.at);
  }

  random(by: RequestedBy, live: () => number): number {
    return this.#answerTo("random", by, {})?.answer.value ?? live();
  }

  /** A fork has its own id. */
  newId(by: RequestedBy, live: () => string): string {
    if (this.#options.liveAfter !== undefined) return live();
    return this.#answerTo("id", by, {})?.answer.value ?? live();
  }

  /** True if only the recording may answer, or if the run has been aborted. */
  get #mayNotGoOn(): boolean {
    return this.#options.liveAfter === undefined || this.#diverged.signal.aborted;
  }

  /** The answer to a request that leaves the process. If the recorded run was stopped, a request beyond its end stops this run, too. */
  async #answer<Kind extends RequestKind>(
    kind: Kind,
    by: RequestedBy,
    request: unknown,
    isLike?: (request: unknown) => boolean,
  ): Promise<EntryOf<Kind> | undefined> {
    const { stoppedBy } = this.#options;
    const key = requestKey(kind, by, request);
    const [stopping] = this.#stopping;
    if (stopping !== undefined && !this.#answers.hasLeft(kind, key)) throw restoreError(stopping);
    if (stoppedBy !== undefined && !this.#answers.hasLeft(kind, key)) {
      // Other work first reaches its recorded end.
      await this.sequencer.pass(Number.POSITIVE_INFINITY);
      if (!this.#answers.left().some(({ kind }) => !withoutRecording.has(kind) && kind !== "budget")) {
        this.#diverged.abort(restoreError(stoppedBy));
        return undefined;
      }
    }
    return this.#answerTo(kind, by, request, isLike);
  }

  /** The run got no further than this answer in the recording. If the whole recording was stopped, this stops the whole replay. */
  #mark({ stopped, last }: CassetteEntry, signal: AbortSignal): void {
    if ((stopped ?? last) === undefined || this.#options.liveAfter !== undefined) return;
    this.#stopped.set(signal, { stopped, last });
    if (stopped !== undefined) this.#stopAll(stopped);
    else if (last !== undefined && this.#stopsAll(last.error)) {
      this.#lastStop = last;
      this.told(this.#told);
    }
  }

  /** `events`: number of events sent so far. A run may be stopped between two requests. */
  told(events: number): void {
    this.#told = events;
    const last = this.#lastStop;
    if (last !== undefined && events >= last.after_events) this.#stopAll(last.error);
  }

  #failure(error: RecordedError): AppError {
    this.#failuresPlayed++;
    this.#stopAll(error);
    return restoreError(error);
  }

  #stopAll(error: RecordedError): void {
    if (this.#stopsAll(error)) this.#diverged.abort(restoreError(error));
  }

  #stopsAll({ code, message }: RecordedError): boolean {
    const { stoppedBy } = this.#options;
    return stoppedBy?.code === code && stoppedBy.message === message;
  }

  #throwIfStopped(signal: AbortSignal): void {
    const { stopped, last } = this.#stopped.get(signal) ?? {};
    const stop = stopped ?? last?.error;
    if (stop !== undefined) throw this.#failure(stop);
  }

  #count(kind: RequestKind): number {
    const number = (this.#asked.get(kind) ?? 0) + 1;
    this.#asked.set(kind, number);
    return number;
  }

  /** The answer to this request, or the nearest one instead; undefined if there is none. */
  #answerTo<Kind extends RequestKind>(
    kind: Kind,
    by: RequestedBy,
    request: unknown,
    isLike: (request: unknown) => boolean = () => true,
  ): EntryOf<Kind> | undefined {
    const entry = this.#answers.take(kind, requestKey(kind, by, request));
    if (entry !== undefined) return entry;
    const { strict, liveAfter, stoppedBy } = this.#options;
    // A fork's own tool calls were never recorded.
    if (liveAfter !== undefined && kind !== "model") return undefined;
    // The request is beyond the point at which the recorded run was stopped.
    if (stoppedBy !== undefined && withoutRecording.has(kind)) return undefined;
    const nearest = this.#answers.find(kind, by, isLike);
    const number = this.#asked.get(kind) ?? 1;
    const unmatched = describeUnmatched({ kind, by, number, request, nearest });
    if (nearest !== undefined && !strict) {
      this.#warn(`${unmatched.message} The next unused answer was taken.`);
      this.#answers.give(nearest);
      return nearest;
    }
    if (!strict && (liveAfter !== undefined || withoutRecording.has(kind))) {
      this.#warn(`${unmatched.message} It was answered live.`);
      return undefined;
    }
    this.#diverge(unmatched);
    return undefined;
  }

  #diverge(divergence: Divergence): void {
    this.#divergence ??= divergence;
    this.#diverged.abort(this.#end());
  }

  #end(): AppError {
    const { signal } = this.#diverged;
    if (signal.reason instanceof AppError) return signal.reason;
    const message = this.#divergence?.message ?? "The replay asked for something that was not recorded.";
    return new AppError("conflict", "replay_diverged", message);
  }

  #warn(message: string): void {
    if (this.warnings.length < warningsMax) this.warnings.push(message);
    else if (this.warnings.length === warningsMax) this.warnings.push("There are more warnings like these.");
  }
}

/** Recorded answers are not charged again. */
function unpaid(event: RoutedEvent): RoutedEvent {
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false };
  return event.type === "end" || event.type === "spent" ? { ...event, usage } : event;
}

function isOf(request: unknown, source: RecallQuestion["of"]): boolean {
  return typeof request === "object" && request !== null && "of" in request && request.of === source;
}

function nameOf(request: unknown): unknown {
  return typeof request === "object" && request !== null && "tool" in request ? request.tool : undefined;
}
