import { and, desc, eq, ne, or, sql } from "drizzle-orm";
import { laneOf } from "../../../channels/inbox/event-row.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Ends of a message that a person held, or whose answer was held back when they took over. */
const held: ReadonlySet<string> = new Set(["human", "answered", "fallback"]);

/**
 * Lets a conversation's last message be answered after a person released it, if it is the user's: nobody else would answer it. Messages that
 * were never sent do not count. Returns true if it is queued.
 */
export async function reopenLast(
  tx: Query,
  { conversationMessages: messages, inbound, outbox }: GatewayTables,
  { tenantId, id }: { tenantId: string; id: string },
  now: Date,
): Promise<boolean> {
  const [last] = await tx
    .select({ id: messages.id, direction: messages.direction })
    .from(messages)
    .leftJoin(outbox, eq(outbox.id, messages.id))
    .where(
      and(
        eq(messages.tenantId, tenantId),
        eq(messages.conversationId, id),
        or(sql`${outbox.status} is null`, ne(outbox.status, "failed")),
      ),
    )
    .orderBy(desc(messages.at), desc(messages.id))
    .limit(1);
  if (last?.direction !== "inbound") return false;
  const find = async (id: string) =>
    (
      await tx
        .select()
        .from(inbound)
        .where(and(eq(inbound.tenantId, tenantId), eq(inbound.id, id)))
    )[0];
  const found = await find(last.id);
  // One that was joined with others is answered with them.
  const head = found?.outcome === "joined" ? found.event.joinedTo : undefined;
  const row = typeof head === "string" ? await find(head) : found;
  if (row?.kind !== "message" || row.state !== "done" || !held.has(row.outcome ?? "")) return false;
  const queued = await tx
    .update(inbound)
    .set({
      state: "waiting",
      tries: 0,
      interruptions: 0,
      dueAt: now,
      lane: laneOf(row),
      outcome: null,
      closedAt: null,
    })
    .where(and(eq(inbound.tenantId, tenantId), eq(inbound.id, row.id), eq(inbound.state, "done")))
    .returning({ id: inbound.id });
  return queued.length > 0;
}
