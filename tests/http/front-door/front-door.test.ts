import { expect, test } from "bun:test";
import type { Peer } from "../../../src/http/call.ts";
import type { Access } from "../../../src/http/front-door/front-door.ts";
import { sampleService } from "../sample-service.ts";

const token = "t".repeat(32);
const bearer = { authorization: `Bearer ${token}` };

interface Case {
  why: string;
  access?: Partial<Access>;
  headers?: Record<string, string>;
  path?: string;
  peer?: Peer;
  status: number;
}

const cases: Case[] = [
  { why: "loopback by name", headers: { host: "localhost:8000" }, status: 200 },
  { why: "loopback by name, in capitals", headers: { host: "LOCALHOST" }, status: 200 },
  { why: "loopback by address", headers: { host: "127.0.0.2:8000" }, status: 200 },
  { why: "loopback by IPv6 address", headers: { host: "[::1]:8000" }, status: 200 },
  { why: "a foreign host", headers: { host: "evil.example" }, status: 421 },
  { why: "a host that begins like loopback", headers: { host: "127.0.0.1.evil.example" }, status: 421 },
  { why: "a host that ends like loopback", headers: { host: "evil.localhost.example" }, status: 421 },
  { why: "no host", headers: { host: "" }, status: 421 },
  { why: "two hosts", headers: { host: "localhost, evil.example" }, status: 400 },
  {
    why: "a foreign host on a health path",
    headers: { host: "evil.example" },
    path: "/healthz",
    status: 421,
  },
  {
    why: "an allowed host",
    access: { allowedHosts: ["Argosy.Example"] },
    headers: { host: "argosy.example:9" },
    status: 200,
  },
  {
    why: "an allowed host and port",
    access: { allowedHosts: ["a.example:9"] },
    headers: { host: "a.example:9" },
    status: 200,
  },
  {
    why: "another port than allowed",
    access: { allowedHosts: ["a.example:9"] },
    headers: { host: "a.example:8" },
    status: 421,
  },

  { why: "an origin on loopback", headers: { origin: "http://localhost:3000" }, status: 200 },
  {
    why: "an allowed origin",
    access: { allowedHosts: ["a.example"] },
    headers: { origin: "https://a.example" },
    status: 200,
  },
  { why: "a foreign origin", headers: { origin: "https://evil.example" }, status: 403 },
  { why: "the origin of a sandboxed page", headers: { origin: "null" }, status: 403 },
  {
    why: "an origin with loopback as its user",
    headers: { origin: "http://localhost@evil.example" },
    status: 403,
  },
  { why: "an origin of another scheme", headers: { origin: "chrome-extension://localhost" }, status: 403 },

  { why: "exposed, no token", access: { exposed: true, apiToken: token }, status: 401 },
  { why: "exposed, the token", access: { exposed: true, apiToken: token }, headers: bearer, status: 200 },
  {
    why: "exposed, scheme in lower case",
    access: { exposed: true, apiToken: token },
    headers: { authorization: `bearer ${token}` },
    status: 200,
  },
  {
    why: "exposed, a prefix of the token",
    access: { exposed: true, apiToken: token },
    headers: { authorization: "Bearer ttt" },
    status: 401,
  },
  {
    why: "exposed, another scheme",
    access: { exposed: true, apiToken: token },
    headers: { authorization: `Basic ${token}` },
    status: 401,
  },
  {
    why: "exposed without a token configured",
    access: { exposed: true },
    headers: { authorization: "Bearer " },
    status: 401,
  },
  { why: "exposed, health", access: { exposed: true, apiToken: token }, path: "/healthz", status: 200 },
  {
    why: "exposed, health with a slash",
    access: { exposed: true, apiToken: token },
    path: "/readyz/",
    status: 200,
  },
  {
    why: "exposed, a path that begins like health",
    access: { exposed: true, apiToken: token },
    path: "/healthzz",
    status: 401,
  },
  { why: "exposed, the docs", access: { exposed: true, apiToken: token }, path: "/docs", status: 401 },
  {
    why: "exposed, an open path",
    access: { exposed: true, apiToken: token, openPaths: ["/v1/things/*"] },
    path: "/v1/things/a",
    status: 200,
  },
  { why: "exposed, open to anyone", access: { exposed: true, guard: "none" }, status: 200 },
  {
    why: "not exposed, a wrong token",
    access: { apiToken: token },
    headers: { authorization: "Bearer other" },
    status: 200,
  },

  { why: "forwarded", headers: { forwarded: "for=192.0.2.1" }, status: 401 },
  { why: "forwarded by the common header", headers: { "x-forwarded-for": "192.0.2.1" }, status: 401 },
  { why: "forwarded by a rare header", headers: { "X-Forwarded-Ssl": "on" }, status: 401 },
  {
    why: "forwarded, the token",
    access: { apiToken: token },
    headers: { "x-forwarded-for": "192.0.2.1", ...bearer },
    status: 200,
  },
  { why: "forwarded, health", headers: { "x-forwarded-for": "192.0.2.1" }, path: "/healthz", status: 200 },

  {
    why: "routes with credentials of their own",
    access: { guard: "routes", exposed: true },
    headers: { host: "any.example" },
    status: 200,
  },
  {
    why: "the control socket",
    access: { exposed: true, apiToken: token },
    peer: "control",
    headers: { host: "any" },
    status: 200,
  },
  {
    why: "this process",
    access: { exposed: true, apiToken: token },
    peer: "local",
    headers: { host: "any" },
    status: 200,
  },
  {
    why: "a header that claims to be local",
    access: { exposed: true, apiToken: token },
    headers: { "x-peer": "local", peer: "control" },
    status: 401,
  },
];

test.each(cases)(
  "$why: $status",
  async ({ access = {}, headers = {}, path = "/v1/things", peer = "network", status }) => {
    const { app } = sampleService({ access });
    const request = new Request(`http://localhost${path}`, { headers: { host: "localhost", ...headers } });
    const response = await app.handle(request, { peer });
    expect(response.status).toBe(status);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
    if (status === 401) expect(response.headers.get("www-authenticate")).toBe("Bearer");
  },
);

test("a handler sees by which door its caller came", async () => {
  const { app } = sampleService();
  const ask = async (peer: Peer) => {
    const headers = { host: "localhost" };
    const response = await app.handle(new Request("http://localhost/v1/things/a", { headers }), { peer });
    return ((await response.json()) as { peer: Peer }).peer;
  };
  expect(await ask("network")).toBe("network");
  expect(await ask("control")).toBe("control");
  expect(await ask("local")).toBe("local");
});
