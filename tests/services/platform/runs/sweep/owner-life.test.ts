import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { newId } from "../../../../../src/kit/id.ts";
import { sweepInterrupted } from "../../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { OwnerLife } from "../../../../../src/storage/owner-life.ts";
import { platformWithAgent } from "../../../../support/platform-agent.ts";
import { addInvocation } from "../../../../support/platform-history.ts";
import { steadyLife } from "../../../../support/steady-life.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

onEachEngine("runs of other processes", (engine) => {
  test("end as soon as their process is dead, and not while it lives", async () => {
    await using platform = await platformWithAgent(engine);
    const { storage, clock } = platform.deps;
    const { invocations, leases } = storage.tables;
    const [me, other] = [newId(), newId()];
    const life = await steadyLife(storage, me);
    await new OwnerLife(storage, other, clock).renew();
    const run = async (owner: string) => {
      const heldUntil = new Date(clock.now().getTime() + 180_000);
      const change = { status: "in_progress" as const, heldMicros: 0, owner, heldUntil, endedAt: null };
      return addInvocation(platform, { tenantId: platform.owner.id, agentId: "a1", ...change });
    };
    const [mine, theirs, nameless] = [await run(me), await run(other), await run(newId())];
    const statusOf = async (id: string) =>
      (await storage.read.select().from(invocations).where(eq(invocations.id, id)))[0]?.status;

    if (storage.dialect === "sqlite") {
      // The lock of the data folder proves that no other process is alive.
      expect(await sweepInterrupted(storage, clock.now(), life)).toBe(2);
    } else {
      expect(await sweepInterrupted(storage, clock.now(), life)).toBe(0);
      await storage.transact((tx) =>
        tx
          .update(leases)
          .set({ expiresAt: storage.instant(-1) })
          .where(eq(leases.owner, other)),
      );
      expect(await sweepInterrupted(storage, clock.now(), life)).toBe(1);
      // An executable without a lease: its runs end by their time limit.
      expect(await statusOf(nameless.id)).toBe("in_progress");
    }
    expect(await statusOf(theirs.id)).toBe("interrupted");
    expect(await statusOf(mine.id)).toBe("in_progress");
    await life.end();
  });
});
