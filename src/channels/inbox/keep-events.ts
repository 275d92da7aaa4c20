import { and, sql } from "drizzle-orm";
import { jsonRows } from "../../storage/json-rows.ts";
import { boundRow, statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import { type Admission, admitNew } from "./admit-new.ts";
import { countOpen } from "./inbound-depth.ts";
import type { InboxRow, InboxStorage, InboxTables } from "./schema.ts";

/** Bounds the open events. */
export interface InboxRoom {
  /** True if deliveries that come at the same time can't fill the queue together: `ample` places remain beside the `open` events. */
  isAmple(open: number, ample: number): boolean;
  /** Takes places for events of a tenant that are added in `tx`. Returns how many of the wanted ones it may add. */
  take(tx: Query, tenantId: string, wanted: number): Promise<number>;
}

/** Room at which deliveries that come at the same time can't fill the queue together. */
const ampleRoom = 2_000;

/**
 * Stores the new events of one delivery in one transaction, those of each account in order, while there is room. `also` runs in the same
 * transaction, with the ids of those that are new.
 */
export async function keepEvents(
  storage: InboxStorage,
  rows: readonly InboxRow[],
  room: InboxRoom,
  also: (tx: Query, added: ReadonlySet<string>) => Promise<void> = async () => {},
): Promise<Admission> {
  const keep = async (tx: Query) => {
    const admission = await keepEventsIn(tx, storage.tables, rows, room);
    await also(tx, admission.added);
    return admission;
  };
  if (storage.dialect === "postgres" && rows.length <= ampleRoom / 20) {
    const kept = await storage.transact(
      async (tx) => {
        const isAmple = room.isAmple(await countOpen(tx, storage.tables), ampleRoom);
        return isAmple ? keep(tx) : undefined;
      },
      // Keys are unique by their index, so only the bound needs an exact count.
      { isolation: "read committed" },
    );
    if (kept !== undefined) return kept;
  }
  return storage.transact(keep);
}

/** Does the same within the caller's transaction. Ring the bell after the commit. */
export async function keepEventsIn(
  tx: Query,
  tables: InboxTables,
  rows: readonly InboxRow[],
  room: InboxRoom,
): Promise<Admission> {
  const { inbound } = tables;
  const known = new Set<string>();
  const added = new Set<string>();
  for (const [accountId, ofAccount] of Map.groupBy(rows, (row) => row.accountId)) {
    const admission = await admitNew(ofAccount, {
      keyOf: ({ dedupeKey }) => dedupeKey,
      async findKnown(keys) {
        const knownRows = await knownKeys(tx, tables).execute({ accountId, keys: JSON.stringify(keys) });
        return knownRows.map(({ dedupeKey }) => dedupeKey);
      },
      countRoom: (wanted) => room.take(tx, ofAccount[0]?.tenantId ?? "", wanted),
      async add(some) {
        const ids =
          some.length === 1
            ? await addEvent(tx, tables).execute({ ...some[0] })
            : await tx
                .insert(inbound)
                .values([...some])
                .onConflictDoNothing()
                .returning({ id: inbound.id });
        const stored = new Set(ids.map(({ id }) => id));
        // A delivery that came at the same time stored the others.
        for (const { id, dedupeKey } of some) if (!stored.has(id)) known.add(`${accountId}:${dedupeKey}`);
        return [...stored];
      },
    });
    for (const key of admission.known) known.add(`${accountId}:${key}`);
    for (const id of admission.added) added.add(id);
  }
  return { known, added };
}

const knownKeys = statement((tx: Query, { inbound }: InboxTables) => {
  const keys = jsonRows(inbound, "keys");
  return tx
    .select({ dedupeKey: inbound.dedupeKey })
    .from(inbound)
    .where(
      and(
        sql`${inbound.accountId} = ${sql.placeholder("accountId")}`,
        sql`${inbound.dedupeKey} in (select ${keys.self} from ${keys.from})`,
      ),
    )
    .prepare("known_event_keys");
});

/** Most deliveries have one event. */
const addEvent = statement((tx: Query, { inbound }: InboxTables) =>
  tx
    .insert(inbound)
    .values(boundRow(inbound))
    .onConflictDoNothing()
    .returning({ id: inbound.id })
    .prepare("add_event"),
);
