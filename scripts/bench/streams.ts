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
