import { and, eq } from "drizzle-orm";
import type { BillingPeriod } from "../../../contracts/platform/billing/billing.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Operator } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { presentPeriods } from "./list-periods.ts";

/**
 * Marks a closed period as invoiced, once. Throws 409 `period_open` if it is still open, 409 `already_facturado` if it is already marked.
 */
export async function markFacturado(
  { storage, clock, newId }: StoreDeps,
  { actor }: Operator,
  { id, requestId }: { id: string; requestId: string },
): Promise<BillingPeriod> {
  const { tables } = storage;
  const { billingPeriods } = tables;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const [marked] = await tx
        .update(billingPeriods)
        .set({ status: "facturado", facturadoAt: now })
        .where(and(eq(billingPeriods.id, id), eq(billingPeriods.status, "closed")))
        .returning();
      if (marked === undefined) {
        const [row] = await tx.select().from(billingPeriods).where(eq(billingPeriods.id, id));
        throw refusalOf(row?.status);
      }
      const { tenantId, month } = marked;
      const [presented] = await presentPeriods(tx, tables, [marked]);
      if (presented === undefined) throw new Error("The period vanished while it was marked.");
      const entry = {
        actor,
        action: "period.facturado",
        ownerId: tenantId,
        subject: id,
        detail: { month, amount_micros: presented.amount_micros },
        requestId,
      };
      await writeAudit({ storage, newId }, tx, now, entry);
      return presented;
    },
    { isolation: "read committed" },
  );
}

function refusalOf(status: string | undefined): AppError {
  if (status === undefined) return new AppError("not_found", "not_found", "There is no such period.");
  if (status === "open") return new AppError("conflict", "period_open", "The period is not closed yet.");
  return new AppError("conflict", "already_facturado", "The period is already marked as invoiced.");
}
