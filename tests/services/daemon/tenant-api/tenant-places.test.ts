import { expect, test } from "bun:test";
import { settle } from "../../../support/fake-clock.ts";
import { startTenantRuntime, tenantB } from "../../../support/tenant-runtime.ts";

test("a tenant whose runs take all the places it may have keeps no other tenant out", async () => {
  const answered = Promise.withResolvers<void>();
  let held = 0;
  await using runtime = await startTenantRuntime({
    runtime: { limits: { runs_in_flight: 4, runs_waiting: 4 } },
    script: ({ body }) => {
      if (body.model !== "slow") return { text: "at once" };
      held++;
      return { text: "late", after: answered.promise };
    },
  });
  const slow = await runtime.register({ model: { primary: { provider: "lab", model: "slow" } } });
  const quick = await runtime.register({}, { tenant: tenantB, id: "agent-2" });
  const codes: Record<string, number> = {};
  const runs = Array.from({ length: 10 }, (_, n) =>
    runtime.run(slow, { run_id: `slow-${n}` }).then(
      ({ ended }) => {
        codes[ended.outcome] = (codes[ended.outcome] ?? 0) + 1;
      },
      ({ code }) => {
        codes[code] = (codes[code] ?? 0) + 1;
      },
    ),
  );
  while (held < 2 || (codes.too_busy ?? 0) < 2) await settle();
  expect((await runtime.run(quick, { run_id: "quick" })).response).toBe("at once");
  expect(held).toBe(2);
  answered.resolve();
  await Promise.all(runs);
  expect(codes).toEqual({ ok: 6, too_busy: 4 });
});
