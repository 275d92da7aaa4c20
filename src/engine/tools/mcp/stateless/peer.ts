import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { RpcFault } from "../rpc-fault.ts";
import type { WatchedTransport } from "../watched-transport.ts";
import { metaKeys, statelessRevision } from "./revision.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A message of the server that belongs to a request. */
export type Notified = (method: string, params: Fields) => void;

export interface PeerAskOptions {
  /** Cancels the request, also at the server. */
  signal: AbortSignal;
  capabilities?: Fields;
  headers?: Readonly<Record<string, string>>;
  /** Called for what a subscription tells and, with `wantsProgress`, for progress. */
  notified?: Notified;
  wantsProgress?: boolean;
}

interface Pending {
  resolve: (result: Record<string, unknown>) => void;
  reject: (reason: unknown) => void;
  notified: Notified | undefined;
}

/** Far from the ids of the SDK's client, which may get the transport after this. */
const firstId = 1_000_000;

/** Sends requests that each have all that a server needs to answer them. */
export class StatelessPeer {
  /** Resolves when the transport has closed. */
  readonly closed: Promise<void>;
  readonly #transport: WatchedTransport;
  readonly #version: string;
  readonly #pending = new Map<number, Pending>();
  #nextId = firstId;

  constructor(transport: WatchedTransport, version: string) {
    this.#transport = transport;
    this.#version = version;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    transport.onmessage = (message) => this.#take(message);
    transport.onclose = () => {
      for (const { reject } of this.#pending.values()) reject(new RpcFault(-32_000, "Connection closed"));
      this.#pending.clear();
      resolve();
    };
  }

  /** Leaves the transport to another client. What is still asked gets no answer. */
  detach(): void {
    delete this.#transport.onmessage;
    delete this.#transport.onclose;
    this.#pending.clear();
  }

  /** Resolves with the result. Rejects with a `RpcFault`, the reason why there is no answer, or the signal's reason. */
  async ask(method: string, params: Fields, options: PeerAskOptions): Promise<Record<string, unknown>> {
    const { signal, capabilities = {}, headers = {}, notified, wantsProgress } = options;
    signal.throwIfAborted();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#pending.set(id, { resolve, reject, notified });
    const cancel = () => {
      reject(signal.reason);
      if (this.#pending.delete(id)) this.#tell("notifications/cancelled", { requestId: id });
    };
    signal.addEventListener("abort", cancel, { once: true });
    const _meta = {
      ...(isRecord(params._meta) ? params._meta : {}),
      ...(wantsProgress && { progressToken: id }),
      [metaKeys.revision]: statelessRevision,
      [metaKeys.client]: { name: "argosy", version: this.#version },
      [metaKeys.capabilities]: capabilities,
    };
    const message: JSONRPCMessage = { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
    void this.#transport.send(message, { headers } as object).catch(reject);
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", cancel);
      this.#pending.delete(id);
    }
  }

  #tell(method: string, params: Record<string, unknown>): void {
    void this.#transport.send({ jsonrpc: "2.0", method, params }).catch(() => undefined);
  }

  #take(message: JSONRPCMessage): void {
    if ("method" in message) {
      this.#notify(message.method, message.params ?? {});
    } else if ("error" in message) {
      const { code, message: said, data } = message.error;
      this.#pending.get(Number(message.id))?.reject(new RpcFault(code, said, data));
    } else this.#pending.get(Number(message.id))?.resolve(message.result);
  }

  #notify(method: string, params: Fields): void {
    const meta = isRecord(params._meta) ? params._meta : {};
    const about = method === "notifications/progress" ? params.progressToken : meta[metaKeys.subscription];
    this.#pending.get(Number(about))?.notified?.(method, params);
  }
}
