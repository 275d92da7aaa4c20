import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { statementForm } from "../../../../src/services/platform/billing/answer-statement.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import {
  addPlans,
  basePlanBody,
  chargeRun,
  notOperators,
  plan,
  subscribe,
  tariff,
  usageEvent,
} from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

onEachEngine("statements", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), basePlanBody());
    const body = tariff({ credits_per_1k_in_micros: 1_000_000 });
    await platform.call("POST", "/api/v1/admin/tariffs", { headers: asOperator, body });
    return platform;
  };
  const statement = async ({ call }: TestPlatform, { id }: TestTenant, query = "") =>
    (await call("GET", `/api/v1/admin/tenants/${id}/statement${query}`, { headers: asOperator })).body;
  const send = ({ call }: TestPlatform, { asProgram }: TestTenant, body: unknown) =>
    call("POST", "/api/v1/usage/events", { headers: asProgram, body });
  const givePlan = ({ call }: TestPlatform, { id }: TestTenant, plan_id: string) =>
    call("PUT", `/api/v1/admin/tenants/${id}/plan`, { headers: asOperator, body: { plan_id } });

  test("an open month is what it would cost today; when it is closed it is what was written", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-08" });
    await send(platform, tenant, usageEvent(platform, { id }, { cantidad: 13 }));
    expect(await chargeRun(platform, tenant.id, { tokens: 1500, subscriptionId: id })).toBe(1_500_000);
    expect(await chargeRun(platform, tenant.id, { tokens: 200 })).toBe(200_000);
    const line = (type: string, description: string, quantity: number, price: number, amount: number) => ({
      type,
      description,
      quantity,
      unit_price_micros: price,
      amount_micros: amount,
      subscription_id: id,
    });
    const others = [
      line("activacion", "ERP Pro: activation", 1, 5_000_000, 5_000_000),
      line("excedente_unidad", "erp.docs: 13 used, 10 included", 3, 50_000, 150_000),
      line("creditos_extra", "ERP Pro: credits over those included", 500_000, 2_000_000, 1_000_000),
    ];
    const ofPlan = (plan_id: string, plan_name: string, of: string | null, amounts: number[]) => {
      const [used_micros, included_micros, extra_micros] = amounts;
      return {
        plan_id,
        plan_name,
        subscription_id: of,
        used_micros,
        included_micros,
        granted_micros: 0,
        extra_micros,
      };
    };
    const credits = {
      used_micros: 1_700_000,
      included_micros: 6_000_000,
      granted_micros: 0,
      extra_micros: 500_000,
      grants: [],
      by_plan: [
        ofPlan("plan_free", "Free", null, [200_000, 5_000_000, 0]),
        ofPlan("erp_pro", "ERP Pro", id, [1_500_000, 1_000_000, 500_000]),
      ],
    };
    const named = { tenant_id: tenant.id, tenant_name: "Ada's", currency: "USD" };
    expect(await statement(platform, tenant)).toEqual({
      ...named,
      period: "2026-03",
      provisional: true,
      charges: [line("cuota", "ERP Pro: 3 of 31 days", 3, 31_000_000, 3_000_000), ...others],
      credits,
      total_micros: 9_150_000,
    });
    await platform.clock.advance(22 * dayMs);
    const whole = [line("cuota", "ERP Pro: 24 of 31 days", 24, 31_000_000, 24_000_000), ...others];
    expect(await statement(platform, tenant, "?period=2026-03")).toMatchObject({
      provisional: true,
      charges: whole,
    });
    await platform.clock.advance(2 * dayMs);
    await closeDue(platform.deps);
    expect(await statement(platform, tenant, "?period=2026-03")).toEqual({
      ...named,
      period: "2026-03",
      provisional: false,
      charges: whole,
      credits,
      total_micros: 30_150_000,
    });
    expect(await statement(platform, tenant)).toMatchObject({ period: "2026-04", provisional: true });
  });

  test("a day's fee is of the base plan at that day's end, and each plan has the credits of its own runs", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const small = { min_fee_micros: 310, included_credits_micros: 5_000_000 };
    await addPlans(platform, basePlanBody({ id: "base_small", name: "Small", ...small }));
    await givePlan(platform, tenant, "base_small");
    await chargeRun(platform, tenant.id, { tokens: 4000 });
    await platform.clock.advance(dayMs);
    await givePlan(platform, tenant, "base_pro");
    await chargeRun(platform, tenant.id, { tokens: 3000 });
    await platform.clock.advance(dayMs);
    // Assigned and removed within a day: no fee, but its runs are charged under it.
    await givePlan(platform, tenant, "base_small");
    await chargeRun(platform, tenant.id, { tokens: 2500 });
    await givePlan(platform, tenant, "base_pro");
    const line = (type: string, description: string, quantity: number, amount: number) =>
      expect.objectContaining({ type, description, quantity, amount_micros: amount });
    expect(await statement(platform, tenant)).toMatchObject({
      charges: [
        line("cuota", "Small: 1 of 31 days", 1, 10),
        line("cuota", "Pro: 2 of 31 days", 2, 2_000_000),
        line("creditos_extra", "Small: credits over those included", 1_500_000, 3_000_000),
        line("creditos_extra", "Pro: credits over those included", 2_000_000, 4_000_000),
      ],
      credits: { used_micros: 9_500_000, included_micros: 6_000_000, extra_micros: 3_500_000 },
      total_micros: 9_000_010,
    });
  });

  test.each([
    ["2026-02", false],
    ["2026-03", true],
    ["2026-05", true],
  ])("a tenant without charges has an empty statement of %s", async (period, provisional) => {
    await using platform = await start();
    const tenant = await platform.tenant();
    expect(await statement(platform, tenant, `?period=${period}`)).toMatchObject({
      period,
      provisional,
      charges: [],
      total_micros: 0,
    });
  });

  test("a subscription that was cancelled before its first day costs nothing", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-20" });
    await platform.call("POST", `/api/v1/admin/subscriptions/${id}/cancel`, { headers: asOperator });
    await platform.clock.advance(30 * dayMs);
    await closeDue(platform.deps);
    expect(await statement(platform, tenant, "?period=2026-03")).toMatchObject({
      provisional: false,
      charges: [],
    });
  });

  test("a deleted tenant's bills stay: its last day is the day it was deleted", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await givePlan(platform, tenant, "base_pro");
    await subscribe(platform, tenant);
    await platform.call("DELETE", `/api/v1/tenants/${tenant.id}`, { headers: tenant.asPerson });
    await platform.clock.advance(80 * dayMs);
    expect(await closeDue(platform.deps)).toBe(2);
    expect(await statement(platform, tenant, "?period=2026-03")).toMatchObject({
      provisional: false,
      charges: [
        { type: "cuota", quantity: 1 },
        { type: "cuota", quantity: 1 },
        { type: "activacion" },
        { type: "excedente_unidad", quantity: 0, amount_micros: 0 },
      ],
    });
    expect(await statement(platform, tenant, "?period=2026-04")).toMatchObject({
      provisional: false,
      charges: [],
    });
  });

  describe("its forms", () => {
    let platform: TestPlatform;
    let tenant: TestTenant;
    let path: string;
    beforeAll(async () => {
      platform = await start();
      tenant = await platform.tenant();
      path = `/api/v1/admin/tenants/${tenant.id}/statement`;
      await addPlans(platform, plan({ id: "hostile", name: '=<script>alert("1")</script>, "x"' }));
      await subscribe(platform, tenant, { plan_id: "hostile" });
      const { tenants } = platform.deps.storage.tables;
      await platform.deps.storage.transact((tx) =>
        tx.update(tenants).set({ displayName: "<img src=x> & Co" }),
      );
    });
    afterAll(() => platform[Symbol.asyncDispose]());
    const read = (suffix: string, accept?: string) =>
      platform.call("GET", `${path}${suffix}`, { headers: { ...asOperator, ...(accept && { accept }) } });

    test("as CSV it has a header and a line for each charge", async () => {
      const { charges } = (await read("")).body;
      const answer = await read(".csv");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(answer.headers.get("content-disposition")).toContain(`statement-2026-03-${tenant.id}.csv`);
      const id = charges[0].subscription_id;
      const name = `'=<script>alert(""1"")</script>, ""x""`;
      expect(answer.text).toBe(
        [
          "type,description,quantity,unit_price_micros,amount_micros,subscription_id",
          `cuota,"${name}: 1 of 31 days",1,31000000,1000000,${id}`,
          `activacion,"${name}: activation",1,5000000,5000000,${id}`,
          `excedente_unidad,"erp.docs: 0 used, 10 included",0,50000,0,${id}`,
          "",
        ].join("\r\n"),
      );
      expect((await read("", "text/csv")).text).toBe(answer.text);
    });

    test("as a page it is escaped, has no script and may load nothing", async () => {
      const answer = await read(".html");
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(answer.text).not.toContain("<script");
      expect(answer.text).not.toContain("<img");
      expect(answer.text).toContain("&lt;img src=x&gt; &amp; Co");
      expect(answer.text).toContain("Provisional.");
      expect(answer.text).toContain(
        '<td class="n">1 of 31 days</td><td class="n">$31.00</td><td class="n">$1.00</td>',
      );
      expect(answer.text).toMatch(/Total \(USD\)<\/th><td class="n">\$6\.00/);
      const styles = /<style>([\s\S]*)<\/style>/.exec(answer.text)?.[1] ?? "";
      const hash = new Bun.CryptoHasher("sha256").update(styles).digest("base64");
      expect(answer.headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
      const asked = await read("", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
      expect(asked.text).toBe(answer.text);
      expect(asked.headers.get("vary")).toContain("accept");
    });

    test.each(["", ".csv", ".html"])(
      "statement%s: who is unknown is 404, what is not a month is 400",
      async (suffix) => {
        const at = (id: string, query = "") =>
          platform.call("GET", `/api/v1/admin/tenants/${id}/statement${suffix}${query}`, {
            headers: asOperator,
          });
        expect(await at(newId())).toMatchObject({ status: 404, body: { error: "not_found" } });
        expect((await at("%00")).status).toBe(404);
        for (const period of ["2026-13", "2026", "1999-12", "x"]) {
          expect([period, (await at(tenant.id, `?period=${period}`)).status]).toEqual([period, 400]);
        }
        for (const [who, headers] of notOperators(tenant)) {
          const { status } = await platform.call("GET", `${path}${suffix}`, { headers });
          expect([who, status]).toEqual([who, 401]);
        }
      },
    );
  });
});

test.each<[string | null, string]>([
  [null, "json"],
  ["*/*", "json"],
  ["application/json", "json"],
  ["text/csv", "csv"],
  ["TEXT/CSV; charset=utf-8", "csv"],
  ["text/html;q=0.5, text/csv;q=0.9", "csv"],
  ["text/html;q=0", "json"],
  ["application/pdf", "json"],
  ["constructor", "json"],
  ["text/html;q=x", "json"],
])("Accept: %s is answered with %s", (accept, form) => {
  expect(statementForm(accept)).toBe(form as never);
});
