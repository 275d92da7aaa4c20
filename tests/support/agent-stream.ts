import type { StreamFrame } from "../../src/contracts/daemon/runs/run.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { readSse } from "../../src/kit/fetch/sse.ts";
import { answerOf } from "./daemon.ts";

/** The frames of one answer, over either transport. */
export interface AgentStream {
  /** Returns the next frame; undefined when the stream has ended. */
  next(): Promise<StreamFrame | undefined>;
  /** Returns all frames up to the one that ends this answer, `done` or `error`. */
  answer(): Promise<StreamFrame[]>;
  /** Leaves without waiting for the rest. */
  leave(): void;
}

export interface AgentSocket extends AgentStream {
  /** Sends a text unchanged, anything else as JSON. */
  send(frame: unknown): void;
  /** Resolves with the code with which the socket was closed. */
  closed: Promise<number>;
}

/** Runs an agent with its answer as server-sent events; rejects with the response if it is not a stream. */
export async function openEvents(
  url: string,
  agent: string,
  body: unknown,
  query = "",
  more: Record<string, string> = {},
): Promise<AgentStream> {
  const leaving = new AbortController();
  const response = await serviceFetch(`${url}/v1/agents/${agent}/run${query}`, {
    method: "POST",
    headers: { accept: "text/event-stream", ...more },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
    throw Object.assign(new Error("no event stream"), { answer: await answerOf(response) });
  }
  return streamOf(framesIn(response.body), () => leaving.abort());
}

/** Opens an agent's WebSocket; rejects if it is refused. */
export async function openSocket(
  url: string,
  agent: string,
  headers: Record<string, string> = {},
): Promise<AgentSocket> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/v1/ws/agent/${agent}`, {
    headers,
  } as unknown as string[]);
  const closed = Promise.withResolvers<number>();
  const frames = queue<StreamFrame>();
  socket.onmessage = ({ data }) => frames.add(JSON.parse(data));
  socket.onclose = ({ code }) => {
    closed.resolve(code);
    frames.end();
  };
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("the WebSocket was refused"));
  });
  return {
    ...streamOf(frames.read(), () => socket.close(1000)),
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    closed: closed.promise,
  };
}

/** Returns the visible text of an answer: the contents of its tokens, joined. */
export function tokensOf(frames: readonly StreamFrame[]): string {
  return frames.map((frame) => (frame.type === "token" ? frame.content : "")).join("");
}

async function* framesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamFrame> {
  for await (const batch of readSse(body)) for (const data of batch) yield JSON.parse(data);
}

function streamOf(frames: AsyncGenerator<StreamFrame>, leave: () => void): AgentStream {
  const next = async () => (await frames.next()).value as StreamFrame | undefined;
  return {
    next,
    leave,
    async answer() {
      const taken: StreamFrame[] = [];
      for (let frame = await next(); frame !== undefined; frame = await next()) {
        taken.push(frame);
        if (frame.type === "done" || frame.type === "error") break;
      }
      return taken;
    },
  };
}

/** A queue of values between a writer and a reader. */
function queue<T>() {
  const values: T[] = [];
  let isOver = false;
  let wake = Promise.withResolvers<void>();
  const signal = () => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    add(value: T) {
      values.push(value);
      signal();
    },
    end() {
      isOver = true;
      signal();
    },
    async *read(): AsyncGenerator<T> {
      for (;;) {
        for (let value = values.shift(); value !== undefined; value = values.shift()) yield value;
        if (isOver) return;
        await wake.promise;
      }
    },
  };
}
