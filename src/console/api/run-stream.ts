import { consoleApiPrefix } from "../../contracts/console/wire.ts";
import type { StreamFrame } from "../../contracts/daemon/runs/run.ts";
import { callTexts } from "../texts/shell.ts";
import { Unreachable } from "./console-fetch.ts";

/** Frames after which a run sends nothing more on its stream. */
const lastFrames: ReadonlySet<string> = new Set([
  "done",
  "error",
  "approval_required",
  "tool_result_required",
]);

/** The socket never opened. Either the service refused it or is out of reach; a browser does not tell which. */
export class HandshakeRefused extends Unreachable {
  override readonly name = "HandshakeRefused";
}

/** The target and the request of one WebSocket. */
export interface Stream {
  /** Path at the service, from its own root: `/v1/ws/agent/hello?ticket=…`. */
  service: string;
  path: string;
  /** Sent when the socket is open. */
  request: object;
  signal: AbortSignal;
}

/** Yields the frames of one run over a WebSocket that a ticket opens. Aborting closes the socket, which cancels the run. */
export async function* streamRun<Frame extends { type: string } = StreamFrame>({
  service,
  path,
  request,
  signal,
}: Stream): AsyncGenerator<Frame, void> {
  signal.throwIfAborted();
  const socket = new WebSocket(
    `${location.origin.replace(/^http/, "ws")}${consoleApiPrefix}/${service}${path}`,
  );
  const frames: Frame[] = [];
  let wake = () => {};
  let isOpen = false;
  let isClosed = false;
  const stir = () => wake();
  socket.addEventListener("open", () => {
    isOpen = true;
    socket.send(JSON.stringify(request));
  });
  socket.addEventListener("message", ({ data }) => {
    frames.push(JSON.parse(String(data)) as Frame);
    stir();
  });
  socket.addEventListener("close", () => {
    isClosed = true;
    stir();
  });
  signal.addEventListener("abort", stir);
  try {
    while (true) {
      const frame = frames.shift();
      if (frame !== undefined) {
        yield frame;
        if (lastFrames.has(frame.type)) return;
        continue;
      }
      signal.throwIfAborted();
      if (isClosed && !isOpen) throw new HandshakeRefused(callTexts.notOpened);
      if (isClosed) throw new Unreachable(callTexts.cutOff);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener("abort", stir);
    socket.close();
  }
}
