import { and, eq } from "drizzle-orm";
import { laneOf } from "../../../channels/inbox/event-row.ts";
import { step } from "../../../channels/inbox/inbound-step.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { RetriedEvent } from "../../../contracts/gateway/inbound.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { appendTrail } from "../trail/append-trail.ts";
import { addressOf } from "../trail/note-inbound.ts";
import type { InboundRow } from "./schema.ts";

export interface RetryEventPorts extends GatewayStoreDeps {
  inboundBell: OutboxBell;
}

/** Queues a parked event again, for operators. Throws 404, or 409 for an event that is not parked. */
export async function retryEvent(ports: RetryEventPorts, id: string): Promise<RetriedEvent> {
  const { storage, clock, newId, inboundBell } = ports;
  const { tables, transact } = storage;
  const { inbound } = tables;
  const now = clock.now();
  await transact(async (tx) => {
    const [row] = await tx.select().from(inbound).where(eq(inbound.id, id));
    if (row === undefined) throw new AppError("not_found", "not_found", `There is no event ${id}.`);
    const { state, tries, interruptions, dueAt } = step(row, { type: "retried" }, now);
    const queued = await tx
      .update(inbound)
      .set({ state, tries, interruptions, dueAt, lane: laneOf(row), outcome: null, closedAt: null })
      .where(and(eq(inbound.tenantId, row.tenantId), eq(inbound.id, id), eq(inbound.state, "parked")))
      .returning({ id: inbound.id });
    if (queued.length === 0)
      throw new AppError(
        "conflict",
        "not_parked",
        `Event ${id} is ${row.state}; only a parked one is retried.`,
      );
    await appendTrail(tx, tables, newId, row.kind === "message" ? [retriedEntry(row, now)] : []);
  });
  inboundBell.ring();
  return { event_id: id, state: "waiting" };
}

const retriedEntry = (row: InboundRow, at: Date) =>
  ({
    messageId: row.id,
    tenantId: row.tenantId,
    accountId: row.accountId,
    channel: row.channel,
    direction: "inbound",
    event: "retried",
    address: addressOf(row),
    at,
  }) as const;
