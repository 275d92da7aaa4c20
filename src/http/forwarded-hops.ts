import { readIpAddress } from "./trusted-proxies.ts";

/** Where a request has been, as one header tells it: the nearest hop last. Undefined where a hop is no address. */
export type ForwardedHops = readonly ReturnType<typeof readIpAddress>[];

/** What each of the two headers tells that the request has; nothing of a header that is malformed. */
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

/** RFC 7239. A quotation mark that a caller leaves open could swallow what proxies add: such a header tells nothing. */
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

/** The address of a node, which may have a port behind it; undefined for `unknown` and names of a proxy's own. */
function readNode(text: string): ForwardedHops[number] {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(text) ?? [];
  return readIpAddress(bracketed ?? dotted ?? text);
}
