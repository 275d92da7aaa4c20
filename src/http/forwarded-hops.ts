import { readIpAddress } from "./trusted-proxies.ts";

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
