/**
 * A worker that sends requests, so that their cost does not count as the server's. A message is a request, or `send` for the last one, which
 * is answered with the response. Until then it asks for `/healthz` every 20 ms, as a load balancer would.
 */
declare const self: Worker;

export interface Sent {
  method?: string;
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** How often it is sent at the same time; the last answer is returned. */
  times?: number;
}

export interface Answered {
  status: number;
  bytes: number;
  /** Text of the body, without what is beyond 64 KiB. */
  text: string;
  /** Longest wait for `/healthz` meanwhile, in ms. */
  waitMs: number;
}

const textCharsMax = 64 * 1024;
const healthEveryMs = 20;

let held: Sent = { url: "" };

self.onmessage = async ({ data }: MessageEvent<Sent | "send">) => {
  if (data !== "send") {
    held = data;
    self.postMessage(undefined);
    return;
  }
  const { times = 1, url } = held;
  let isOver = false;
  const waiting = longestWait(new URL("/healthz", url).href, () => isOver);
  const answers = await Promise.all(Array.from({ length: times }, () => send(held))).catch((thrown) => [
    { status: 0, bytes: 0, text: String(thrown) },
  ]);
  isOver = true;
  self.postMessage({ ...answers.at(-1), waitMs: await waiting });
};

async function send({ method = "GET", url, headers = {}, body }: Sent): Promise<Omit<Answered, "waitMs">> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, bytes: text.length, text: text.slice(0, textCharsMax) };
}

async function longestWait(url: string, ended: () => boolean): Promise<number> {
  let longestMs = 0;
  while (!ended()) {
    const askedAtMs = performance.now();
    await fetch(url).then((response) => response.arrayBuffer());
    longestMs = Math.max(longestMs, performance.now() - askedAtMs);
    await Bun.sleep(healthEveryMs);
  }
  return longestMs;
}
