import { afterAll, describe, expect, test } from "bun:test";
import { boundTool, callTool } from "../../../support/call-tool.ts";
import { testNetwork } from "../../../support/test-network.ts";

let seen: { method: string; headers: Headers; body: unknown } | undefined;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    seen = { method: request.method, headers: request.headers, body: await request.json() };
    const status = Number(new URL(request.url).searchParams.get("s") ?? 200);
    return new Response(status === 204 ? null : "thanks", { status, headers: { location: "/there" } });
  },
});
afterAll(() => server.stop(true));

const network = testNetwork({ allow: ["127.0.0.1"] });
const url = (status: number) => `http://hook.test:${server.port}/?s=${status}`;
const send = (input: Record<string, unknown>) => callTool({ name: "send_webhook" }, input, { network });

test.each<[payload: unknown]>([[{ a: 1 }], [[1, "ä"]], ["text"], [null], [0]])(
  "%j is sent as JSON",
  async (payload) => {
    const headers = { "X-Signature": "s", "Content-Type": "text/plain" };
    expect(await send({ url: url(200), payload, headers })).toEqual({ success: true, data: { status: 200 } });
    expect(seen).toMatchObject({ method: "POST", body: payload });
    expect(seen?.headers.get("x-signature")).toBe("s");
  },
);

describe("the receiver's status decides", () => {
  test.each([200, 201, 202, 204])("%d: sent", async (status) => {
    expect(await send({ url: url(status), payload: 1 })).toEqual({ success: true, data: { status } });
  });

  test.each([
    [302, "a redirect, which is not followed"],
    [400, "did not take it"],
    [401, "other credentials"],
    [404, "nothing at this URL"],
    [429, "called too often"],
    [500, "a fault of its own"],
  ])("%d: %s", async (status, meaning) => {
    const error = expect.stringContaining(meaning);
    expect(await send({ url: url(status), payload: 1 })).toEqual({ success: false, error });
  });
});

test("a body that can't be sent is an error", async () => {
  expect(await send({ url: url(200) })).toMatchObject({
    success: false,
    error: expect.stringContaining("payload is required"),
  });
  expect(await send({ url: "http://10.0.0.1/", payload: 1 })).toMatchObject({ success: false });
  expect(await send({ url: url(200), payload: 1, headers: { "A\r\nB": "c" } })).toMatchObject({
    success: false,
  });
});

test("a proposal names the target without its query", () => {
  const { describeCall } = boundTool({ name: "send_webhook" }).tool;
  expect(describeCall?.({ url: "https://a.test/hook?token=t", payload: 1 })).toEqual({
    target: "https://a.test/hook",
    operation: "POST",
  });
});
