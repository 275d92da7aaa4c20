import { eq } from "drizzle-orm";
import type { NoticeEvent } from "../../../src/contracts/platform/notices.ts";
import { newId } from "../../../src/kit/id.ts";
import { installation } from "../../../src/services/platform/notices/schema.ts";
import type { TestPlatform, TestTenant } from "../../support/platform.ts";

/** Ids of a tenant's invoices, notices and reported usage. */
export interface Bills {
  invoice: string;
  /** An open invoice beside it, for what can be done once. */
  openInvoice: string;
  webhook: string;
  /** A notice address of the operators. */
  operatorWebhook: string;
  usageEvent: string;
}

/** Creates one bill of each kind; `secret` is a text that only the tenant and the operators may read. */
export async function addBills(
  platform: TestPlatform,
  { owner, subscription, secret }: { owner: TestTenant; subscription: string; secret: string },
): Promise<Bills> {
  const hook = { url: `https://hooks.example.com/${secret}`, events: ["credits.80" as const] };
  return {
    invoice: await addInvoice(platform, owner.id, { month: "2026-01", secret }),
    openInvoice: await addInvoice(platform, owner.id, { month: "2025-12", secret }),
    webhook: await addWebhook(platform, owner.id, hook),
    operatorWebhook: await addWebhook(platform, installation, hook),
    usageEvent: await addUsageEvent(platform, owner.id, subscription),
  };
}

/** Returns ids of the same form that nothing has. */
export const noBills = (): Bills => ({
  invoice: newId(),
  openInvoice: newId(),
  webhook: newId(),
  operatorWebhook: newId(),
  usageEvent: newId(),
});

async function addInvoice(
  { deps: { storage, clock } }: TestPlatform,
  tenantId: string,
  { month, secret }: { month: string; secret: string },
): Promise<string> {
  const { invoices, invoiceStates } = storage.tables;
  const [id, now] = [newId(), clock.now()];
  const party = { name: secret, address: "", tax_id: "", email: "" };
  const of = { tenantId, id, kind: "invoice" as const, month };
  await storage.transact(async (tx) => {
    await tx.insert(invoices).values({
      ...of,
      range: `${tenantId} `,
      number: Number(month.replace("-", "")),
      issuedOn: "2026-02-03",
      dueOn: "2026-03-03",
      subtotalMicros: 9_000_000_000,
      netMicros: 9_000_000_000,
      taxMicros: 0,
      totalMicros: 9_000_000_000,
      invoiceId: null,
      content: {
        seller: { ...party, payment: "" },
        customer: party,
        note: "",
        reason: null,
        taxes: [],
        lines: [
          {
            type: "ajuste",
            description: secret,
            quantity: 1,
            unit_price_micros: 9_000_000_000,
            amount_micros: 9_000_000_000,
            subscription_id: null,
          },
        ],
      },
      createdBy: "operator",
      createdAt: now,
    });
    await tx.insert(invoiceStates).values({ ...of, status: "open", paidOn: null, changedAt: now });
  });
  return id;
}

/** Replaces the owner's webhooks: those of the operators are shared by all worlds, and their number has a limit. */
async function addWebhook(
  { deps: { storage, clock } }: TestPlatform,
  tenantId: string,
  hook: { url: string; events: NoticeEvent[] },
): Promise<string> {
  const id = newId();
  const row = { ...hook, id, tenantId, secret: "sealed", createdBy: "operator", createdAt: clock.now() };
  const { accounts } = storage.tables;
  await storage.transact(async (tx) => {
    await tx.delete(accounts).where(eq(accounts.tenantId, tenantId));
    await tx.insert(accounts).values({ ...row, pausedReason: null, quietUntil: null });
  });
  return id;
}

async function addUsageEvent(
  { deps: { storage, clock } }: TestPlatform,
  tenantId: string,
  subscriptionId: string,
): Promise<string> {
  const { usageEvents, usageCounters } = storage.tables;
  const [eventId, now] = [newId(), clock.now()];
  const of = { tenantId, subscriptionId, unidad: "legal.case", cantidad: 1, month: "2026-03" };
  await storage.transact(async (tx) => {
    await tx.insert(usageEvents).values({ ...of, eventId, ocurridoEn: now, receivedAt: now });
    await tx.insert(usageCounters).values(of);
  });
  return eventId;
}
