import { AppError, toAppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";
import type { Call, Socket, SocketHandler } from "../call.ts";
import { logRefusal } from "../errors/error-answer.ts";
import { messageBytesMax } from "./socket-watch.ts";

export interface SessionOptions {
  /** Answers one frame of the client with frames, or with lists of their JSON; the signal aborts when the socket closes. */
  answer: (frame: unknown, signal: AbortSignal) => AsyncIterable<object | readonly string[]>;
  /** Returns the frame that reports a failure; the socket stays open. */
  errorFrame: (error: AppError) => object;
  /** Returns true for a failure after which the socket closes with 1008, such as a credential that has ended. */
  isFinal?: (error: AppError) => boolean;
  call: Call;
}

/** Limit for waiting frames. A client with more does not wait for answers. */
const waitingFramesMax = 16;

/** Limit for the total size of waiting frames, in bytes. */
const waitingBytesMax = 1024 * 1024;

/** Frames that are sent together at most. */
const framesTogetherMax = 256;

/** RFC 6455, section 7.4.1. */
const closeCodes = { goingAway: 1001, policyViolation: 1008 };

/** A waiting frame; a binary one has no text. */
interface Frame {
  text: string | undefined;
  bytes: number;
}

function binaryFrame(bytes: number): AppError {
  return new AppError(
    "invalid",
    "invalid_request",
    `A binary frame of ${bytes} bytes can't be read; send JSON in a text frame.`,
  );
}

/**
 * Creates the session of one WebSocket: JSON text frames, answered one after the other. A faulty frame is answered with an error frame. A
 * client that floods or stops reading is closed, and closing aborts the current answer.
 */
export function createWebSocketSession({ answer, errorFrame, isFinal, call }: SessionOptions): SocketHandler {
  const closed = new AbortController();
  const waiting: Frame[] = [];
  let waitingBytes = 0;
  let isAnswering = false;
  let isRetiring = false;
  let socket: Socket | undefined;

  /** Frames of this turn of the event loop. They are sent together: the tokens of one chunk of a fast model share a system call. */
  let outgoing: string[] = [];

  function send(text: string): void {
    const frames = outgoing.push(text);
    // Runs when no promise of this turn is left to go on.
    if (frames === 1) process.nextTick(flush);
    else if (frames === framesTogetherMax) flush();
  }

  function flush(): void {
    const frames = outgoing;
    outgoing = [];
    if (frames.length > 0) socket?.cork((to) => sendAll(to, frames));
  }

  function sendAll(to: Pick<Socket, "send" | "terminate">, frames: readonly string[]): void {
    for (const frame of frames) {
      if (to.send(frame) !== 0) continue;
      // 0: the limit for unread bytes is reached and the frame is lost, so the rest would make no sense.
      closed.abort(new DOMException("The client reads too slowly.", "AbortError"));
      to.terminate();
      return;
    }
  }

  function close(code: number, reason: string): void {
    flush();
    socket?.close(code, reason);
  }

  async function answerWaiting(): Promise<void> {
    isAnswering = true;
    for (let frame = waiting.shift(); frame && !closed.signal.aborted; frame = waiting.shift()) {
      waitingBytes -= frame.bytes;
      await answerOne(frame);
      if (isRetiring) break;
    }
    isAnswering = false;
    if (isRetiring) close(closeCodes.goingAway, "stopping");
  }

  async function answerOne({ text, bytes }: Frame): Promise<void> {
    try {
      if (text === undefined) throw binaryFrame(bytes);
      const sent = await inPieces(readStrictJson(text), closed.signal);
      for await (const frames of answer(sent, closed.signal)) {
        if (closed.signal.aborted) return;
        if (Array.isArray(frames)) for (const text of frames as readonly string[]) send(text);
        else send(JSON.stringify(frames));
      }
    } catch (thrown) {
      if (closed.signal.aborted) return;
      const error = toAppError(thrown);
      logRefusal(call.log, error);
      send(JSON.stringify(errorFrame(error)));
      if (isFinal?.(error)) close(closeCodes.policyViolation, error.code);
    }
  }

  return {
    open(opened) {
      socket = opened;
      if (isRetiring) opened.close(closeCodes.goingAway, "stopping");
    },
    message(from, message) {
      const frame =
        typeof message === "string"
          ? { text: message, bytes: message.length }
          : { text: undefined, bytes: message.byteLength };
      waiting.push(frame);
      waitingBytes += frame.bytes;
      if (!isAnswering) {
        void answerWaiting();
      } else if (waiting.length > waitingFramesMax || waitingBytes > waitingBytesMax) {
        waiting.length = 0;
        from.close(closeCodes.policyViolation, "too many frames");
      }
    },
    close() {
      waiting.length = 0;
      socket = undefined;
      closed.abort(new DOMException("The socket was closed.", "AbortError"));
    },
    isAnswering: () => isAnswering,
    retire() {
      isRetiring = true;
      if (!isAnswering) socket?.close(closeCodes.goingAway, "stopping");
    },
  };
}

/**
 * Returns true for a request that may open a WebSocket: only such a one takes a one-time ticket. HEAD, link previews and requests whose
 * `Upgrade` a proxy dropped open nothing.
 */
export const isHandshake = ({ method, headers }: Pick<Request, "method" | "headers">): boolean =>
  method === "GET" &&
  (headers.get("upgrade") ?? "").split(",").some((protocol) => protocol.trim().toLowerCase() === "websocket");

/**
 * Upgrades a GET request to a WebSocket with this handler, or throws the error for the client. All checks that can refuse the client
 * (credentials, a missing resource) come before, so that it gets a status and a body.
 */
export function upgradeToWebSocket(
  request: Request,
  call: Call,
  handler: SocketHandler,
  extra: Readonly<Record<string, string>> = {},
): void {
  // Throws `too_busy` if there is no room for a message of the client.
  call.bodies?.begin(messageBytesMax).end();
  const headers = { ...extra, "x-request-id": call.requestId };
  if (isHandshake(request) && call.connection?.upgrade(request, { data: handler, headers })) return;
  throw new AppError(
    "invalid",
    "websocket_required",
    "This path is a WebSocket, and this is not a valid handshake.",
    {
      details: { hint: "Open it with a WebSocket client (RFC 6455, version 13)." },
    },
  );
}
