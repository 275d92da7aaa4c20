import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { boundTool, callTool } from "../../../support/call-tool.ts";
import { testNetwork } from "../../../support/test-network.ts";

let answer: () => Response = () => Response.json({ data: { a: 1 } });
let seen: { method: string; headers: Headers; body: unknown } | undefined;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    seen = { method: request.method, headers: request.headers, body: await request.json() };
    return answer();
  },
});
afterAll(() => server.stop(true));
beforeEach(() => {
  answer = () => Response.json({ data: { a: 1 } });
});

const network = testNetwork({ allow: ["127.0.0.1"] });
const endpoint = `http://shop.test:${server.port}/graphql`;
const ask = (input: Record<string, unknown> = {}) =>
  callTool({ name: "graphql_query" }, { endpoint, query: "{ a }", ...input }, { network });

test("query, variables and headers are sent as GraphQL over HTTP has it", async () => {
  const variables = { id: 7, list: [null] };
  const result = await ask({
    query: "query Q($id: Int) { a }",
    variables,
    headers: { Authorization: "Bearer x" },
  });
  expect(result).toEqual({ success: true, data: { data: { a: 1 }, errors: [] } });
  expect(seen).toMatchObject({ method: "POST", body: { query: "query Q($id: Int) { a }", variables } });
  expect(seen?.headers.get("content-type")).toBe("application/json");
  expect(seen?.headers.get("authorization")).toBe("Bearer x");
  await ask();
  expect(seen?.body).toEqual({ query: "{ a }" });
});

describe("errors of GraphQL are part of the answer", () => {
  test.each<[status: number, body: unknown, data: unknown]>([
    [
      200,
      { data: { a: null }, errors: [{ message: "half" }] },
      { data: { a: null }, errors: [{ message: "half" }] },
    ],
    [200, { errors: [{ message: "none" }] }, { data: null, errors: [{ message: "none" }] }],
    [400, { errors: [{ message: "bad" }] }, { data: null, errors: [{ message: "bad" }] }],
    [200, { data: null }, { data: null, errors: [] }],
  ])("%d %j", async (status, body, data) => {
    answer = () => Response.json(body, { status });
    expect(await ask()).toEqual({ success: true, data });
  });
});

describe("an answer that is not GraphQL is a failure", () => {
  test.each<[what: string, answer: () => Response, status: number]>([
    ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), 200],
    ["other JSON", () => Response.json({ ok: true }), 200],
    ["a list", () => Response.json([]), 200],
    ["a refusal", () => new Response("no", { status: 401 }), 401],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "/b" } }), 302],
  ])("%s", async (_, given, status) => {
    answer = given;
    const error = expect.stringContaining(`answered with status ${status} and no GraphQL`);
    expect(await ask()).toEqual({ success: false, error });
  });
});

test("it reaches nothing that is not public or opened", async () => {
  const error = "This host is not on the public internet and may not be reached from here.";
  const input = { endpoint, query: "{ a }" };
  expect(await callTool({ name: "graphql_query" }, input, { network: testNetwork() })).toEqual({
    success: false,
    error,
  });
});

test("a proposal tells queries from mutations", () => {
  const { describeCall } = boundTool({ name: "graphql_query" }).tool;
  const target = "https://a.test/q";
  const told = (query: string) => describeCall?.({ endpoint: `${target}?k=1`, query });
  expect(told("{ a }")).toEqual({ target, operation: "query" });
  expect(told("\n mutation M { a }")).toEqual({ target, operation: "mutation" });
});
