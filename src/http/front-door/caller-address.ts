import ipaddr from "ipaddr.js";
import type { Call } from "../call.ts";
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
  const forwardedOrigin = forwardedHops(request.headers).map((hops) => origin(hops, trustedProxies));
  const [first = peer] = forwardedOrigin;
  // Proxies write one of the headers and may pass the other one unchanged from the caller, so if they differ, neither counts.
  return forwardedOrigin.every((address) => address === first) ? first : peer;
}

/**
 * Returns the address that the nearest proxy states for the caller, whether or not it is trusted; undefined if there is none. A caller
 * without a proxy can state any, so it may only share out what the address of the connection gets.
 */
export function claimedAddress(call: Call, request: Request): string | undefined {
  const [hops] = call.peer === "network" ? forwardedHops(request.headers) : [];
  return hops?.at(-1)?.toString();
}

/** Returns the owner of calls without an account, among those that share something: where they come from. */
export const callerOwner = (call: Call, request: Request): string =>
  addressGroup(callerAddress(call, request));

/**
 * Returns the group that callers from an address are counted under: an IPv4 address itself, or the /64 of an IPv6 address, which one
 * customer usually has as a whole. Text that is not an address is returned unchanged.
 */
export function addressGroup(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const [a, b, c, d] = (parsed as ipaddr.IPv6).parts;
  return `${[a, b, c, d].map((part) => (part ?? 0).toString(16)).join(":")}::/64`;
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

/** The hops of a request from one header, the nearest last. Undefined for a hop that is not an address. */
export type ForwardedHops = readonly ReturnType<typeof readIpAddress>[];

/** Returns the hops from each of the two headers that the request has; none for a malformed header. */
export function forwardedHops(headers: Headers): ForwardedHops[] {
  const list = headers.get("x-forwarded-for");
  const standard = headers.get("forwarded");
  return [
    ...(list === null ? [] : [list.split(",").map((hop) => readNode(hop.trim()))]),
    ...(standard === null ? [] : [readForwarded(standard)]),
  ];
}

const token = "[!#$%&'*+.^_`|~\\w-]+";
const pair = new RegExp(`[ \\t]*(${token})=(${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*([;,]|$)`, "gy");

/**
 * Parses a header of RFC 7239. An open quotation mark from a caller could swallow the hops that proxies add, so such a header counts as
 * empty.
 */
function readForwarded(text: string): ForwardedHops {
  const hops: ForwardedHops[number][] = [];
  let element = new Map<string, string>();
  let end: string | undefined;
  for (const [, name = "", value = "", separator = ""] of text.matchAll(pair)) {
    const key = name.toLowerCase();
    if (element.has(key)) return [];
    element.set(key, value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, "$1") : value);
    end = separator;
    if (separator === ";") continue;
    hops.push(readNode(element.get("for") ?? ""));
    element = new Map();
  }
  return end === "" ? hops : [];
}

/** Returns the address of a node, which may have a port. Returns undefined for `unknown` and for a proxy's own names. */
function readNode(text: string): ForwardedHops[number] {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(text) ?? [];
  return readIpAddress(bracketed ?? dotted ?? text);
}
