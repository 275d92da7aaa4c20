import { afterAll, expect, test } from "bun:test";
import { webScrape } from "../../../../src/engine/tools/builtin/web-scrape.ts";
import { resolveBySystem } from "../../../../src/engine/tools/network/address/address-resolver.ts";
import { nothingOpened } from "../../../../src/engine/tools/network/address/opened-networks.ts";
import { createGuardedNetwork } from "../../../../src/engine/tools/network/create-guarded-network.ts";
import { createDirectConnections } from "../../../../src/engine/tools/network/direct-connection.ts";
import type { GuardedNetwork } from "../../../../src/engine/tools/network/guarded-network.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { executeBuiltin } from "../../../support/executed-tool.ts";
import { type StagedAnswer, stagedNetwork } from "../../../support/staged-network.ts";

const html = { "content-type": "text/html; charset=utf-8" };

const scrape = (network: GuardedNetwork, input: Record<string, unknown>, config = {}) =>
  executeBuiltin(webScrape, input, { config, ports: { network } });

const scraped = (answer: StagedAnswer, more: Record<string, unknown> = {}) =>
  scrape(
    stagedNetwork(() => answer),
    { url: "https://a.example/p", ...more },
  );

test("the text of a page, where redirects led to", async () => {
  const network = stagedNetwork(() => ({
    url: "https://b.example/q",
    headers: html,
    body: "<title>T</title><h1>H</h1><script>x</script><p>text",
  }));
  expect(await scrape(network, { url: "https://a.example/p" })).toEqual({
    success: true,
    data: { url: "https://b.example/q", title: "T", text: "H\n\ntext", length: 7, truncated: false },
  });
  expect(network.requests).toMatchObject([
    { url: "https://a.example/p", method: "GET", redirectsMax: 5, whenLonger: "cut", allowsLoopback: false },
  ]);
});

test.each([
  [
    "max_length",
    { headers: html, body: "<p>0123456789" },
    { max_length: 4 },
    { text: "0123", length: 10, truncated: true },
  ],
  [
    "the page's own length",
    { headers: html, body: "<p>0123" },
    { max_length: 4 },
    { text: "0123", truncated: false },
  ],
  [
    "a page longer than is read",
    { headers: html, body: "<p>0123", wasCut: true },
    {},
    { text: "0123", truncated: true },
  ],
  ["10,000 characters", { headers: html, body: "x".repeat(20_000) }, {}, { length: 20_000, truncated: true }],
  [
    "a page that scripts draw",
    { headers: html, body: "<div id=app></div><script>x</script>" },
    {},
    { text: "", note: expect.stringContaining("scripts") },
  ],
  [
    "plain text as it is",
    { headers: { "content-type": "text/plain" }, body: "a <b>\r\n  c\0\n" },
    {},
    { title: "", text: "a <b>\n  c" },
  ],
  [
    "JSON as it is",
    { headers: { "content-type": "application/ld+json" }, body: '{"a": 1.0}' },
    {},
    { text: '{"a": 1.0}' },
  ],
  [
    "the charset of the head",
    { headers: { "content-type": "text/plain;charset=Shift_JIS" }, body: Uint8Array.of(0x93, 0xfa) },
    {},
    { text: "日" },
  ],
  ["a page without a type", { body: "\n<!DOCTYPE HTML><p>a" }, {}, { text: "a" }],
  ["a text without a type", { body: "1 < 2" }, {}, { text: "1 < 2" }],
  [
    "text cut within a character",
    { headers: { "content-type": "text/plain" }, body: "ab😀" },
    { max_length: 3 },
    { text: "ab", length: 4, truncated: true },
  ],
  ["an empty page", { headers: html, body: "" }, {}, { text: "", title: "" }],
])("%s", async (_, answer, input, data) => {
  expect(await scraped(answer, input)).toMatchObject({ success: true, data });
});

test.each([
  [
    "a picture",
    { headers: { "content-type": "image/png" }, body: "x" },
    "There is no page at this URL but image/png",
  ],
  [
    "a type that would speak",
    { headers: { "content-type": "x/y obey me" }, body: "\0\0" },
    "but a file of an unknown type,",
  ],
  ["bytes without a type", { body: Uint8Array.of(0x7f, 0x45, 0, 0) }, "but a file of an unknown type,"],
  ["404", { status: 404, headers: html, body: "<p>secret" }, "status 404: there is nothing at this URL"],
  ["403", { status: 403 }, "status 403: it is not open to everybody"],
  ["429", { status: 429, headers: { "retry-after": "7" } }, "it may be asked again in 7 seconds"],
  ["503", { status: 503 }, "status 503: it has a fault of its own"],
  ["a redirect to nowhere", { status: 302 }, "status 302, which leads nowhere"],
])("fails: %s", async (_, answer, error) => {
  const result = await scraped(answer);
  expect(result).toEqual({ success: false, error: expect.stringContaining(error) });
  expect(JSON.stringify(result)).not.toContain("secret");
});

test.each([
  [{}, "url is required"],
  [{ url: "https://a.example", max_length: 0 }, "max_length"],
  [{ url: "https://a.example", depth: 2 }, "depth is not known"],
])("refuses %p", async (input, error) => {
  const network = stagedNetwork(() => ({}));
  expect(await scrape(network, input)).toEqual({ success: false, error: expect.stringContaining(error) });
  expect(network.requests).toEqual([]);
});

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/old") return Response.redirect("/new", 301);
    if (pathname === "/big") return new Response("<p>x".repeat(2_000_000), { headers: html });
    return new Response("<title>New</title><p>Moved here.", { headers: html });
  },
});
afterAll(() => server.stop(true));
const door = createGuardedNetwork({
  clock: systemClock,
  connect: createDirectConnections(systemClock),
  resolve: resolveBySystem,
  opened: nothingOpened,
});
const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;

test("through the guarded door: redirects are followed, a long page is cut, this machine is not to be read", async () => {
  const local = { allow_localhost: true };
  expect(await scrape(door, { url: at("/old") }, local)).toMatchObject({
    data: { url: at("/new"), title: "New", text: "Moved here.", truncated: false },
  });
  expect(await scrape(door, { url: at("/big") }, local)).toMatchObject({
    success: true,
    data: { truncated: true },
  });
  const refused = await scrape(door, { url: at("/new") });
  expect(refused).toMatchObject({ success: false });
  expect(JSON.stringify(refused)).not.toContain("127.0.0.1");
});
