import { closeDue } from "../../src/services/platform/billing/closing-job.ts";
import { addPlans, basePlanBody, chargeRun, plan, subscribe, tariff, usageEvent } from "./billing.ts";
import { asOperator, startPlatform } from "./platform.ts";
import type { TestEngine } from "./storage-engines.ts";

const dayMs = 86_400_000;
const credit = 1_000_000;

/** A month with a trial, a top-up, a voided event, an adjustment and a refund, closed and invoiced. */
export async function invoicedMonth(engine: TestEngine) {
  const platform = await startPlatform(engine);
  const admin = (method: string, path: string, body?: unknown) =>
    platform.call(method, `/api/v1/admin${path}`, {
      headers: asOperator,
      ...(body === undefined ? {} : { body }),
    });
  await addPlans(platform, plan(), basePlanBody({ included_credits_micros: 5 * credit }));
  await admin("POST", "/tariffs", tariff({ credits_per_1k_in_micros: credit }));
  const tenant = await platform.tenant();
  await admin("PUT", `/tenants/${tenant.id}/plan`, { plan_id: "base_pro" });
  const { id } = await subscribe(platform, tenant, { desde: "2026-03-10" });
  const report = (event_id: string, cantidad: number) =>
    platform.call("POST", "/api/v1/usage/events", {
      headers: tenant.asProgram,
      body: usageEvent(platform, { id }, { event_id, cantidad }),
    });
  const grants = `/tenants/${tenant.id}/grants`;
  const expires_at = "2026-03-20T00:00:00Z";
  await admin("POST", grants, { credits_micros: 4 * credit, reason: "trial", expires_at });
  await chargeRun(platform, tenant.id, { tokens: 7_000 });
  await report("real", 25);
  await report("wrong", 4000);
  await admin("POST", `/subscriptions/${id}/usage-events/void`, { event_id: "wrong", reason: "test" });
  await platform.clock.advance(11 * dayMs);
  await chargeRun(platform, tenant.id, { tokens: 3_333 });
  const topUp = { credits_micros: 6 * credit, reason: "top-up", price_micros: 9_999_999 };
  await admin("POST", grants, topUp);
  await chargeRun(platform, tenant.id, { tokens: 5_000 });
  await chargeRun(platform, tenant.id, { tokens: 1_500, subscriptionId: id });
  const adjustments = `/tenants/${tenant.id}/adjustments`;
  await admin("POST", adjustments, { amount_micros: 12_345_678, reason: "set-up" });
  await admin("POST", adjustments, { amount_micros: -4_000_001, reason: "refund", reference: "T-9" });
  await platform.clock.advance(13 * dayMs);
  await closeDue(platform.deps);
  await admin("PUT", "/invoice-settings", {
    seller: { name: "Argo", address: "", tax_id: "", email: "", payment: "" },
    invoice_range: "INV-",
    credit_note_range: "CN-",
    due_days: 30,
  });
  await admin("PUT", `/tenants/${tenant.id}/invoice-customer`, {
    customer: { name: "Ada Ltd", address: "", tax_id: "", email: "" },
    taxes: [{ name: "VAT", rate_ppm: 210_000 }],
    due_days: null,
    note: "",
  });
  const run = await admin("POST", "/invoices", { period: "2026-03" });
  return { platform, admin, tenant, invoiceId: run.body.created[0].id as string };
}

/**
 * The same month by hand, in micros: 22 of 31 days of both plans at 31.00. Of 15.333 credits of the base plan, 5 are included and 2 are of the
 * trial; 3.333 were used after its end and before the top-up, which pays 5 of its 6 credits. Of 1.5 credits of the subscription, 1 is
 * included, and the top-up pays 0.5.
 */
export const monthByHand = (() => {
  const cents = (micros: bigint) => ((micros + 5_000n) / 10_000n) * 10_000n;
  const amounts = {
    cuota: (31_000_000n * 22n) / 31n,
    activacion: 5_000_000n,
    excedente_unidad: 15n * 50_000n,
    creditos_extra: (3_333_000n * 2_000_000n) / 1_000_000n,
    recarga: 9_999_999n,
    ajuste: [12_345_678n, -4_000_001n],
  };
  const { cuota, activacion, excedente_unidad, creditos_extra, recarga, ajuste } = amounts;
  const subtotal =
    2n * cuota +
    activacion +
    excedente_unidad +
    creditos_extra +
    recarga +
    (ajuste[0] ?? 0n) +
    (ajuste[1] ?? 0n);
  const net = cents(subtotal);
  const tax = cents((net * 210_000n) / 1_000_000n);
  return { ...amounts, subtotal, net, tax, total: net + tax };
})();

/** Formats micros in US dollars with at least two decimals. */
export function dollars(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(7, "0");
  const part = digits.slice(-6);
  const decimals = part.slice(0, 2) + part.slice(2).replace(/0+$/, "");
  return `${micros < 0n ? "-" : ""}$${digits.slice(0, -6)}.${decimals}`;
}
