import type { Call, Socket, SocketHandler } from "../../../../http/call.ts";
import { logRefusal } from "../../../../http/errors/error-answer.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import type { RunFrame } from "../perform-run.ts";
import { errorFrame, type TerminalFrame } from "./stream-frames.ts";

/** RFC 6455, section 7.4.1. */
const closeCodes = { normal: 1000, goingAway: 1001 };

/**
 * Creates the WebSocket of one run. It sends the run's frames and one terminal frame, then closes. If the client closes it or stops
 * reading, the run is cancelled.
 */
export function runSocket(stream: RunStream, call: Call): SocketHandler {
  const left = new AbortController();
  let socket: Socket | undefined;
  let isRetiring = false;
  const leave = (reason: string) => left.abort(new DOMException(reason, "AbortError"));

  const send = (frame: object) => {
    // 0 means that too much data waits for this reader and the frame is lost.
    if (socket?.send(JSON.stringify(frame)) !== 0) return;
    leave("The client reads too slowly.");
    socket.terminate();
  };

  const pump = async () => {
    try {
      for await (const frame of stream.frames([left.signal])) if (!left.signal.aborted) send(frame);
    } catch (thrown) {
      logRefusal(call.log, toAppError(thrown), left.signal);
      send(errorFrame(stream.invocationId, thrown));
    }
    socket?.close(isRetiring ? closeCodes.goingAway : closeCodes.normal);
  };

  return {
    open(opened) {
      socket = opened;
      void pump();
    },
    // The handshake contains everything that the run needs.
    message() {},
    close() {
      socket = undefined;
      leave("The socket was closed.");
    },
    isAnswering: () => socket !== undefined,
    retire() {
      isRetiring = true;
    },
  };
}

/** A stream of a run's frames, or of the end of an earlier run. */
export interface RunStream {
  invocationId: string;
  /** True if it replays the end of an earlier run with the same key. */
  isReplay: boolean;
  /** Frames; the last one is terminal. The signals abort when the reader leaves. */
  frames(leaving: readonly AbortSignal[]): AsyncGenerator<RunFrame | TerminalFrame, void>;
  /** Ends a run that can't be watched as if it had not begun. */
  abandon(): Promise<void>;
}
