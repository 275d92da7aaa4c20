import { desc, lte } from "drizzle-orm";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { preparedRows } from "../../../storage/prepared-rows.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { RunFactTables } from "./schema.ts";

/** Runs that are kept, over all tenants. */
const runsKept = 200_000;

/** Stores the facts of finished runs; runs that are already stored stay unchanged. */
export const insertRunFacts = preparedRows(
  "insert_run_facts",
  [
    "tenant",
    "traceId",
    "startedAt",
    "agent",
    "model",
    "outcome",
    "durationMs",
    "inputTokens",
    "outputTokens",
    "costMicros",
  ],
  (tx, { runFacts }: RunFactTables, rows) => tx.insert(runFacts).values(rows).onConflictDoNothing(),
);

/** Deletes the runs of all tenants that started at `olderThan` or before, then the oldest beyond `kept`. */
export async function pruneRunFacts(
  storage: Storage<RunFactTables>,
  olderThan: Date,
  runsMax = runsKept,
): Promise<void> {
  const {
    read,
    tables: { runFacts },
  } = storage;
  const [beyond] = await read
    .select({ startedAt: runFacts.startedAt })
    .from(runFacts)
    .orderBy(desc(runFacts.startedAt))
    .limit(1)
    .offset(runsMax);
  const upTo = beyond !== undefined && beyond.startedAt > olderThan ? beyond.startedAt : olderThan;
  await deleteInPieces(storage, runFacts, lte(runFacts.startedAt, upTo));
}
