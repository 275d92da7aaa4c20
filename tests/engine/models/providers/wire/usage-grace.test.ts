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
  const graceSet = Promise.withResolvers<void>();
  class GraceClock extends FakeClock {
    override timer(ms: number, fire: () => void): () => void {
      if (ms === 250) graceSet.resolve();
      return super.timer(ms, fire);
    }
  }
  const clock = new GraceClock();
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
  // The real connection takes as long as it takes; time moves once the reader waits for nothing but the clock.
  await graceSet.promise;
  await clock.advance(249);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await reading;
  expect(events).toEqual(["text", "end"]);
});
