import type { Logger } from "../kit/log.ts";
import type { BodyBudget } from "./bodies/body-budget.ts";
import type { TrustedProxies } from "./front-door/trusted-proxies.ts";

/** The door by which a request came in. Only the code that accepted it knows; no header can set it. */
export type Peer = "network" | "control" | "local";

/** The connection of a request, from Bun's server. */
export interface HttpConnection {
  /** Sets the idle timeout of this request's connection; 0 disables it. */
  timeout(request: Request, seconds: number): void;
  /** Returns the client's address, or null if the connection is gone or has none. */
  requestIP(request: Request): { address: string } | null;
  upgrade(request: Request, options: { data: SocketHandler; headers?: Record<string, string> }): boolean;
}

/** Facts that a service app gets about a request besides the request itself. */
export interface Origin {
  peer: Peer;
  /** Set by the console for a session that the machine's owner opened with their link. */
  isOwner?: boolean;
  /** Set by the console for requests that it forwards. */
  isConsole?: boolean;
  /** Set by the console: returns true once the session that sent the request has ended. Tickets and open streams end with it. */
  isEnded?: () => boolean;
  /** Absent for a request of this process itself. */
  connection?: HttpConnection;
  /** Aborts when the listener stops accepting requests; absent for a request of this process itself. */
  retiring?: AbortSignal;
  /** Bounds the bodies that are being received; absent for a request of this process itself. */
  bodies?: BodyBudget;
}

/** The server's handler for one open WebSocket. */
export interface SocketHandler {
  open(socket: Socket): void;
  message(socket: Socket, message: string | Uint8Array): void;
  close(socket: Socket): void;
  /** Called when the client has read what was sent, or a part of it. */
  drained?(socket: Socket): void;
  /** Returns true while the client waits for an answer. */
  isAnswering(): boolean;
  /** Called when the server stops: close with 1001 after the current answers. */
  retire(): void;
}

/** One open WebSocket, from Bun's server. */
export interface Socket {
  /** Returns the number of bytes sent, -1 if they wait for the reader, or 0 if they were dropped. */
  send(text: string): number;
  /** Returns the number of bytes that wait for the reader. */
  getBufferedAmount(): number;
  /** Calls `work` at once; what it sends shares system calls. */
  cork(work: (socket: Pick<Socket, "send" | "terminate">) => void): void;
  close(code?: number, reason?: string): void;
  terminate(): void;
}

/** Facts that every handler gets about its request besides the request itself. */
export interface Call {
  /** The caller's `X-Request-Id` if it is well-formed, otherwise a new one. It is in the response and in each log line. */
  readonly requestId: string;
  readonly peer: Peer;
  /** True if the caller sent the credentials that the service requires. Only handlers of open paths see `false`. */
  readonly trusted: boolean;
  /** True if the machine's owner sent the request. Its content is trusted like a file of the owner's. */
  readonly isOwner: boolean;
  /** True if the web console forwarded the request. */
  readonly isConsole: boolean;
  /** Returns true once the console session that sent the request has ended. */
  readonly isEnded: () => boolean;
  readonly log: Logger;
  readonly connection: HttpConnection | undefined;
  /** Aborts when the service stops accepting requests. An endless stream must end then. */
  readonly retiring: AbortSignal | undefined;
  /** Bounds the bodies that are being received. */
  readonly bodies: BodyBudget | undefined;
  /** Proxies whose headers are trusted to name the caller's address. */
  readonly trustedProxies: TrustedProxies | undefined;
}

export interface CallFacts {
  requestId: string;
  peer: Peer;
  trusted: boolean;
  isOwner: boolean;
  isConsole?: boolean;
  isEnded?: (() => boolean) | undefined;
  log: Logger;
  connection: HttpConnection | undefined;
  retiring?: AbortSignal | undefined;
  bodies?: BodyBudget | undefined;
  trustedProxies?: TrustedProxies | undefined;
}

/** Creates the call of one request. Its logger is created for the first log line, which most requests never write. */
export function createCall(facts: CallFacts): Call {
  return new RequestCall(facts);
}

const lasting = () => false;

class RequestCall implements Call {
  readonly requestId: string;
  readonly peer: Peer;
  readonly trusted: boolean;
  readonly isOwner: boolean;
  readonly isConsole: boolean;
  readonly isEnded: () => boolean;
  readonly connection: HttpConnection | undefined;
  readonly retiring: AbortSignal | undefined;
  readonly bodies: BodyBudget | undefined;
  readonly trustedProxies: TrustedProxies | undefined;
  readonly #serviceLog: Logger;
  #log: Logger | undefined;

  constructor(facts: CallFacts) {
    this.requestId = facts.requestId;
    this.peer = facts.peer;
    this.trusted = facts.trusted;
    this.isOwner = facts.isOwner;
    this.isConsole = facts.isConsole ?? false;
    this.isEnded = facts.isEnded ?? lasting;
    this.connection = facts.connection;
    this.retiring = facts.retiring;
    this.bodies = facts.bodies;
    this.trustedProxies = facts.trustedProxies;
    this.#serviceLog = facts.log;
  }

  get log(): Logger {
    this.#log ??= this.#serviceLog.with({ request_id: this.requestId });
    return this.#log;
  }
}

/** Time for a client to read what was sent to it, after its request has ended early. */
const lingerSeconds = 10;

/**
 * Gives the client of a request that ended early time to read its answer: Bun closes the connection 8 to 12 s from now, however much the
 * client still sends. A time of up to 4 s could close it at once, and a client that is sending would see a reset in place of the answer.
 */
export function linger({ connection }: Pick<Call, "connection">, request: Request): void {
  connection?.timeout(request, lingerSeconds);
}

/** Disables the idle timeout, for a request that was accepted and may be silent for longer. */
export function holdOpen(call: Call, request: Request): void {
  call.connection?.timeout(request, 0);
}
