import { expect, test } from "bun:test";
import type { InvoiceSummary } from "../../../../src/contracts/platform/billing/invoices.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { issueInvoice } from "../../../../src/services/platform/invoices/issue-invoice.ts";
import { addPlans, basePlanBody, plan } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;
const period = "2026-03";

const settings = {
  seller: {
    name: "Argo <Ltd>",
    address: "1 Quay\nPort",
    tax_id: "ES123",
    email: "bills@example.com",
    payment: "IBAN ES00",
  },
  invoice_range: "INV-{year}-",
  credit_note_range: "CN-",
  due_days: 14,
};

const customer = {
  customer: { name: "Zażółć & Co", address: "2 Pier", tax_id: "PL1", email: "" },
  taxes: [{ name: "VAT", rate_ppm: 210_000 }],
  due_days: null,
  note: "Order 7",
};

onEachEngine("invoices", (engine) => {
  const admin = async ({ call }: TestPlatform, method: string, path: string, body?: unknown) =>
    call(method, `/api/v1/admin${path}`, { headers: asOperator, ...(body === undefined ? {} : { body }) });
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), basePlanBody());
    return platform;
  };
  /** A tenant whose March costs `micros`. */
  const charged = async (platform: TestPlatform, micros: number): Promise<TestTenant> => {
    const tenant = await platform.tenant();
    const body = { amount_micros: micros, reason: "work" };
    await admin(platform, "POST", `/tenants/${tenant.id}/adjustments`, body);
    return tenant;
  };
  const close = async (platform: TestPlatform) => {
    await platform.clock.advance(24 * dayMs);
    await closeDue(platform.deps);
  };

  test("a month is invoiced once, with the seller's and the customer's data, taxes and a due date", async () => {
    await using platform = await start();
    const tenant = await charged(platform, 12_345_678);
    const other = await charged(platform, 10_000_000);
    const idle = await platform.tenant();
    expect(await admin(platform, "POST", "/invoices", { period })).toMatchObject({
      body: { created: [], refused: [], left: 0 },
    });
    await close(platform);
    expect(await admin(platform, "POST", "/invoices", { period })).toMatchObject({
      status: 409,
      body: { error: "seller_missing" },
    });
    expect(await admin(platform, "PUT", "/invoice-settings", settings)).toMatchObject({ status: 200 });
    await admin(platform, "PUT", `/tenants/${tenant.id}/invoice-customer`, customer);
    const run = await admin(platform, "POST", "/invoices", { period });
    expect(run.body).toMatchObject({ refused: [], left: 0 });
    const created: InvoiceSummary[] = run.body.created;
    expect(created.map(({ number }) => number)).toEqual(["INV-2026-0001", "INV-2026-0002"]);
    const own = created.find(({ tenant_id }) => tenant_id === tenant.id);
    expect(own).toMatchObject({
      status: "open",
      issued_on: "2026-04-03",
      due_on: "2026-04-17",
      subtotal_micros: 12_345_678,
      rounding_micros: 4_322,
      net_micros: 12_350_000,
      tax_micros: 2_590_000,
      total_micros: 14_940_000,
      balance_micros: 14_940_000,
    });
    const again = await admin(platform, "POST", "/invoices", {
      period,
      tenant_ids: [tenant.id, idle.id, tenant.userId],
    });
    expect(again.body.refused).toMatchObject([
      { id: tenant.id, error: "invoice_exists" },
      { id: idle.id, error: "nothing_to_invoice" },
      { id: tenant.userId, error: "not_found" },
    ]);
    const periods = await admin(platform, "GET", `/billing-periods?tenant_id=${other.id}&period=${period}`);
    expect(periods.body.periods).toMatchObject([{ status: "facturado" }]);
    const full = await admin(platform, "GET", `/invoices/${own?.id}`);
    expect(full.body).toMatchObject({ ...own, seller: settings.seller, customer: customer.customer });
    // A tenant reads its own invoices alone.
    const mine = await platform.call("GET", "/api/v1/invoices", { headers: tenant.asProgram });
    expect(mine.body.invoices).toMatchObject([{ id: own?.id }]);
    const foreign = await platform.call("GET", `/api/v1/invoices/${own?.id}`, { headers: other.asProgram });
    expect(foreign).toMatchObject({ status: 404 });
  });

  test("the page and the CSV have the amounts of the invoice, and the page escapes what people typed", async () => {
    await using platform = await start();
    const tenant = await charged(platform, 12_345_678);
    await close(platform);
    await admin(platform, "PUT", "/invoice-settings", settings);
    await admin(platform, "PUT", `/tenants/${tenant.id}/invoice-customer`, customer);
    const [own] = (await admin(platform, "POST", "/invoices", { period })).body.created;
    const page = await admin(platform, "GET", `/invoices/${own.id}/html`);
    for (const text of [
      "Argo &lt;Ltd&gt;",
      "Zażółć &amp; Co",
      "INV-2026-0001",
      "$12.345678",
      "$0.004322",
      "$12.35",
      "VAT (21 %)",
      "$2.59",
      "$14.94",
      "Order 7",
    ])
      expect(page.text).toContain(text);
    const csv = await admin(platform, "GET", `/invoices?period=${period}&format=csv`);
    const [header = "", line = ""] = csv.text.split("\r\n");
    const row = Object.fromEntries(header.split(",").map((name, index) => [name, line.split(",")[index]]));
    expect(row).toMatchObject({
      number: "INV-2026-0001",
      period,
      currency: "USD",
      tenant_id: tenant.id,
      subtotal: "12.345678",
      rounding: "0.004322",
      net: "12.35",
      tax: "2.59",
      total: "14.94",
      balance: "14.94",
    });
  });

  test("numbers have no gap and no repeat, with many runs at once and failures among them", async () => {
    await using platform = await start();
    const tenants = [];
    for (let index = 0; index < 24; index++) {
      tenants.push(index % 4 === 3 ? await platform.tenant() : await charged(platform, 1_000_000 + index));
    }
    await close(platform);
    await admin(platform, "PUT", "/invoice-settings", settings);
    const operator = { actor: "operator:test" } as Parameters<typeof issueInvoice>[1];
    const issue = ({ id }: TestTenant) =>
      issueInvoice(platform.deps, operator, { tenantId: id, month: period, requestId: "r" }).catch(
        () => undefined,
      );
    // Each month twice at once: one of them is refused.
    await Promise.all([...tenants, ...tenants].map(issue));
    const { invoices } = platform.deps.storage.tables;
    const rows = await platform.deps.storage.read.select().from(invoices);
    const numbers = rows.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 18 }, (_, index) => index + 1));
    expect(new Set(rows.map(({ tenantId }) => tenantId)).size).toBe(18);
  });

  test("invoices are paid in bulk, overdue after their due date, and paid only once", async () => {
    await using platform = await start();
    await charged(platform, 5_000_000);
    await charged(platform, 7_000_000);
    await close(platform);
    await admin(platform, "PUT", "/invoice-settings", settings);
    const created: InvoiceSummary[] = (await admin(platform, "POST", "/invoices", { period })).body.created;
    const [one, two] = created;
    const mark = (body: unknown) => admin(platform, "POST", "/invoices/paid", body);
    expect(await mark({ ids: [one?.id], paid_on: "2026-04-09" })).toMatchObject({ status: 400 });
    const marks = await mark({ ids: [one?.id, "00000000-0000-7000-8000-000000000000"] });
    expect(marks.body).toMatchObject({
      paid: [{ id: one?.id, status: "paid", paid_on: "2026-04-03", balance_micros: 0 }],
      refused: [{ error: "not_found" }],
    });
    expect((await mark({ ids: [one?.id] })).body.refused).toMatchObject([{ error: "invoice_paid" }]);
    await platform.clock.advance(14 * dayMs);
    const overdue = () => admin(platform, "GET", "/invoices?overdue=true");
    expect((await overdue()).body.invoices).toEqual([]);
    await platform.clock.advance(dayMs);
    expect((await overdue()).body).toMatchObject({
      invoices: [{ id: two?.id, overdue: true }],
      totals: { count: 1, total_micros: two?.total_micros, balance_micros: two?.total_micros },
    });
  });

  test("credit notes never exceed the invoice and leave nothing by rounding; a void month is invoiced anew", async () => {
    await using platform = await start();
    const tenant = await charged(platform, 10_000_000);
    await close(platform);
    await admin(platform, "PUT", "/invoice-settings", settings);
    await admin(platform, "PUT", `/tenants/${tenant.id}/invoice-customer`, {
      ...customer,
      taxes: [{ name: "VAT", rate_ppm: 33_333 }],
    });
    const [own] = (await admin(platform, "POST", "/invoices", { period })).body.created;
    const credit = (net_micros: number) =>
      admin(platform, "POST", `/invoices/${own.id}/credit-notes`, { net_micros, reason: "outage" });
    expect(await credit(15_000)).toMatchObject({ status: 400 });
    expect(await credit(10_010_000)).toMatchObject({
      status: 409,
      body: { error: "credit_exceeds_invoice" },
    });
    for (const net of [3_330_000, 3_330_000]) expect(await credit(net)).toMatchObject({ status: 201 });
    const voided = await admin(platform, "POST", `/invoices/${own.id}/void`, { reason: "wrong customer" });
    expect(voided.body).toMatchObject({
      kind: "credit_note",
      number: "CN-0003",
      net_micros: -3_340_000,
      credits_invoice: own.number,
    });
    const listed = await admin(platform, "GET", `/invoices?period=${period}`);
    expect(listed.body.totals).toMatchObject({ count: 4, net_micros: 0, tax_micros: 0, total_micros: 0 });
    expect(await credit(10_000)).toMatchObject({ status: 409, body: { error: "invoice_void" } });
    const again = await admin(platform, "POST", "/invoices", { period });
    expect(again.body.created).toMatchObject([{ number: "INV-2026-0002", total_micros: own.total_micros }]);
    const note = await admin(platform, "POST", `/invoices/${voided.body.id}/void`, { reason: "no" });
    expect(note).toMatchObject({ status: 409, body: { error: "is_credit_note" } });
  });

  test("what is not valid is 400, an unknown invoice or tenant is 404", async () => {
    await using platform = await start();
    const { id } = await platform.tenant();
    for (const [path, body] of [
      ["/invoice-settings", { ...settings, due_days: -1 }],
      ["/invoice-settings", { ...settings, credit_note_range: settings.invoice_range }],
      ["/invoice-settings", { ...settings, invoice_range: "a b" }],
      [`/tenants/${id}/invoice-customer`, { ...customer, taxes: [{ name: "VAT", rate_ppm: 1.5 }] }],
      [`/tenants/${id}/invoice-customer`, { ...customer, more: 1 }],
    ] as const)
      expect(await admin(platform, "PUT", path, body)).toMatchObject({ status: 400 });
    const unknown = "00000000-0000-7000-8000-000000000000";
    for (const path of [
      `/invoices/${unknown}`,
      `/invoices/${unknown}/html`,
      `/tenants/${unknown}/invoice-customer`,
    ])
      expect(await admin(platform, "GET", path)).toMatchObject({ status: 404 });
    expect(await admin(platform, "POST", `/invoices/${unknown}/void`, { reason: "r" })).toMatchObject({
      status: 404,
    });
  });
});
