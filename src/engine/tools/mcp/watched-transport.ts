import type { Transport, TransportSendOptions } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../../kit/clock.ts";

/** Maximum messages per second that are not answers to our requests. More would block other work. */
const unaskedPerSecondMax = 2000;
const connectionClosed = -32000;

export interface WatchedTransportOptions {
  clock: Clock;
  /** Called once if the server exceeds the limit; the connection must then be closed. */
  flooded: () => void;
  /** Called for a request whose answer is no longer needed. */
  cancelled?: (id: number) => void;
}

/** A transport that passes on only what the protocol allows: answers to open requests, and a limited number of other messages. */
export class WatchedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #options: WatchedTransportOptions;
  readonly #open = new Set<number>();
  readonly #whenIdle: (() => void)[] = [];
  #unasked = 0;
  #secondFromMs: number;
  #isFlooded = false;
  #started: Promise<void> | undefined;

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

  /** May be called again by the next client of the transport. */
  start(): Promise<void> {
    this.#started ??= this.#inner.start();
    return this.#started;
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const requestId = "method" in message && "id" in message ? Number(message.id) : undefined;
    if (requestId !== undefined) this.#open.add(requestId);
    else if ("method" in message && message.method === "notifications/cancelled")
      this.#cancel(message.params?.requestId);
    try {
      await this.#inner.send(message, options);
    } catch (thrown) {
      if (requestId !== undefined) this.#open.delete(requestId);
      throw thrown;
    } finally {
      this.#tellIdle();
    }
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** True while this request waits for its answer. */
  awaits(id: number): boolean {
    return this.#open.has(id);
  }

  /** Calls `act` as soon as no request waits for its answer, which may be at once. */
  whenIdle(act: () => void): void {
    this.#whenIdle.push(act);
    this.#tellIdle();
  }

  /** Counts input that is not a message. */
  sawGarbage(): void {
    this.#countUnasked();
  }

  /** Fails an open request that will get no answer. */
  fail(id: number, message: string): void {
    if (!this.#open.delete(id)) return;
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: connectionClosed, message } });
    this.#tellIdle();
  }

  #take(message: JSONRPCMessage): void {
    if (this.#isFlooded) return;
    const isAnswer = !("method" in message);
    const isAwaited = isAnswer && this.#open.delete(Number(message.id));
    if (!isAwaited) this.#countUnasked();
    // Drops an answer without a request.
    if (isAwaited || (!isAnswer && !this.#isFlooded)) this.onmessage?.(message);
    if (isAwaited) this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#open.size > 0) return;
    for (const act of this.#whenIdle.splice(0)) act();
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
