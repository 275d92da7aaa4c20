import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import {
  acquireLease,
  type Lease,
  releaseLease,
  renewLease,
  requireLease,
  whileLeased,
} from "../../../src/storage/lease.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const noTables = () => ({});
const ttlMs = 60_000;

/** Expires a lease: on PostgreSQL the server's clock decides, and a test cannot set it. */
const expire = (storage: Storage, name: string) =>
  storage.transact((tx) =>
    tx
      .update(storage.tables.leases)
      .set({ expiresAt: new Date(0) })
      .where(eq(storage.tables.leases.name, name)),
  );

onEachEngine("leases", (engine) => {
  const open = () => engine.open({ tables: noTables });
  const held = (storage: Storage, owner: string) => acquireLease(storage, { name: "duty", owner, ttlMs });
  const holds = (storage: Storage, lease: Lease) => renewLease(storage, lease, ttlMs);

  test("one owner at a time, and again the same one", async () => {
    await using storage = await open();
    const lease = await held(storage, "a");
    expect(lease).toEqual({ name: "duty", owner: "a", term: 1 });
    expect(await held(storage, "b")).toBeUndefined();
    expect(await held(storage, "a")).toEqual({ name: "duty", owner: "a", term: 1 });
    expect(await acquireLease(storage, { name: "other", owner: "b", ttlMs })).toMatchObject({ term: 1 });
  });

  test("of many that try at once, one gets it", async () => {
    await using storage = await open();
    const owners = Array.from({ length: 12 }, (_, index) => `owner ${index}`);
    const leases = await Promise.all(owners.map((owner) => held(storage, owner)));
    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
  });

  test("after it expired another takes it with the next term, and the late owner can do nothing", async () => {
    await using storage = await open();
    const late = await held(storage, "late");
    if (!late) throw new Error("not held");
    expect(await holds(storage, late)).toBe(true);
    expect(await renewLease(storage, late, ttlMs)).toBe(true);
    await expire(storage, "duty");
    expect(await renewLease(storage, late, ttlMs)).toBe(false);
    const next = await held(storage, "next");
    expect(next).toMatchObject({ owner: "next", term: 2 });
    expect(await renewLease(storage, late, ttlMs)).toBe(false);
    await releaseLease(storage, late);
    expect(next && (await holds(storage, next))).toBe(true);
    expect(await held(storage, "late")).toBeUndefined();
  });

  test("a duty under an expired lease is 409 `lease_lost`, although no other owner has taken it", async () => {
    await using storage = await open();
    const lease = await held(storage, "a");
    if (!lease) throw new Error("not held");
    const act = () => storage.transact((tx) => requireLease(tx, storage, lease));
    await act();
    await expire(storage, "duty");
    await expect(act()).rejects.toMatchObject({ code: "lease_lost", status: 409 });
  });

  test("a released lease is free at once, and its terms continue", async () => {
    await using storage = await open();
    const first = await held(storage, "a");
    if (!first) throw new Error("not held");
    await releaseLease(storage, first);
    expect(await holds(storage, first)).toBe(false);
    expect(await held(storage, "b")).toMatchObject({ owner: "b", term: 2 });
  });

  test("leased work runs while the lease is held, stops when it is lost, and comes back", async () => {
    await using storage = await open();
    const clock = new FakeClock();
    const events: string[] = [];
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let runs = 0;
    const work = async (lease: Lease, signal: AbortSignal) => {
      const run = runs++;
      events.push(`term ${lease.term} works`);
      started[run]?.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      events.push(`term ${lease.term} ends`);
      ended[run]?.resolve();
    };
    const stop = new AbortController();
    const working = whileLeased(storage, { name: "duty", owner: "a", ttlMs, clock, work }, stop.signal);
    await started[0]?.promise;
    await expire(storage, "duty");
    const thief = await held(storage, "thief");
    expect(thief?.term).toBe(2);
    await advanceUntil(clock, ended[0]?.promise);
    expect(events).toEqual(["term 1 works", "term 1 ends"]);
    await releaseLease(storage, thief as Lease);
    await advanceUntil(clock, started[1]?.promise);
    stop.abort();
    await working;
    expect(events).toEqual(["term 1 works", "term 1 ends", "term 3 works", "term 3 ends"]);
    expect(await held(storage, "b")).toMatchObject({ term: 4 });
  });
});

/** Advances the clock by thirds of the lease's time until `done`; between the steps the storage answers in real time. */
async function advanceUntil(clock: FakeClock, done: Promise<void> | undefined): Promise<void> {
  let isDone = false;
  void done?.then(() => {
    isDone = true;
  });
  while (!isDone) {
    await clock.advance(ttlMs / 3);
    await settle();
  }
}
