import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import type { Call } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";

/** One POST and its requests. */
export interface McpExchange {
  readonly call: Call;
  readonly ids: readonly RequestId[];
  unanswered: number;
  /** Requests cancelled by the client; they get no answer. */
  readonly dropped: RequestId[];
}

interface OpenRequest {
  readonly exchange: McpExchange;
  readonly stop: AbortController;
  isTakenBack: boolean;
}

/**
 * The SDK's transport for one session, with tracking of open requests. If the client disconnects, cancels a request or ends the session,
 * the work stops. A cancelled request leaves no open stream behind. An id can't name two open requests, because the second would get the
 * answer to the first.
 */
export class TrackedTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #open = new Map<RequestId, OpenRequest>();

  /** Must be called before the SDK sees the requests. Throws AppError `invalid_request` if an id is in use. */
  begin(ids: readonly RequestId[], call: Call): McpExchange {
    const exchange: McpExchange = { call, ids, unanswered: ids.length, dropped: [] };
    const taken = ids.find((id, at) => this.#open.has(id) || ids.indexOf(id) !== at);
    if (taken !== undefined) {
      const message = `The id ${JSON.stringify(taken)} belongs to a request that is still in progress.`;
      throw new AppError("invalid", "invalid_request", message);
    }
    for (const id of ids) this.#open.set(id, { exchange, stop: new AbortController(), isTakenBack: false });
    return exchange;
  }

  /** Returns the call of an open request and the signal that aborts when the client no longer waits for the answer. */
  find(id: RequestId): { call: Call; signal: AbortSignal } | undefined {
    const request = this.#open.get(id);
    return request && { call: request.exchange.call, signal: request.stop.signal };
  }

  /** Cancels a request on behalf of the client. */
  takeBack(id: RequestId): void {
    const request = this.#open.get(id);
    if (request === undefined) return;
    request.isTakenBack = true;
    request.stop.abort(new DOMException("The client cancelled the request.", "AbortError"));
  }

  /** Stops the open requests of an exchange whose client has disconnected. Answered requests are not affected. */
  leave(exchange: McpExchange): void {
    for (const { stop } of this.#requestsOf(exchange)) {
      stop.abort(new DOMException("The client disconnected.", "AbortError"));
    }
  }

  /** Forgets an exchange whose POST the SDK refused; its requests never began. */
  forget(exchange: McpExchange): void {
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

  *#requestsOf(exchange: McpExchange): Generator<OpenRequest> {
    for (const id of exchange.ids) {
      const request = this.#open.get(id);
      if (request?.exchange === exchange) yield request;
    }
  }

  /** The SDK keeps a stream open, and remembers its requests, until each has an answer. The dropped requests never get one. */
  async #release(dropped: readonly RequestId[]): Promise<void> {
    const [first] = dropped;
    if (first === undefined) return;
    this.closeSSEStream(first);
    for (const id of dropped) {
      const unheard = { jsonrpc: "2.0" as const, id, error: { code: 0, message: "" } };
      // The SDK rejects after it has forgotten the request, because the stream is closed.
      await super.send(unheard).catch(() => undefined);
    }
  }
}
