import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { Call } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";

/** One POST and the requests it brought. */
export interface Exchange {
  readonly call: Call;
  readonly ids: readonly RequestId[];
  unanswered: number;
  /** What the client took back; it gets no answer. */
  readonly dropped: RequestId[];
}

interface OpenRequest {
  readonly exchange: Exchange;
  readonly stop: AbortController;
  isTakenBack: boolean;
}

/**
 * The SDK's transport of one session, which also knows what is being worked on: a client that goes away, takes a request
 * back or ends the session stops the work; a request that was taken back leaves no open stream behind; and no id names two
 * requests at once, since the second would get the answer to the first.
 */
export class TrackedTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #open = new Map<RequestId, OpenRequest>();

  /** To be called before the SDK sees the requests; AppError `invalid_request` when an id is in use. */
  begin(ids: readonly RequestId[], call: Call): Exchange {
    const exchange: Exchange = { call, ids, unanswered: ids.length, dropped: [] };
    const taken = ids.find((id, at) => this.#open.has(id) || ids.indexOf(id) !== at);
    if (taken !== undefined) {
      const message = `The id ${JSON.stringify(taken)} names a request that is not answered yet.`;
      throw new AppError("invalid", "invalid_request", message);
    }
    for (const id of ids) this.#open.set(id, { exchange, stop: new AbortController(), isTakenBack: false });
    return exchange;
  }

  /** The call that brought an open request, and the signal that aborts when nobody waits for its answer. */
  find(id: RequestId): { call: Call; signal: AbortSignal } | undefined {
    const request = this.#open.get(id);
    return request && { call: request.exchange.call, signal: request.stop.signal };
  }

  /** The client takes a request back. */
  takeBack(id: RequestId): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    request.isTakenBack = true;
    request.stop.abort(new DOMException("The client cancelled the request.", "AbortError"));
  }

  /** Nobody reads the answers of this exchange any more; what has been answered is not touched. */
  leave(exchange: Exchange): void {
    for (const { stop } of this.#requestsOf(exchange)) {
      stop.abort(new DOMException("The client has left.", "AbortError"));
    }
  }

  /** The SDK refused the POST: its requests never began. */
  forget(exchange: Exchange): void {
    for (const id of exchange.ids) if (this.#open.get(id)?.exchange === exchange) this.#open.delete(id);
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) {
      return super.send(message, options);
    }
    const { id } = message;
    const request = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || request === undefined) return super.send(message, options);
    const { exchange, isTakenBack } = request;
    this.#open.delete(id);
    exchange.unanswered--;
    if (isTakenBack) exchange.dropped.push(id);
    try {
      if (!isTakenBack) await super.send(message, options);
    } finally {
      if (exchange.unanswered === 0) await this.#release(exchange.dropped);
    }
  }

  override async close(): Promise<void> {
    for (const { stop } of this.#open.values()) {
      stop.abort(new DOMException("The session has ended.", "AbortError"));
    }
    this.#open.clear();
    await super.close();
  }

  *#requestsOf(exchange: Exchange): Generator<OpenRequest> {
    for (const id of exchange.ids) {
      const request = this.#open.get(id);
      if (request?.exchange === exchange) yield request;
    }
  }

  /** The SDK holds a stream open, and remembers its requests, until each has an answer; these never get one. */
  async #release(dropped: readonly RequestId[]): Promise<void> {
    const [first] = dropped;
    if (first === undefined) return;
    this.closeSSEStream(first);
    for (const id of dropped) {
      const unheard = { jsonrpc: "2.0" as const, id, error: { code: 0, message: "" } };
      // It goes nowhere, which is what the SDK rejects for, once it has forgotten the request.
      await super.send(unheard).catch(() => undefined);
    }
  }
}
