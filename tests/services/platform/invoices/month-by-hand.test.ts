import { expect, test } from "bun:test";
import type { StatementCharge } from "../../../../src/contracts/platform/billing/billing.ts";
import { dollars, invoicedMonth, monthByHand } from "../../../support/invoiced-month.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("a month computed by hand", (engine) => {
  test("has the same amounts in the statement, its CSV, the invoice, its page and the list's CSV", async () => {
    const { platform, admin, tenant, invoiceId } = await invoicedMonth(engine);
    await using _ = platform;
    const { cuota, activacion, excedente_unidad, creditos_extra, recarga, ajuste } = monthByHand;
    const expected = [cuota, cuota, activacion, excedente_unidad, creditos_extra, recarga, ...ajuste];
    const sorted = (amounts: readonly (number | bigint)[]) => amounts.map(String).sort();
    const amountsOf = (lines: readonly StatementCharge[]) =>
      sorted(lines.map(({ amount_micros }) => amount_micros));
    const path = `/tenants/${tenant.id}/statement`;
    const { body: statement } = await admin("GET", `${path}?period=2026-03`);
    expect(statement.provisional).toBe(false);
    expect(amountsOf(statement.charges)).toEqual(sorted(expected));
    expect(BigInt(statement.total_micros)).toBe(monthByHand.subtotal);
    expect(statement.credits.grants).toMatchObject([
      { reason: "trial", used_micros: 2_000_000, expired_micros: 2_000_000 },
      { reason: "top-up", used_micros: 5_500_000, left_micros: 500_000 },
    ]);
    const csv = (await admin("GET", `${path}.csv?period=2026-03`)).text;
    for (const amount of expected) expect(csv).toContain(`,${amount},`);

    const { body: invoice } = await admin("GET", `/invoices/${invoiceId}`);
    expect(amountsOf(invoice.lines)).toEqual(sorted(expected));
    const { subtotal, net, tax, total } = monthByHand;
    const sums = [invoice.subtotal_micros, invoice.net_micros, invoice.tax_micros, invoice.total_micros];
    expect(sums.map(BigInt)).toEqual([subtotal, net, tax, total]);
    const page = (await admin("GET", `/invoices/${invoiceId}/html`)).text;
    for (const amount of [...expected, subtotal, net, tax, total]) expect(page).toContain(dollars(amount));
    const list = (await admin("GET", "/invoices?period=2026-03&format=csv")).text;
    expect(list).toContain(`,${Number(net) / 1e6},${Number(tax) / 1e6},${Number(total) / 1e6},`);
  });
});
