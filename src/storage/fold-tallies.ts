import { getTableColumns, getTableName, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { othersTurn } from "../kit/concurrency/others-turn.ts";
import type { Storage } from "./storage.ts";
import { type TallyRule, talliesOf } from "./tables/tallied-rows.ts";

const pieceRows = 200;

/** Adds the sums of connections that ended to those that stay, so that a group has few rows. SQLite has no others. */
export async function foldTallies(storage: Storage): Promise<void> {
  if (storage.dialect !== "postgres") return;
  const tables = Object.values(storage.tables as unknown as Record<string, PgTable>);
  const named = new Map(tables.map((table) => [getTableName(table), table]));
  for (const tally of tables.flatMap((table) => talliesOf(table))) {
    const table = named.get(tally.into);
    if (table === undefined) throw new Error(`There is no table ${tally.into}.`);
    while ((await foldSome(storage, table, tally)) === pieceRows) await othersTurn();
  }
}

async function foldSome(
  storage: Storage,
  table: PgTable,
  { by, sums, most = {} }: TallyRule,
): Promise<number> {
  const columns = Object.entries(getTableColumns(table));
  const ofNames = (names: readonly string[]) =>
    columns.flatMap(([key, column]) => (names.includes(column.name) ? [[key, column] as const] : []));
  const target = ofNames([...Object.keys(by), "part"]).map(([, column]) => column as PgColumn);
  const excluded = ({ name }: PgColumn) => sql`excluded.${sql.identifier(name)}`;
  const set = Object.fromEntries([
    ...ofNames(Object.keys(sums)).map(([key, column]) => [key, sql`${column} + ${excluded(column)}`]),
    ...ofNames(Object.keys(most)).map(([key, column]) => [
      key,
      sql`greatest(${column}, ${excluded(column)})`,
    ]),
  ]);
  const found = sql`select ctid from ${table} where part <> 0 and part not in (select pid from pg_stat_activity) limit ${sql.raw(String(pieceRows))}`;
  return storage.transact(
    async (tx) => {
      const ended = await tx.delete(table).where(sql`ctid = any(array(${found}))`).returning();
      for (const row of ended)
        await tx
          .insert(table)
          .values({ ...row, part: 0 })
          .onConflictDoUpdate({ target, set });
      return ended.length;
    },
    { isolation: "read committed" },
  );
}
