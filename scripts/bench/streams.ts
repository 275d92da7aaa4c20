import { quantile } from "./figures.ts";
import { cpuMs } from "./process-stats.ts";
import { type AgentName, answerText, question, serverUrl, tokensOf } from "./workload.ts";

export interface StreamResult {
  /** True if the answer ended properly, and its text was right if it was verified. */
  complete: boolean;
  firstTokenMs: number;
}

/** Streams one answer of an agent in a session. `verify` compares the text with the model's, which costs the client time. */
export type Streamer = (session: string, verify?: boolean) => Promise<StreamResult>;

const tokenMark = '"type":"token"';
const doneMark = '"type":"done"';

/** Streams over server-sent events; each answer is its own request. */
export const sseStreamer =
  (agent: AgentName): Streamer =>
  async (session, verify = false) => {
    const startedAt = performance.now();
    const response = await fetch(`${serverUrl}/v1/agents/${agent}/run`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: question, session_id: session }),
    });
    const decoder = new TextDecoder();
    const texts: string[] = [];
    let firstTokenMs = 0;
    let tail = "";
    let done = false;
    for await (const chunk of response.body ?? []) {
      const text = decoder.decode(chunk, { stream: true });
      if (verify) texts.push(text);
      // The network may split a mark in two.
      const seen = tail + text;
      if (firstTokenMs === 0 && seen.includes(tokenMark)) firstTokenMs = performance.now() - startedAt;
      done ||= seen.includes(doneMark);
      tail = text.slice(-tokenMark.length);
    }
    const frames = texts
      .join("")
      .split("\n\n")
      .filter((line) => line.startsWith("data: "));
    return {
      complete:
        done &&
        (!verify ||
          isWhole(
            agent,
            frames.map((line) => line.slice(6)),
          )),
      firstTokenMs,
    };
  };

/** Streams over one WebSocket, one answer after another. */
export async function openSocketStreamer(agent: AgentName): Promise<Streamer & Disposable> {
  const socket = new WebSocket(`${serverUrl.replace("http", "ws")}/v1/ws/agent/${agent}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no WebSocket at ${socket.url}`));
  });
  const stream: Streamer = (session, verify = false) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const frames: string[] = [];
      let firstTokenMs = 0;
      socket.onclose = () => reject(new Error("the WebSocket was closed during an answer"));
      socket.onmessage = ({ data }) => {
        const frame = String(data);
        const head = frame.slice(0, 40);
        if (verify) frames.push(frame);
        if (firstTokenMs === 0 && head.includes(tokenMark)) firstTokenMs = performance.now() - startedAt;
        if (head.includes(doneMark)) resolve({ complete: !verify || isWhole(agent, frames), firstTokenMs });
        if (head.includes('"type":"error"')) resolve({ complete: false, firstTokenMs });
      };
      socket.send(JSON.stringify({ query: question, session_id: session }));
    });
  return Object.assign(stream, { [Symbol.dispose]: () => socket.close() });
}

/** Returns true if the text is the model's; a server may join tokens or split them differently. */
function isWhole(agent: AgentName, frames: readonly string[]): boolean {
  const text = frames
    .map((frame) => JSON.parse(frame) as { type: string; content?: string })
    .filter(({ type }) => type === "token")
    .map(({ content }) => content)
    .join("");
  return text === answerText(tokensOf(agent));
}

export interface SteadyFigures {
  cpuUsPerToken: number;
  /** 99th percentile of the delay of a token beyond 20 ms after the previous one, in ms. */
  lateP99Ms: number;
  wrong: number;
}

const steadyStreams = 200;
const tokenEveryMs = 20;

/** Measures 200 concurrent streams with 50 tokens per second each, like many readers of many answers. */
export async function measureSteady(pid: number, agent: AgentName, tag: string): Promise<SteadyFigures> {
  const late: number[] = [];
  const cpuBefore = cpuMs(pid);
  const complete = await Promise.all(
    Array.from({ length: steadyStreams }, async (_, at) => {
      // Spread over one interval, so that tokens do not come in bursts of 200.
      await Bun.sleep((at * tokenEveryMs) / steadyStreams);
      return readSteady(agent, `${tag}-${at}`, late);
    }),
  );
  const tokens = steadyStreams * tokensOf(agent);
  late.sort((a, b) => a - b);
  return {
    cpuUsPerToken: ((cpuMs(pid) - cpuBefore) * 1000) / tokens,
    lateP99Ms: quantile(late, 0.99),
    wrong: complete.filter((whole) => !whole).length,
  };
}

/** Reads one stream to its end; returns true if it was complete. */
async function readSteady(agent: AgentName, session: string, late: number[]): Promise<boolean> {
  const response = await fetch(`${serverUrl}/v1/agents/${agent}/run`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query: question, session_id: session }),
  });
  const decoder = new TextDecoder();
  let lastAtMs = 0;
  let tokens = 0;
  let tail = "";
  let done = false;
  for await (const chunk of response.body ?? []) {
    const text = tail + decoder.decode(chunk, { stream: true });
    const found = text.split(tokenMark).length - 1;
    done ||= text.includes(doneMark);
    // A mark that was cut in two is found with the next chunk, and no mark is found twice.
    tail = text.slice(Math.max(text.lastIndexOf(tokenMark) + 1, text.length - tokenMark.length + 1));
    if (found === 0) continue;
    const atMs = performance.now();
    // The first interval includes the time to the first token.
    if (tokens > 0) for (let token = 0; token < found; token++) late.push(atMs - lastAtMs - tokenEveryMs);
    lastAtMs = atMs;
    tokens += found;
  }
  return done && tokens >= 1;
}
