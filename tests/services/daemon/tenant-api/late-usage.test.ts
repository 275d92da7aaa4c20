import { describe, expect, test } from "bun:test";
import type { RuntimeFrame } from "../../../../src/contracts/runtime/client.ts";
import { runOf, startTenantRuntime, transports } from "../../../support/tenant-runtime.ts";

describe.each(transports)("a run whose provider reports usage after the answer, %s", (transport) => {
  test("ends without waiting for it, and is corrected afterwards", async () => {
    const late = Promise.withResolvers<void>();
    await using runtime = await startTenantRuntime({
      transport,
      // One piece of text, then the reason; the usage is held back.
      script: [
        { text: ["Hi."], usage: { input: 70, output: 30 }, hold: { afterEvents: 2, until: late.promise } },
      ],
    });
    const graceSet = Promise.withResolvers<void>();
    const { clock } = runtime;
    const timer = clock.timer.bind(clock);
    clock.timer = (ms, fire) => {
      if (ms === 250) graceSet.resolve();
      return timer(ms, fire);
    };
    const name = await runtime.register();
    const frames: RuntimeFrame[] = [];
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const reading = (async () => {
      for await (const frame of runtime.client.run(name, runOf(name))) {
        frames.push(frame);
        if (frame.type === "ended") answered();
      }
    })();
    await graceSet.promise;
    await runtime.clock.advance(250);
    await isAnswered;
    const ended = frames.at(-1);
    expect(ended).toMatchObject({ outcome: "ok", usage_awaited: true, usage: [{ estimated: true }] });
    const [estimate] = ended?.type === "ended" ? ended.usage : [];
    late.resolve();
    await reading;
    expect(frames.at(-1)).toMatchObject({
      type: "corrected",
      usage: [
        {
          tokens_in: 70 - (estimate?.tokens_in ?? 0),
          tokens_out: 30 - (estimate?.tokens_out ?? 0),
          estimated: false,
        },
      ],
    });
  });
});
