import { expect, test } from "bun:test";
import type { Origin } from "../../src/http/call.ts";
import { listen } from "../../src/http/listen.ts";
import type { ServiceApp } from "../../src/http/service-app.ts";
import { FakeClock } from "../support/fake-clock.ts";

test("a stop tells handlers before it waits for them, so a stream with no end of its own can end", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<Origin>();
  const app: ServiceApp = {
    routes: () => [],
    prepare() {},
    name: "sample",
    fail: () => new Response(null, { status: 500 }),
    async handle(_request, origin) {
      asked.resolve(origin);
      await new Promise((resolve) => origin.retiring?.addEventListener("abort", resolve));
      return new Response("ended");
    },
  };
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock });
  const answer = fetch(listener.url);
  expect((await asked.promise).retiring?.aborted).toBe(false);
  // The clock does not move, so only the end of the work lets the stop end.
  const stopped = listener.stop(10_000);
  expect(await (await answer).text()).toBe("ended");
  await stopped;
  expect(clock.monotonicMs()).toBe(0);
});
