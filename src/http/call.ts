import type { Logger } from "../kit/log.ts";
import type { BodyBudget } from "./body-budget.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** By which door a request came in. Only the code that accepted it can say so; no header can. */
export type Peer = "network" | "control" | "local";

/** The connection of a request, as Bun's server gives it. */
export interface Connection {
  /** Replaces the idle timeout of this request's connection; 0 lifts it. */
  timeout(request: Request, seconds: number): void;
  /** Where it comes from; null when that is gone, or no address. */
  requestIP(request: Request): { address: string } | null;
  upgrade(request: Request, options: { data: SocketHandler; headers?: Record<string, string> }): boolean;
}

/** What a service app is told about a request beside the request. */
export interface Origin {
  peer: Peer;
  /** Set by the console for a session that the machine's owner opened by their link. */
  isOwner?: boolean;
  /** Missing for a request of this process itself. */
  connection?: Connection;
  /** Aborts when the listener takes nothing new; missing for a request of this process itself. */
  retiring?: AbortSignal;
  /** Bounds the bodies that are being received; missing for a request of this process itself. */
  bodies?: BodyBudget;
}

/** What the server calls for one open WebSocket. */
export interface SocketHandler {
  open(socket: Socket): void;
  message(socket: Socket, message: string | Uint8Array): void;
  close(socket: Socket): void;
  /** The server stops: end with 1001, once what is under way has been answered. */
  retire(): void;
}

/** One open WebSocket, as Bun gives it. */
export interface Socket {
  /** How many bytes went out, -1 when they wait for the reader, 0 when they were dropped. */
  send(text: string): number;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

/** What every handler knows of its request, beside the request. */
export interface Call {
  /** The caller's `X-Request-Id` when it is well formed, else a new one. Stands in the response and in each log line. */
  readonly requestId: string;
  readonly peer: Peer;
  /** Whether the caller has shown what the service asks for. Only handlers of open paths see `false`. */
  readonly trusted: boolean;
  /** Whether the machine's owner sent the request: what they send counts like a file of theirs. */
  readonly isOwner: boolean;
  readonly log: Logger;
  readonly connection: Connection | undefined;
  /** Aborts when the service takes nothing new: a stream with no end of its own ends then. */
  readonly retiring: AbortSignal | undefined;
  /** Bounds the bodies that are being received. */
  readonly bodies: BodyBudget | undefined;
  /** Whose headers say where a request comes from. */
  readonly trustedProxies: TrustedProxies | undefined;
}

export interface CallFacts {
  requestId: string;
  peer: Peer;
  trusted: boolean;
  isOwner: boolean;
  log: Logger;
  connection: Connection | undefined;
  retiring?: AbortSignal | undefined;
  bodies?: BodyBudget | undefined;
  trustedProxies?: TrustedProxies | undefined;
}

/** The call of one request; its logger is made when the first line is logged, which most requests never do. */
export function createCall(facts: CallFacts): Call {
  let log: Logger | undefined;
  return {
    requestId: facts.requestId,
    peer: facts.peer,
    trusted: facts.trusted,
    isOwner: facts.isOwner,
    connection: facts.connection,
    retiring: facts.retiring,
    bodies: facts.bodies,
    trustedProxies: facts.trustedProxies,
    get log() {
      log ??= facts.log.with({ request_id: facts.requestId });
      return log;
    },
  };
}

/** Lifts the idle timeout: for a request whose work was accepted and may be silent for longer. */
export function holdOpen(call: Call, request: Request): void {
  call.connection?.timeout(request, 0);
}
