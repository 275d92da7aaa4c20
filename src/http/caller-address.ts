import type { Call } from "./call.ts";
import { type ForwardedHops, forwardedHops } from "./forwarded-hops.ts";
import { isTrusted, readIpAddress, type TrustedProxies } from "./trusted-proxies.ts";

/**
 * Returns the address by which attempts are counted: that of the other end of the connection, or the name of another door. If a trusted
 * proxy is there, its headers give the address before it, and so on to the first that is not trusted. Anyone could have written the
 * addresses beyond that one.
 */
export function callerAddress(call: Call, request: Request): string {
  const peer = call.connection?.requestIP(request)?.address;
  if (peer === undefined) return call.peer;
  const { trustedProxies = [] } = call;
  const nearest = trustedProxies.length === 0 ? undefined : readIpAddress(peer);
  if (nearest === undefined || !isTrusted(trustedProxies, nearest)) return peer;
  const told = forwardedHops(request.headers).map((hops) => origin(hops, trustedProxies));
  const [first = peer] = told;
  // Proxies write one of the headers and may pass the other one unchanged from the caller, so if they differ, neither counts.
  return told.every((address) => address === first) ? first : peer;
}

/** Returns the farthest address that trusted proxies vouch for, or undefined if they name none. */
function origin(hops: ForwardedHops, proxies: TrustedProxies): string | undefined {
  let known: string | undefined;
  for (const hop of hops.toReversed()) {
    if (hop === undefined) return known;
    known = hop.toString();
    if (!isTrusted(proxies, hop)) return known;
  }
  return known;
}
