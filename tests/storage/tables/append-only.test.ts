import { expect, test } from "bun:test";
import { eq, type SQL, sql } from "drizzle-orm";
import { schemaChange } from "../../../scripts/schema-change.ts";
import type { Migration } from "../../../src/storage/migration.ts";
import { appendOnly, fixedRows } from "../../../src/storage/tables/append-only.ts";
import type { Columns, Dialect } from "../../../src/storage/tables/columns.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

/** A transaction on PostgreSQL, which runs any statement. */
interface RawQuery {
  execute(statement: SQL): Promise<unknown>;
}

/** The server's message may quote values and is dropped; its code is kept. */
const refused = /append-only|23001/;

const declare =
  (change: { required?: boolean; guarded?: boolean } = {}) =>
  ({ table, id, text }: Columns) => {
    const { required = false, guarded = true } = change;
    const note = text("note");
    const entries = table("entries", { id: id("id").primaryKey(), note: required ? note.notNull() : note });
    return { entries: guarded ? appendOnly(entries) : entries };
  };

/** Returns the migrations through these states of the tables. */
async function stepsThrough(states: readonly ((columns: Columns) => object)[]) {
  const steps = async (dialect: Dialect) => {
    const made: Migration[] = [];
    let before: Awaited<ReturnType<typeof schemaChange>>["snapshot"] | undefined;
    for (const [position, tables] of states.entries()) {
      const { snapshot, sql } = await schemaChange(dialect, "sample", tables, before);
      // As it is read back from its file.
      before = JSON.parse(JSON.stringify(snapshot));
      made.push({ tag: `000${position}_step`, sql });
    }
    return made;
  };
  return { sqlite: await steps("sqlite"), postgres: await steps("postgres") };
}

onEachEngine("an append-only table", (engine) => {
  test.each([
    ["from its first step on", [declare()]],
    ["that was declared so later", [declare({ guarded: false }), declare()]],
    ["that a later step rebuilds", [declare(), declare({ required: true })]],
  ])("takes rows and refuses to change or delete one: %s", async (_title, states) => {
    await using storage = await engine.open({
      tables: declare({ required: true }),
      migrations: await stepsThrough(states),
    });
    const { entries } = storage.tables;
    await storage.transact((tx) => tx.insert(entries).values({ id: "a", note: "kept" }));
    const change = () =>
      storage.transact((tx) => tx.update(entries).set({ note: "other" }).where(eq(entries.id, "a")));
    const erase = () => storage.transact((tx) => tx.delete(entries).where(eq(entries.id, "a")));
    const replace = () =>
      storage.transact((tx) =>
        tx
          .insert(entries)
          .values({ id: "a", note: "other" })
          .onConflictDoUpdate({ target: entries.id, set: { note: "other" } }),
      );
    for (const attempt of [change, erase, replace]) {
      const thrown = await attempt().catch((error: unknown) => error);
      expect(String((thrown as Error).cause ?? thrown)).toMatch(refused);
    }
    expect(await storage.read.select().from(entries)).toEqual([{ id: "a", note: "kept" }]);
  });

  test("that is one no more gives its rows free", async () => {
    await using storage = await engine.open({
      tables: declare(),
      migrations: await stepsThrough([declare(), declare({ guarded: false })]),
    });
    const { entries } = storage.tables;
    await storage.transact((tx) => tx.insert(entries).values({ id: "a", note: "kept" }));
    await storage.transact((tx) => tx.delete(entries));
    expect(await storage.read.select().from(entries)).toEqual([]);
  });

  test("that becomes one of fixed rows refuses changes still, and lets rows be deleted", async () => {
    const fixed = ({ table, id, text }: Columns) => ({
      entries: fixedRows(table("entries", { id: id("id").primaryKey(), note: text("note") })),
    });
    await using storage = await engine.open({
      tables: fixed,
      migrations: await stepsThrough([declare(), fixed]),
    });
    const { entries } = storage.tables;
    await storage.transact((tx) => tx.insert(entries).values({ id: "a", note: "kept" }));
    const thrown = await storage
      .transact((tx) => tx.update(entries).set({ note: "other" }))
      .catch((error: unknown) => error);
    expect(String((thrown as Error).cause ?? thrown)).toMatch(refused);
    await storage.transact((tx) => tx.delete(entries));
    expect(await storage.read.select().from(entries)).toEqual([]);
  });

  if (engine.dialect === "postgres") {
    test("refuses to be emptied at once", async () => {
      await using storage = await engine.open({ tables: declare() });
      const thrown = await storage
        .transact((tx) => (tx as unknown as RawQuery).execute(sql`truncate sample.entries`))
        .catch((error: unknown) => error);
      expect(String((thrown as Error).cause ?? thrown)).toMatch(refused);
    });
  }
});

test("a step is made only when something changed", async () => {
  const { sqlite, postgres } = await stepsThrough([declare(), declare()]);
  expect([sqlite[1]?.sql, postgres[1]?.sql]).toEqual(["", ""]);
});
