import type {
  FetchLike,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { countSteps, othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { readSse } from "../../../../kit/fetch/sse.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { readMessage } from "../read-message.ts";
import { HttpFault } from "../rpc-fault.ts";
import { headerValue } from "./header-value.ts";
import { metaKeys } from "./revision.ts";

const eventCharsMax = 4 * 1024 * 1024;
const connectionClosed = -32_000;

export interface StatelessTransportOptions {
  url: URL;
  /** A fetch with bounded answers. */
  fetch: FetchLike;
  /** Called for an event that is not a message. */
  garbage: () => void;
}

/**
 * Sends each request as a POST of its own and passes on the messages of its answer (MCP 2026-07-28, "Streamable HTTP"). There is no
 * connection, and a broken answer is not continued.
 */
export class StatelessHttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StatelessTransportOptions;
  readonly #open = new Map<number, AbortController>();

  constructor(options: StatelessTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    for (const id of [...this.#open.keys()]) this.drop(id);
    this.onclose?.();
  }

  /** Stops reading the answer to a request, which cancels it at the server. */
  drop(id: number): void {
    this.#open.get(id)?.abort(new DOMException("The request was cancelled.", "AbortError"));
    this.#open.delete(id);
  }

  /** Sends a request. Rejects if there is no answer. Over HTTP, a client sends nothing else. */
  async send(message: JSONRPCMessage, { headers = {} }: TransportSendOptions & SentWith = {}): Promise<void> {
    if (!("method" in message) || !("id" in message)) return;
    const id = Number(message.id);
    const stop = new AbortController();
    this.#open.set(id, stop);
    try {
      const answer = await this.#options.fetch(this.#options.url, {
        method: "POST",
        headers: { ...headers, ...headersOf(message) },
        body: JSON.stringify(message),
        signal: stop.signal,
      });
      const type = /^\s*([\w.+-]+\/[\w.+-]+)/
        .exec(answer.headers.get("content-type") ?? "")?.[1]
        ?.toLowerCase();
      if (answer.ok && type === "text/event-stream" && answer.body !== null) {
        void this.#readEvents(answer.body, id);
        return;
      }
      await this.#readBody(answer, id, type);
      this.#open.delete(id);
    } catch (thrown) {
      this.#open.delete(id);
      throw thrown;
    }
  }

  async #readBody(answer: Response, id: number, type: string | undefined): Promise<void> {
    if (type !== "application/json") {
      await answer.body?.cancel();
      if (answer.ok && type !== undefined) throw new Error(`Unexpected content type: ${type}`);
      throw new HttpFault(answer.status);
    }
    const text = await answer.text();
    if (countSteps(text.length)) await othersTurn();
    const message = answerIn(text, id);
    if (message === undefined) throw new HttpFault(answer.status);
    this.onmessage?.(message);
  }

  async #readEvents(body: ReadableStream<Uint8Array>, id: number): Promise<void> {
    let fault = "The answer ended before the result was in it.";
    try {
      for await (const batch of readSse(body, eventCharsMax)) {
        for (const data of batch) {
          if (!this.#open.has(id)) return;
          if (countSteps(data.length)) await othersTurn();
          const message = readMessage(data);
          if (message === undefined || ("method" in message && "id" in message)) this.#options.garbage();
          else this.onmessage?.(message);
          // What follows the answer means nothing.
          if (message !== undefined && !("method" in message) && Number(message.id) === id) return;
        }
      }
    } catch (thrown) {
      if (thrown instanceof Error && thrown.name === "AppError") fault = thrown.message;
    } finally {
      if (this.#open.delete(id))
        this.onmessage?.({ jsonrpc: "2.0", id, error: { code: connectionClosed, message: fault } });
    }
  }
}

/** Headers that go with a message. */
export interface SentWith {
  headers?: Readonly<Record<string, string>>;
}

/** The answer in a body. A refusal of a front door may lack the id of the request. */
function answerIn(text: string, id: number): JSONRPCMessage | undefined {
  const message = readMessage(text);
  if (message !== undefined) return "method" in message || Number(message.id) !== id ? undefined : message;
  try {
    const value: unknown = JSON.parse(text);
    const error = isRecord(value) && (value.id === null || value.id === undefined) ? value.error : undefined;
    return isRecord(error) ? readMessage(JSON.stringify({ jsonrpc: "2.0", id, error })) : undefined;
  } catch {
    return undefined;
  }
}

function headersOf({
  method,
  params = {},
}: {
  method: string;
  params?: Record<string, unknown> | undefined;
}) {
  const meta = isRecord(params._meta) ? params._meta : {};
  const name = params.name ?? params.uri ?? params.taskId;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": String(meta[metaKeys.revision]),
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
  };
}
