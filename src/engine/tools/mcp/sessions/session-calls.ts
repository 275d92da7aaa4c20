import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { AskedCall, type CallOptions, type CallOutcome, type PersonsAnswer } from "../mcp-client.ts";

type Result = Record<string, unknown>;

/** Sends a tool call in the session. */
export type SendCall = (terms: { signal: AbortSignal } & Pick<CallOptions, "progress">) => Promise<Result>;

/** A call in the session, from its request to its result. */
interface OpenCall {
  stop: AbortController;
  result: Promise<Result>;
  progress: CallOptions["progress"];
  /** Passes a question to the reader of the call; undefined if no person can answer, and while nobody reads. */
  ask: ((request: Result) => void) | undefined;
  /** Sends the person's answer to the server; undefined if it asks nothing. */
  answer: ((given: PersonsAnswer) => void) | undefined;
}

/** Calls of one session that may wait for people at once. */
const heldMax = 64;
/** As long as the run may wait for the person. */
const heldMsMax = 24 * 60 * 60 * 1000;
/** A session asks one question at a time for a call. */
const questionKey = "question";

/**
 * Tool calls in a session, whose server may ask a person while they run (MCP 2025-11-25 and older, "Elicitation"). A call that asks is held
 * open until it is answered. It ends with the session, and so with this process.
 */
export class SessionCalls {
  readonly #clock: Clock;
  /** Calls that are read. */
  readonly #read = new Set<OpenCall>();
  /** Calls that wait for a person, by their ids. */
  readonly #held = new Map<string, OpenCall>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends a call, or goes on with one that is held. */
  async call(send: SendCall, options: CallOptions): Promise<CallOutcome> {
    const { answered, signal, mayAsk, progress } = options;
    signal.throwIfAborted();
    const heldId = answered?.state.heldId;
    const call = heldId === undefined ? begin(send) : this.#release(heldId);
    const { promise, resolve } = Promise.withResolvers<AskedCall>();
    call.progress = progress;
    if (mayAsk === true)
      call.ask = (request) =>
        resolve(new AskedCall({ [questionKey]: request }, { heldId: this.#hold(call) }));
    const stop = () => call.stop.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#read.add(call);
    const given = answered?.responses[questionKey];
    if (given !== undefined) call.answer?.(given);
    try {
      return await Promise.race([call.result, promise]);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#read.delete(call);
      call.ask = undefined;
      call.progress = () => {};
    }
  }

  /**
   * Returns the person's answer to a request of the server. A question does not name its call: with several calls in progress it is
   * dismissed, so that nobody is asked about another's call.
   */
  async asked(request: Result, signal: AbortSignal): Promise<PersonsAnswer> {
    const [call, ...others] = this.#read;
    if (call?.ask === undefined || others.length > 0 || this.#held.size >= heldMax)
      return { action: "cancel" };
    const { promise, resolve } = Promise.withResolvers<PersonsAnswer>();
    call.answer = resolve;
    // The server no longer waits, and nobody reads this answer.
    signal.addEventListener("abort", () => resolve({ action: "cancel" }), { once: true });
    call.ask(request);
    try {
      return await promise;
    } finally {
      call.answer = undefined;
    }
  }

  #hold(call: OpenCall): string {
    const id = crypto.randomUUID();
    this.#held.set(id, call);
    const forget = () => {
      if (!this.#held.delete(id)) return;
      call.answer?.({ action: "cancel" });
      call.stop.abort(new DOMException("No person answered in time.", "AbortError"));
    };
    const cancel = this.#clock.timer(heldMsMax, forget);
    void call.result.catch(() => undefined).finally(cancel);
    return id;
  }

  #release(id: string): OpenCall {
    const call = this.#held.get(id);
    this.#held.delete(id);
    if (call !== undefined) return call;
    throw new AppError(
      "unavailable",
      lostCode,
      "the session in which its server asked has ended, and the call with it. Whether the server did anything is not known.",
    );
  }
}

const lostCode = "mcp_call_lost";

/** True if the call that a session held has ended with the session. */
export const isCallLost = (thrown: unknown) => thrown instanceof AppError && thrown.code === lostCode;

function begin(send: SendCall): OpenCall {
  const call: OpenCall = {
    stop: new AbortController(),
    result: Promise.resolve({}),
    progress: () => {},
    ask: undefined,
    answer: undefined,
  };
  call.result = send({ signal: call.stop.signal, progress: (told) => call.progress(told) });
  // A held call may end while nobody reads it.
  call.result.catch(() => undefined);
  return call;
}
