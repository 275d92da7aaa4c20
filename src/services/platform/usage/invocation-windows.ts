import { and, desc, gte, lt, type SQL } from "drizzle-orm";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** Rows in one range. Reading them takes SQLite a few milliseconds, which block the event loop. */
const rowsDefault = 1000;

/**
 * Yields the invocations of a scope in ranges of ids, newest first, as conditions. A query over one range reads a bounded number of rows,
 * and other work gets a turn in between. `scope` must lead an index that ends in the id.
 */
export async function* invocationWindows(
  query: ReadQuery,
  { invocations }: PlatformTables,
  scope: SQL | undefined,
  { before, rows = rowsDefault }: { before?: string | undefined; rows?: number } = {},
): AsyncGenerator<SQL | undefined> {
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
    yield edge === undefined ? below : and(below, gte(invocations.id, edge.id));
    if (edge === undefined) return;
    upper = edge.id;
    await othersTurn();
  }
}
