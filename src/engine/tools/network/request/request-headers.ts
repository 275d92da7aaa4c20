import { refused } from "../network-error.ts";

/** Headers that HTTP, the connection or a proxy sets, and those that metadata services require. */
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

/** Headers without information about the caller. All others are sent to their original origin only. */
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

/** Returns true if a caller's header with this name is removed. */
export function isStrippedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return stripped.has(lower) || strippedPattern.test(lower);
}

/** Returns true if a header has no information about the caller. */
export function isHarmlessHeader(name: string): boolean {
  return harmless.has(name.toLowerCase());
}

/** The problem with a header; undefined if it may be sent. A line break would begin another header. */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/.test(name))
    return "A header's name may not hold such characters.";
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? undefined
    : `The header ${name} may not hold line breaks, control characters or characters beyond Latin-1.`;
}

/** The caller's headers in lower case, without those that callers may not set; throws `network_refused` for injections. */
export function vetHeaders(given: Iterable<readonly [string, string]>): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "Argosy" };
  for (const [name, value] of given) {
    const fault = headerFault(name, value);
    if (fault !== undefined) throw refused(fault);
    if (!isStrippedHeader(name)) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Headers that may follow a redirect to another origin. This is an allow list, because credentials have too many possible names. */
export function headersForOthers(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isHarmlessHeader(name)));
}

/** The headers without those of a body that is no longer sent. */
export function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("content-")));
}
