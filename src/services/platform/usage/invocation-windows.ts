import { and, desc, gte, lt, type SQL } from "drizzle-orm";
import { cursorAfter, pageOf } from "../../../http/paging.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { InvocationRow } from "../runs/schema.ts";
import type { PlatformTables } from "../tables.ts";

/** Rows in one range. Reading them takes SQLite a few milliseconds, which block the event loop. */
const rowsDefault = 1000;

export interface InvocationWindow {
  /** The range, within the scope. */
  isIn: SQL | undefined;
  /** Lowest id of the range; undefined for the last one. */
  from: string | undefined;
}

/**
 * Yields the invocations of a scope in ranges of ids, newest first. A query over one range reads a bounded number of rows, and other work
 * gets a turn in between. `scope` must lead an index that ends in the id.
 */
export async function* invocationWindows(
  query: ReadQuery,
  { invocations }: PlatformTables,
  scope: SQL | undefined,
  { before, rows = rowsDefault }: { before?: string | undefined; rows?: number } = {},
): AsyncGenerator<InvocationWindow, void> {
  let upper = before;
  for (;;) {
    const below: SQL | undefined = and(scope, upper === undefined ? undefined : lt(invocations.id, upper));
    const [edge] = await query
      .select({ id: invocations.id })
      .from(invocations)
      .where(below)
      .orderBy(desc(invocations.id))
      .limit(1)
      .offset(rows - 1);
    yield { isIn: edge === undefined ? below : and(below, gte(invocations.id, edge.id)), from: edge?.id };
    if (edge === undefined) return;
    upper = edge.id;
    await othersTurn();
  }
}

/** Ranges that one request looks at: then its page ends, with a cursor. */
const windowsMax = 20;

export interface InvocationSearch {
  /** Must lead an index that ends in the id. */
  scope: SQL | undefined;
  /** Conditions that each row of the scope is checked for. */
  others: SQL | undefined;
  limit: number;
  before: string | undefined;
}

/** Returns a page of invocations, newest first. It may have fewer than `limit`, or none, and a cursor: the search goes on behind it. */
export async function findInvocations(
  query: ReadQuery,
  tables: PlatformTables,
  { scope, others, limit, before }: InvocationSearch,
  windowRows = rowsDefault,
): Promise<ReturnType<typeof pageOf<InvocationRow>>> {
  const { invocations } = tables;
  const newest = (condition: SQL | undefined, most: number) =>
    query.select().from(invocations).where(condition).orderBy(desc(invocations.id)).limit(most);
  const idOf = ({ id }: InvocationRow) => id;
  if (others === undefined) {
    const isBefore = before === undefined ? undefined : lt(invocations.id, before);
    return pageOf(await newest(and(scope, isBefore), limit + 1), limit, idOf);
  }
  const rows: InvocationRow[] = [];
  let windows = 0;
  for await (const { isIn, from } of invocationWindows(query, tables, scope, { before, rows: windowRows })) {
    rows.push(...(await newest(and(isIn, others), limit + 1 - rows.length)));
    if (rows.length > limit) break;
    windows++;
    if (windows >= windowsMax && from !== undefined)
      return { page: rows, next: { next_cursor: cursorAfter(from) } };
  }
  return pageOf(rows, limit, idOf);
}
