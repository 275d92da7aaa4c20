import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./request-text.ts";

/**
 * An OpenAI-compatible model server on a real socket that follows a script. A script is a list of steps, one per chat request (the last
 * repeats), or a function of the request. `{ text: "hi" }` is an answer; it is streamed if the request asks for it.
 */
export interface ModelStep {
  /** The answer's text: streamed word by word, or in the given pieces. */
  text?: string | readonly string[];
  toolCalls?: readonly { name: string; arguments: string | Record<string, unknown>; id?: string }[];
  /** Default: `tool_calls` if there are some, else `stop`; null omits it. */
  finish?: string | null;
  /** Default: 10 in, 5 out; null omits it. */
  usage?: { input: number; output: number; cached?: number } | null;
  /** A status other than 200, or another body: `body` is sent unchanged. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Waits for this before the headers are sent; a promise that never resolves simulates a hanging server. */
  after?: Promise<unknown>;
  /** Streams: after this many events, waits for `until`. */
  hold?: { afterEvents: number; until: Promise<unknown> };
  /** Streams: after this many events, the connection breaks. */
  cutAfter?: number;
  /** Waits for this before the break: a client may lose data that arrives at the same instant as the break. */
  cutWhen?: Promise<unknown>;
  /** Streams: after this many events, nothing more is sent. */
  silentAfter?: number;
  /** Streams: omits `[DONE]`. */
  withoutDone?: boolean;
  /** Streams: bytes per write to the socket; default: one event. */
  writeBytes?: number;
}

/** Parts of a chat request that tests check; other parts are reached by name. */
export interface ChatBody {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { type: string; function: { name: string; description: string; parameters: unknown } }[];
  tool_choice?: string;
  stream?: boolean;
  [field: string]: unknown;
}

export interface RecordedRequest {
  path: string;
  headers: Headers;
  body: ChatBody;
  /** Resolves when the connection was closed before the answer's end. */
  cut: Promise<void>;
}

export type ModelScript =
  | readonly [ModelStep, ...ModelStep[]]
  | ((request: RecordedRequest, number: number) => ModelStep);

export interface ModelServer {
  /** The base address, ending in `/v1`. */
  url: string;
  /** The chat requests, in order. */
  requests: RecordedRequest[];
  /** Returns the number of opened connections. */
  connections(): number;
  /** Closes every connection, including hanging ones. */
  stop(): Promise<void>;
}

/** Starts a server on a free port; `GET /v1/models` lists `models`. */
export async function startModelServer(
  script: ModelScript,
  models: readonly string[] = ["test-model"],
): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // Closes no idle connection, which a request may be using at that instant.
  server.keepAliveTimeout = 0;
  server.on("connection", () => connections++);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/v1/models") {
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ object: "list", data: models.map((id) => ({ id, object: "model" })) }));
    }
    if (request.url !== "/v1/chat/completions") {
      return void response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
    }
    const recorded: RecordedRequest = {
      path: request.url,
      headers: new Headers(request.headers as Record<string, string>),
      body: JSON.parse(await requestText(request)),
      cut: new Promise((resolve) => response.on("close", () => response.writableFinished || resolve())),
    };
    const number = requests.push(recorded) - 1;
    const step = typeof script === "function" ? script(recorded, number) : (script[number] ?? script.at(-1));
    await play(step ?? {}, recorded.body.stream === true, response, number);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function play(
  step: ModelStep,
  stream: boolean,
  response: ServerResponse,
  number: number,
): Promise<void> {
  await step.after;
  if (step.status !== undefined || step.body !== undefined) {
    const headers = { "content-type": "application/json", ...step.headers };
    return void response.writeHead(step.status ?? 200, headers).end(step.body ?? "{}");
  }
  if (!stream) {
    const headers = { "content-type": "application/json", ...step.headers };
    return void response.writeHead(200, headers).end(wholeAnswer(step, number));
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...step.headers });
  const events = streamEvents(step, number);
  const ends = step.cutAfter ?? step.silentAfter ?? events.length;
  for (const [index, piece] of pieces(events.slice(0, ends), step.writeBytes).entries()) {
    if (index === step.hold?.afterEvents) await step.hold.until;
    if (response.destroyed) return;
    await new Promise((resolve) => response.write(piece, resolve));
  }
  if (step.cutAfter !== undefined) {
    await step.cutWhen;
    response.destroy();
  } else if (step.silentAfter === undefined) response.end();
  else response.flushHeaders();
}

/** Returns the events of a streamed answer, each with its blank line: text, one tool call per event, finish, usage, `[DONE]`. */
export function streamEvents(step: ModelStep, number = 0): string[] {
  const chunk = (fields: object) => `data: ${JSON.stringify({ id: `chatcmpl-${number}`, ...fields })}\n\n`;
  const delta = (fields: object) => chunk({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
  const texts =
    typeof step.text === "string" ? (step.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) : (step.text ?? []);
  const events = texts.map((content) => delta({ content }));
  for (const [index, call] of wireCalls(step, number).entries()) {
    events.push(delta({ tool_calls: [{ index, ...call }] }));
  }
  const finish = finishOf(step);
  if (finish !== null) events.push(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }));
  const usage = wireUsage(step);
  if (usage) events.push(chunk({ choices: [], usage }));
  if (!step.withoutDone) events.push("data: [DONE]\n\n");
  return events;
}

/** Returns the body of an answer that is not streamed. */
export function wholeAnswer(step: ModelStep, number = 0): string {
  const calls = wireCalls(step, number);
  const text = typeof step.text === "string" ? step.text : (step.text?.join("") ?? null);
  const message = { role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) };
  return JSON.stringify({
    id: `chatcmpl-${number}`,
    choices: [{ index: 0, message, finish_reason: finishOf(step) }],
    usage: wireUsage(step),
  });
}

function wireCalls(step: ModelStep, number: number): object[] {
  return (step.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${number}_${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
}

function finishOf(step: ModelStep): string | null {
  return step.finish === undefined ? (step.toolCalls ? "tool_calls" : "stop") : step.finish;
}

function wireUsage(step: ModelStep): object | undefined {
  if (step.usage === null) return undefined;
  const { input, output, cached } = step.usage ?? { input: 10, output: 5 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

function pieces(events: readonly string[], writeBytes: number | undefined): (string | Uint8Array)[] {
  if (writeBytes === undefined) return [...events];
  const bytes = Buffer.from(events.join(""));
  return Array.from({ length: Math.ceil(bytes.length / writeBytes) }, (_, at) =>
    bytes.subarray(at * writeBytes, (at + 1) * writeBytes),
  );
}
