import { cpuMs } from "./process-stats.ts";
import { type AgentName, question, serverUrl, tokensOf } from "./workload.ts";

export interface SteadyFigures {
  cpuUsPerToken: number;
  /** 99th percentile of the delay of a token beyond 20 ms after the previous one, in ms. */
  lateP99Ms: number;
  wrong: number;
}

const streams = 200;
const tokenEveryMs = 20;
const tokenMark = '"type":"token"';
const doneMark = '"type":"done"';

/** Measures 200 concurrent streams with 50 tokens per second each, like many readers of many answers. */
export async function measureSteady(pid: number, agent: AgentName, tag: string): Promise<SteadyFigures> {
  const late: number[] = [];
  const cpuBefore = cpuMs(pid);
  const complete = await Promise.all(
    Array.from({ length: streams }, async (_, at) => {
      // Spread over one interval, so that tokens do not come in bursts of 200.
      await Bun.sleep((at * tokenEveryMs) / streams);
      return readSteady(agent, `${tag}-${at}`, late);
    }),
  );
  const tokens = streams * tokensOf(agent);
  late.sort((a, b) => a - b);
  return {
    cpuUsPerToken: ((cpuMs(pid) - cpuBefore) * 1000) / tokens,
    lateP99Ms: late[Math.floor(late.length * 0.99)] ?? Number.NaN,
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
