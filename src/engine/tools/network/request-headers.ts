import { refused } from "./network-error.ts";

/** What HTTP, the connection or a proxy in between sets, and what metadata services ask for. */
const stripped: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "http2-settings",
  "accept-encoding",
  "forwarded",
  "via",
  "x-real-ip",
  "x-original-url",
  "x-rewrite-url",
]);
const strippedPattern = /^(?:proxy-|metadata|x-[a-z0-9-]*metadata|x-forwarded|sec-websocket-)/;

/** What says nothing of who asks: all else stays with the origin that it was meant for. */
const harmless: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "mcp-protocol-version",
  "pragma",
  "range",
  "user-agent",
]);

/** Whether a caller's header of this name is left out. */
export function isStrippedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return stripped.has(lower) || strippedPattern.test(lower);
}

/** Whether a header says nothing of who asks. */
export function isHarmlessHeader(name: string): boolean {
  return harmless.has(name.toLowerCase());
}

/** What is wrong with a header; undefined when it may be sent. A line break would begin another header. */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/.test(name))
    return "A header's name may not hold such characters.";
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : `The header ${name} may not hold line breaks, control characters or characters beyond Latin-1.`;
}

/** The caller's headers in lower case, without those that are not theirs to set; throws `network_refused` for injections. */
export function vetHeaders(given: Iterable<readonly [string, string]>): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "Argosy" };
  for (const [name, value] of given) {
    const fault = headerFault(name, value);
    if (fault !== undefined) throw refused(fault);
    if (!isStrippedHeader(name)) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** The headers that may follow a redirect to another origin: credentials go by too many names to list those. */
export function headersForOthers(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isHarmlessHeader(name)));
}

/** Headers of a body that is not sent any more. */
export function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("content-")));
}
