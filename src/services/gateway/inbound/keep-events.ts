import { and, sql } from "drizzle-orm";
import { type Admission, admitNew } from "../../../channels/inbox/admit-new.ts";
import { jsonRows } from "../../../storage/json-rows.ts";
import { boundRow, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { InboundRow } from "./event-row.ts";
import { countOpen, type InboundRoom } from "./inbound-room.ts";

/** Room at which deliveries that come at the same time can't fill the queue together. */
const ampleRoom = 2_000;

/** Stores the new events of one delivery in one transaction, those of each account in order, while there is room. */
export async function keepEvents(
  storage: GatewayStorage,
  rows: readonly InboundRow[],
  room: InboundRoom,
): Promise<Admission> {
  if (storage.dialect === "postgres" && rows.length <= ampleRoom / 20) {
    const kept = await storage.transact(
      async (tx) => {
        const isAmple = room.isAmple(await countOpen(tx, storage.tables), ampleRoom);
        return isAmple ? keepEventsIn(tx, storage.tables, rows, room) : undefined;
      },
      // Keys are unique by their index, so only the bound needs an exact count.
      { isolation: "read committed" },
    );
    if (kept !== undefined) return kept;
  }
  return storage.transact((tx) => keepEventsIn(tx, storage.tables, rows, room));
}

/** Does the same within the caller's transaction. Ring the bell after the commit. */
export async function keepEventsIn(
  tx: Query,
  tables: GatewayTables,
  rows: readonly InboundRow[],
  room: InboundRoom,
): Promise<Admission> {
  const { inbound } = tables;
  const known = new Set<string>();
  const added = new Set<string>();
  for (const [accountId, ofAccount] of Map.groupBy(rows, (row) => row.accountId)) {
    const admission = await admitNew(ofAccount, {
      keyOf: ({ dedupeKey }) => dedupeKey,
      async findKnown(keys) {
        const found = await knownKeys(tx, tables).execute({ accountId, keys: JSON.stringify(keys) });
        return found.map(({ dedupeKey }) => dedupeKey);
      },
      countRoom: (wanted) => room.take(tx, tables, ofAccount[0]?.tenantId ?? "", wanted),
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

const knownKeys = statement((tx: Query, { inbound }: GatewayTables) => {
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
const addEvent = statement((tx: Query, { inbound }: GatewayTables) =>
  tx
    .insert(inbound)
    .values(boundRow(inbound))
    .onConflictDoNothing()
    .returning({ id: inbound.id })
    .prepare("add_event"),
);
