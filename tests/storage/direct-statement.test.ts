import { expect, test } from "bun:test";
import { desc, eq, sql } from "drizzle-orm";
import { executedDirectly } from "../../src/storage/sqlite/direct-statement.ts";
import type { Query, Storage } from "../../src/storage/storage.ts";
import { sampleTables } from "../support/sample-tables.ts";
import { sqliteEngine } from "../support/storage-engines.ts";

type Tables = ReturnType<typeof sampleTables>;
type Values = Record<string, unknown>;

interface Prepared {
  execute(values?: Values): PromiseLike<unknown>;
}

const full = {
  id: "a",
  name: "Ann",
  at: new Date(5),
  body: { deep: [1, null] },
  price: 7,
  isHot: true,
  count: 0,
};
const rows = [full, { id: "b", name: null, at: null, body: null, price: null, isHot: false, count: null }];
const placeholders = Object.fromEntries(
  Object.keys(full).map((name) => [name, sql.placeholder(name)]),
) as never;

/** Statements of the kinds that stores use, each with the values of its executions. */
const statements: [string, (tx: Query, tables: Tables) => Prepared, Values[]][] = [
  ["an insert", (tx, { things }) => tx.insert(things).values(placeholders).prepare("p"), rows],
  [
    "an insert that returns columns",
    (tx, { things }) =>
      tx.insert(things).values(placeholders).returning({ at: things.at, body: things.body }).prepare("p"),
    rows,
  ],
  ["a read of all columns", (tx, { jobs }) => tx.select().from(jobs).prepare("p"), [{}]],
  [
    "a read of columns and expressions",
    (tx, { things }) =>
      tx
        .select({
          at: things.at,
          isHot: things.isHot,
          twice: sql<number>`${things.price} * ${sql.placeholder("times")}`.as("twice"),
          name: sql<string>`${things.name}`,
          constant: sql<number>`${2}`,
        })
        .from(things)
        .where(eq(things.id, sql.placeholder("id")))
        .orderBy(desc(things.id))
        .limit(sql.placeholder("limit"))
        .prepare("p"),
    ["a", "b", "c"].map((id) => ({ id, times: 2, limit: 5 })),
  ],
  [
    "a read of two tables",
    (tx, { things, owners }) =>
      tx.select().from(things).leftJoin(owners, eq(owners.id, things.ownerId)).prepare("p"),
    [{}],
  ],
];

const asItIs = <P>(prepared: P): P => prepared;

async function resultsOf(
  build: (tx: Query, tables: Tables) => Prepared,
  executions: readonly Values[],
  prepare: (prepared: Prepared) => Prepared,
): Promise<unknown[]> {
  await using storage: Storage<Tables> & AsyncDisposable = await sqliteEngine.open({ tables: sampleTables });
  const { tables } = storage;
  const results = await storage.transact(async (tx) => {
    if (!build.toString().includes("insert")) await tx.insert(tables.things).values(rows);
    const statement = prepare(build(tx, tables));
    const given: unknown[] = [];
    for (const values of executions) given.push(await statement.execute(values));
    return given;
  });
  return [...results, await storage.read.select().from(tables.things)];
}

test.each(statements)("%s gives what drizzle gives", async (_, build, executions) => {
  const direct = await resultsOf(build, executions, executedDirectly);
  expect(direct).toEqual(await resultsOf(build, executions, asItIs));
});

test("a missing value is refused by its name", async () => {
  const insert = statements[0]?.[1] as (tx: Query, tables: Tables) => Prepared;
  const { id: _, ...rest } = full;
  expect(resultsOf(insert, [rest], executedDirectly)).rejects.toThrow('No value for placeholder "id"');
});

test("executes without drizzle's own steps", async () => {
  const insert = statements[0]?.[1] as (tx: Query, tables: Tables) => Prepared;
  const withoutDrizzle = (prepared: Prepared) => {
    const direct = executedDirectly(prepared);
    Reflect.set(prepared, "run", () => {
      throw new Error("drizzle's");
    });
    return direct;
  };
  expect(await resultsOf(insert, rows, withoutDrizzle)).toHaveLength(3);
});
