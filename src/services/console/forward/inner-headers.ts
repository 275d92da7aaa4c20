import { forwardingHeaders } from "./handed-on.ts";

/** What a page may say to a service; everything else, credentials above all, stays behind. */
const passed = [
  "accept",
  "accept-language",
  "content-encoding",
  "content-length",
  "content-type",
  "host",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "prefer",
  "transfer-encoding",
  "user-agent",
  "x-request-id",
  "x-tenant-id",
];

const ofSockets = [
  "connection",
  "sec-websocket-extensions",
  "sec-websocket-key",
  "sec-websocket-protocol",
  "sec-websocket-version",
  "upgrade",
];

/** The headers that a service gets in place of those that the page sent. */
export function innerHeaders(
  sent: Headers,
  credential: Readonly<Record<string, string>>,
  isSocket: boolean,
): Headers {
  const headers = new Headers(forwardingHeaders(sent));
  for (const name of isSocket ? [...passed, ...ofSockets] : passed) {
    const value = sent.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(credential)) headers.set(name, value);
  return headers;
}
