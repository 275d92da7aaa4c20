import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { boundTool, callTool } from "../../../support/call-tool.ts";
import { testNetwork } from "../../../support/test-network.ts";

let answer: () => Response = () => new Response("hello");
const seen: { method: string; headers: Headers; body: string }[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    seen.push({ method: request.method, headers: request.headers, body: await request.text() });
    return new URL(request.url).pathname === "/moved"
      ? new Response(null, { status: 302, headers: { location: "/there" } })
      : answer();
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  seen.splice(0);
  answer = () => new Response("hello");
});

const network = testNetwork();
const url = `http://localhost:${server.port}/`;
const local = { name: "http_request", config: { allow_localhost: true } };
const ask = (input: Record<string, unknown>, config: Record<string, unknown> = {}) =>
  callTool(
    { ...local, config: { ...local.config, ...config } },
    { method: "GET", url, ...input },
    { network },
  );
const dataOf = async (input: Record<string, unknown> = {}, config: Record<string, unknown> = {}) => {
  const result = await ask(input, config);
  if (!result.success) throw new Error(result.error);
  return result.data as { status: number; headers: Record<string, string>; body: unknown };
};

describe("what comes back", () => {
  test.each<[what: string, head: HeadersInit, body: BodyInit, read: unknown]>([
    ["JSON", { "content-type": "application/json" }, '{"a":[1]}', { a: [1] }],
    ["JSON of a vendor", { "content-type": "application/problem+json; charset=utf-8" }, '{"a":1}', { a: 1 }],
    ["what only calls itself JSON", { "content-type": "application/json" }, "{oops", "{oops"],
    [
      "JSON that two readers read differently",
      { "content-type": "application/json" },
      '{"a":1,"a":2}',
      '{"a":1,"a":2}',
    ],
    [
      "numbers that would change",
      { "content-type": "application/json" },
      "9007199254740993",
      "9007199254740993",
    ],
    [
      "JSON deeper than anybody reads",
      { "content-type": "application/json" },
      "[".repeat(100),
      "[".repeat(100),
    ],
    ["text", { "content-type": "text/plain" }, "käse", "käse"],
    [
      "text of another charset",
      { "content-type": "text/html; charset=ISO-8859-1" },
      new Uint8Array([107, 228]),
      "kä",
    ],
    [
      "a charset in quotes",
      { "content-type": 'text/plain; charset="windows-1251"' },
      new Uint8Array([207]),
      "П",
    ],
    ["a charset nobody knows", { "content-type": "text/plain; charset=x-klingon" }, "a", "a"],
    ["a byte order mark", { "content-type": "text/plain" }, new Uint8Array([255, 254, 97, 0]), "a"],
    ["invalid UTF-8", { "content-type": "text/plain" }, new Uint8Array([97, 255, 98]), "a\uFFFDb"],
    ["NUL", { "content-type": "text/plain" }, "a\0b", "a\uFFFDb"],
    ["text of an unknown type", { "content-type": "application/x-own" }, "readable", "readable"],
    ["nothing", { "content-type": "application/json" }, "", ""],
  ])("%s", async (_, headers, body, read) => {
    answer = () => new Response(body, { headers });
    expect((await dataOf()).body).toEqual(read);
  });

  test("bytes are only described", async () => {
    answer = () =>
      new Response(new Uint8Array([137, 80, 0, 1]), { headers: { "content-type": "image/png" } });
    expect(await dataOf()).toMatchObject({ body: null, binary: { type: "image/png", bytes: 4 } });
  });

  test("every status is an answer, with the headers that are of use", async () => {
    const headers = {
      etag: '"1"',
      "retry-after": "7",
      "x-ratelimit-remaining": "3",
      "set-cookie": "session=secret",
      server: "x",
      link: "l".repeat(3000),
    };
    answer = () => new Response("no", { status: 503, headers });
    const { status, headers: shown } = await dataOf();
    expect(status).toBe(503);
    expect(shown).toMatchObject({ etag: '"1"', "retry-after": "7", "x-ratelimit-remaining": "3" });
    expect(shown.link).toHaveLength(1024);
    expect(Object.keys(shown)).not.toContain("set-cookie");
    expect(Object.keys(shown)).not.toContain("server");
  });

  test("it says where redirects led", async () => {
    expect(await dataOf({ url: `${url}moved` })).toMatchObject({ status: 200, url: `${url}there` });
    expect(await dataOf()).not.toHaveProperty("url");
  });
});

describe("what is sent", () => {
  test.each<[what: string, input: Record<string, unknown>, body: string, type: string | null]>([
    ["a text as it is", { method: "POST", body: "a=1" }, "a=1", null],
    ["an object as JSON", { method: "PUT", body: { a: [1] } }, '{"a":[1]}', "application/json"],
    ["zero as JSON", { method: "POST", body: 0 }, "0", "application/json"],
    [
      "JSON of the caller's type",
      { method: "PATCH", body: [1], headers: { "Content-Type": "a/b" } },
      "[1]",
      "a/b",
    ],
    ["no body for null", { method: "DELETE", body: null }, "", null],
    ["no body for nothing", { method: "GET", body: "" }, "", null],
  ])("%s", async (_, input, body, type) => {
    await dataOf(input);
    expect(seen[0]).toMatchObject({ method: String(input.method), body });
    expect(seen[0]?.headers.get("content-type")).toBe(type);
  });
});

describe("what is refused says what to do", () => {
  test.each<[input: Record<string, unknown>, config: Record<string, unknown>, error: string]>([
    [
      {},
      { allow_localhost: false },
      "This host is not on the public internet and may not be reached from here.",
    ],
    [
      { url: "http://169.254.169.254/" },
      {},
      "This host is not on the public internet and may not be reached from here.",
    ],
    [
      { url: "example.com" },
      {},
      "This is not a URL that can be read; give a full one, such as https://example.com/path.",
    ],
    [{ body: "x" }, {}, "GET sends no body; leave the body out, or use POST."],
    [{ headers: { A: "1\r\nB: 2" } }, {}, "The header A may not hold line breaks"],
    [{ method: "get" }, {}, "method must be one of GET, POST, PUT, DELETE, PATCH"],
    [{ url: "" }, {}, "url"],
    [{ timeout: 1 }, {}, "timeout is not known"],
    [{}, { max_response_bytes: 4 }, "The answer has more than 4 bytes; ask for a smaller part of it."],
  ])("%j with %j", async (input, config, error) => {
    expect(await ask(input, config)).toEqual({ success: false, error: expect.stringContaining(error) });
  });

  test("an answer that does not come in time", async () => {
    answer = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
    const result = await ask({}, { timeout_seconds: 1 });
    expect(result).toEqual({ success: false, error: expect.stringContaining("took longer than 1 seconds") });
  });
});

test("the options have the documented defaults, and the tool's time wins over the entry's", () => {
  expect(boundTool({ name: "http_request" }).timeoutMs).toBe(30_000);
  expect(boundTool({ name: "http_request", timeout_seconds: 7 }).timeoutMs).toBe(7000);
  expect(boundTool({ name: "http_request", config: { timeout_seconds: 60 } }).timeoutMs).toBe(60_000);
  expect(() => boundTool({ name: "http_request", config: { max_response_bytes: 0 } })).toThrow(
    "max_response_bytes",
  );
});

test("a proposal names target and operation, without the query", () => {
  const { describeCall } = boundTool({ name: "http_request" }).tool;
  expect(describeCall?.({ method: "DELETE", url: "https://a.test/orders/7?key=secret" })).toEqual({
    target: "https://a.test/orders/7",
    operation: "DELETE",
  });
  expect(describeCall?.({ method: "GET", url: `no url ${"x".repeat(999)}` })?.target).toHaveLength(300);
});
