import { matchesFilter } from "../filters/vector-filter.ts";
import { requireSelection, selectsNothing } from "../stored-row.ts";
import type { RowSelection, VectorCollection, VectorHit } from "../vector-store.ts";
import { filterSql } from "./facts/filter-sql.ts";
import { lanceFault } from "./lance-fault.ts";
import { type EnterSearch, matching, nearest } from "./lance-search.ts";
import type { LanceTable } from "./lance-table.ts";
import { rowColumns } from "./rows/row-columns.ts";
import { sqlAll, sqlIn, sqlLiteral } from "./sql-literal.ts";

/** Returns the result of `work` with the collection's table; undefined if there is none and it should not be created. */
export type UseTable = <T>(make: boolean, work: (table: LanceTable) => Promise<T>) => Promise<T | undefined>;

/** Rows of a collection; a dropped one is empty until rows are added again. */
export function lanceCollection(dimension: number, use: UseTable, enter: EnterSearch): VectorCollection {
  const reading = async <T>(work: (table: LanceTable) => Promise<T>) => use(false, work).catch(rethrow);
  return {
    dimension,
    async add(batch) {
      const rows = rowColumns(batch, dimension);
      if (rows.ids.length > 0) await use(true, (table) => table.add(rows)).catch(rethrow);
    },
    nearest: async (query) => (await reading((table) => nearest(table, query, enter))) ?? [],
    matching: async (query) => (await reading((table) => matching(table, query, enter))) ?? [],
    async remove(what) {
      requireSelection(what);
      await reading((table) => removeRows(table, what));
    },
    count: async () => (await reading((table) => table.handle.countRows())) ?? 0,
    refresh: async () => reading((table) => table.handle.checkoutLatest()),
    list: async (what, page) => (await reading((table) => listRows(table, what, page))) ?? [],
  };
}

const rethrow = (thrown: unknown): never => {
  throw lanceFault(thrown);
};

type StoredRow = Omit<VectorHit, "score">;

/** Maximum ids in one condition. */
const idsTogetherMax = 5000;

/** The matching rows in the order of their ids, starting after `after`. */
export async function listRows(
  { handle }: LanceTable,
  what: RowSelection,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<StoredRow[]> {
  if (selectsNothing(what) || limit < 1) return [];
  const { sql, isExact } = selectionSql(what);
  const found: StoredRow[] = [];
  for (let from = after; ; ) {
    const missing = limit - found.length;
    const where = sqlAll([sql, from === undefined ? undefined : `id > ${sqlLiteral(from)}`]);
    const query = handle.query().select(["id", "group", "text", "metadata"]);
    if (where !== undefined) query.where(where);
    const rows = await query
      .orderBy({ columnName: "id", ascending: true, nullsFirst: false })
      .limit(missing)
      .toArray();
    for (const { id, group, text, metadata } of rows) {
      const row = { id, group, text, metadata: JSON.parse(metadata) };
      if (isExact || matchesFilter(row.metadata, what.filter ?? {})) found.push(row);
      from = id;
    }
    if (found.length === limit || rows.length < missing) return found;
  }
}

/** Removes the matching rows. */
export function removeRows(table: LanceTable, what: RowSelection): Promise<void> {
  return table.remove(async () => {
    if (selectsNothing(what)) return [];
    const { sql, isExact } = selectionSql(what);
    if (isExact) return sql === undefined ? [] : [sql];
    const conditions: string[] = [];
    for (let after: string | undefined; ; ) {
      const rows = await listRows(table, what, { after, limit: idsTogetherMax });
      if (rows.length > 0)
        conditions.push(
          sqlIn(
            "id",
            rows.map(({ id }) => id),
          ),
        );
      if (rows.length < idsTogetherMax) return conditions;
      after = rows.at(-1)?.id;
    }
  });
}

function selectionSql({ ids, group, writes, filter = {} }: RowSelection) {
  const metadata = filterSql(filter);
  const sql = sqlAll([
    ids === undefined ? undefined : sqlIn("id", ids),
    group === undefined ? undefined : `\`group\` = ${sqlLiteral(group)}`,
    writes === undefined ? undefined : sqlIn("`write`", writes),
    metadata?.sql,
  ]);
  return { sql, isExact: metadata?.isExact !== false };
}
