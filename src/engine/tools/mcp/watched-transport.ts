import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../../kit/clock.ts";

/** Messages in a second that answer nothing we asked; a server that sends more keeps everybody else from working. */
const unaskedPerSecondMax = 2000;
const connectionClosed = -32000;

export interface WatchedTransportOptions {
  clock: Clock;
  /** Told once when the server sends more than anybody can read; the connection is to be given up. */
  flooded: () => void;
  /** Told of a request that nobody waits for any more. */
  cancelled?: (id: number) => void;
}

/**
 * A transport that lets through what the protocol foresees: answers to requests that are open, and no more of everything
 * else than can be dealt with.
 */
export class WatchedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #options: WatchedTransportOptions;
  readonly #open = new Set<number>();
  #unasked = 0;
  #secondFromMs: number;
  #isFlooded = false;

  constructor(inner: Transport, options: WatchedTransportOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#secondFromMs = options.clock.monotonicMs();
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message: JSONRPCMessage) => this.#take(message);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("method" in message) {
      if ("id" in message) this.#open.add(Number(message.id));
      else if (message.method === "notifications/cancelled") this.#cancel(message.params?.requestId);
    }
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** Counts something that came and is no message at all. */
  sawGarbage(): void {
    this.#countUnasked();
  }

  /** There will be no answer to this request: whoever waits for it is told so. */
  fail(id: number, message: string): void {
    if (!this.#open.delete(id)) return;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: connectionClosed, message } });
  }

  #take(message: JSONRPCMessage): void {
    if (this.#isFlooded) return;
    const isAnswer = !("method" in message);
    const isAwaited = isAnswer && this.#open.delete(Number(message.id));
    if (!isAwaited) this.#countUnasked();
    // An answer to nothing is dropped.
    if (isAwaited || (!isAnswer && !this.#isFlooded)) this.onmessage?.(message);
  }

  #countUnasked(): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#secondFromMs >= 1000) {
      this.#secondFromMs = nowMs;
      this.#unasked = 0;
    }
    this.#unasked++;
    if (this.#unasked <= unaskedPerSecondMax || this.#isFlooded) return;
    this.#isFlooded = true;
    this.#options.flooded();
  }

  #cancel(id: unknown): void {
    if (this.#open.delete(Number(id))) this.#options.cancelled?.(Number(id));
  }
}
