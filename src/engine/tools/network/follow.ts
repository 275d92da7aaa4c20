import type { IpAddress } from "./address/address-kind.ts";
import type { AddressResolver } from "./address/address-resolver.ts";
import type { Destination } from "./address/vet-url.ts";
import type { Connect } from "./direct-connection.ts";
import { refused, wasUnreachable } from "./network-error.ts";
import { type Hop, nextHop } from "./next-hop.ts";
import { isBelow } from "./request/path-below.ts";

/** Upper limit for redirects, whatever a caller requests. */
const redirectsLimit = 5;
/** Maximum addresses of a host that are tried. */
const attemptsMax = 3;

export interface FollowRules {
  redirectsMax: number;
  allowsLoopback: boolean;
  trustedOrigin?: string;
  credentialBase?: string;
  /** Treatment of a redirect when no more may be followed: returned as the answer, or refused. */
  lastRedirect: "answer" | "refuse";
}

/** Address book and connect function. */
export interface Way {
  book: AddressResolver;
  connect: Connect;
}

/** Sends a request and follows its redirects, checking each hop. The answer's body is still unread. */
export async function follow(
  way: Way,
  first: Hop,
  { redirectsMax, allowsLoopback, trustedOrigin, credentialBase, lastRedirect }: FollowRules,
  signal: AbortSignal,
): Promise<{ response: Response; hop: Hop }> {
  const most = Math.min(redirectsMax, redirectsLimit);
  const isOwn = ({ url }: Destination) => credentialBase === undefined || isBelow(url, credentialBase);
  if (!isOwn(first.to)) throw refused("The address is not below that of the connection.");
  let hop = first;
  for (let followed = 0; ; followed++) {
    const isTrusted = hop.to.url.origin === trustedOrigin && isOwn(hop.to);
    const address = way.book.find(hop.to, { allowsLoopback, isTrusted }, signal);
    const response = await reach(way, hop, address instanceof Promise ? await address : address, signal);
    if (most === 0 && lastRedirect === "answer") return { response, hop };
    try {
      const next = nextHop(hop, response, isOwn);
      if (next === undefined) return { response, hop };
      if (followed >= most) throw refused("The server redirects more often than is followed.");
      hop = next;
    } catch (thrown) {
      await giveUp(response);
      throw thrown;
    }
    await giveUp(response);
  }
}

/** The answer of the first reachable address. */
async function reach(
  { book, connect }: Way,
  hop: Hop,
  addresses: readonly IpAddress[],
  signal: AbortSignal,
): Promise<Response> {
  let unreachable: unknown;
  for (const { text } of addresses.slice(0, attemptsMax)) {
    try {
      return await connect(hop, text, signal);
    } catch (thrown) {
      if (signal.aborted || !wasUnreachable(thrown)) throw thrown;
      unreachable = thrown;
    }
  }
  // The host may have moved, so the next call resolves it again.
  book.forget(hop.to.host);
  throw unreachable;
}

async function giveUp(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
