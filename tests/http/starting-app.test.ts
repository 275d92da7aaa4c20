import { expect, test } from "bun:test";
import type { Origin } from "../../src/http/call.ts";
import type { ServiceApp } from "../../src/http/service-app.ts";
import { StartingApp } from "../../src/http/starting-app.ts";
import { answerOf } from "../support/daemon.ts";
import { FakeClock } from "../support/fake-clock.ts";

const origin: Origin = { peer: "network" };
const get = (path: string) => new Request(`http://127.0.0.1:8000${path}`);
const whole: ServiceApp = {
  name: "daemon",
  routes: () => [{ method: "GET", path: "/x" }],
  prepare: () => {},
  handle: (request) => new Response(`answered ${new URL(request.url).pathname}`),
  fail: () => new Response("failed", { status: 500 }),
};

test("a service that is being assembled is alive and not ready, and afterwards it answers itself", async () => {
  const app = new StartingApp("daemon", "1.2.3", new FakeClock());
  expect(await answerOf(await app.handle(get("/healthz"), origin))).toMatchObject({
    status: 200,
    body: { status: "ok", service: "daemon", version: "1.2.3" },
  });
  expect(await answerOf(await app.handle(get("/readyz"), origin))).toMatchObject({
    status: 503,
    body: { status: "not_ready", checks: [{ name: "start", ok: false }] },
  });
  app.serve(whole);
  for (const path of ["/healthz", "/readyz", "/x"])
    expect(await (await app.handle(get(path), origin)).text()).toBe(`answered ${path}`);
  expect(app.routes()).toEqual(whole.routes());
});

test("requests wait for the service, and one that waited for 10 s is 503", async () => {
  const clock = new FakeClock();
  const app = new StartingApp("daemon", "1.2.3", clock);
  const early = Promise.resolve(app.handle(get("/early"), origin));
  await clock.advance(5_000);
  const late = Promise.resolve(app.handle(get("/late"), origin));
  await clock.advance(4_999);
  expect(Bun.peek.status(early)).toBe("pending");
  await clock.advance(1);
  const refused = await early;
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await answerOf(refused)).toMatchObject({ status: 503, body: { error: "starting" } });
  expect(Bun.peek.status(late)).toBe("pending");
  app.serve(whole);
  expect(await (await late).text()).toBe("answered /late");
});
