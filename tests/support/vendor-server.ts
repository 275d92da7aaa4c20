import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestText } from "./request-text.ts";

/** A model's answer, in no vendor's format. */
export interface VendorAnswer {
  /** Thoughts before the text, which are not part of it. */
  thinking?: string;
  /** The pieces in which the text is streamed. */
  text?: readonly string[];
  /** Arguments given as text are sent unchanged, even if they are not JSON, if the vendor's format allows it. */
  calls?: readonly { name: string; arguments: string | Record<string, unknown>; id?: string }[];
  /** The finish reason in the vendor's words, by default the usual one; null omits it. */
  finish?: string | null;
  /** Default: 10 in, 5 out; null omits it. */
  usage?: { input: number; output: number } | null;
}

/** One vendor's wire format of answers, written from its documents. */
export interface VendorWire {
  chatPath: string;
  /** The path of the list of models, with its query. */
  listPath: string;
  list: unknown;
  /** The content type of a stream. */
  streamType: string;
  /** Returns the events of a streamed answer, each with its separator. */
  events(answer: VendorAnswer): string[];
  /** Returns the same answer in one piece. */
  whole(answer: VendorAnswer): unknown;
}

/** One answer to one chat request: rendered, or `body` unchanged. */
export interface VendorStep extends VendorAnswer {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Waits for this before the headers are sent. */
  after?: Promise<unknown>;
  /** Streams: after this many events, the connection breaks, once `cutWhen` resolves. */
  cutAfter?: number;
  cutWhen?: Promise<unknown>;
  /** Streams: after this many events, nothing more is sent. */
  silentAfter?: number;
}

export interface VendorRequest {
  path: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every vendor.
  body: any;
  /** Resolves when the connection was closed before the answer's end. */
  cut: Promise<void>;
}

export interface VendorServer {
  /** The server's address, without a path. */
  url: string;
  /** The chat requests, in order. */
  requests: VendorRequest[];
  /** Returns the number of opened connections. */
  connections(): number;
  /** Closes every connection, including hanging ones. */
  stop(): Promise<void>;
}

/** Starts a server of that vendor on a free port. It plays one step per chat request; the last repeats. */
export async function startVendorServer(
  wire: VendorWire,
  steps: readonly [VendorStep, ...VendorStep[]],
): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  // Closes no idle connection, which a request may be using at that instant.
  server.keepAliveTimeout = 0;
  server.on("connection", () => connections++);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = new Headers(request.headers as Record<string, string>);
    if (request.url === wire.listPath) return sendJson(response, 200, wire.list);
    if (request.url !== wire.chatPath) return sendJson(response, 404, "404 page not found");
    const recorded: VendorRequest = {
      path: request.url,
      headers,
      body: JSON.parse(await requestText(request)),
      cut: new Promise((resolve) => response.on("close", () => response.writableFinished || resolve())),
    };
    const step = steps[requests.push(recorded) - 1] ?? steps.at(-1) ?? {};
    await step.after;
    if (step.status !== undefined || step.body !== undefined) {
      const type = recorded.body.stream ? wire.streamType : "application/json";
      response.writeHead(step.status ?? 200, { "content-type": type, ...step.headers });
      return void response.end(step.body ?? "");
    }
    if (!recorded.body.stream) return sendJson(response, 200, wire.whole(step), step.headers);
    await stream(step, response);
  }

  async function stream(step: VendorStep, response: ServerResponse): Promise<void> {
    response.writeHead(200, { "content-type": wire.streamType, ...step.headers });
    const events = wire.events(step);
    for (const event of events.slice(0, step.cutAfter ?? step.silentAfter ?? events.length)) {
      if (response.destroyed) return;
      await new Promise((resolve) => response.write(event, resolve));
    }
    if (step.cutAfter !== undefined) {
      await step.cutWhen;
      response.destroy();
    } else if (step.silentAfter === undefined) response.end();
    else response.flushHeaders();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers?: Record<string, string>,
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** Returns arguments as the text in which they are streamed. */
export function argumentsText(value: string | Record<string, unknown>): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Splits a text into pieces of up to `size` characters, as arguments are streamed; none for an empty text. */
export function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}
