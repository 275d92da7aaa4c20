import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { FetchBounds, GuardedNetwork } from "../../network/guarded-network.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import { boundedBody, boundedEvents } from "./bounded-stream.ts";
import type { EventStream, EventStreams } from "./event-streams.ts";

export interface ServerFetchOptions {
  network: Pick<GuardedNetwork, "fetch">;
  url: URL;
  /** Headers sent only to the server's own origin. */
  headers: Readonly<Record<string, string>>;
  allowsLoopback: boolean;
  /** Login whose token is sent, unless the entry's headers contain credentials. */
  login: Pick<ServerLogin, "token" | "renew" | "requireScope">;
  /** The session's streams, if it can have more than one. */
  streams: EventStreams | undefined;
}

export interface ServerFetch {
  fetch: FetchLike;
  /** Cancels the answer to a request that is no longer needed. */
  drop(id: number): void;
}

/** Longer than the time limit of any call, which aborts the request itself. */
const headTimeoutMs = 3_700_000;

/** The `fetch` of one server's transport: through the guarded network, with the entry's headers and bounded answers. */
export function createServerFetch(options: ServerFetchOptions): ServerFetch {
  const { network, url, headers, allowsLoopback, login, streams } = options;
  const hasOwnCredentials = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const bounds: FetchBounds = { redirectsMax: 0, headTimeoutMs, allowsLoopback };
  /** Functions that cancel open requests, by the id of the request to which they bring the answer. */
  const open = new Map<number, () => void>();

  const ask = async (to: URL, init: RequestInit): Promise<Response> => {
    const isOurs = to.origin === url.origin;
    const send = (token: string | undefined) => {
      const sent = new Headers(init.headers);
      if (isOurs) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
      return network.fetch(to.href, { ...init, headers: sent, redirect: "manual" }, bounds);
    };
    if (!isOurs || hasOwnCredentials) return await send(undefined);
    const token = login.token();
    const answer = await send(token);
    if (answer.status !== 401 || !(await login.renew(token, answer))) return await permitted(answer);
    await answer.body?.cancel();
    return await permitted(await send(login.token()));
  };

  const permitted = async (answer: Response): Promise<Response> => {
    if (answer.status === 403) await login.requireScope(answer);
    return answer;
  };

  const send: FetchLike = async (target, init = {}) => {
    const to = new URL(target, url);
    const isGet = init.method === "GET";
    const lastEventId = new Headers(init.headers).get("last-event-id") ?? undefined;
    const sentId = requestIn(init);
    const streamOf = () => (sentId === undefined ? undefined : streams?.answerTo(sentId));
    const stream = isGet ? streams?.askedFor(lastEventId) : streamOf();
    const id = stream?.id ?? sentId;
    if (isGet && streams !== undefined && (stream === undefined || stream.isOver())) return notOffered();
    const dropped = new AbortController();
    if (id !== undefined) open.set(id, () => dropped.abort(cancelled()));
    const signal = init.signal ? AbortSignal.any([init.signal, dropped.signal]) : dropped.signal;
    try {
      if (isGet) await stream?.pause(signal);
      const answer = await ask(to, { ...init, signal });
      if (isEvents(answer)) return withEvents(answer, id, stream, lastEventId);
      if (id !== undefined) open.delete(id);
      return isGet && stream !== undefined ? await withoutEvents(answer, stream) : withBody(answer);
    } catch (thrown) {
      if (id !== undefined) open.delete(id);
      if (isGet) stream?.refused("failed");
      throw thrown;
    }
  };

  const withEvents = (
    answer: Response,
    id: number | undefined,
    stream: EventStream | undefined,
    lastEventId: string | undefined,
  ): Response => {
    if (answer.body === null) return new Response(null, headOf(answer));
    const watch = {
      took: (eventId: string | undefined) => stream?.took(eventId),
      ended: () => {
        if (id !== undefined) open.delete(id);
        stream?.closed();
      },
    };
    const events = boundedEvents(answer.body, watch);
    stream?.opened();
    // Sends an empty answer; otherwise the transport would keep requesting it.
    if (id !== undefined)
      open.set(id, () => events.finish(JSON.stringify({ jsonrpc: "2.0", id, result: {} })));
    // The transport forgets the last event if the next connection brings none.
    if (lastEventId !== undefined) events.begin(lastEventId);
    return new Response(events.stream, headOf(answer));
  };

  return {
    fetch: send,
    drop(id) {
      const letGo = open.get(id);
      open.delete(id);
      letGo?.();
    },
  };
}

/** The answer to a GET for a stream that was not opened. A redirect is neither: the transport may follow it. */
async function withoutEvents(answer: Response, stream: EventStream): Promise<Response> {
  const { ok, status } = answer;
  if (ok || status === 405) {
    stream.refused("not offered");
    await answer.body?.cancel();
    return notOffered();
  }
  if (status >= 400) stream.refused("failed");
  return withBody(answer);
}

function withBody(answer: Response): Response {
  return new Response(answer.body && boundedBody(answer.body), headOf(answer));
}

function headOf({ status, statusText, headers }: Response): ResponseInit {
  return { status, statusText, headers };
}

/** Tells the transport that there is no such stream, so that it doesn't ask again. */
function notOffered(): Response {
  return new Response(null, { status: 405 });
}

function cancelled(): DOMException {
  return new DOMException("The request was cancelled.", "AbortError");
}

function isEvents({ headers }: Response): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

/** Id of a sent JSON-RPC request; undefined for anything else. */
function requestIn({ method, body }: RequestInit): number | undefined {
  if (method !== "POST" || typeof body !== "string") return undefined;
  try {
    const message = JSON.parse(body);
    return typeof message?.method === "string" && typeof message.id === "number" ? message.id : undefined;
  } catch {
    return undefined;
  }
}
