import { describe, expect, test } from "bun:test";
import { repeatingBroken } from "../../../src/kit/fetch/repeat-broken.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { forgetfulServer } from "../../support/forgetful-server.ts";

const post = { method: "POST", body: "{}" };

/** The real `fetch`, with connections of its own. */
function kept(clock = new FakeClock()) {
  const { fetch } = new Bun.FetchSession();
  return repeatingBroken((url, init) => fetch(url, init), clock);
}

const failing = (code: string) => Object.assign(new Error("failed"), { code });

describe("a POST on a kept connection that the server closes", () => {
  test("is sent again, on a connection of its own", async () => {
    using server = await forgetfulServer();
    const fetch = kept();
    for (let i = 0; i < 3; i++) expect(await (await fetch(server.url, post)).text()).toBe("{}");
    // The connection of a repetition isn't kept.
    expect(server.connections).toEqual([1, 1, 2, 3]);
  });

  test("fails if the repetition fails", async () => {
    using server = await forgetfulServer("{}", 0);
    const failed = await kept()(server.url, post).catch((thrown) => thrown);
    expect(failed.code).toBe("ECONNRESET");
    expect(server.connections).toEqual([1, 2]);
  });

  test("is never met, nor repeated, without keepalive", async () => {
    using server = await forgetfulServer();
    const fetch = kept();
    await (await fetch(server.url, post)).text();
    await (await fetch(server.url, { ...post, keepalive: false })).text();
    expect(server.connections).toEqual([1, 2]);
    using broken = await forgetfulServer("{}", 0);
    await expect(fetch(broken.url, { ...post, keepalive: false })).rejects.toThrow();
    expect(broken.connections).toEqual([1]);
  });
});

test.each<[what: string, code: string, afterMs: number, aborts: boolean, sent: number]>([
  ["reset at once", "ECONNRESET", 0, false, 2],
  ["reset within two seconds", "ECONNRESET", 2_000, false, 2],
  ["reset later: the request may be the cause", "ECONNRESET", 2_001, false, 1],
  ["refused", "ConnectionRefused", 0, false, 1],
  ["of no known name", "ENOTFOUND", 0, false, 1],
  ["reset after the caller has left", "ECONNRESET", 0, true, 1],
])("a connection %s", async (_what, code, afterMs, aborts, sent) => {
  const clock = new FakeClock();
  const caller = new AbortController();
  const inits: RequestInit[] = [];
  const fetch = repeatingBroken(async (_url, init) => {
    inits.push(init);
    await clock.advance(afterMs);
    if (aborts) caller.abort();
    throw failing(code);
  }, clock);
  await expect(fetch("http://model.test/", { ...post, signal: caller.signal })).rejects.toThrow("failed");
  expect(inits).toHaveLength(sent);
  expect(inits.slice(1).map(({ keepalive }) => keepalive)).toEqual(sent === 2 ? [false] : []);
});
