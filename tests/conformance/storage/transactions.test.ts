import { expect, test } from "bun:test";
import { eq, inArray, isNull, sql } from "drizzle-orm";
import fc from "fast-check";
import { AppError } from "../../../src/kit/app-error.ts";
import type { LogFields, Logger } from "../../../src/kit/log.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { claimable, statement } from "../../../src/storage/statement.ts";
import type { Query, Storage } from "../../../src/storage/storage.ts";
import { insideTransaction } from "../../../src/storage/transaction-scope.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type SampleTables = ReturnType<typeof sampleTables>;

const ids = async ({ read, tables }: Storage<SampleTables>) =>
  (await read.select({ id: tables.things.id }).from(tables.things).orderBy(tables.things.id)).map(
    ({ id }) => id,
  );

/** Claims three free jobs, the first in the queue, in one statement. */
function claim(tx: Query, storage: Storage<SampleTables>, worker: string) {
  const { jobs } = storage.tables;
  const free = tx.select({ id: jobs.id }).from(jobs).where(isNull(jobs.claimedBy)).orderBy(jobs.id).limit(3);
  const due = tx.$with("due").as(claimable(jobs, free));
  return tx
    .with(due)
    .update(jobs)
    .set({ claimedBy: worker })
    .where(inArray(jobs.id, tx.select({ id: due.id }).from(due)))
    .returning({ id: jobs.id });
}

onEachEngine("transactions", (engine) => {
  const open = () => engine.open({ tables: sampleTables });

  test("a fault after an await leaves nothing behind", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const failing = storage.transact(async (tx) => {
      await tx.insert(things).values({ id: "a" });
      await Promise.resolve();
      await tx.insert(things).values({ id: "b" });
      throw new AppError("invalid", "mine", "Mine.");
    });
    expect((await refusal(failing)).code).toBe("mine");
    expect(await ids(storage)).toEqual([]);
  });

  test("a query that is returned instead of awaited runs inside the transaction", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const rows = await storage.transact((tx) =>
      tx.insert(things).values({ id: "a" }).returning({ id: things.id }),
    );
    expect(rows).toEqual([{ id: "a" }]);
    expect(await ids(storage)).toEqual(["a"]);
  });

  test("a statement's fault fails the transaction, even when it is swallowed", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    await storage.transact((tx) => tx.insert(things).values({ id: "taken" }));
    let later: unknown;
    const swallowing = storage.transact(async (tx) => {
      await tx.insert(things).values({ id: "new" });
      await tx
        .insert(things)
        .values({ id: "taken" })
        .catch(() => undefined);
      later = await tx
        .insert(things)
        .values({ id: "later" })
        .catch((error: unknown) => error);
      return "done";
    });
    expect((await refusal(swallowing)).code).toBe("already_exists");
    expect(later).toMatchObject({ code: "already_exists" });
    expect(await ids(storage)).toEqual(["taken"]);
  });

  test("other transactions do not read what isn't committed; its own transaction does", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const inserted = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const writing = storage.transact(async (tx) => {
      await tx.insert(things).values({ id: "a" });
      const own = await tx.select({ id: things.id }).from(things);
      inserted.resolve();
      await goOn.promise;
      return own;
    });
    await inserted.promise;
    expect(await ids(storage)).toEqual([]);
    goOn.resolve();
    expect(await writing).toEqual([{ id: "a" }]);
    expect(await ids(storage)).toEqual(["a"]);
  });

  test("constraints give their codes, and only to the transaction that broke them", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const insert = (id: string, more: object = {}) =>
      storage.transact((tx) => tx.insert(things).values({ id, ...more }));
    const outcomes = await Promise.allSettled([
      insert("a", { name: "n" }),
      insert("b", { name: "n" }),
      insert("c"),
      insert("c"),
      insert("d", { ownerId: "nobody" }),
      insert("e"),
    ]);
    const codes = outcomes.map((outcome) => (outcome.status === "fulfilled" ? "ok" : outcome.reason.code));
    expect(codes.sort()).toEqual(["already_exists", "already_exists", "ok", "ok", "ok", "reference_broken"]);
    expect(await ids(storage)).toHaveLength(3);
  });

  test("faults never hold statements, parameters or stored values", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const secret = "canary-7c1f";
    await storage.transact((tx) => tx.insert(things).values({ id: secret, name: secret }));
    const faults = await Promise.all([
      refusal(storage.transact((tx) => tx.insert(things).values({ id: secret }))),
      refusal(storage.transact((tx) => tx.insert(things).values({ id: "b", ownerId: secret }))),
      refusal(storage.transact((tx) => tx.insert(things).values({ id: sql`no_such_function(${secret})` }))),
      refusal(storage.read.select().from(things).where(sql`no_such_column = ${secret}`)),
    ]);
    expect(faults.map((fault) => fault.code)).toEqual([
      "already_exists",
      "reference_broken",
      "internal",
      "internal",
    ]);
    for (const fault of faults) {
      const shown = `${Bun.inspect(fault, { depth: 10 })} ${JSON.stringify(fault)} ${fault.stack} ${Bun.inspect(fault.cause)}`;
      expect(shown).not.toContain(secret);
      expect(shown).not.toMatch(/insert into|select .* from/i);
    }
  });

  test("a check and the write that relies on it can't be parted by others", async () => {
    await using storage = await open();
    const { owners } = storage.tables;
    await storage.transact((tx) => tx.insert(owners).values({ id: "o", balance: 10 }));
    const take = () =>
      storage.transact(async (tx) => {
        const [owner] = await tx.select().from(owners);
        if (!owner || owner.balance === 0) return false;
        await tx.update(owners).set({ balance: owner.balance - 1 });
        return true;
      });
    const taken = await Promise.all(Array.from({ length: 25 }, take));
    expect(taken.filter(Boolean)).toHaveLength(10);
    expect(await storage.read.select().from(owners)).toEqual([{ id: "o", balance: 0 }]);
  });

  test("competing claims give each job to one worker", async () => {
    await using storage = await open();
    const { jobs } = storage.tables;
    const rows = Array.from({ length: 120 }, (_, id) => ({ queue: "q", id }));
    await storage.transact((tx) => tx.insert(jobs).values(rows));
    const work = async (worker: string) => {
      const claimed: number[] = [];
      for (;;) {
        const some = await storage.transact((tx) => claim(tx, storage, worker), {
          isolation: "read committed",
        });
        if (some.length === 0) return claimed;
        claimed.push(...some.map(({ id }) => id));
      }
    };
    const claimed = await Promise.all(["a", "b", "c", "d", "e", "f"].map(work));
    expect(claimed.flat().sort((a, b) => a - b)).toEqual(rows.map(({ id }) => id));
  });

  if (engine.dialect === "postgres") {
    test("a claim passes over what another is claiming instead of waiting for it", async () => {
      await using storage = await open();
      const rows = Array.from({ length: 6 }, (_, id) => ({ queue: "q", id }));
      await storage.transact((tx) => tx.insert(storage.tables.jobs).values(rows));
      const claimed = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const first = storage.transact(
        async (tx) => {
          const some = await claim(tx, storage, "first");
          claimed.resolve();
          await goOn.promise;
          return some;
        },
        { isolation: "read committed" },
      );
      await claimed.promise;
      const second = await storage.transact((tx) => claim(tx, storage, "second"), {
        isolation: "read committed",
      });
      goOn.resolve();
      // A claim takes the first rows, in any order.
      const ids = (jobs: readonly { id: number }[]) => jobs.map(({ id }) => id).sort((a, b) => a - b);
      expect([ids(await first), ids(second)]).toEqual([
        [0, 1, 2],
        [3, 4, 5],
      ]);
    });
  }

  test("of any transactions at once, exactly those that resolve are stored", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const plan = fc.array(fc.record({ key: fc.nat(12), awaits: fc.nat(2), throws: fc.boolean() }), {
      maxLength: 90,
    });
    await fc.assert(
      fc.asyncProperty(plan, async (entries) => {
        await storage.transact((tx) => tx.delete(things));
        const outcomes = await Promise.allSettled(
          entries.map(({ key, awaits, throws }) =>
            storage.transact(async (tx) => {
              await tx.insert(things).values({ id: `k${key}` });
              for (let turn = 0; turn < awaits; turn += 1) await Promise.resolve();
              if (throws) throw new AppError("invalid", "thrown", "Thrown.");
              return `k${key}`;
            }),
          ),
        );
        const resolved = outcomes.flatMap((outcome) =>
          outcome.status === "fulfilled" ? [outcome.value] : [],
        );
        expect(await ids(storage)).toEqual(resolved.sort());
      }),
      { numRuns: 25 },
    );
  });

  test("reading handles refuse writes", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const writable = storage.read as Query;
    expect((await refusal(writable.insert(things).values({ id: "a" }))).kind).toBe("unavailable");
    expect(await ids(storage)).toEqual([]);
  });

  test("a transaction refuses a second one, reads beside it, and use of its handle when it is over", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const nested = storage.transact(() => storage.transact(async () => "inner"));
    expect((await refusal(nested)).code).toBe("storage_misuse");
    expect((await refusal(storage.transact(() => ids(storage)))).code).toBe("storage_misuse");
    const kept = await storage.transact(async (tx) => ({ tx }));
    expect((await refusal(kept.tx.select().from(things))).code).toBe("storage_misuse");
    await using other = await open();
    const foreign = other.transact(() => kept.tx.insert(things).values({ id: "a" }));
    expect((await refusal(foreign)).code).toBe("storage_misuse");
  });

  test("what a transaction starts and leaves behind is outside of it", async () => {
    await using storage = await open();
    const over = Promise.withResolvers<void>();
    const { later } = await storage.transact(async () => {
      expect(insideTransaction()).toBe(true);
      return {
        later: over.promise.then(() => [insideTransaction(), storage.transact(async () => "own")] as const),
      };
    });
    expect(insideTransaction()).toBe(false);
    over.resolve();
    const [inside, own] = await later;
    expect(inside).toBe(false);
    expect(await own).toBe("own");
  });

  test("a statement is prepared once and serves every transaction", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    let built = 0;
    const insert = statement((tx: Query, tables: SampleTables) => {
      built += 1;
      return tx
        .insert(tables.things)
        .values({ id: sql.placeholder("id"), count: sql.placeholder("count") })
        .prepare("insert");
    });
    for (const id of ["a", "b", "c"]) {
      await storage.transact((tx) => insert(tx, storage.tables).execute({ id, count: null }));
    }
    const both = ["c", "d"].map((id) =>
      storage.transact((tx) => insert(tx, storage.tables).execute({ id, count: 2 ** 40 })),
    );
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(built).toBe(1);
    expect(await storage.read.select({ count: things.count }).from(things).where(eq(things.id, "d"))).toEqual(
      [{ count: 2 ** 40 }],
    );
  });

  test("a second inside a transaction is logged", async () => {
    const events: [string, LogFields | undefined][] = [];
    const log: Logger = {
      ...silentLogger,
      warn: (event, fields) => events.push([event, fields]),
      with: () => log,
    };
    const clock = new FakeClock();
    await using storage = await engine.open({ tables: sampleTables, log, clock });
    const goOn = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const slow = storage.transact(async () => {
      entered.resolve();
      await goOn.promise;
    });
    await entered.promise;
    await clock.advance(999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toEqual([["storage.transaction_slow", { slowAfterMs: 1000 }]]);
    goOn.resolve();
    await slow;
    expect(clock.pending).toBe(0);
  });

  test("a check commits; a closed storage finishes what was begun and refuses the rest", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    await storage.check();
    const begun = storage.transact((tx) =>
      tx.insert(things).values({ id: "a" }).returning({ id: things.id }),
    );
    const closing = storage.close();
    expect(await begun).toEqual([{ id: "a" }]);
    await closing;
    for (const refused of [storage.check(), ids(storage), storage.transact(async () => 1)]) {
      expect((await refusal(refused)).code).toBe("storage_closed");
    }
  });
});
