import { expect, test } from "bun:test";
import { newId } from "../../../../../src/kit/id.ts";
import { silentLogger } from "../../../../../src/kit/log.ts";
import { sessionSweeper } from "../../../../../src/services/daemon/memory/conversations/session-sweeper.ts";
import { conversationStore } from "../../../../../src/services/daemon/memory/stores/sql/sql-store.ts";
import { migrations } from "../../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../../src/services/daemon/tables.ts";
import { acquireLease } from "../../../../../src/storage/lease.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

const key = { tenant: "t", agent: "a" };

onEachEngine("the sweep of sessions", (engine) => {
  test("removes what is over, one process for all where the database is shared", async () => {
    await using storage = await engine.open({ service: "daemon", tables, migrations });
    const store = conversationStore(storage, newId);
    const clock = new FakeClock();
    const turn = { role: "user" as const, content: "x", at: clock.now(), tokenCount: 1, metadata: {} };
    for (let number = 0; number < 120; number++)
      await store.append({ ...key, sessionId: `s${number}` }, [turn]);
    const caughtUp: number[] = [];
    const sweeper = sessionSweeper({
      storage,
      owner: "this",
      expiring: () => [{ key, store, ttlMs: 90_000 }],
      catchUp: async () => void caughtUp.push(clock.monotonicMs()),
      clock,
      log: silentLogger,
    });
    const stop = new AbortController();
    const running = sweeper.run(stop.signal);
    /** Advances a minute, and waits for the sweep that follows. */
    const minute = async () => {
      await clock.advance(60_000);
      while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    const left = async () => (await store.sessions(key, { limit: 1_000 })).length;
    await minute();
    expect(await left()).toBe(120);
    const other = await acquireLease(storage, { name: "memory.sweep", owner: "other", ttlMs: 3_600_000 });
    expect(other).toBeDefined();
    await minute();
    expect(await left()).toBe(engine.dialect === "postgres" ? 120 : 0);
    expect(caughtUp).toEqual([60_000, 120_000]);
    const { leases, turns } = storage.tables;
    await storage.transact((tx) => tx.delete(leases));
    await minute();
    expect(await left()).toBe(0);
    expect(await storage.read.$count(turns)).toBe(0);
    stop.abort();
    await running;
  });
});
