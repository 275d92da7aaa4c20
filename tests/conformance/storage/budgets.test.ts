import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hold, SpentCall } from "../../../src/engine/spending/allowance.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { Budgets } from "../../../src/services/daemon/costs/budgets.ts";
import { countAbandoned, readBudgets, touchHolds } from "../../../src/services/daemon/costs/store.ts";
import { migrations } from "../../../src/services/daemon/migrations.gen.ts";
import { type DaemonTables, tables } from "../../../src/services/daemon/tables.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** One micro per token, so that a hold of n tokens holds n micros. */
const price = { in: 1000, out: 1000 };

const plan = (micros: number) => ({
  inputTokensMax: micros - 1,
  answerTokensMax: 1,
  answerTokensUsual: 1,
  price,
});

const spending = (micros: number): SpentCall[] => [
  {
    provider: "lab",
    model: "m",
    usage: { inputTokens: micros, outputTokens: 0, cachedTokens: 0, estimated: false },
    price,
  },
];

const openBudgets = (storage: Storage<DaemonTables>, owner: string, clock = new FakeClock()) =>
  Budgets.open({ storage, owner, clock, log: silentLogger });

const agent = ["t", "helper"] as const;

function hold(budgets: Budgets, micros: number): Hold {
  const allowance = budgets.allowanceOf(...agent);
  if (allowance === undefined) throw new Error("no budget");
  return allowance.hold(plan(micros));
}

/** Holds and waits until the hold is stored; returns undefined if it is refused. */
async function holdKept(budgets: Budgets, micros: number): Promise<Hold | undefined> {
  let taken: Hold | undefined;
  try {
    taken = hold(budgets, micros);
    await taken.kept;
    return taken;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "budget_exceeded") throw thrown;
    taken?.settle([]);
    return undefined;
  }
}

/** Returns the stored amounts: spent and held by all processes. */
async function stored(storage: Storage<DaemonTables>): Promise<{ spent: number; held: number } | undefined> {
  const [budget] = await readBudgets(storage, "nobody", { tenant: "t", agent: "helper" });
  return budget && { spent: budget.spentMicros, held: budget.othersHeldMicros };
}

onEachEngine("budgets", (engine) => {
  const open = () => engine.open({ service: "daemon", tables, migrations });

  test("a hold is in the database before its call, and the spending soon after", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    expect(budgets.allowanceOf(...agent)).toBeUndefined();
    await budgets.set(...agent, { budgetMicros: 1000 });
    const call = hold(budgets, 300);
    await call.kept;
    expect(await stored(storage)).toEqual({ spent: 0, held: 300 });
    call.settle(spending(120));
    expect(budgets.stateOf(...agent)).toMatchObject({ spentMicros: 120, heldMicros: 0 });
    await budgets.flush();
    expect(await stored(storage)).toEqual({ spent: 120, held: 0 });
  });

  test("a budget is exceeded when it is spent to the last micro, and not one micro before", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    await budgets.set(...agent, { budgetMicros: 300 });
    for (const [micros, exceeded] of [
      [299, false],
      [1, true],
    ] as const) {
      const call = hold(budgets, micros);
      await call.kept;
      call.settle(spending(micros));
      expect(budgets.stateOf(...agent)?.exceeded).toBe(exceeded);
    }
  });

  test("a process that dies leaves at least what it has spent", async () => {
    await using storage = await open();
    const dead = await openBudgets(storage, "p1");
    await dead.set(...agent, { budgetMicros: 1000 });
    const settled = hold(dead, 400);
    await settled.kept;
    settled.settle(spending(250));
    await hold(dead, 300).kept;
    // The process is killed here: the first call has ended and the second has not.
    expect(await countAbandoned(storage, "p2", undefined)).toMatchObject([
      { agent: "helper", heldMicros: 300 },
    ]);
    const budgets = await openBudgets(storage, "p2");
    expect(budgets.stateOf(...agent)).toMatchObject({ spentMicros: 550, heldMicros: 0 });
  });

  test("a change keeps what was spent, a reset forgets it, a removal forgets all", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    await budgets.set(...agent, { budgetMicros: 1000 });
    const call = hold(budgets, 300);
    await call.kept;
    call.settle(spending(200));
    await budgets.set(...agent, { budgetMicros: 150 });
    expect(budgets.stateOf(...agent)).toMatchObject({ budgetMicros: 150, spentMicros: 200, exceeded: true });
    await budgets.set(...agent, { reset: true });
    expect(budgets.stateOf(...agent)).toMatchObject({ budgetMicros: 150, spentMicros: 0, exceeded: false });
    await budgets.flush();
    expect(await stored(storage)).toEqual({ spent: 0, held: 0 });
    await budgets.remove(...agent);
    expect(budgets.allowanceOf(...agent)).toBeUndefined();
    expect(await stored(storage)).toBeUndefined();
    await budgets.remove(...agent);
  });

  test("a budget that goes or shrinks while a call is under way", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    await budgets.set(...agent, { budgetMicros: 1000 });
    const first = hold(budgets, 300);
    const second = hold(budgets, 300);
    await Promise.all([budgets.set(...agent, { budgetMicros: 400 }), first.kept, second.kept]);
    expect(await holdKept(budgets, 100)).toBeUndefined();
    first.settle(spending(300));
    second.settle([]);
    expect(await holdKept(budgets, 100)).toBeDefined();
    await budgets.remove(...agent);
    await budgets.flush();
    expect(await stored(storage)).toBeUndefined();
  });

  test("tenants have budgets of their own under one name", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    await budgets.set("t", "helper", { budgetMicros: 100 });
    await budgets.set("u", "helper", { budgetMicros: 900 });
    const call = hold(budgets, 60);
    await call.kept;
    call.settle(spending(60));
    await budgets.flush();
    const again = await openBudgets(storage, "p2");
    expect(again.stateOf("t", "helper")).toMatchObject({ budgetMicros: 100, spentMicros: 60 });
    expect(again.stateOf("u", "helper")).toMatchObject({ budgetMicros: 900, spentMicros: 0 });
    await again.remove("u", "helper");
    expect(again.stateOf("t", "helper")).toBeDefined();
  });

  test("a write that fails makes no call, and is written later", async () => {
    await using storage = await open();
    let isFull = false;
    const disk: Storage<DaemonTables> = {
      ...storage,
      transact: (work, options) => {
        if (isFull) return Promise.reject(new AppError("unavailable", "storage_unavailable", "Full."));
        return storage.transact(work, options);
      },
    };
    const budgets = await openBudgets(disk, "p1");
    await budgets.set(...agent, { budgetMicros: 1000 });
    isFull = true;
    const call = hold(budgets, 300);
    await expect(call.kept).rejects.toMatchObject({ code: "storage_unavailable" });
    call.settle([]);
    await expect(budgets.flush()).rejects.toMatchObject({ code: "storage_unavailable" });
    isFull = false;
    const other = hold(budgets, 900);
    await other.kept;
    other.settle(spending(900));
    await budgets.flush();
    expect(await stored(storage)).toEqual({ spent: 900, held: 0 });
  });

  test("a living process keeps its holds, a silent one loses them", async () => {
    await using storage = await open();
    const budgets = await openBudgets(storage, "p1");
    await budgets.set(...agent, { budgetMicros: 1000 });
    await hold(budgets, 300).kept;
    await touchHolds(storage, "p1");
    expect(await countAbandoned(storage, "p2", 60_000)).toEqual([]);
    expect(await countAbandoned(storage, "p1", undefined)).toEqual([]);
    expect(await stored(storage)).toEqual({ spent: 0, held: 300 });
  });

  test("processes that share a budget never pass it together", async () => {
    const calls = fc.array(
      fc.record({
        budgets: fc.nat({ max: 1 }),
        micros: fc.integer({ min: 1, max: 400 }),
        uses: fc.integer({ min: 0, max: 100 }),
        /** True if it begins together with the previous one. */
        together: fc.boolean(),
      }),
      { minLength: 1, maxLength: 20 },
    );
    await using storage = await open();
    await fc.assert(
      fc.asyncProperty(calls, fc.integer({ min: 0, max: 1500 }), async (script, budgetMicros) => {
        const books = [await openBudgets(storage, "p1"), await openBudgets(storage, "p2")] as const;
        await books[0].set(...agent, { budgetMicros });
        await books[1].set(...agent, { budgetMicros });
        const openCalls: Promise<void>[] = [];
        // The amount spent, and the amount that admitted calls may still spend.
        let live = 0;
        const call = async (budgets: Budgets, micros: number, uses: number) => {
          const kept = await holdKept(budgets, micros);
          if (kept === undefined) return;
          live += micros;
          expect(live).toBeLessThanOrEqual(budgetMicros);
          const spent = Math.floor((micros * uses) / 100);
          kept.settle(spending(spent));
          live -= micros - spent;
        };
        for (const { budgets, micros, uses, together } of script) {
          if (!together) await Promise.all(openCalls.splice(0));
          openCalls.push(call(books[budgets] ?? books[0], micros, uses));
        }
        await Promise.all(openCalls);
        for (const budgets of books) await budgets.flush();
        const rest = await stored(storage);
        expect(rest).toEqual({ spent: live, held: 0 });
        await books[0].remove(...agent);
      }),
      { numRuns: 40 },
    );
  });

  test.skipIf(engine.dialect === "sqlite")(
    "a change by another process is known within a second",
    async () => {
      await using storage = await open();
      const clock = new FakeClock();
      const [here, there] = [await openBudgets(storage, "p1", clock), await openBudgets(storage, "p2")];
      const stop = new AbortController();
      const loop = here.worker().run(stop.signal);
      const until = async (isDone: () => boolean) => {
        while (!isDone()) await clock.advance(250);
      };
      await there.set(...agent, { budgetMicros: 70 });
      await until(() => here.stateOf(...agent)?.budgetMicros === 70);
      await hold(there, 30).kept;
      await until(() => here.stateOf(...agent)?.heldMicros === 30);
      await there.remove(...agent);
      await until(() => here.allowanceOf(...agent) === undefined);
      stop.abort();
      await loop;
    },
  );
});
