import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import type { Call } from "../../../../http/call.ts";
import { logRefusal } from "../../../../http/errors/error-answer.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { onAbort, ToldController } from "../../../../kit/concurrency/on-abort.ts";
import { endOfTurn } from "../../../../kit/concurrency/others-turn.ts";
import { answerHeader, type MessageSigner } from "../../../../mesh/message-signature.ts";
import { runPath } from "./call-node.ts";
import { errorLine, LineWriter } from "./run-lines.ts";
import { linesType, wholeAnswer, wholeType } from "./whole-answer.ts";

/*
 * The answer to a run of another node. It begins with its head, by which the other node knows that the run was accepted, and goes on line by
 * line. A run without a stream is held back: if it ends within 250 ms, its answer is sent whole, which costs both nodes a fraction. It is
 * held back no longer once it has called a tool or made another step, because a node that fails after that must not have its run repeated.
 */

/** Interval of the signs of life. */
const lifeMs = 1_000;
/** Time for which an answer is held back; far less than the other node waits for its head. */
const heldMs = 250;

export interface Answering {
  request: Request;
  call: Call;
  /** Begins the run; the signal aborts when the other node has left. */
  perform: (gone: AbortSignal) => AsyncIterable<RunEvent>;
  signer: Pick<MessageSigner, "signAnswer">;
  /** HMAC of the run's message. */
  mac: string;
  /** True if the caller gets the answer as it arrives. */
  stream: boolean;
  /** Called when the run ends. */
  ended(outcome: "ok" | "failed"): void;
}

/** Answers the runs of other nodes. One timer begins the answers that were held back for long enough. */
export class RunAnswers {
  readonly #clock: Clock;
  /** Answers held back and when each must begin, in that order. */
  readonly #held = new Map<RunAnswer, number>();
  #isTimed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Performs the run. Resolves with its answer, or with the head of it. */
  answer(answering: Answering): Promise<Response> {
    const answer = new RunAnswer(answering, this.#clock, () => this.#held.delete(answer));
    // Nodes of earlier versions read lines only.
    const takesWhole = answering.request.headers.get("accept")?.includes(linesType) === true;
    if (answering.stream || !takesWhole) answer.begin();
    else this.#hold(answer);
    void answer.perform();
    return answer.response;
  }

  #hold(answer: RunAnswer): void {
    this.#held.set(answer, this.#clock.monotonicMs() + heldMs);
    if (!this.#isTimed) this.#wait(heldMs);
  }

  #wait(ms: number): void {
    this.#isTimed = true;
    this.#clock.timer(ms, () => {
      this.#isTimed = false;
      const now = this.#clock.monotonicMs();
      for (const [answer, dueMs] of this.#held) {
        if (dueMs > now) return this.#wait(dueMs - now);
        answer.begin();
      }
    });
  }
}

/** The answer to one run. */
class RunAnswer {
  readonly #answering: Answering;
  readonly #clock: Clock;
  readonly #released: () => void;
  readonly #lines: LineWriter;
  readonly #left = new ToldController();
  readonly #head = Promise.withResolvers<Response>();
  readonly #whole = Promise.withResolvers<void>();
  #hasBegun = false;
  /** Where lines go, once the head was sent. */
  #out: ReadableStreamDirectController | undefined;
  #stopLife = () => {};
  #pending: RunEvent[] = [];
  #failure: { thrown: unknown } | undefined;
  #hasEnded = false;
  #isFlushing = false;

  constructor(answering: Answering, clock: Clock, released: () => void) {
    this.#answering = answering;
    this.#clock = clock;
    this.#released = released;
    this.#lines = new LineWriter(answering.signer, answering.mac);
  }

  get response(): Promise<Response> {
    return this.#head.promise;
  }

  async perform(): Promise<void> {
    const { request, call, perform, stream, ended } = this.#answering;
    const gone = this.#left.signal;
    const leave = () => this.#left.abort(request.signal.reason);
    const forget = onAbort(request.signal, leave);
    if (request.signal.aborted) leave();
    try {
      for await (const event of perform(gone)) {
        this.#pending.push(event);
        // Without a stream, no caller sees a token before the next event. The last event is sent when the run is over.
        if (event.type === "done" || (!stream && event.type === "token")) continue;
        this.begin();
        this.#flushSoon();
      }
    } catch (thrown) {
      this.#failure = { thrown };
      if (!gone.aborted) logRefusal(call.log, toAppError(thrown));
    }
    forget();
    ended(this.#failure === undefined ? "ok" : "failed");
    this.#hasEnded = true;
    this.#end();
  }

  /** Sends the head now, with what there is. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#released();
    // Bun's direct streams write to the socket without a queue in between.
    const body: Bun.DirectUnderlyingSource = {
      type: "direct",
      pull: (out) => {
        this.#out = out;
        this.#live();
        this.#flush();
        if (this.#hasEnded) this.#end();
        return this.#whole.promise;
      },
      cancel: (reason) => this.#left.abort(reason),
    };
    const stream = new ReadableStream(body as unknown as UnderlyingDefaultSource);
    this.#head.resolve(this.#respond(stream, linesType, runPath));
  }

  #respond(body: string | ReadableStream, type: string, signed: string): Response {
    const { signer, mac } = this.#answering;
    const headers = {
      "content-type": type,
      "cache-control": "no-store",
      [answerHeader]: signer.signAnswer(mac, signed),
    };
    return new Response(body, { headers });
  }

  #end(): void {
    if (!this.#hasBegun) this.#answerWhole();
    if (this.#out === undefined) return;
    this.#stopLife();
    this.#flush();
    if (this.#failure !== undefined && !this.#left.signal.aborted)
      this.#send(this.#lines.error(this.#failure.thrown));
    this.#out.end();
    this.#whole.resolve();
  }

  #answerWhole(): void {
    this.#hasBegun = true;
    this.#released();
    const text = this.#failure === undefined ? wholeAnswer(this.#pending) : errorLine(this.#failure.thrown);
    this.#head.resolve(this.#respond(text, wholeType, text));
  }

  /** Events of one turn share a line: a signature for each token would cost more than the token. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void endOfTurn().then(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#out === undefined || this.#pending.length === 0) return;
    const events = this.#pending;
    this.#pending = [];
    this.#send(this.#lines.events(events));
  }

  #live(): void {
    this.#send("\n");
    this.#stopLife = this.#clock.timer(lifeMs, () => this.#live());
  }

  #send(text: string): void {
    this.#out?.write(text);
    this.#out?.flush();
  }
}
