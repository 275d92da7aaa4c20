import type {
  VisitorAccepted,
  VisitorRating,
  VisitorSession,
  VisitorThread,
  VisitorThreadMessage,
} from "../contracts/gateway/webchat.ts";
import { readEvents } from "./read-events.ts";
import type { Visit } from "./visit.ts";

/** `open`: messages arrive as they are written; `waiting`: the connection was lost, and it tries again soon. */
export type ConnectionState = "idle" | "open" | "waiting";

export interface ConnectionEvents {
  onMessage(message: VisitorThreadMessage): void;
  onState(state: ConnectionState): void;
  /** The visitor's thread can't be reached any more: the next message begins a new one. */
  onForgotten(): void;
}

/** A message that was not sent. `lost`: no answer came, so the same `ref` may be sent again. */
export class ChatFault extends Error {
  readonly kind: "lost" | "limited" | "refused";

  constructor(kind: ChatFault["kind"]) {
    super(kind);
    this.kind = kind;
  }
}

const delaysMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
/** The server pings every 15 s. */
const silenceMs = 40_000;
const answerMs = 20_000;

/** Connection of a page to the thread of its visitor. */
export class ChatConnection {
  readonly #base: string;
  readonly #visit: Visit;
  readonly #events: ConnectionEvents;
  #following: AbortController | undefined;
  #session: Promise<string> | undefined;
  #lastAt: string | undefined;

  constructor(base: string, visit: Visit, events: ConnectionEvents) {
    this.#base = base;
    this.#visit = visit;
    this.#events = events;
  }

  /** Follows the thread until `stop`, over lost connections. Does nothing without a visitor, or if it follows already. */
  follow(): void {
    if (this.#visit.token === undefined || this.#following !== undefined) return;
    this.#following = new AbortController();
    void this.#follow(this.#following.signal);
  }

  stop(): void {
    this.#following?.abort();
    this.#following = undefined;
    this.#events.onState("idle");
  }

  /** Tries again at once: the network is back, or gone. */
  networkChanged(): void {
    if (this.#following === undefined) return;
    this.stop();
    this.follow();
  }

  /** Sends a message; a repeated `ref` is stored once. Rejects with a SendFault. */
  async send(texto: string, ref: string, mayBeginAgain = true): Promise<VisitorThreadMessage> {
    const response = await this.#ask("POST", "/messages", { body: { texto, ref } });
    if (response.status === 401 && mayBeginAgain) return this.send(texto, ref, false);
    this.follow();
    if (response.ok) return ((await response.json()) as VisitorAccepted).mensaje;
    throw faultOf(response);
  }

  /** Rates an answer; `null` withdraws the rating. Rejects with a SendFault. */
  async rate(mensaje: string, calificacion: VisitorRating["calificacion"]): Promise<void> {
    const response = await this.#ask("POST", "/ratings", { body: { mensaje, calificacion } });
    if (!response.ok) throw faultOf(response);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries++) {
      const attempt = new AbortController();
      const end = () => attempt.abort();
      signal.addEventListener("abort", end);
      let waitMs = 0;
      try {
        const from = this.#lastAt === undefined ? "" : `?desde=${encodeURIComponent(this.#lastAt)}`;
        const response = await this.#ask("GET", `/stream${from}`, { signal: attempt.signal });
        if (response.ok && response.body !== null) {
          await this.#read(response.body, attempt, () => {
            tries = 0;
          });
        } else {
          waitMs = Number(response.headers.get("retry-after") ?? 0) * 1000;
          // No visitor is left to follow.
          if (response.status === 401) return this.stop();
          // Without a place for a stream, the thread is read now and then.
          if (response.status === 429) await this.#poll(from, attempt.signal);
        }
      } catch {
        // The connection was lost or refused.
      } finally {
        signal.removeEventListener("abort", end);
        attempt.abort();
      }
      if (signal.aborted) return;
      this.#events.onState("waiting");
      const delayMs = delaysMs[Math.min(tries, delaysMs.length - 1)] ?? 0;
      await pause(Math.max(waitMs, delayMs * (0.5 + Math.random())), signal);
    }
  }

  /** Reads until the end, or until nothing came for so long that the connection must be dead. */
  async #read(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    attempt: AbortController,
    opened: () => void,
  ): Promise<void> {
    let timer = setTimeout(() => undefined);
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => attempt.abort(), silenceMs);
    };
    alive();
    try {
      const onEvent = (name: string, data: string) => {
        if (attempt.signal.aborted) return;
        if (name === "message") this.#take(JSON.parse(data));
        if (name !== "open") return;
        opened();
        this.#events.onState("open");
      };
      await readEvents(body, onEvent, alive);
    } finally {
      clearTimeout(timer);
    }
  }

  async #poll(from: string, signal: AbortSignal): Promise<void> {
    const response = await this.#ask("GET", `/messages${from}`, { signal });
    if (!response.ok) return;
    const { mensajes } = (await response.json()) as VisitorThread;
    for (const message of mensajes) this.#take(message);
  }

  #take(message: VisitorThreadMessage): void {
    this.#lastAt = message.at;
    this.#events.onMessage(message);
  }

  /** Calls as the visitor, who begins if there is none. A visitor that the server does not know is forgotten (401). */
  async #ask(method: string, path: string, call: CallParts): Promise<Response> {
    const token = await this.#token();
    const response = await this.#fetch(method, path, { ...call, token });
    if (response.status === 401 && token === this.#visit.token) this.#forget();
    return response;
  }

  async #token(): Promise<string> {
    const { token, needsRenewal } = this.#visit;
    if (token !== undefined && !needsRenewal) return token;
    this.#session ??= this.#begin().finally(() => {
      this.#session = undefined;
    });
    return this.#session;
  }

  async #begin(): Promise<string> {
    const { token } = this.#visit;
    const response = await this.#fetch("POST", "/session", { token });
    if (response.ok) {
      const session = (await response.json()) as VisitorSession;
      this.#visit.begin(session.token);
      return session.token;
    }
    if (token === undefined) throw faultOf(response);
    if (response.status !== 401) return token;
    this.#forget();
    return this.#begin();
  }

  #forget(): void {
    this.#visit.end();
    this.#lastAt = undefined;
    this.#events.onForgotten();
  }

  async #fetch(method: string, path: string, { token, body, signal }: CallParts): Promise<Response> {
    const over = new AbortController();
    const end = () => over.abort();
    const timer = setTimeout(end, answerMs);
    signal?.addEventListener("abort", end);
    try {
      return await fetch(`${this.#base}${path}`, {
        method,
        credentials: "omit",
        cache: "no-store",
        signal: over.signal,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch {
      throw new ChatFault("lost");
    } finally {
      // The body of an answer may take longer.
      clearTimeout(timer);
    }
  }
}

interface CallParts {
  token?: string | undefined;
  body?: object;
  signal?: AbortSignal;
}

function faultOf({ status }: Response): ChatFault {
  if (status === 429) return new ChatFault("limited");
  return new ChatFault(status >= 500 ? "lost" : "refused");
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
