import { and, eq, inArray, notLike, sql } from "drizzle-orm";
import { openStates } from "../../../channels/inbox/inbound-depth.ts";
import { countWaiting } from "../../../channels/outbox/outbox-depth.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { ChannelTables } from "./schema.ts";

/** Counts the messages that wait for an answer, and the answers that are not sent yet. Messages whose runs wait for a person don't count. */
export async function countUnanswered(query: ReadQuery, tables: ChannelTables): Promise<number> {
  const { inbound } = tables;
  const [row] = await query
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(inbound)
    .where(
      and(
        inArray(inbound.state, [...openStates]),
        eq(inbound.kind, "message"),
        notLike(inbound.lane, "aside:%"),
      ),
    );
  return (row?.count ?? 0) + (await countWaiting(query, tables));
}
