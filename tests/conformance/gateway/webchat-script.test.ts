import { expect, test } from "bun:test";
import { startGateway } from "../../support/gateway.ts";
import { sqliteEngine } from "../../support/storage-engines.ts";

test("the widget's script may be loaded by any page, and kept until it changes", async () => {
  await using gateway = await startGateway(sqliteEngine);
  const load = (headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${gateway.url}/webchat/widget.js`, { method, headers: { "accept-encoding": "gzip", ...headers } });
  const loaded = await load();
  expect(loaded.status).toBe(200);
  expect(Object.fromEntries(loaded.headers)).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=3600, must-revalidate",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
  });
  expect(await loaded.text()).toContain("argosy-chat");
  const etag = loaded.headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{16}-gzip"$/);
  const known = await load({ "if-none-match": etag });
  expect([known.status, await known.text()]).toEqual([304, ""]);
  expect((await load({ "if-none-match": '"other"' })).status).toBe(200);
  const plain = await load({ "accept-encoding": "identity" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(plain.headers.get("etag")).not.toBe(etag);
  const head = await load({}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("etag")).toBe(etag);
});
