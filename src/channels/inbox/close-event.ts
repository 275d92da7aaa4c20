import { sql } from "drizzle-orm";
import { AppError } from "../../kit/app-error.ts";
import { boundValue, statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import { isBoundTry, tryOf } from "./claim-events.ts";
import type { InboxRow, InboxTables } from "./schema.ts";

/** What became of an event. */
export interface Closing {
  outcome: string;
  conversationId?: string | undefined;
  invocationId?: string | undefined;
  /** True after too many failed tries. */
  isParked?: boolean;
}

/**
 * Closes an event within the transaction that stores all its effects. Throws `lease_lost` if another try has it: then nothing of the
 * transaction is stored, so an event has its effects once.
 */
export async function closeEvent(
  tx: Query,
  tables: InboxTables,
  row: InboxRow,
  { outcome, conversationId, invocationId, isParked = false }: Closing,
  now: Date,
): Promise<void> {
  const closed = await closing(tx, tables).execute({
    ...tryOf(row),
    state: isParked ? "parked" : "done",
    outcome,
    conversationId: conversationId ?? null,
    invocationId: invocationId ?? null,
    failed: isParked ? 1 : 0,
    closedAt: now,
  });
  if (closed.length === 0) throw leaseLost();
}

const closing = statement((tx: Query, tables: InboxTables) => {
  const { inbound } = tables;
  return tx
    .update(inbound)
    .set({
      state: sql`${boundValue(inbound.state, "state")}`,
      outcome: sql`${boundValue(inbound.outcome, "outcome")}`,
      conversationId: sql`coalesce(${boundValue(inbound.conversationId, "conversationId")}, ${inbound.conversationId})`,
      invocationId: sql`coalesce(${boundValue(inbound.invocationId, "invocationId")}, ${inbound.invocationId})`,
      tries: sql`${inbound.tries} + ${boundValue(inbound.tries, "failed")}`,
      lane: null,
      plan: null,
      owner: null,
      attemptId: null,
      leaseUntil: null,
      closedAt: sql`${boundValue(inbound.closedAt, "closedAt")}`,
    })
    .where(isBoundTry(tables))
    .returning({ id: inbound.id })
    .prepare("close_event");
});

export const leaseLost = () =>
  new AppError("conflict", "lease_lost", "The event is no longer this process's to work on.");

export const isLeaseLost = (thrown: unknown) => thrown instanceof AppError && thrown.code === "lease_lost";
