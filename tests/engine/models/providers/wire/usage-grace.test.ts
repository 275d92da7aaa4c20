import { afterEach, expect, test } from "bun:test";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { type ModelServer, startModelServer } from "../../../../support/model-server.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

let server: ModelServer | undefined;
afterEach(() => server?.stop());

test("a server that says why it stopped and then nothing delays the end by 250 ms of the clock", async () => {
  // One piece of text, then the finish: the stream stays open.
  server = await startModelServer([{ text: ["Hi."], usage: null, withoutDone: true, silentAfter: 2 }]);
  const clock = new FakeClock();
  const kind = findProviderKind("openai");
  const model = kind?.build(
    { provider: "p", model: "m", endpoint: server.url, timeoutMs: 120_000, parameters: {} },
    { fetch, clock, newId },
  );
  const events: string[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const event of model?.call(requestOf("hi"), new AbortController().signal) ?? []) {
      events.push(event.type);
    }
  })().finally(() => {
    isOver = true;
  });
  while (events.length === 0) await Bun.sleep(0);
  // The real connection takes an unknown time; the clock moves only once its timer is that of the grace period.
  let waitedMs = 0;
  while (!isOver && waitedMs < 60_000) {
    await clock.advance(50);
    waitedMs += 50;
    await Bun.sleep(0);
  }
  await reading;
  expect(events).toEqual(["text", "end"]);
  expect(waitedMs).toBeLessThan(60_000);
});
