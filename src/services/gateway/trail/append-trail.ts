import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { TrailEventName } from "../../../contracts/gateway/trail.ts";
import { batches } from "../../../kit/batches.ts";
import { countSteps, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
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
  { trail }: TrailTables,
  newId: NewId,
  entries: readonly TrailEntry[],
): Promise<void> {
  for (const some of batches(entries, entriesPerInsert)) {
    await tx.insert(trail).values(
      some.map(({ address = null, channelMessageId = null, relatedId = null, details = {}, ...entry }) => ({
        ...entry,
        id: newId(),
        address,
        channelMessageId,
        relatedId,
        details,
      })),
    );
    if (countSteps(some.length * stepsPerEntry) && some.length === entriesPerInsert) await othersTurn();
  }
}

/** A statement has a bound of parameters, and building it takes time. A delivery may repeat 10,000 messages. */
const entriesPerInsert = 200;
/** Inserting an entry takes up to 50 µs. */
const stepsPerEntry = 2500;
