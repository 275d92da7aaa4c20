import type { AddressBook } from "./address-book.ts";
import type { Address } from "./address-kind.ts";
import type { Connect } from "./direct-connection.ts";
import { refused, wasUnreachable } from "./network-error.ts";
import { type Hop, nextHop } from "./next-hop.ts";

/** Redirects that are followed at most, whatever a caller asks for. */
const redirectsLimit = 5;
/** Addresses of one host that are tried until one can be reached. */
const attemptsMax = 3;

export interface FollowRules {
  redirectsMax: number;
  allowsLoopback: boolean;
  trustedOrigin?: string;
  /** What a redirect becomes once none may follow: the answer, or a refusal. */
  lastRedirect: "answer" | "refuse";
}

/** How requests leave. */
export interface Way {
  book: AddressBook;
  connect: Connect;
}

/** Sends a request and follows its redirects, each hop checked anew; the answer's body is still to be read. */
export async function follow(
  way: Way,
  first: Hop,
  { redirectsMax, allowsLoopback, trustedOrigin, lastRedirect }: FollowRules,
  signal: AbortSignal,
): Promise<{ response: Response; hop: Hop }> {
  const most = Math.min(redirectsMax, redirectsLimit);
  let hop = first;
  for (let followed = 0; ; followed++) {
    const isTrusted = hop.to.url.origin === trustedOrigin;
    const found = way.book.find(hop.to, { allowsLoopback, isTrusted }, signal);
    const response = await reach(way, hop, found instanceof Promise ? await found : found, signal);
    if (most === 0 && lastRedirect === "answer") return { response, hop };
    try {
      const next = nextHop(hop, response);
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

/** The answer of the first address that can be reached. */
async function reach(
  { book, connect }: Way,
  hop: Hop,
  addresses: readonly Address[],
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
  // The next call may find that the host has moved.
  book.forget(hop.to.host);
  throw unreachable;
}

async function giveUp(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}
