import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { FetchBounds } from "../../../../src/engine/tools/network/guarded-network.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { answering, echoServer, rawServer } from "../../../support/network-servers.ts";
import { refusal } from "../../../support/refusal.ts";
import { type TestNetworkOptions, testNetwork } from "../../../support/test-network.ts";

const { seen, at, redirect, stop } = echoServer();
beforeEach(() => void seen.splice(0));
afterAll(stop);

const textOf = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

describe("fetch", () => {
  const bounds: FetchBounds = {
    redirectsMax: 5,
    allowsLoopback: true,
    headTimeoutMs: 5000,
    bodyBytesMax: 10_000,
  };
  const pull = (
    url: string,
    init: RequestInit = {},
    more: Partial<FetchBounds> = {},
    options: TestNetworkOptions = {},
  ) => testNetwork(options).fetch(url, init, { ...bounds, ...more });

  test("answers as fetch does", async () => {
    const response = await pull(redirect("a.test", 302, "/there"));
    expect([response.status, response.ok, response.redirected, response.url]).toEqual([
      200,
      true,
      true,
      at("a.test", "/there"),
    ]);
    expect(await response.text()).toBe("hello");
  });

  test.each<[what: string, body: RequestInit["body"], sent: string, type: string | null]>([
    ["a text", "käse", "käse", "text/plain;charset=UTF-8"],
    ["bytes", new TextEncoder().encode("b"), "b", null],
    ["a form", new URLSearchParams({ a: "1 2" }), "a=1+2", "application/x-www-form-urlencoded;charset=UTF-8"],
    ["a blob", new Blob(["c"], { type: "text/x" }), "c", "text/x"],
    ["a stream", new Blob(["d"]).stream(), "d", null],
  ])("sends %s", async (_, body, sent, type) => {
    await (await pull(at("a.test"), { method: "POST", ...(body && { body }) })).text();
    expect(seen[0]).toMatchObject({ body: sent });
    expect(seen[0]?.headers.get("content-type")).toBe(type);
  });

  test("gives the body piece by piece, as it comes", async () => {
    const sockets: Socket[] = [];
    using events = await rawServer((socket) => {
      sockets.push(socket);
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    });
    const { bodyBytesMax: _, ...endless } = bounds;
    const response = await testNetwork().fetch(events.url, {}, endless);
    const reader = response.body?.getReader();
    expect(textOf((await reader?.read())?.value)).toBe("data: 1\n\n");
    sockets[0]?.write("data: 2\n\n");
    expect(textOf((await reader?.read())?.value)).toBe("data: 2\n\n");
    await reader?.cancel();
    await new Promise((resolve) => (sockets[0]?.destroyed ? resolve(0) : sockets[0]?.once("close", resolve)));
  });

  test("has its time for the head alone", async () => {
    const clock = new FakeClock();
    using events = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nfirst"));
    const response = await pull(events.url, {}, {}, { clock });
    expect(clock.pending).toBe(0);
    await response.body?.cancel();
    using silent = await rawServer(() => {});
    const refused = refusal(pull(silent.url, {}, {}, { clock }));
    while (silent.sockets.length === 0) await settle();
    await clock.advance(5000);
    expect(await refused).toMatchObject({ code: "network_timed_out" });
  });

  test("stops a body that is too long, or whose caller has left", async () => {
    const tooLong = await pull(at("a.test", "/?n=10001"));
    expect(await refusal(tooLong.bytes())).toMatchObject({ code: "network_body_too_large" });
    using dripping = await rawServer((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nfirst"));
    const caller = new AbortController();
    const response = await pull(dripping.url, { signal: caller.signal });
    const text = response.text().catch((thrown) => thrown);
    const reason = new Error("the caller left");
    caller.abort(reason);
    expect(await text).toBe(reason);
  });

  test("unpacks, and says so in the head", async () => {
    using raw = await answering("200 OK\r\nContent-Encoding: gzip\r\nContent-Type: a/b", gzipSync("hello"));
    const response = await pull(raw.url);
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("content-type")).toBe("a/b");
    expect(await response.text()).toBe("hello");
  });

  test.each([204, 205, 304])("%d has no body", async (status) => {
    using raw = await answering(`${status} None`);
    const response = await pull(raw.url);
    expect([response.status, response.body]).toEqual([status, null]);
  });

  test("follows no redirect for who wants it as the answer, or as an error", async () => {
    const url = redirect("a.test", 302, "/there");
    expect((await pull(url, { redirect: "manual" })).status).toBe(302);
    expect(await refusal(pull(url, { redirect: "error" }))).toMatchObject({ code: "network_refused" });
  });

  test("takes no option that leads around the guard", async () => {
    const init = { unix: "/nowhere.sock", proxy: "http://127.0.0.1:9", tls: { rejectUnauthorized: false } };
    expect(await (await pull(at("a.test"), init as RequestInit)).text()).toBe("hello");
    for (const url of ["file:///etc/hosts", "data:,a", "blob:x", "s3://bucket/key", "http://10.0.0.1/"]) {
      expect(await refusal(pull(url))).toMatchObject({ code: "network_refused" });
    }
  });
});
