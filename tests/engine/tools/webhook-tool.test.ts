import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { boundTool, callTool } from "../../support/call-tool.ts";
import { testNetwork } from "../../support/test-network.ts";

interface Seen {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

let seen: Seen | undefined;
let answer: (seen: Seen) => Response = () => Response.json({ ok: true });
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    seen = {
      method: request.method,
      url: pathname + search,
      headers: request.headers,
      body: await request.text(),
    };
    return answer(seen);
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  answer = () => Response.json({ ok: true });
});

const json = { "content-type": "application/json" };
const network = testNetwork({ allow: ["127.0.0.1"] });
const url = `http://erp.test:${server.port}/orders?tenant=7`;
const parameters = {
  type: "object",
  properties: {
    id: { type: "integer" },
    tags: { type: "array" },
    where: { type: "object" },
    note: { type: ["string", "null"] },
  },
  required: ["id"],
  additionalProperties: false,
};
const entry = (config: Record<string, unknown> = {}) => ({
  name: "orders",
  type: "webhook",
  parameters,
  config: { url, method: "POST", headers: {}, ...config },
});
const call = (config: Record<string, unknown>, input: Record<string, unknown> = { id: 5 }) =>
  callTool(entry(config), input, { network });

describe("the input goes", () => {
  const input = { id: 5, tags: ["a b", "&"], where: { x: [1] }, note: null };

  test.each(["GET", "DELETE"])("by %s in the query, behind what the URL asks already", async (method) => {
    expect(await call({ method }, input)).toEqual({
      success: true,
      data: { status: 200, body: { ok: true } },
    });
    expect(seen).toMatchObject({ method, body: "" });
    const query = new URLSearchParams(seen?.url.split("?")[1]);
    expect([...query]).toEqual([
      ["tenant", "7"],
      ["id", "5"],
      ["tags", "a b"],
      ["tags", "&"],
      ["where", '{"x":[1]}'],
    ]);
  });

  test.each(["POST", "PUT", "PATCH"])("by %s as JSON", async (method) => {
    await call({ method }, input);
    expect(seen).toMatchObject({ method, url: "/orders?tenant=7", body: JSON.stringify(input) });
    expect(seen?.headers.get("content-type")).toBe("application/json");
  });

  test("with the entry's headers", async () => {
    await call({ headers: { "X-Api-Key": "k", "Content-Type": "application/vnd.erp+json" } });
    expect(seen?.headers.get("x-api-key")).toBe("k");
    expect(seen?.headers.get("content-type")).toBe("application/vnd.erp+json");
  });

  test("only when it fits the parameters", async () => {
    expect(await call({}, { id: "five" })).toMatchObject({
      success: false,
      error: expect.stringContaining("id"),
    });
    expect(await call({}, { id: 1, more: 2 })).toMatchObject({ success: false });
  });
});

describe("the answer", () => {
  test("is text where it is text", async () => {
    answer = () => new Response("fine", { headers: { "content-type": "text/plain" } });
    expect(await call({})).toEqual({ success: true, data: { status: 200, body: "fine" } });
  });

  test("is described where it is neither", async () => {
    answer = () => new Response(new Uint8Array([0, 1]), { headers: { "content-type": "image/png" } });
    const data = { status: 200, body: null, binary: { type: "image/png", bytes: 2 } };
    expect(await call({})).toEqual({ success: true, data });
  });

  test("of another status is a failure that says what was said", async () => {
    answer = () => Response.json({ message: "no such order" }, { status: 404 });
    const error =
      'orders answered with status 404: there is nothing at this URL. It said: {"message":"no such order"}';
    expect(await call({})).toEqual({ success: false, error });
    answer = () => new Response("x".repeat(5000), { status: 500 });
    const long = await call({});
    expect(long.success ? "" : long.error).toMatch(/It said: x{500}$/);
  });

  test("does not give away the entry's secrets, however the server repeats them", async () => {
    const secret = "s3cr3t-token-äé-42";
    const headers = { Authorization: `Bearer ${secret}`, "X-Api-Key": "abcdef0123456789" };
    const inAscii = '"s3cr3t-token-\\u00e4\\u00e9-42"';
    answer = () => new Response(`{"type": "application/json", "token": ${inAscii}}`, { headers: json });
    expect(await call({ headers: { ...headers, Accept: "application/json" } })).toMatchObject({
      data: { body: { type: "application/json", token: "[redacted]" } },
    });
    answer = ({ headers: sent }) =>
      Response.json({
        headers: Object.fromEntries(sent),
        token: secret,
        packed: btoa("abcdef0123456789"),
        url: encodeURIComponent(secret),
      });
    const text = JSON.stringify(await call({ headers }));
    expect(text).toContain('"success":true');
    expect(text).not.toContain(secret);
    expect(text).not.toContain("s3cr3t-token");
    expect(text).not.toContain("abcdef0123456789");
    expect(text).not.toContain(btoa("abcdef0123456789").slice(2, -3));
  });

  test("that redirects is followed for GET alone, and without the headers to another host", async () => {
    const elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => new Response(request.headers.get("x-api-key") ?? "no key"),
    });
    answer = () =>
      new Response(null, { status: 302, headers: { location: `http://other.test:${elsewhere.port}/` } });
    const headers = { "X-Api-Key": "abcdef0123456789" };
    expect(await call({ method: "GET", headers })).toMatchObject({ data: { body: "no key" } });
    expect(await call({ method: "POST", headers })).toMatchObject({
      error: expect.stringContaining("status 302, a redirect, which is not followed"),
    });
    elsewhere.stop(true);
  });
});

describe("an invalid entry is reported", () => {
  test.each<[config: Record<string, unknown>, path: string, message: string]>([
    [{ url: "http://u:p@erp.test/" }, "config.url", "user name or a password"],
    [{ url: "http://erp.test:6379/" }, "config.url", "This port may not be called"],
    [{ url: "http://[::1/" }, "config.url", "not a URL that can be read"],
    [{ headers: { Host: "other.test" } }, "config.headers.Host", "is set by the connection; remove it"],
    [{ headers: { "Content-Length": "1" } }, "config.headers.Content-Length", "is set by the connection"],
    [{ headers: { "X-A": "1\r\nX-B: 2" } }, "config.headers.X-A", "may not hold line breaks"],
  ])("%j", (config, path, message) => {
    expect(() => boundTool(entry(config))).toThrow(`spec.tools[0].${path}`);
    expect(() => boundTool(entry(config))).toThrow(message);
  });

  test("parameters that are not a schema", () => {
    expect(() => boundTool({ ...entry(), parameters: { type: "thing" } })).toThrow(
      "spec.tools[0].parameters",
    );
  });
});

test("the operator's own private URL is closed until the operator opens it", async () => {
  const error = "This host is not on the public internet and may not be reached from here.";
  expect(await callTool(entry(), { id: 1 }, { network: testNetwork() })).toEqual({ success: false, error });
});

test("a call takes no longer than its entry says, and a proposal names method and URL", async () => {
  answer = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const result = await callTool({ ...entry(), timeout_seconds: 1 }, { id: 1 }, { network });
  expect(result).toEqual({ success: false, error: expect.stringContaining("took longer than 1 seconds") });
  expect(boundTool(entry()).tool.describeCall?.({ id: 1 })).toEqual({
    target: `http://erp.test:${server.port}/orders`,
    operation: "POST",
  });
});

describe("input in the address and in headers", () => {
  const base = `http://erp.test:${server.port}`;
  const path = { url: `${base}/orders/{id}/notes`, method: "DELETE" };

  test("fills the path, encoded, and goes nowhere else", async () => {
    await call(path, { id: 7, tags: ["a"] });
    expect(seen?.url).toBe("/orders/7/notes?tags=a");
    const texts = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    await callTool({ ...entry(path), parameters: texts }, { id: "a/b c?d#e" }, { network });
    expect(seen?.url).toBe("/orders/a%2Fb%20c%3Fd%23e/notes");
  });

  test("fills the query and headers, and is left out of the body", async () => {
    const config = { url: `${base}/orders?id={id}`, headers: { "X-Order": "order {id}" } };
    await call(config, { id: 7, note: "n" });
    expect(seen).toMatchObject({ url: "/orders?id=7", body: '{"note":"n"}' });
    expect(seen?.headers.get("x-order")).toBe("order 7");
  });

  test.each([".", "..", ""])("that leads elsewhere fails the call, and nothing is sent: %j", async (id) => {
    seen = undefined;
    const texts = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    expect(await callTool({ ...entry(path), parameters: texts }, { id }, { network })).toMatchObject({
      success: false,
    });
    expect(seen).toBeUndefined();
  });

  test("with a line break in a header fails the call", async () => {
    const texts = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const config = { headers: { "X-Id": "{id}" } };
    const input = { id: "a\r\nX-Other: b" };
    expect(await callTool({ ...entry(config), parameters: texts }, input, { network })).toMatchObject({
      success: false,
    });
  });

  test.each([
    ["a property that is not required", { url: `${base}/orders/{note}` }, "config.url"],
    ["a property that is not there", { url: `${base}/orders/{nope}` }, "config.url"],
    ["a host", { url: "http://{id}.erp.test/" }, "config.url"],
    ["a header's unknown property", { headers: { "X-A": "{nope}" } }, "config.headers.X-A"],
    ["a body that is neither JSON nor a form", { headers: { "Content-Type": "text/xml" } }, "Content-Type"],
  ])("is refused when the agent loads: %s", (_name, config, at) => {
    expect(() => boundTool(entry(config), { network })).toThrow(at);
  });
});

test("a form is sent as one", async () => {
  const form = "application/x-www-form-urlencoded";
  await call({ headers: { "Content-Type": form } }, { id: 5, note: "x y&z" });
  expect(seen).toMatchObject({ body: "id=5&note=x+y%26z" });
  expect(seen?.headers.get("content-type")).toBe(form);
});
