import { and, eq, sql } from "drizzle-orm";
import { batches } from "../../kit/batches.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import { expiredMessages, overdueMessages, unsettledMessages } from "./claim-messages.ts";
import type { MessageSender } from "./message-sender.ts";
import { listenMs, type OutboxInput, replyHoldMs, step } from "./outbox-step.ts";
import type { OutboxStorage } from "./schema.ts";
import { isForwarded, type SettlePorts, settleMessages, stateOf } from "./settle-messages.ts";

export interface SweepPorts extends SettlePorts {
  clock: Clock;
  sender: Pick<MessageSender, "hasReceipts">;
  log: Logger;
  /** Id of this process in leases. */
  owner: string;
}

const together = 500;

/**
 * Gives back messages whose process died while it sent them, fails those that are too old, and lets replies pass messages that have failed
 * for 15 minutes. Several processes may sweep at once: each row changes once.
 */
export async function sweepOutbox(ports: SweepPorts): Promise<number> {
  const { storage, sender, clock, log, owner } = ports;
  let swept = 0;
  for (;;) {
    const now = clock.now();
    const interrupted = (await expiredMessages(storage, owner, together)).map((row) => {
      // A callback may get a message twice, but no message may be lost: like one with receipts, it is tried again.
      const hasReceipts = isForwarded(row.source) || sender.hasReceipts(row.channel);
      const input: OutboxInput = { type: "lease_expired", hasReceipts };
      return { row, transition: step(stateOf(row), input, now) };
    });
    const overdue = (await overdueMessages(storage, now, together)).map((row) => {
      return { row, transition: step(stateOf(row), { type: "looked_at" }, now) };
    });
    const settled = await settleMessages(ports, [...interrupted, ...overdue], now);
    swept += settled.length;
    if (interrupted.length > 0) log.warn("outbox.interrupted", { messages: interrupted.length });
    if (overdue.length > 0) log.warn("outbox.expired", { messages: overdue.length });
    if (settled.length === 0 || (interrupted.length < together && overdue.length < together)) break;
  }
  await readyReplies(storage, clock.now());
  return swept;
}

/** Begins the wait for receipts again: while no process ran, none could come. */
export async function awaitReceipts(ports: SettlePorts & { clock: Clock }): Promise<void> {
  const { storage, clock } = ports;
  const now = clock.now();
  const rows = await unsettledMessages(storage, new Date(now.getTime() - listenMs));
  const longer = rows.flatMap((row) => {
    const before = stateOf(row);
    const transition = step(before, { type: "listened" }, now);
    return transition.state === before ? [] : [{ row, transition }];
  });
  for (const some of batches(longer, together)) await settleMessages(ports, some, now);
}

/** A reply behind a message that has waited for too long is looked at for claims. The claim itself checks the order. */
async function readyReplies({ transact, tables: { outbox } }: OutboxStorage, now: Date): Promise<void> {
  const heldSince = new Date(now.getTime() - replyHoldMs);
  const holding = sql`(select head.lane from ${outbox} as head where head.lane is not null and head.waiting_since is not null and head.status = 'pending' and head.waiting_since <= ${sql.param(heldSince, outbox.waitingSince)})`;
  await transact(
    (tx) =>
      tx
        .update(outbox)
        .set({ isReady: true })
        .where(
          and(
            eq(outbox.status, "pending"),
            eq(outbox.isReady, false),
            eq(outbox.source, "agent_reply"),
            sql`${outbox.lane} in ${holding}`,
          ),
        )
        .returning({ id: outbox.id }),
    { isolation: "read committed" },
  );
}
