import { expect, test } from "bun:test";
import { pendingWork } from "../../src/compose/pending-work.ts";
import type { ServiceApp } from "../../src/http/service-app.ts";

const appThat = (handle: ServiceApp["handle"]) => ({ handle }) as ServiceApp;
const request = new Request("http://localhost/");

test("nothing is waited for where nothing is under way", async () => {
  await pendingWork().ended();
});

test("answers are waited for, and what they leave behind", async () => {
  const pending = pendingWork();
  const [answered, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = pending.over(
    appThat(async () => {
      await answered.promise;
      pending.add(done.promise);
      return new Response("going on");
    }),
  );
  const answer = app.handle(request, { peer: "network" });
  const ended = pending.ended();
  answered.resolve();
  expect(await (await answer).text()).toBe("going on");
  await new Promise((resolve) => setImmediate(resolve));
  expect(Bun.peek.status(ended)).toBe("pending");
  done.resolve();
  await ended;
});

test("work that fails has ended as well", async () => {
  const pending = pendingWork();
  pending.add(Promise.reject(new Error("broken")));
  await pending.ended();
});
