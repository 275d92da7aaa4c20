import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { runSweep } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { OwnerLife, ownerTtlMs } from "../../../../../src/storage/owner-life.ts";
import { platformWithAgent } from "../../../../support/platform-agent.ts";
import { addInvocation } from "../../../../support/platform-history.ts";
import { outcome } from "../../../../support/refusal.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

onEachEngine("the sweep of runs", (engine) => {
  test("gives the other processes time to say that they live, at the start and after an outage", async () => {
    let isAway = false;
    await using platform = await platformWithAgent(engine, {
      change(deps) {
        const { transact } = deps.storage;
        const failing: typeof transact = async (run, options) => {
          if (isAway) throw new AppError("unavailable", "storage_unavailable", "The database is away.");
          return transact(run, options);
        };
        const storage = { ...deps.storage, transact: failing };
        return { ...deps, storage, life: new OwnerLife(storage, deps.owner, deps.clock) };
      },
    });
    const { storage, clock } = platform.deps;
    const { invocations, leases } = storage.tables;
    const other = newId();
    const lostRun = async () => {
      await new OwnerLife(storage, other, clock).renew();
      await storage.transact((tx) =>
        tx
          .update(leases)
          .set({ expiresAt: storage.instant(-1) })
          .where(eq(leases.owner, other)),
      );
      const heldUntil = new Date(clock.now().getTime() + 3_600_000);
      const change = { status: "in_progress" as const, heldMicros: 0, heldUntil, endedAt: null };
      await addInvocation(platform, { tenantId: platform.owner.id, agentId: "a1", owner: other, ...change });
    };
    const running = async () =>
      (await storage.read.select().from(invocations)).filter(({ status }) => status === "in_progress").length;

    const sweep = runSweep(platform.deps);
    const waits = storage.dialect === "postgres";
    const expectPatience = async () => {
      for (let passedMs = 0; passedMs < ownerTtlMs; passedMs += ownerTtlMs / 3) {
        await sweep();
        expect(await running()).toBe(waits ? 1 : 0);
        await platform.clock.advance(ownerTtlMs / 3);
      }
      await sweep();
      expect(await running()).toBe(0);
    };
    await lostRun();
    await expectPatience();

    if (waits) {
      isAway = true;
      expect(await outcome(sweep())).toMatchObject({ code: "storage_unavailable" });
      isAway = false;
      await lostRun();
      await expectPatience();

      // A round that took so long that the others may have missed theirs is like an outage.
      await platform.clock.advance(ownerTtlMs);
      await lostRun();
      await expectPatience();
    }
    // All is well: the next one is ended at once.
    await lostRun();
    await sweep();
    expect(await running()).toBe(0);
  });

  test("a run is admitted only while no other process can take this one for dead, else it is 503", async () => {
    let isAway = false;
    await using platform = await platformWithAgent(engine, {
      change(deps) {
        const { transact } = deps.storage;
        const failing: typeof transact = async (run, options) => {
          if (isAway && options?.urgent) throw new AppError("unavailable", "storage_unavailable", "Away.");
          return transact(run, options);
        };
        return {
          ...deps,
          life: new OwnerLife({ ...deps.storage, transact: failing }, deps.owner, deps.clock),
        };
      },
    });
    const run = async () =>
      (
        await platform.call("POST", "/api/v1/agents/support/run", {
          headers: platform.owner.asProgram,
          body: { query: "hi" },
        })
      ).status;
    expect(await run()).toBe(200);
    isAway = true;
    // It was renewed a moment ago.
    expect(await run()).toBe(200);
    await platform.clock.advance(ownerTtlMs);
    expect(await run()).toBe(platform.deps.storage.dialect === "postgres" ? 503 : 200);
    isAway = false;
    expect(await run()).toBe(200);
  });
});
