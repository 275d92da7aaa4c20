import type { TestPlatform } from "../../support/platform.ts";
import { rawRequest } from "../../support/raw-http.ts";
import type { RouteRequest, RouteRow } from "./route-row.ts";

/** An answer as a caller sees it. */
export interface Seen {
  status: number;
  text: string;
}

/** Sends the request of a row with a credential's headers. For a WebSocket, the answer is that to its handshake. */
export async function askRoute(
  platform: TestPlatform,
  row: RouteRow,
  request: RouteRequest,
  credential: Record<string, string>,
): Promise<Seen> {
  const [method = ""] = row.route.split(" ");
  const sent = { ...request.headers, ...credential };
  if (!row.socket) return platform.call(method, request.path, { body: request.body, headers: sent });
  const { host, port } = new URL(platform.url);
  const head = {
    ...sent,
    host,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await rawRequest(
    Number(port),
    `${method} ${request.path} HTTP/1.1\r\n${lines.join("")}\r\n`,
  );
  return { status: answer.status ?? 0, text: answer.text.slice(answer.text.indexOf("\r\n\r\n") + 4) };
}
