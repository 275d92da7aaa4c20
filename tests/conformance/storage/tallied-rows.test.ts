import { expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { foldTallies } from "../../../src/storage/fold-tallies.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import type { Columns } from "../../../src/storage/tables/columns.ts";
import { tallyRows } from "../../../src/storage/tables/tallied-rows.ts";
import { seeded } from "../../support/campaign/seeded.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

interface Use {
  model: string;
  tokens: number;
}

const tables = ({ table, id, text, integer, money, instant, json, flag, primaryKey }: Columns) => {
  const all = {
    runs: table("runs", {
      id: id("id").primaryKey(),
      tenant: id("tenant").notNull(),
      status: text("status"),
      at: instant("at").notNull(),
      cost: money("cost").notNull(),
      isOdd: flag("is_odd").notNull(),
      uses: json<Use[]>("uses").notNull(),
      note: text("note"),
    }),
    runSums: table(
      "run_sums",
      {
        tenant: id("tenant").notNull(),
        status: text("status").notNull(),
        day: integer("day").notNull(),
        part: integer("part").notNull().default(0),
        runs: money("runs").notNull(),
        cost: money("cost").notNull(),
        odd: money("odd").notNull(),
        costMax: money("cost_max").notNull(),
      },
      (sum) => [primaryKey({ columns: [sum.tenant, sum.status, sum.day, sum.part] })],
    ),
    useSums: table(
      "use_sums",
      {
        tenant: id("tenant").notNull(),
        model: id("model").notNull(),
        part: integer("part").notNull().default(0),
        uses: money("uses").notNull(),
        tokens: money("tokens").notNull(),
      },
      (sum) => [primaryKey({ columns: [sum.tenant, sum.model, sum.part] })],
    ),
  };
  tallyRows(
    all.runs,
    {
      into: "run_sums",
      by: { tenant: "tenant", status: "status", day: { dayOf: "at" } },
      sums: { runs: "rows", cost: { column: "cost" }, odd: { flag: "is_odd" } },
      most: { cost_max: "cost" },
    },
    {
      into: "use_sums",
      by: { tenant: "tenant", model: { field: "model" } },
      sums: { uses: "rows", tokens: { field: "tokens" } },
      each: "uses",
    },
  );
  return all;
};

type World = Storage<ReturnType<typeof tables>>;
const dayMs = 86_400_000;

/** The sums that the tables of sums have, and those of the rows themselves. */
async function both({ read, tables: { runs, runSums, useSums } }: World) {
  const kept = await read
    .select({
      key: sql<string>`${runSums.tenant} || ' ' || ${runSums.status} || ' ' || ${runSums.day}`,
      runs: sql`sum(${runSums.runs})`.mapWith(Number),
      cost: sql`sum(${runSums.cost})`.mapWith(Number),
      odd: sql`sum(${runSums.odd})`.mapWith(Number),
    })
    .from(runSums)
    .groupBy(runSums.tenant, runSums.status, runSums.day);
  const uses = await read
    .select({
      key: sql<string>`${useSums.tenant} || ' ' || ${useSums.model}`,
      uses: sql`sum(${useSums.uses})`.mapWith(Number),
      tokens: sql`sum(${useSums.tokens})`.mapWith(Number),
    })
    .from(useSums)
    .groupBy(useSums.tenant, useSums.model);
  const counted = new Map<string, { runs: number; cost: number; odd: number }>();
  const used = new Map<string, { uses: number; tokens: number }>();
  for (const run of await read.select().from(runs)) {
    const key = `${run.tenant} ${run.status ?? ""} ${Math.floor(run.at.getTime() / dayMs)}`;
    const sum = counted.get(key) ?? { runs: 0, cost: 0, odd: 0 };
    counted.set(key, { runs: sum.runs + 1, cost: sum.cost + run.cost, odd: sum.odd + (run.isOdd ? 1 : 0) });
    for (const { model, tokens } of run.uses) {
      const of = used.get(`${run.tenant} ${model}`) ?? { uses: 0, tokens: 0 };
      used.set(`${run.tenant} ${model}`, { uses: of.uses + 1, tokens: of.tokens + tokens });
    }
  }
  const shown = (rows: { key: string }[]) => rows.sort((one, other) => (one.key < other.key ? -1 : 1));
  return {
    kept: [shown(kept.filter((row) => row.runs !== 0)), shown(uses.filter((row) => row.uses !== 0))],
    counted: [
      shown([...counted].map(([key, sums]) => ({ key, ...sums }))),
      shown([...used].map(([key, sums]) => ({ key, ...sums }))),
    ],
  };
}

onEachEngine("sums that triggers keep", ({ open }) => {
  test("equal those of the rows after any inserts, updates, conflicts and deletions", async () => {
    await using storage = await open({ tables });
    const { runs } = storage.tables;
    const random = seeded(7);
    const pick = <Item>(...items: Item[]) => items[Math.floor(random() * items.length)] as Item;
    const row = () => ({
      id: String(Math.floor(random() * 40)),
      tenant: pick("a", "b"),
      status: pick("ok", "error", null),
      at: new Date(pick(0, 1, 2) * dayMs + Math.floor(random() * dayMs)),
      cost: Math.floor(random() * 1000),
      isOdd: pick(true, false),
      uses: pick<Use[]>(
        [],
        [{ model: "m", tokens: 3 }],
        [
          { model: "m", tokens: 1 },
          { model: "n", tokens: 2 },
          { model: "m", tokens: 5 },
        ],
      ),
    });
    for (let step = 0; step < 150; step++) {
      const { id, ...values } = row();
      await storage.transact(async (tx) => {
        const kind = random();
        if (kind < 0.5)
          await tx
            .insert(runs)
            .values({ id, ...values })
            .onConflictDoNothing();
        else if (kind < 0.8) await tx.update(runs).set(values).where(eq(runs.id, id));
        else if (kind < 0.9) await tx.update(runs).set({ note: "no part of a sum" }).where(eq(runs.id, id));
        else await tx.delete(runs).where(eq(runs.id, id));
      });
    }
    const { kept, counted } = await both(storage);
    expect(counted[0]?.length).toBeGreaterThan(5);
    expect(kept).toEqual(counted);
  });

  test("end with a transaction that fails, and keep the largest value", async () => {
    await using storage = await open({ tables });
    const { runs, runSums } = storage.tables;
    const run = { id: "1", tenant: "a", status: "ok", at: new Date(0), cost: 9, isOdd: true, uses: [] };
    await storage.transact((tx) => tx.insert(runs).values(run));
    await storage
      .transact(async (tx) => {
        await tx.insert(runs).values({ ...run, id: "2" });
        throw new Error("undone");
      })
      .catch(() => undefined);
    await storage.transact((tx) => tx.update(runs).set({ cost: 4 }).where(eq(runs.id, "1")));
    const rows = await storage.read
      .select({ runs: runSums.runs, cost: runSums.cost, costMax: runSums.costMax })
      .from(runSums);
    expect(rows).toEqual([{ runs: 1, cost: 4, costMax: 9 }]);
  });

  test("of connections that ended are joined, and nothing is lost", async () => {
    await using storage = await open({ tables });
    const { runSums } = storage.tables;
    const sums = { tenant: "a", status: "ok", day: 1, runs: 2, cost: 5, odd: 1 };
    await storage.transact((tx) =>
      tx.insert(runSums).values([
        { ...sums, part: 0, costMax: 3 },
        // No process has such a number.
        { ...sums, part: 2 ** 40, costMax: 4 },
        { ...sums, part: 2 ** 40 + 1, costMax: 1 },
      ]),
    );
    await foldTallies(storage);
    const rows = await storage.read.select().from(runSums);
    const joined = { ...sums, part: 0, runs: 6, cost: 15, odd: 3, costMax: 4 };
    expect(storage.dialect === "sqlite" ? rows.length : rows).toEqual(
      storage.dialect === "sqlite" ? 3 : [joined],
    );
  });
});
