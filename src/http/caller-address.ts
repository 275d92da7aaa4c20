import type { Call } from "./call.ts";
import { type ForwardedHops, forwardedHops } from "./forwarded-hops.ts";
import { isTrusted, readIpAddress, type TrustedProxies } from "./trusted-proxies.ts";

/**
 * Where a request comes from, by which attempts are counted: the address at the other end of the connection, or the other door by
 * which it came. A trusted proxy there is asked for the address before it, and so on to the first that is not trusted; what stands
 * beyond that one anybody may have written.
 */
export function callerAddress(call: Call, request: Request): string {
  const peer = call.connection?.requestIP(request)?.address;
  if (peer === undefined) return call.peer;
  const { trustedProxies = [] } = call;
  const nearest = trustedProxies.length === 0 ? undefined : readIpAddress(peer);
  if (nearest === undefined || !isTrusted(trustedProxies, nearest)) return peer;
  const told = forwardedHops(request.headers).map((hops) => origin(hops, trustedProxies));
  const [first = peer] = told;
  // Proxies write one of the headers and may let the other pass as the caller sent it: what differs proves nothing.
  return told.every((address) => address === first) ? first : peer;
}

/** The farthest address that trusted proxies vouch for; undefined where they name none. */
function origin(hops: ForwardedHops, proxies: TrustedProxies): string | undefined {
  let known: string | undefined;
  for (const hop of hops.toReversed()) {
    if (hop === undefined) return known;
    known = hop.toString();
    if (!isTrusted(proxies, hop)) return known;
  }
  return known;
}
