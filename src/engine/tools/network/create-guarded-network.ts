import { type Deadline, startDeadline } from "../../../kit/deadline.ts";
import { readBounded } from "../../../kit/fetch/bounded-body.ts";
import { type AddressPorts, createAddressResolver } from "./address/address-resolver.ts";
import { vetUrl } from "./address/vet-url.ts";
import { readBody } from "./answer/read-body.ts";
import { streamedResponse } from "./answer/streamed-response.ts";
import type { Connect } from "./direct-connection.ts";
import { type FollowRules, follow } from "./follow.ts";
import type { GuardedNetwork } from "./guarded-network.ts";
import { asNetworkError, refused, timedOut } from "./network-error.ts";
import type { Hop } from "./next-hop.ts";
import { vetHeaders } from "./request/request-headers.ts";

export interface NetworkPorts extends AddressPorts {
  connect: Connect;
}

const noBody = { body: new Uint8Array(), wasCut: false };
const packings = "gzip, deflate, br, zstd";

/** Creates a `GuardedNetwork` from a resolver and a function that connects. */
export function createGuardedNetwork({ connect, ...ports }: NetworkPorts): GuardedNetwork {
  const { clock } = ports;
  const way = { book: createAddressResolver(ports), connect };
  const send = (hop: Hop, rules: FollowRules, { signal }: Deadline) => follow(way, hop, rules, signal);

  return {
    async request(request) {
      const { timeoutMs, bodyBytesMax: bytesMax, whenLonger, redirectsMax } = request;
      const deadline = startDeadline(clock, timeoutMs, () => timedOut(timeoutMs), [request.signal]);
      try {
        deadline.signal.throwIfAborted();
        const headers = vetHeaders(Object.entries(request.headers ?? {}));
        const first: Hop = {
          to: vetUrl(request.url),
          ...vetMethod(request.method, request.body),
          headers: { ...headers, "accept-encoding": packings },
        };
        const allowsLoopback = request.allowsLoopback === true;
        const { trustedOrigin, credentialBase } = request;
        const rules: FollowRules = {
          redirectsMax,
          allowsLoopback,
          lastRedirect: "answer",
          ...(trustedOrigin !== undefined && { trustedOrigin }),
          ...(credentialBase !== undefined && { credentialBase }),
        };
        const { response, hop } = await send(first, rules, deadline);
        const { status, headers: answered } = response;
        // The headers of an answer to HEAD give the length of a body that is not sent.
        const read = hop.method === "HEAD" ? noBody : await readBody(response, { bytesMax, whenLonger });
        // A body cut off by an abort may end like a complete one.
        deadline.signal.throwIfAborted();
        return { status, headers: answered, url: hop.to.url.href, ...read };
      } catch (thrown) {
        throw asNetworkError(thrown, deadline.signal);
      } finally {
        deadline.dispose();
      }
    },

    async fetch(url, init, { headTimeoutMs, redirectsMax, allowsLoopback = false, bodyBytesMax }) {
      const parents = init.signal ? [init.signal] : [];
      const deadline = startDeadline(clock, headTimeoutMs, () => timedOut(headTimeoutMs), parents);
      try {
        deadline.signal.throwIfAborted();
        const { body, type } = await bodyOfInit(init.body);
        const headers = vetHeaders(headersOfInit(init.headers, type));
        const first: Hop = {
          to: vetUrl(url),
          ...vetMethod(init.method ?? "GET", body),
          // Uncompressed, so that events arrive one by one and not when a compression block is full.
          headers: { ...headers, "accept-encoding": bodyBytesMax === undefined ? "identity" : packings },
        };
        const rules: FollowRules = {
          redirectsMax: init.redirect === "manual" || init.redirect === "error" ? 0 : redirectsMax,
          allowsLoopback,
          lastRedirect: init.redirect === "error" ? "refuse" : "answer",
        };
        const { response, hop } = await send(first, rules, deadline);
        deadline.restart(Number.POSITIVE_INFINITY, () => timedOut(headTimeoutMs));
        const came = { url: hop.to.url.href, redirected: hop !== first };
        return await streamedResponse(response, came, bodyBytesMax, deadline);
      } catch (thrown) {
        const error = asNetworkError(thrown, deadline.signal);
        deadline.dispose();
        throw error;
      }
    },
  };
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function vetMethod(given: string, body: Hop["body"]): Pick<Hop, "method" | "body"> {
  const method = given.toUpperCase();
  if (!methods.has(method)) throw refused(`The method must be one of ${[...methods].join(", ")}.`);
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw refused(`${method} sends no body; leave the body out, or use POST.`);
  }
  return { method, body };
}

/** A stream or form body is buffered before it is sent, so that it can be sent again after a redirect. */
const bodyBytesMax = 16 * 1024 * 1024;

/** The bytes of a `fetch` body, and its default content type. */
export async function bodyOfInit(
  body: RequestInit["body"] | undefined,
): Promise<{ body: string | Uint8Array | undefined; type: string | undefined }> {
  if (body === undefined || body === null) return { body: undefined, type: undefined };
  if (body instanceof Uint8Array) return { body, type: undefined };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  const carrier = new Response(body);
  const type = carrier.headers.get("content-type") ?? undefined;
  return { body: await readBounded(carrier, bodyBytesMax), type };
}

/** The headers of a `fetch` call. */
export function headersOfInit(
  given: RequestInit["headers"] | undefined,
  type: string | undefined,
): [string, string][] {
  const headers = new Headers(given as ConstructorParameters<typeof Headers>[0]);
  if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
  return [...headers];
}
