import { expect, test } from "bun:test";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { runSweep } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { keepOwnerAlive, ownerTtlMs } from "../../../../../src/storage/owner-life.ts";
import { platformWithAgent } from "../../../../support/platform-agent.ts";
import { addInvocation } from "../../../../support/platform-history.ts";
import { outcome } from "../../../../support/refusal.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

onEachEngine("the sweep of runs", (engine) => {
  test("gives the other processes time to say that they live, at the start and after an outage", async () => {
    let isAway = false;
    await using platform = await platformWithAgent(engine, {
      change: (deps) => {
        const { transact } = deps.storage;
        const failing: typeof transact = async (run, options) => {
          if (isAway) throw new AppError("unavailable", "storage_unavailable", "The database is away.");
          return transact(run, options);
        };
        return { ...deps, storage: { ...deps.storage, transact: failing } };
      },
    });
    const { storage, clock } = platform.deps;
    const { invocations, leases } = storage.tables;
    const other = newId();
    const lostRun = async () => {
      await keepOwnerAlive(storage, other);
      await storage.transact((tx) => tx.update(leases).set({ expiresAt: storage.instant(-1) }));
      const heldUntil = new Date(clock.now().getTime() + 3_600_000);
      const change = { status: "in_progress" as const, heldMicros: 0, heldUntil, endedAt: null };
      await addInvocation(platform, { tenantId: platform.owner.id, agentId: "a1", owner: other, ...change });
    };
    const running = async () =>
      (await storage.read.select().from(invocations)).filter(({ status }) => status === "in_progress").length;

    const sweep = runSweep(platform.deps);
    const waits = storage.dialect === "postgres";
    const expectPatience = async () => {
      await sweep();
      expect(await running()).toBe(waits ? 1 : 0);
      await platform.clock.advance(ownerTtlMs);
      await sweep();
      expect(await running()).toBe(0);
    };
    await lostRun();
    await expectPatience();

    isAway = true;
    expect(await outcome(sweep())).toMatchObject({ code: "storage_unavailable" });
    isAway = false;
    await lostRun();
    await expectPatience();

    // All is well: the next one is ended at once.
    await lostRun();
    await sweep();
    expect(await running()).toBe(0);
  });
});
