import type { TapedError, TapeKind } from "../../contracts/daemon/cassette-file.ts";
import type { Turn } from "../memory/conversation.ts";
import type { ModelRequest } from "../models/model.ts";
import type { RoutedEvent } from "../models/model-router.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { ToolResult } from "../tools/tool.ts";
import type { Tape, TapedBy, TapedCall } from "./tape.ts";
import { tapedAllowance } from "./taped-allowance.ts";
import { stopOf, tapeError } from "./taped-error.ts";

/** A request and its answer as they came, before anything is masked; what a model says grows while it speaks. */
export interface Noted {
  kind: TapeKind;
  by: TapedBy;
  request: unknown;
  /** A `TapedAnswer`, except that instants are Dates still; undefined when none has come. */
  answer: unknown;
  /** The places of its beginning and of its end among all beginnings and ends; undefined until it has ended. */
  began: number;
  ended: number | undefined;
  afterEvents: number;
}

/**
 * Keeps what a run asks for and what it is answered, as references: nothing is copied, masked or written while it runs.
 * Where the run is itself a replay, the answers come from the tape `under` this one.
 */
export class Recorder implements Tape {
  readonly noted: Noted[] = [];
  readonly #under: Tape | undefined;
  readonly #eventsTold: () => number;
  #moments = 0;

  constructor(eventsTold: () => number, under?: Tape) {
    this.#eventsTold = eventsTold;
    this.#under = under;
  }

  async *model(
    by: TapedBy,
    request: ModelRequest,
    live: () => AsyncIterable<RoutedEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<RoutedEvent, void> {
    // The limit of the answer is written into the request while it is under way.
    const noted = this.#note("model", by, { ...request });
    const answer: { events: RoutedEvent[]; error?: TapedError } = { events: [] };
    noted.answer = answer;
    let isWhole = false;
    try {
      const events = this.#under === undefined ? live() : this.#under.model(by, request, live, signal);
      for await (const event of events) {
        answer.events.push(event);
        yield event;
      }
      isWhole = true;
    } catch (thrown) {
      answer.error = signal.aborted ? stopOf(signal) : tapeError(thrown);
      throw thrown;
    } finally {
      if (!isWhole && answer.error === undefined) answer.error = readerLeft;
      this.#end(noted);
    }
  }

  async tool(
    by: TapedBy,
    { tool, input }: TapedCall,
    live: () => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult> {
    const noted = this.#note("tool", by, { tool, input: snapshot(input) });
    const result = await (this.#under?.tool(by, { tool, input }, live, signal) ?? live());
    noted.answer = signal.aborted ? { result, stopped: stopOf(signal) } : { result };
    this.#end(noted);
    return result;
  }

  async worker(
    by: TapedBy,
    { tool, input }: TapedCall,
    live: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const noted = this.#note("worker", by, { tool, input: snapshot(input) });
    const result = await (this.#under?.worker(by, { tool, input }, live) ?? live());
    noted.answer = { result };
    this.#end(noted);
    return result;
  }

  async turns(by: TapedBy, live: () => Promise<Turn[]>, signal: AbortSignal): Promise<Turn[]> {
    const noted = this.#note("memory", by, {});
    try {
      const turns = await (this.#under?.turns(by, live, signal) ?? live());
      noted.answer = { turns };
      return turns;
    } catch (thrown) {
      noted.answer = { turns: [], error: signal.aborted ? stopOf(signal) : tapeError(thrown) };
      throw thrown;
    } finally {
      this.#end(noted);
    }
  }

  budget(by: TapedBy, live: Allowance | undefined): Allowance | undefined {
    const asked = this.#under === undefined ? live : this.#under.budget(by, live);
    return (
      asked &&
      tapedAllowance(asked, (answer) => {
        const noted = this.#note("budget", by, {});
        noted.answer = answer;
        this.#end(noted);
      })
    );
  }

  now(by: TapedBy, live: () => Date): Date {
    const now = this.#under?.now(by, live) ?? live();
    this.#noteAtOnce("clock", by, { at: now });
    return now;
  }

  random(by: TapedBy, live: () => number): number {
    const value = this.#under?.random(by, live) ?? live();
    this.#noteAtOnce("random", by, { value });
    return value;
  }

  newId(by: TapedBy, live: () => string): string {
    const value = this.#under?.newId(by, live) ?? live();
    this.#noteAtOnce("id", by, { value });
    return value;
  }

  #note(kind: TapeKind, by: TapedBy, request: unknown): Noted {
    const noted: Noted = {
      kind,
      by,
      request,
      answer: undefined,
      began: ++this.#moments,
      ended: undefined,
      afterEvents: this.#eventsTold(),
    };
    this.noted.push(noted);
    return noted;
  }

  #noteAtOnce(kind: TapeKind, by: TapedBy, answer: unknown): void {
    const noted = this.#note(kind, by, {});
    noted.answer = answer;
    this.#end(noted);
  }

  #end(noted: Noted): void {
    noted.ended = ++this.#moments;
  }
}

/** A tool may change what it was given. */
function snapshot(input: Record<string, unknown>): unknown {
  try {
    return structuredClone(input);
  } catch {
    return input;
  }
}

const readerLeft: TapedError = {
  kind: "unavailable",
  code: "run_cancelled",
  message: "The run was cancelled.",
};
