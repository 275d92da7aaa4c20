import { AppError, toAppError } from "../kit/app-error.ts";
import { inPieces } from "../kit/others-turn.ts";
import { readStrictJson } from "../kit/strict-json.ts";
import type { Call, Socket, SocketHandler } from "./call.ts";
import { logRefusal } from "./error-answer.ts";
import { frameBytesMax } from "./socket-watch.ts";

export interface SessionOptions {
  /** Answers one frame of the client's; the signal aborts when the socket closes. */
  answer: (frame: unknown, signal: AbortSignal) => AsyncIterable<object>;
  /** The frame that tells of a failure; the socket stays open. */
  errorFrame: (error: AppError) => object;
  call: Call;
}

/** Frames that may wait while one is answered; more is a client that doesn't wait for answers. */
const waitingFramesMax = 16;

/** What waiting frames may hold together. */
const waitingBytesMax = 1024 * 1024;

/** RFC 6455, section 7.4.1. */
const closeCodes = { goingAway: 1001, policyViolation: 1008 };

/** A frame that waits; a binary one has no text. */
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
 * The conversation on one WebSocket: JSON text frames, answered one after the other. What is wrong with a frame is an error
 * frame; a client that floods or stops reading is closed; closing aborts the answer under way.
 */
export function createWebSocketSession({ answer, errorFrame, call }: SessionOptions): SocketHandler {
  const closed = new AbortController();
  const waiting: Frame[] = [];
  let waitingBytes = 0;
  let isAnswering = false;
  let isRetiring = false;
  let socket: Socket | undefined;

  function send(frame: object): void {
    // 0: the bound of what may wait for this reader is reached and the frame is lost, so the rest would make no sense.
    if (socket?.send(JSON.stringify(frame)) === 0) {
      closed.abort(new DOMException("The client reads too slowly.", "AbortError"));
      socket.terminate();
    }
  }

  async function answerWaiting(): Promise<void> {
    isAnswering = true;
    for (let frame = waiting.shift(); frame && !closed.signal.aborted; frame = waiting.shift()) {
      waitingBytes -= frame.bytes;
      await answerOne(frame);
      if (isRetiring) break;
    }
    isAnswering = false;
    if (isRetiring) socket?.close(closeCodes.goingAway, "stopping");
  }

  async function answerOne({ text, bytes }: Frame): Promise<void> {
    try {
      if (text === undefined) throw binaryFrame(bytes);
      const sent = await inPieces(readStrictJson(text), closed.signal);
      for await (const frame of answer(sent, closed.signal)) {
        if (closed.signal.aborted) return;
        send(frame);
      }
    } catch (thrown) {
      if (closed.signal.aborted) return;
      const error = toAppError(thrown);
      logRefusal(call.log, error);
      send(errorFrame(error));
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
    retire() {
      isRetiring = true;
      if (!isAnswering) socket?.close(closeCodes.goingAway, "stopping");
    },
  };
}

/**
 * Turns a GET into a WebSocket of this handler, or throws what the client should see instead. Everything that can refuse
 * the client (credentials, a missing resource) comes before, so that it gets a status and a body.
 */
export function upgradeToWebSocket(request: Request, call: Call, handler: SocketHandler): void {
  // Throws `too_busy` while there is no room for what the client may send.
  call.bodies?.begin(frameBytesMax).end();
  const headers = { "x-request-id": call.requestId };
  if (call.connection?.upgrade(request, { data: handler, headers })) return;
  throw new AppError(
    "invalid",
    "websocket_required",
    "This path is a WebSocket, and this is no valid handshake.",
    {
      details: { hint: "Open it with a WebSocket client (RFC 6455, version 13)." },
    },
  );
}
