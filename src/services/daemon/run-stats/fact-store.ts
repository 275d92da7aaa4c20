import { desc, lte, sql } from "drizzle-orm";
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
    "source",
    "unpricedCalls",
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
  const isDue = lte(runFacts.startedAt, upTo);
  const [newestDue] = await read
    .select({ startedAt: runFacts.startedAt })
    .from(runFacts)
    .where(isDue)
    .orderBy(desc(runFacts.startedAt))
    .limit(1);
  if (newestDue === undefined) return;
  // Before the deletion, so that no crash leaves an answer that counts too few without a word.
  await moveEdge(storage, new Date(newestDue.startedAt.getTime() + 1));
  await deleteInPieces(storage, runFacts, isDue);
}

const edgeId = "edge";

async function moveEdge(
  { transact, tables: { runFactEdge } }: Storage<RunFactTables>,
  at: Date,
): Promise<void> {
  const isLater = sql`excluded.at > ${runFactEdge.at}`;
  await transact((tx) =>
    tx
      .insert(runFactEdge)
      .values({ id: edgeId, at })
      .onConflictDoUpdate({ target: runFactEdge.id, set: { at }, setWhere: isLater }),
  );
}

/** The instant from which no run is missing; undefined if none was ever deleted. */
export async function factsKeptFrom({
  read,
  tables: { runFactEdge },
}: Storage<RunFactTables>): Promise<Date | undefined> {
  const [edge] = await read.select({ at: runFactEdge.at }).from(runFactEdge);
  return edge?.at;
}
