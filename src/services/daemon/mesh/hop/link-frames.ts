/*
 * A link is a WebSocket over which one node hands short runs to another: a request for each of them costs both nodes several times as much.
 * A frame has three lines, of which the last may have more lines:
 *
 *   <kind> <number of the run>
 *   <seal>
 *   <text>
 *
 *   run      from the asking node: the header and the body of a request to `runPath`
 *   gone     from the asking node: the caller has left, so the run is cancelled
 *   whole    an answer as in `whole-answer.ts`; the seal is its header
 *   refused  an error before the run began; the seal covers `refused`, a line end and the error
 *   head     the run was accepted, and lines follow; the seal is the header of such an answer
 *   lines    a piece of the answer's lines, each with a signature of its own
 *   end      the end of the lines
 *
 * Frames of one turn of the event loop share a message. U+001E is between them, which JSON escapes in texts.
 */

/** Path at which a node opens a link. */
export const linkPath = "/v1/mesh/link";

/** Longest run in a link; longer ones would keep others waiting. In characters. */
export const linkRunMax = 64 * 1024;

export type FrameKind = "run" | "gone" | "whole" | "refused" | "head" | "lines" | "end";

export interface LinkFrame {
  kind: FrameKind;
  number: number;
  seal: string;
  text: string;
}

const between = "\u001e";

export const frameText = (kind: FrameKind, number: number, seal = "", text = ""): string =>
  `${kind} ${number}\n${seal}\n${text}`;

/** Returns the frames of a message. */
export const framesOf = (message: string): LinkFrame[] =>
  (message.includes(between) ? message.split(between) : [message]).map(readFrame);

function readFrame(frame: string): LinkFrame {
  const space = frame.indexOf(" ");
  const first = frame.indexOf("\n");
  const second = frame.indexOf("\n", first + 1);
  return {
    kind: frame.slice(0, space) as FrameKind,
    number: Number(frame.slice(space + 1, first)),
    seal: frame.slice(first + 1, second),
    text: frame.slice(second + 1),
  };
}

/** Text that the seal of a refusal covers. */
export const refusalText = (error: string): string => `refused\n${error}`;

/** Characters after which frames are sent without waiting for more. */
const messageCharsMax = 64 * 1024;

/** Joins the frames of one turn of the event loop to a message. */
export class FrameBundle {
  readonly #send: (message: string) => void;
  #frames: string[] = [];
  #chars = 0;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  add(frame: string): void {
    this.#chars += frame.length;
    // Runs when no promise of this turn is left to go on.
    if (this.#frames.push(frame) === 1) process.nextTick(() => this.flush());
    if (this.#chars > messageCharsMax) this.flush();
  }

  flush(): void {
    if (this.#frames.length === 0) return;
    const message = this.#frames.join(between);
    this.#frames = [];
    this.#chars = 0;
    this.#send(message);
  }
}
