import { request } from "node:http";
import { handshakeKey } from "./raw-web-socket.ts";

type Frame = Record<string, unknown>;

/** One run over a WebSocket. */
export interface RunSocketClient {
  /** Returns the next frame; undefined when the socket is closed. */
  next(): Promise<Frame | undefined>;
  /** Returns all frames to the end. */
  rest(): Promise<Frame[]>;
  /** Sends a frame of JSON. */
  send(frame: object): void;
  close(): void;
  /** Resolves with the code with which it was closed. */
  closed: Promise<number>;
}

/** Opens the WebSocket; rejects if it is refused. */
export async function openRunSocket(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<RunSocketClient> {
  const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, { headers } as unknown as string[]);
  const closed = Promise.withResolvers<number>();
  const frames: Frame[] = [];
  let isOver = false;
  let wake = Promise.withResolvers<void>();
  const change = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  socket.onmessage = ({ data }) => {
    frames.push(JSON.parse(data));
    change();
  };
  socket.onclose = ({ code }) => {
    isOver = true;
    closed.resolve(code);
    change();
  };
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("the WebSocket was refused"));
  });
  const next = async () => {
    while (frames.length === 0 && !isOver) await wake.promise;
    return frames.shift();
  };
  return {
    next,
    async rest() {
      const taken: Frame[] = [];
      for (let frame = await next(); frame !== undefined; frame = await next()) taken.push(frame);
      return taken;
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    close: () => socket.close(1000),
    closed: closed.promise,
  };
}

/** Returns the response to a refused handshake. */
export function refusedHandshake(
  url: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Record<string, unknown>; body: Frame }> {
  return new Promise((resolve, reject) => {
    const handshake = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": handshakeKey,
    };
    const sent = request(`${url}${path}`, { headers: { ...handshake, ...headers } });
    sent.on("error", reject);
    sent.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new Error("the handshake was accepted"));
    });
    sent.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(text) }),
      );
    });
    sent.end();
  });
}
