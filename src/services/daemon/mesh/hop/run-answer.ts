import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import type { Call } from "../../../../http/call.ts";
import { logRefusal } from "../../../../http/errors/error-answer.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { ToldController } from "../../../../kit/concurrency/on-abort.ts";
import { endOfTurn } from "../../../../kit/concurrency/others-turn.ts";
import type { MessageSigner } from "../../../../mesh/message-signature.ts";
import { runPath } from "./node-exchange.ts";
import { errorLine, LineWriter } from "./run-lines.ts";
import { wholeAnswer } from "./whole-answer.ts";

/*
 * The answer to a run of another node. It begins with its head, by which the other node knows that the run was accepted, and goes on line by
 * line. A run without a stream is held back: if it ends within 250 ms, its answer is sent whole, which costs both nodes a fraction. It is
 * held back no longer once it has called a tool or made another step, because a node that fails after that must not have its run repeated.
 */

/** Interval of the signs of life. */
const lifeMs = 1_000;
/** Time for which an answer is held back; far less than the other node waits for its head. */
const heldMs = 250;

/** Way of an answer to the node that asked. Either `whole` or `begin` is called, once. */
export interface AnswerWay {
  /** Sends the answer, with the seal of its text. */
  whole(text: string, seal: string): void;
  /** Sends the head. `lines.opened` is called when lines can follow. */
  begin(lines: LineSource, seal: string): void;
}

/** Lines that wait for their way. */
export interface LineSource {
  opened(out: LineOut): void;
  /** The other node has left. */
  left(reason: unknown): void;
}

export interface LineOut {
  write(text: string): void;
  end(): void;
}

export interface HopAnswering {
  way: AnswerWay;
  /** Aborts when the other node has left. */
  left: ToldController;
  /** Begins the run. */
  perform: (gone: AbortSignal) => AsyncIterable<RunEvent>;
  call: Pick<Call, "log">;
  signer: Pick<MessageSigner, "signAnswer">;
  /** HMAC of the run's message. */
  mac: string;
  /** True if the caller gets the answer as it arrives. */
  stream: boolean;
  /** True if the other node reads lines only, as earlier versions do. */
  onlyLines: boolean;
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

  /** Performs the run and answers it. */
  answer(answering: HopAnswering): void {
    const answer = new RunAnswer(answering, this.#clock, () => this.#held.delete(answer));
    if (answering.stream || answering.onlyLines) answer.begin();
    else this.#hold(answer);
    void answer.perform();
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
class RunAnswer implements LineSource {
  readonly #answering: HopAnswering;
  readonly #clock: Clock;
  readonly #released: () => void;
  readonly #lines: LineWriter;
  #hasBegun = false;
  /** Where lines go, once the head was sent. */
  #out: LineOut | undefined;
  #stopLife = () => {};
  #pending: RunEvent[] = [];
  #failure: { thrown: unknown } | undefined;
  #hasEnded = false;
  #isFlushing = false;

  constructor(answering: HopAnswering, clock: Clock, released: () => void) {
    this.#answering = answering;
    this.#clock = clock;
    this.#released = released;
    this.#lines = new LineWriter(answering.signer, answering.mac);
  }

  async perform(): Promise<void> {
    const { left, call, perform, stream, ended } = this.#answering;
    const gone = left.signal;
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
    ended(this.#failure === undefined ? "ok" : "failed");
    this.#hasEnded = true;
    this.#end();
  }

  /** Sends the head now, with what there is. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#released();
    const { way, signer, mac } = this.#answering;
    way.begin(this, signer.signAnswer(mac, runPath));
  }

  opened(out: LineOut): void {
    this.#out = out;
    this.#live();
    this.#flush();
    if (this.#hasEnded) this.#end();
  }

  left(reason: unknown): void {
    this.#answering.left.abort(reason);
  }

  #end(): void {
    if (!this.#hasBegun) this.#answerWhole();
    if (this.#out === undefined) return;
    this.#stopLife();
    this.#flush();
    if (this.#failure !== undefined && !this.#answering.left.signal.aborted)
      this.#out.write(this.#lines.error(this.#failure.thrown));
    this.#out.end();
  }

  #answerWhole(): void {
    this.#hasBegun = true;
    this.#released();
    const { way, signer, mac } = this.#answering;
    const text = this.#failure === undefined ? wholeAnswer(this.#pending) : errorLine(this.#failure.thrown);
    way.whole(text, signer.signAnswer(mac, text));
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
    this.#out.write(this.#lines.events(events));
  }

  #live(): void {
    this.#out?.write("\n");
    this.#stopLife = this.#clock.timer(lifeMs, () => this.#live());
  }
}
