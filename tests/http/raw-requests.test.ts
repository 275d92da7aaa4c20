import { expect, test } from "bun:test";
import corpus from "../corpora/http_raw.json" with { type: "json" };
import { bodyOf, rawRequest } from "../support/raw-http.ts";
import { serveSample } from "./sample-service.ts";

const host = "Host: localhost\r\n";

/** The bytes for each entry, and the statuses that its expectation allows here. */
const requests: Record<string, { bytes: string; statuses: number[] }> = {
  "http_raw-002": post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
  "http_raw-005": post("Content-Length: +3\r\n\r\n{} ", 400),
  "http_raw-006": post("Content-Length: 99999999999999999999\r\n\r\n{}", 400),
  "http_raw-007": post("Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
  "http_raw-008": post("Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
  "http_raw-009": post("Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n", 400),
  "http_raw-010": { bytes: "GET /v1/things HTTP/1.1\r\n\r\n", statuses: [400] },
  "http_raw-011": get("/v1/things", "Host: evil.example\r\n", 400),
  "http_raw-012": get("/v1/things", "X-Folded: a\r\n b\r\n", 400),
  "http_raw-013": get("/v1/things", "X-Nul: a\0b\r\n", 400),
  "http_raw-014": { bytes: "GET /v1/things HTTP/1.1\nHost: localhost\n\n", statuses: [400, 505] },
  "http_raw-015": get("/v1/things/a%00b", "", 404),
  "http_raw-016": get("/v1/other/../things", "", 200),
  "http_raw-017": get("/v1/other/%2e%2e/things", "", 200),
  "http_raw-019": get("//v1//things", "", 404),
  "http_raw-020": get("/v1/things/a%zz", "", 404),
  "http_raw-022": get("http://evil.example/v1/things", "", 200),
  "http_raw-023": { bytes: "GET /v1/things HTTP/1.1\r\nHost: evil.com/x?y\r\n\r\n", statuses: [400] },
  "http_raw-025": get("/v1/things", `X-Long: ${"x".repeat(20_000)}\r\n`, 431),
  "http_raw-026": get("/v1/things", Array.from({ length: 300 }, (_, i) => `X-${i}: 1\r\n`).join(""), 431),
  "http_raw-027": get(`/v1/things?q=${"x".repeat(30_000)}`, "", 414, 431),
  "http_raw-030": { bytes: `TRACE /v1/things HTTP/1.1\r\n${host}\r\n`, statuses: [405] },
  "http_raw-044": get("/docs/style.css", `Range: bytes=${"0-,".repeat(1000)}0-\r\n`, 200),
  "http_raw-046": get("/v1/things", "Origin: https://evil.example\r\nCookie: a=b\r\n", 403),
  "http_raw-050": get("/v1/things", "X-Original-URL: /docs\r\n", 200),
  "http_raw-051": get("/v1/things;x=1", "", 404),
  "http_raw-052": get("/V1/things", "", 404),
  "http_raw-059": get("/v1/things?limit=201", "", 200),
  "http_raw-060": get("/v1/things?limit=abc", "", 400),
  "http_raw-066": get(
    "/v1/ws/x",
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
    400,
  ),
};

const elsewhere: Record<string, string> = {
  "http_raw-028": "a route that takes a phone number",
  "http_raw-035": "slow-clients.test.ts",
  "http_raw-036": "slow-clients.test.ts",
  "http_raw-040": "slow-clients.test.ts",
  "http_raw-041": "the connection limit of the machine",
  "http_raw-042": "event-stream.test.ts",
  "http_raw-054": "a route with versions",
  "http_raw-056": "a route with versions",
  "http_raw-062": "a route with days",
  "http_raw-063": "a route with periods",
  "http_raw-064": "a route with cursors",
  "http_raw-065": "a route with instants",
  "http_raw-068": "web-socket-session.test.ts",
  "http_raw-069": "web-socket-session.test.ts",
  "http_raw-071": "web-socket-session.test.ts",
  "http_raw-073": "web-socket-session.test.ts",
  "http_raw-074": "web-socket-session.test.ts",
};

test("every entry is run here or named where it belongs", () => {
  const ids = corpus.entries.map((entry) => entry.id);
  expect([...Object.keys(requests), ...Object.keys(elsewhere)].sort()).toEqual(ids.sort());
});

test.each(corpus.entries.filter((entry) => entry.id in requests))("$id $input: $expected", async ({ id }) => {
  await using sample = serveSample();
  const { bytes, statuses } = requests[id] ?? { bytes: "", statuses: [] };
  const answer = await rawRequest(sample.port, bytes);
  expect(statuses).toContain(answer.status ?? 0);
  expect(answer.text.length).toBeLessThan(10_000);
  expect(answer.text.toLowerCase()).not.toContain("access-control-allow-origin");
  expect((await fetch(`${sample.url}/healthz`)).status).toBe(200);
});

test("a limit above the maximum is cut to it", async () => {
  await using sample = serveSample();
  const answer = await rawRequest(sample.port, requests["http_raw-059"]?.bytes ?? "");
  expect(JSON.parse(bodyOf(answer))).toEqual({ limit: 200 });
});

test.each([
  ["a URL over 8 KiB", `GET /v1/things?q=${"x".repeat(9000)} HTTP/1.1\r\n${host}\r\n`, 413, "body_too_large"],
  ["a query that isn't UTF-8", `GET /v1/things?q=%ff HTTP/1.1\r\n${host}\r\n`, 400, "invalid_request"],
  ["NUL in a query", `GET /v1/things?q=%00 HTTP/1.1\r\n${host}\r\n`, 400, "invalid_request"],
  ["HTTP/1.0 without Host", "GET /v1/things HTTP/1.0\r\n\r\n", 400, "invalid_request"],
  ["CONNECT", `CONNECT localhost:80 HTTP/1.1\r\n${host}\r\n`, 400, "invalid_request"],
  ["a method of WebDAV", `PROPFIND /v1/things HTTP/1.1\r\n${host}\r\n`, 405, "method_not_allowed"],
  ["a handshake with a short key", handshake("short"), 400, "websocket_required"],
])("%s is refused in our own form", async (_what, bytes, status, code) => {
  await using sample = serveSample();
  const answer = await rawRequest(sample.port, bytes);
  expect(answer.status).toBe(status);
  expect(JSON.parse(bodyOf(answer)).error).toBe(code);
});

function get(target: string, headers: string, ...statuses: number[]) {
  return { bytes: `GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`, statuses };
}

function post(headersAndBody: string, ...statuses: number[]) {
  return { bytes: `POST /v1/things HTTP/1.1\r\n${host}${headersAndBody}`, statuses };
}

function handshake(key: string): string {
  const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
  return `GET /v1/ws/x HTTP/1.1\r\n${host}${upgrade}Sec-WebSocket-Key: ${key}\r\n\r\n`;
}
