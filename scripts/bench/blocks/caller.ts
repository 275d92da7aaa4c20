/**
 * A worker that sends requests, so that their cost does not count as the server's. A message is a request, or `send` for the last one, which
 * is answered with the response.
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
}

const textCharsMax = 64 * 1024;

let held: Sent = { url: "" };

self.onmessage = async ({ data }: MessageEvent<Sent | "send">) => {
  if (data !== "send") {
    held = data;
    self.postMessage(undefined);
    return;
  }
  try {
    const { times = 1 } = held;
    const answers = await Promise.all(Array.from({ length: times }, () => send(held)));
    self.postMessage(answers.at(-1));
  } catch (thrown) {
    self.postMessage({ status: 0, bytes: 0, text: String(thrown) } satisfies Answered);
  }
};

async function send({ method = "GET", url, headers = {}, body }: Sent): Promise<Answered> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, bytes: text.length, text: text.slice(0, textCharsMax) };
}
