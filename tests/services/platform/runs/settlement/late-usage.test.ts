import { expect, test } from "bun:test";
import type { RuntimeFrame } from "../../../../../src/contracts/runtime/client.ts";
import { settle } from "../../../../support/fake-clock.ts";
import { countersOf, invocationsOf, platformWithAgent } from "../../../../support/platform-agent.ts";
import { ended } from "../../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";
import { until } from "../../../../support/until.ts";

const [line] = ended().usage;
if (line === undefined) throw new Error("The staged run uses nothing.");
const corrected = (tokens: number): RuntimeFrame => ({
  type: "corrected",
  usage: [{ ...line, tokens_in: 0, tokens_out: tokens }],
});

onEachEngine("usage that comes after the answer", (engine) => {
  test.each([
    ["more", 900, 1020],
    ["less", -15, 105],
    ["beyond the hold and more", 1_000_000, 64_000],
  ])(
    "that is %s than estimated corrects charge, record and counter once, after the answer",
    async (_, tokens, charged) => {
      await using platform = await platformWithAgent(engine, { rate: 1000 });
      const late = Promise.withResolvers<void>();
      platform.runtime.plays(async function* () {
        yield ended({ usage_awaited: true });
        await late.promise;
        yield corrected(tokens);
      });
      const headers = { ...platform.owner.asProgram, "idempotency-key": "k" };
      const ask = () =>
        platform.call("POST", "/api/v1/agents/support/run", { headers, body: { query: "hi" } });
      const { status, body } = await ask();
      expect([status, body.credits_charged_micros]).toEqual([200, 120]);
      expect(await countersOf(platform)).toMatchObject([{ chargedMicros: 120, heldMicros: 0 }]);
      late.resolve();
      await until(async () => (await invocationsOf(platform))[0]?.chargedMicros === charged);
      expect(await invocationsOf(platform)).toMatchObject([
        {
          status: "ok",
          chargedMicros: charged,
          tokensIn: 100,
          tokensOut: 20 + tokens,
          overrunMicros: Math.max(0, 120 + tokens - 64_000),
        },
      ]);
      expect(await countersOf(platform)).toMatchObject([{ chargedMicros: charged, heldMicros: 0 }]);
      // The key gives the same answer as before, and runs nothing again.
      expect((await ask()).body.credits_charged_micros).toBe(120);
      expect(platform.runtime.runs).toHaveLength(1);
    },
  );

  test("that never comes leaves the settlement as it is", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    platform.runtime.plays(async function* () {
      yield ended({ usage_awaited: true });
    });
    const { headers } = { headers: platform.owner.asProgram };
    await platform.call("POST", "/api/v1/agents/support/run", { headers, body: { query: "hi" } });
    await settle();
    expect(await invocationsOf(platform)).toMatchObject([{ status: "ok", chargedMicros: 120 }]);
  });
});
