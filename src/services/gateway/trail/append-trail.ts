import { getTableColumns, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { TrailEventName } from "../../../contracts/gateway/trail.ts";
import { batches } from "../../../kit/batches.ts";
import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TrailTables } from "./schema.ts";

/** One event in the life of a message. `details` may hold codes, ids and counts, never text of a user or a secret. */
export interface TrailEntry {
  messageId: string;
  tenantId: string | null;
  accountId: string | null;
  channel: ChannelName;
  direction: "inbound" | "outbound";
  event: TrailEventName;
  address?: string | undefined;
  channelMessageId?: string | undefined;
  relatedId?: string | undefined;
  details?: Readonly<Record<string, string | number | boolean | null>>;
  at: Date;
}

/** Appends events within the caller's transaction, so that the ledger says nothing that was not stored. */
export async function appendTrail(
  tx: Query,
  tables: TrailTables,
  newId: NewId,
  entries: readonly TrailEntry[],
): Promise<void> {
  const rows = entries.map(
    ({ address = null, channelMessageId = null, relatedId = null, details = {}, ...entry }) => ({
      ...entry,
      id: newId(),
      address,
      channelMessageId,
      relatedId,
      details,
    }),
  );
  const insertFew = insertsOfFew[rows.length];
  if (insertFew !== undefined) {
    await insertFew(tx, tables).execute(Object.assign({}, ...rows.map(numbered)));
    return;
  }
  for (const some of batches(rows, rowsPerInsert)) {
    await tx.insert(tables.trail).values(some);
    if (countSteps(some.length * stepsPerRow) && some.length === rowsPerInsert) await othersTurn();
  }
}

/** Most messages have one to three events at a time. Building their statement takes ten times as long as executing it. */
const fewMax = 8;

/** The prepared inserts of up to `fewMax` rows, by their number. */
const insertsOfFew = Array.from({ length: fewMax + 1 }, (_, count) =>
  count === 0 ? undefined : insertOf(count),
);

function insertOf(count: number) {
  return statement((tx: Query, { trail }: TrailTables) => {
    const names = Object.keys(getTableColumns(trail));
    const rows = Array.from({ length: count }, (_, row) =>
      Object.fromEntries(names.map((name) => [name, sql.placeholder(placeOf(name, row))])),
    );
    return tx
      .insert(trail)
      .values(rows as never[])
      .prepare(`append_trail_${count}`);
  });
}

const placeOf = (name: string, row: number) => `${name} ${row}`;
const numbered = (values: object, row: number) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [placeOf(name, row), value]));

/** A statement has a bound of parameters, and building it takes time. A delivery may repeat 10,000 messages. */
const rowsPerInsert = 200;
/** Inserting a row takes up to 50 µs. */
const stepsPerRow = 2500;
