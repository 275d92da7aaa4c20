import { and, eq, inArray, isNull, lt, or } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { OutboxRow } from "./claim-messages.ts";
import type { OutboxEffect, OutboxState, OutboxTransition } from "./outbox-step.ts";

/** A transition of one row. */
export interface Settlement {
  row: OutboxRow;
  transition: OutboxTransition;
  /** The provider's id, if it accepted the message. */
  channelMessageId?: string | undefined;
  partsDone?: number | undefined;
}

/** The state that a row's transitions begin with. */
export const stateOf = ({
  status,
  attempts,
  unknowns,
  isUnsettled,
  lastError,
  dueAt,
  waitingSince,
  expiresAt,
}: OutboxRow): OutboxState => ({
  status,
  attempts,
  unknowns,
  isUnsettled,
  lastError,
  dueAt,
  waitingSince,
  expiresAt,
});

/**
 * Stores transitions in one transaction. A row that is no longer in the state and try that its transition began with stays as it is: its
 * process was too late. Returns the ids of the stored ones.
 */
export function settleMessages(
  storage: GatewayStorage,
  settlements: readonly Settlement[],
  now: Date,
): Promise<string[]> {
  const store = async (tx: Query) => {
    const settled: string[] = [];
    for (const settlement of settlements) {
      if (!(await settleOne(tx, storage.tables, settlement, now))) continue;
      settled.push(settlement.row.id);
      for (const effect of settlement.transition.effects) {
        await applyEffect(tx, storage.tables, settlement.row, effect);
      }
    }
    return settled;
  };
  // Each statement names all that it relies on.
  return storage.transact(store, { isolation: "read committed" });
}

async function settleOne(
  tx: Query,
  { outbox }: GatewayTables,
  { row, transition: { state }, channelMessageId, partsDone }: Settlement,
  now: Date,
): Promise<boolean> {
  const isOpen = state.status === "pending" || state.status === "sending";
  const changed = await tx
    .update(outbox)
    .set({
      ...state,
      lane: isOpen ? laneOf(row) : null,
      owner: null,
      attemptId: null,
      leaseUntil: null,
      ...(state.status === "sent" && row.sentAt === null && { sentAt: now }),
      ...(channelMessageId !== undefined && { channelMessageId }),
      ...(partsDone !== undefined && { partsDone }),
    })
    .where(
      and(
        eq(outbox.tenantId, row.tenantId),
        eq(outbox.id, row.id),
        eq(outbox.status, row.status),
        row.attemptId === null ? isNull(outbox.attemptId) : eq(outbox.attemptId, row.attemptId),
        row.owner === null ? isNull(outbox.owner) : eq(outbox.owner, row.owner),
      ),
    )
    .returning({ id: outbox.id });
  return changed.length > 0;
}

async function applyEffect(
  tx: Query,
  { accounts }: GatewayTables,
  { tenantId, accountId }: OutboxRow,
  effect: OutboxEffect,
): Promise<void> {
  const isAccount = and(eq(accounts.tenantId, tenantId), eq(accounts.id, accountId));
  if (effect.type === "pause_account") {
    await tx
      .update(accounts)
      .set({ pausedReason: effect.reason })
      .where(and(isAccount, isNull(accounts.pausedReason)));
  } else {
    await tx
      .update(accounts)
      .set({ quietUntil: effect.until })
      .where(and(isAccount, or(isNull(accounts.quietUntil), lt(accounts.quietUntil, effect.until))));
  }
}

/** Messages of one lane are sent in order. What is forwarded to a callback holds up nothing that is sent to the user. */
export const laneOf = ({
  accountId,
  recipient,
  source,
}: Pick<OutboxRow, "accountId" | "recipient" | "source">): string =>
  source === "inbound_forward" ? `forward:${accountId}:${recipient}` : `${accountId}:${recipient}`;

/** Reads one row. */
export async function findMessage(
  { read, tables: { outbox } }: GatewayStorage,
  id: string,
): Promise<OutboxRow | undefined> {
  const [row] = await read
    .select()
    .from(outbox)
    .where(inArray(outbox.id, [id]));
  return row;
}
