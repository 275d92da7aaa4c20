import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { isTry } from "./claim-events.ts";
import type { InboundRow } from "./event-row.ts";

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
  tables: GatewayTables,
  row: InboundRow,
  { outcome, conversationId, invocationId, isParked = false }: Closing,
  now: Date,
): Promise<void> {
  const closed = await tx
    .update(tables.inbound)
    .set({
      state: isParked ? "parked" : "done",
      outcome,
      ...(conversationId !== undefined && { conversationId }),
      ...(invocationId !== undefined && { invocationId }),
      ...(isParked && { tries: row.tries + 1 }),
      lane: null,
      plan: null,
      owner: null,
      attemptId: null,
      leaseUntil: null,
      closedAt: now,
    })
    .where(isTry(tables, row))
    .returning({ id: tables.inbound.id });
  if (closed.length === 0) throw leaseLost();
}

export const leaseLost = () =>
  new AppError("conflict", "lease_lost", "The event is no longer this process's to work on.");

export const isLeaseLost = (thrown: unknown) => thrown instanceof AppError && thrown.code === "lease_lost";
