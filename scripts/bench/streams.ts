import { type AgentName, question, serverUrl } from "./workload.ts";

export interface StreamResult {
  tokens: number;
  firstTokenMs: number;
  totalMs: number;
}

/** Streams one answer of an agent in a session. */
export type Streamer = (session: string) => Promise<StreamResult>;

const tokenMark = '"type":"token"';

/** Over server-sent events; each answer is its own request. */
export const sseStreamer =
  (agent: AgentName): Streamer =>
  async (session) => {
    const startedAt = performance.now();
    const response = await fetch(`${serverUrl}/v1/agents/${agent}/run`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: question, session_id: session }),
    });
    const decoder = new TextDecoder();
    let firstTokenMs = 0;
    let tokens = 0;
    let tail = "";
    for await (const chunk of response.body ?? []) {
      const text = tail + decoder.decode(chunk, { stream: true });
      let counted = 0;
      for (let at = text.indexOf(tokenMark); at !== -1; at = text.indexOf(tokenMark, counted)) {
        counted = at + tokenMark.length;
        if (tokens++ === 0) firstTokenMs = performance.now() - startedAt;
      }
      // A mark may be cut in two by the network.
      tail = text.slice(Math.max(counted, text.length - tokenMark.length + 1));
    }
    return { tokens, firstTokenMs, totalMs: performance.now() - startedAt };
  };

/** Over one WebSocket, one answer after another. */
export async function openSocketStreamer(agent: AgentName): Promise<Streamer & Disposable> {
  const socket = new WebSocket(`${serverUrl.replace("http", "ws")}/v1/ws/agent/${agent}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no WebSocket at ${socket.url}`));
  });
  const stream: Streamer = (session) =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let firstTokenMs = 0;
      let tokens = 0;
      socket.onclose = () => reject(new Error("the WebSocket was closed during an answer"));
      socket.onmessage = ({ data }) => {
        const frame = String(data).slice(0, 40);
        if (frame.includes(tokenMark)) {
          if (tokens++ === 0) firstTokenMs = performance.now() - startedAt;
        } else if (frame.includes('"type":"done"') || frame.includes('"type":"error"')) {
          resolve({ tokens, firstTokenMs, totalMs: performance.now() - startedAt });
        }
      };
      socket.send(JSON.stringify({ query: question, session_id: session }));
    });
  return Object.assign(stream, { [Symbol.dispose]: () => socket.close() });
}
