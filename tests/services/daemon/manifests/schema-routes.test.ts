import { afterAll, beforeAll, expect, test } from "bun:test";
import { publishedSchema } from "../../../../src/command/published-schema.ts";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon();
});

afterAll(() => daemon[Symbol.asyncDispose]());

test.each(["agent", "rag-pipeline"] as const)("the schema of %s is the one that is printed", async (kind) => {
  const answer = await daemon.call("GET", `/v1/schema/${kind}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toStartWith("application/schema+json");
  const printed = publishedSchema(kind);
  expect(Object.keys(answer.body)).toEqual(Object.keys(printed));
  expect(answer.body.$id).toBe(`urn:argosy:schema:${kind}`);
  expect(await daemonClient({ fetch, baseUrl: daemon.url }).manifestSchema(kind)).toEqual(answer.body);
});

test("the agent's schema knows the providers of this daemon, which the printed one can't", async () => {
  const { text } = await daemon.call("GET", "/v1/schema/agent");
  const names = (schema: string) => [...schema.matchAll(/"lab"/g)].length;
  expect(names(text)).toBeGreaterThan(0);
  expect(names(JSON.stringify(publishedSchema("agent")))).toBe(0);
});

test("a page that has the schema already gets 304", async () => {
  const first = await daemon.call("GET", "/v1/schema/agent");
  const etag = first.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const again = await daemon.call("GET", "/v1/schema/agent", { headers: { "if-none-match": etag } });
  expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
  const other = await daemon.call("GET", "/v1/schema/agent", { headers: { "if-none-match": '"0"' } });
  expect([other.status, other.text]).toEqual([200, first.text]);
  const sibling = await daemon.call("GET", "/v1/schema/rag-pipeline");
  expect(sibling.headers.get("etag")).not.toBe(etag);
});

test("an unknown kind is 400, and the problem is at kind", async () => {
  const { status, body } = await daemon.call("GET", "/v1/schema/providers");
  expect([status, body.error]).toEqual([400, "invalid_request"]);
  expect(body.problems[0].path).toBe("kind");
});
