import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { FetchBounds, GuardedNetwork } from "../../network/guarded-network.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import { boundedBody, boundedEvents } from "./bounded-stream.ts";

export interface ServerFetchOptions {
  network: Pick<GuardedNetwork, "fetch">;
  url: URL;
  /** Headers sent only to the server's own origin. */
  headers: Readonly<Record<string, string>>;
  allowsLoopback: boolean;
  /** Login whose token is sent, unless the entry's headers contain credentials. */
  login: Pick<ServerLogin, "token" | "renew">;
  /** The answer to this request ended and can't be resumed. If it has not arrived, it never will. */
  answerEnded: (id: number) => void;
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
  const { network, url, headers, allowsLoopback, login, answerEnded } = options;
  const hasOwnCredentials = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const bounds: FetchBounds = { redirectsMax: 0, headTimeoutMs, allowsLoopback };
  /** Functions that cancel open requests, by request id. */
  const open = new Map<number, () => void>();

  const send: FetchLike = async (target, init = {}) => {
    const to = new URL(target, url);
    const id = requestIn(init);
    const dropped = new AbortController();
    if (id !== undefined) open.set(id, () => dropped.abort(cancelled()));
    const signal = init.signal ? AbortSignal.any([init.signal, dropped.signal]) : dropped.signal;
    const isOurs = to.origin === url.origin;
    const ask = (token: string | undefined) => {
      const sent = new Headers(init.headers);
      if (isOurs) for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      if (token !== undefined) sent.set("authorization", `Bearer ${token}`);
      return network.fetch(to.href, { ...init, headers: sent, signal, redirect: "manual" }, bounds);
    };
    const logsIn = isOurs && !hasOwnCredentials;
    const token = logsIn ? login.token() : undefined;
    try {
      const answer = await ask(token);
      if (answer.status !== 401 || !logsIn || !(await login.renew(token, answer))) return bounded(answer, id);
      await answer.body?.cancel();
      return bounded(await ask(login.token()), id);
    } catch (thrown) {
      if (id !== undefined) open.delete(id);
      throw thrown;
    }
  };

  const bounded = (
    { body, status, statusText, headers: received }: Response,
    id: number | undefined,
  ): Response => {
    const head = { status, statusText, headers: received };
    if (body === null) return new Response(null, head);
    if (!isEvents(received)) {
      if (id !== undefined) open.delete(id);
      return new Response(boundedBody(body), head);
    }
    let canResume = false;
    const watch = {
      resumable: () => {
        canResume = true;
      },
      ended: () => {
        if (id === undefined) return;
        open.delete(id);
        if (!canResume) answerEnded(id);
      },
    };
    const { stream, finish } = boundedEvents(body, watch);
    // Sends an empty answer; otherwise the transport would keep requesting it.
    if (id !== undefined) open.set(id, () => finish(JSON.stringify({ jsonrpc: "2.0", id, result: {} })));
    return new Response(stream, head);
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

function cancelled(): DOMException {
  return new DOMException("The request was cancelled.", "AbortError");
}

function isEvents(headers: Headers): boolean {
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
