import type { Call, Socket, SocketHandler } from "../../../../http/call.ts";
import { logRefusal } from "../../../../http/errors/error-answer.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import { ToldController } from "../../../../kit/concurrency/on-abort.ts";
import type { MessageSigner } from "../../../../mesh/message-signature.ts";
import { FrameBundle, framesOf, frameText, type LinkFrame, refusalText } from "./link-frames.ts";
import type { RunReceiver } from "./receive-run.ts";
import type { AnswerWay, LineSource } from "./run-answer.ts";
import { errorLine } from "./run-lines.ts";

/** RFC 6455, section 7.4.1. */
const closeCodes = { goingAway: 1001, policyViolation: 1008 };

/** Unread bytes from which on further messages wait here. Bun drops messages beyond 1 MiB. */
const unreadBytesMax = 256 * 1024;

/** The answering end of a link: runs of one other node. When it closes, the runs are cancelled. */
export class LinkSession implements SocketHandler {
  readonly #receiver: Pick<RunReceiver, "begin">;
  readonly #signer: Pick<MessageSigner, "signAnswer">;
  readonly #call: Pick<Call, "log">;
  /** Runs in flight, by their number. */
  readonly #runs = new Map<number, ToldController>();
  readonly #bundle = new FrameBundle((message) => this.#send(message));
  /** Messages that wait until the other node has read earlier ones. */
  #waiting: string[] = [];
  #socket: Socket | undefined;
  #isRetiring = false;

  constructor(
    receiver: Pick<RunReceiver, "begin">,
    signer: Pick<MessageSigner, "signAnswer">,
    call: Pick<Call, "log">,
  ) {
    this.#receiver = receiver;
    this.#signer = signer;
    this.#call = call;
  }

  open(socket: Socket): void {
    this.#socket = socket;
    this.#closeIfDone();
  }

  message(socket: Socket, message: string | Uint8Array): void {
    if (typeof message !== "string") {
      socket.close(closeCodes.policyViolation, "text frames only");
      return;
    }
    for (const frame of framesOf(message)) {
      if (frame.kind === "run") void this.#begin(frame);
      else if (frame.kind === "gone") this.#runs.get(frame.number)?.abort(goneReason());
    }
  }

  close(): void {
    this.#socket = undefined;
    this.#waiting = [];
    for (const left of [...this.#runs.values()]) left.abort(goneReason());
  }

  drained(socket: Socket): void {
    while (this.#waiting.length > 0 && socket.getBufferedAmount() < unreadBytesMax) {
      socket.send(this.#waiting.shift() ?? "");
    }
    this.#closeIfDone();
  }

  isAnswering(): boolean {
    return this.#runs.size > 0;
  }

  retire(): void {
    this.#isRetiring = true;
    this.#closeIfDone();
  }

  async #begin({ number, seal: signature, text }: LinkFrame): Promise<void> {
    if (this.#runs.has(number)) return;
    const left = new ToldController();
    this.#runs.set(number, left);
    try {
      if (this.#isRetiring) throw closing();
      const way = new LinkWay(this.#bundle, number, () => this.#over(number));
      await this.#receiver.begin({ signature, body: text, left, way, onlyLines: false, call: this.#call });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!left.signal.aborted) logRefusal(this.#call.log, error);
      const refusal = errorLine(error);
      const mac = signature.slice(signature.lastIndexOf(",") + 1);
      const seal = this.#signer.signAnswer(mac, refusalText(refusal));
      this.#bundle.add(frameText("refused", number, seal, refusal));
      this.#over(number);
    }
  }

  #over(number: number): void {
    this.#runs.delete(number);
    this.#closeIfDone();
  }

  #send(message: string): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    if (this.#waiting.length > 0 || socket.getBufferedAmount() >= unreadBytesMax) this.#waiting.push(message);
    else socket.send(message);
  }

  #closeIfDone(): void {
    if (!this.#isRetiring || this.#runs.size > 0) return;
    this.#bundle.flush();
    if (this.#waiting.length === 0) this.#socket?.close(closeCodes.goingAway, "stopping");
  }
}

/** The answer to a run in a link. */
class LinkWay implements AnswerWay {
  readonly #bundle: FrameBundle;
  readonly #number: number;
  readonly #over: () => void;

  constructor(bundle: FrameBundle, number: number, over: () => void) {
    this.#bundle = bundle;
    this.#number = number;
    this.#over = over;
  }

  whole(text: string, seal: string): void {
    this.#bundle.add(frameText("whole", this.#number, seal, text));
    this.#over();
  }

  begin(lines: LineSource, seal: string): void {
    this.#bundle.add(frameText("head", this.#number, seal));
    lines.opened({
      write: (text) => this.#bundle.add(frameText("lines", this.#number, "", text)),
      end: () => {
        this.#bundle.add(frameText("end", this.#number));
        this.#over();
      },
    });
  }
}

const goneReason = () => new DOMException("The other node has left.", "AbortError");

const closing = () =>
  new AppError("unavailable", "node_draining", "This node is stopping.", {
    details: { retryAfterSeconds: 1 },
  });
