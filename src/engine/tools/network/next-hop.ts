import { type Destination, vetUrl } from "./address/vet-url.ts";
import { refused } from "./network-error.ts";
import { headersForOthers, withoutContent } from "./request/request-headers.ts";

/** One request to one destination. */
export interface Hop {
  to: Destination;
  method: string;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | undefined;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];

/**
 * The request after a redirect, before the check of its destination; undefined if the answer is not a redirect. Headers that tell of the caller
 * stay within the origin, and with an `isOwn` address.
 */
export function nextHop(
  hop: Hop,
  answer: Response,
  isOwn: (to: Destination) => boolean = () => true,
): Hop | undefined {
  const location = redirects.includes(answer.status) ? answer.headers.get("location") : null;
  if (location === null) return undefined;
  const to = vetUrl(location, hop.to.url);
  const from = hop.to.url;
  if (from.protocol === "https:" && to.url.protocol === "http:") {
    throw refused("The server redirects from https to http, which is not followed.");
  }
  const next = becomesGet(hop.method, answer.status)
    ? { method: "GET", headers: withoutContent(hop.headers), body: undefined }
    : { method: hop.method, headers: hop.headers, body: hop.body };
  if (to.url.origin === from.origin && isOwn(to)) return { to, ...next };
  if (next.method !== "GET" && next.method !== "HEAD") {
    throw refused(
      `The server redirects the ${next.method} to another address; call that address itself if it is meant.`,
    );
  }
  return { to, ...next, headers: headersForOthers(next.headers) };
}

/** As in the Fetch standard. */
function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}
