import { forwardingHeaders } from "./handed-on.ts";

/** Headers that are passed from a page to a service. All others, especially credentials, are dropped. */
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

/** Returns the headers for the service, which replace those of the page. */
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
