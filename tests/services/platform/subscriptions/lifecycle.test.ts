import { expect, test } from "bun:test";
import type { Statement } from "../../../../src/contracts/platform/billing/billing.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import {
  addPlans,
  auditOf,
  chargeRun,
  plan,
  subscribe,
  tariff,
  usageEvent,
} from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { specOf } from "../agents/sent-spec.ts";

/** Fees that February and March divide without a rest: 29 and 31 days. */
const small = { min_fee_micros: 29_000_000, activation_price_micros: 5_000_000 };
const large = {
  id: "erp_max",
  name: "ERP Max",
  min_fee_micros: 58_000_000,
  activation_price_micros: 9_000_000,
};

onEachEngine("the life of a subscription", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(small), plan(large));
    return platform;
  };
  const until = ({ clock }: TestPlatform, instant: string) =>
    clock.advance(Date.parse(instant) - clock.now().getTime());
  const operate = ({ call }: TestPlatform, method: string, to: string, body?: unknown) =>
    call(method, `/api/v1/admin${to}`, { headers: asOperator, body });
  const change = (platform: TestPlatform, id: string, plan_id: string, at?: string) =>
    operate(platform, "PUT", `/subscriptions/${id}/plan`, { plan_id, at });
  const cancel = (platform: TestPlatform, id: string, at?: string) =>
    operate(platform, "POST", `/subscriptions/${id}/cancel`, at === undefined ? undefined : { at });
  const statementOf = async (platform: TestPlatform, { id }: TestTenant, period: string) =>
    (await operate(platform, "GET", `/tenants/${id}/statement?period=${period}`)).body as Statement;
  /** Type, quantity and amount of each line of the subscription. */
  const billOf = async (platform: TestPlatform, tenant: TestTenant, period: string) =>
    (await statementOf(platform, tenant, period)).charges
      .filter(({ subscription_id }) => subscription_id !== null)
      .map(({ type, quantity, amount_micros }): [string, number, number] => [type, quantity, amount_micros]);
  const noUnits: [string, number, number] = ["excedente_unidad", 0, 0];

  test("a first day before the tenant's is 422, in the preview too; the tenant's own day is accepted", async () => {
    await using platform = await start();
    const { id } = await platform.tenant();
    const ask = (to: string, desde: string) =>
      operate(platform, "POST", to, { tenant_id: id, argo_code: "erp", plan_id: "erp_pro", desde });
    for (const desde of ["2026-03-09", "2025-03-10", "2021-12-31"]) {
      for (const to of ["/subscriptions", "/subscriptions/preview"]) {
        const refused = await ask(to, desde);
        expect([desde, to, refused.status, refused.body.error]).toEqual([
          desde,
          to,
          422,
          "subscription_before_tenant",
        ]);
      }
    }
    expect(await ask("/subscriptions/preview", "2026-03-10")).toMatchObject({
      status: 200,
      body: { months: [], total_micros: 0 },
    });
    expect((await ask("/subscriptions", "2026-03-10")).status).toBe(201);
  });

  test("the preview has the charges of each past month, and they are those that are billed", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await until(platform, "2026-04-01T12:00:00Z");
    const body = { tenant_id: tenant.id, argo_code: "erp", plan_id: "erp_pro", desde: "2026-03-17" };
    const preview = await operate(platform, "POST", "/subscriptions/preview", body);
    // 15 of 31 days of 29, and the activation of 5.
    const amounts = [14_032_258, 5_000_000];
    expect(preview.body).toMatchObject({
      months: [{ period: "2026-03", charges: amounts.map((amount_micros) => ({ amount_micros })) }],
      total_micros: 19_032_258,
    });
    expect((await operate(platform, "GET", "/subscriptions")).body.subscriptions).toEqual([]);
    await subscribe(platform, tenant, { desde: "2026-03-17" });
    expect(await billOf(platform, tenant, "2026-03")).toEqual([
      ["cuota", 15, 14_032_258],
      ["activacion", 1, 5_000_000],
      noUnits,
    ]);
    // The days are the first one's.
    await cancel(platform, (await operate(platform, "GET", "/subscriptions")).body.subscriptions[0].id);
    const again = await operate(platform, "POST", "/subscriptions/preview", body);
    expect(again.body.months[0].charges.map((line: { amount_micros: number }) => line.amount_micros)).toEqual(
      [5_000_000],
    );
  });

  test.each([
    ["to a larger plan", "erp_pro", "erp_max", 14, 58_000_000, 5_000_000],
    ["to a smaller plan", "erp_max", "erp_pro", 28, 29_000_000, 9_000_000],
  ])(
    "a change %s in the middle of a leap-year February splits the fee by days and charges activation once",
    async (_, from, to, firstFee, fee, activation) => {
      await using platform = await start();
      await until(platform, "2028-02-01T00:00:00Z");
      const tenant = await platform.tenant();
      const { id } = await subscribe(platform, tenant, { plan_id: from });
      await until(platform, "2028-02-15T08:00:00Z");
      expect(await change(platform, id, to, "now")).toMatchObject({
        status: 200,
        body: { plan_id: to, next_plan_id: null },
      });
      // 14 days of the first plan through the 14th, 15 days of the second; the 15th is the second's.
      const bill: [string, number, number][] = [
        ["cuota", 14, firstFee * 1_000_000],
        ["cuota", 15, (fee / 29) * 15],
        ["activacion", 1, activation],
        noUnits,
      ];
      await until(platform, "2028-02-29T23:59:59.999Z");
      expect(await billOf(platform, tenant, "2028-02")).toEqual(bill);
      await until(platform, "2028-03-02T23:59:59.999Z");
      expect(await closeDue(platform.deps)).toBe(0);
      await until(platform, "2028-03-03T00:00:00Z");
      expect(await closeDue(platform.deps)).toBe(2);
      expect(await billOf(platform, tenant, "2028-02")).toEqual(bill);
      expect(await billOf(platform, tenant, "2028-03")).toEqual([
        ["cuota", 3, Math.round((fee * 3) / 31)],
        noUnits,
      ]);
    },
  );

  test("after a change now, runs and events belong to the plan of their instant, each with what it includes", async () => {
    await using platform = await start();
    await operate(platform, "POST", "/tariffs", tariff({ credits_per_1k_in_micros: 1_000_000 }));
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    const send = (event_id: string, cantidad: number, ocurrido_en: string) =>
      platform.call("POST", "/api/v1/usage/events", {
        headers: tenant.asProgram,
        body: usageEvent(platform, { id }, { event_id, cantidad, ocurrido_en }),
      });
    await chargeRun(platform, tenant.id, { tokens: 3000, subscriptionId: id });
    await send("a", 12, "2026-03-10T12:00:00.000Z");
    await until(platform, "2026-03-10T18:00:00Z");
    await change(platform, id, "erp_max", "now");
    await send("b", 15, "2026-03-10T18:00:00.000Z");
    // It arrives late, and is dated before the change.
    await send("c", 1, "2026-03-10T17:59:59.999Z");
    await chargeRun(platform, tenant.id, { tokens: 1500, subscriptionId: id });
    const statement = await statementOf(platform, tenant, "2026-03");
    const own = statement.charges.filter(({ subscription_id }) => subscription_id === id);
    expect(own.map(({ type, quantity, amount_micros }): unknown => [type, quantity, amount_micros])).toEqual([
      // The day of the change is the new plan's: 58 ÷ 31. Its activation is that of the plan at the end of the first day.
      ["cuota", 1, 1_870_968],
      ["activacion", 1, 9_000_000],
      ["excedente_unidad", 3, 150_000],
      ["excedente_unidad", 5, 250_000],
      ["creditos_extra", 2_000_000, 4_000_000],
      ["creditos_extra", 500_000, 1_000_000],
    ]);
    expect(
      own.filter(({ type }) => type === "excedente_unidad").map(({ description }) => description),
    ).toEqual(["ERP Pro, erp.docs: 13 used, 10 included", "ERP Max, erp.docs: 15 used, 10 included"]);
    expect(statement.credits.by_plan.filter(({ subscription_id }) => subscription_id === id)).toMatchObject([
      { plan_id: "erp_pro", used_micros: 3_000_000, extra_micros: 2_000_000 },
      { plan_id: "erp_max", used_micros: 1_500_000, extra_micros: 500_000 },
    ]);
  });

  test("a change now drops a scheduled one, and back on the same day it is as if there was none", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await change(platform, id, "erp_max", "period_end");
    expect((await change(platform, id, "erp_max", "now")).body).toMatchObject({
      plan_id: "erp_max",
      next_plan_id: null,
    });
    expect((await change(platform, id, "erp_pro", "now")).body).toMatchObject({
      plan_id: "erp_pro",
      next_plan_id: null,
    });
    expect(await billOf(platform, tenant, "2026-03")).toEqual([
      ["cuota", 1, 935_484],
      ["activacion", 1, 5_000_000],
      noUnits,
    ]);
    const mine = await platform.call("GET", "/api/v1/subscriptions?argo=erp", { headers: tenant.asProgram });
    expect(mine.body.plan.id).toBe("erp_pro");
    for (const at of ["tomorrow", "", 1, null])
      expect(
        (await operate(platform, "PUT", `/subscriptions/${id}/plan`, { plan_id: "erp_pro", at })).status,
      ).toBe(400);
  });

  test("cancelled at the end of its period, it stays active until then and all of the month is billed", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-01" });
    expect(await cancel(platform, id, "period_end")).toMatchObject({
      status: 200,
      body: { status: "active", last_day: "2026-03-31", cancelled_at: "2026-04-01T00:00:00.000Z" },
    });
    for (const refused of [await cancel(platform, id, "period_end"), await change(platform, id, "erp_max")])
      expect(refused).toMatchObject({ status: 409, body: { error: "subscription_cancelled" } });
    expect((await cancel(platform, id, "soon")).status).toBe(400);
    const mine = () => platform.call("GET", "/api/v1/subscriptions?argo=erp", { headers: tenant.asProgram });
    const create = (desde: string) =>
      operate(platform, "POST", "/subscriptions", {
        tenant_id: tenant.id,
        argo_code: "erp",
        plan_id: "erp_max",
        desde,
      });
    expect(await create("2026-03-20")).toMatchObject({ status: 409, body: { error: "subscription_exists" } });
    expect((await create("2026-04-01")).status).toBe(201);
    await until(platform, "2026-03-31T23:59:59.999Z");
    expect((await mine()).body).toMatchObject({ id, status: "active" });
    await until(platform, "2026-04-01T00:00:00Z");
    expect((await mine()).body).toMatchObject({ plan_id: "erp_max", status: "active" });
    expect((await operate(platform, "GET", `/subscriptions/${id}`)).body.status).toBe("cancelled");
    expect(await cancel(platform, id)).toMatchObject({ status: 409 });
    // The fee is 29 for a month of 31 days.
    expect((await billOf(platform, tenant, "2026-03"))[0]).toEqual(["cuota", 31, 29_000_000]);
    expect((await auditOf(platform)).filter(({ action }) => action === "subscription.cancel")).toHaveLength(
      1,
    );
  });

  test("a scheduled end can be brought forward to today, and ends with a deleted tenant", async () => {
    await using platform = await start();
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    const first = await subscribe(platform, one);
    const second = await subscribe(platform, other);
    await cancel(platform, first.id, "period_end");
    await cancel(platform, second.id, "period_end");
    expect((await cancel(platform, first.id, "now")).body).toMatchObject({
      status: "cancelled",
      last_day: "2026-03-10",
    });
    const deleted = await platform.call("DELETE", `/api/v1/tenants/${other.id}`, { headers: other.asPerson });
    expect(deleted.status).toBe(204);
    expect((await operate(platform, "GET", `/subscriptions/${second.id}`)).body).toMatchObject({
      status: "cancelled",
      last_day: "2026-03-10",
    });
  });

  test("one that has not begun ends with its first period, or never begins", async () => {
    await using platform = await start();
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    const later = { desde: "2026-04-20" };
    const first = await subscribe(platform, one, later);
    const second = await subscribe(platform, other, later);
    expect((await cancel(platform, first.id, "period_end")).body).toMatchObject({ last_day: "2026-04-30" });
    expect((await cancel(platform, second.id, "now")).body).toMatchObject({ last_day: "2026-03-10" });
    await until(platform, "2026-05-10T00:00:00Z");
    expect(await billOf(platform, one, "2026-04")).toEqual([
      ["cuota", 11, 10_633_333],
      ["activacion", 1, 5_000_000],
      noUnits,
    ]);
    expect(await billOf(platform, other, "2026-04")).toEqual([]);
    expect(await billOf(platform, one, "2026-05")).toEqual([]);
  });

  test("runs of a cancelled subscription's agents go on until the end of its last day, then they are 422", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    const run = () =>
      chargeRun(platform, tenant.id, { tokens: 10, subscriptionId: id }).then(
        () => "ok",
        (refusal) => refusal.code,
      );
    await cancel(platform, id);
    expect(await run()).toBe("ok");
    await until(platform, "2026-03-10T23:59:59.999Z");
    expect(await run()).toBe("ok");
    await until(platform, "2026-03-11T00:00:00Z");
    expect(await run()).toBe("subscription_inactive");
  });

  test("an empty subscription_id moves an agent to the base plan, also from a cancelled subscription", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    const save = (method: string, name: string, query: string) =>
      platform.call(method, `/api/v1/agents${method === "PUT" ? `/${name}` : ""}${query}`, {
        headers: tenant.asProgram,
        body: specOf(name),
      });
    expect((await save("POST", "shop", `?subscription_id=${id}`)).body).toMatchObject({
      subscription_id: id,
    });
    await cancel(platform, id);
    await until(platform, "2026-03-12T00:00:00Z");
    expect((await save("PUT", "shop", "")).body).toMatchObject({ subscription_id: id });
    expect(await save("PUT", "shop", `?subscription_id=${id}`)).toMatchObject({ status: 422 });
    expect((await save("PUT", "shop", "?subscription_id=")).body).toMatchObject({ subscription_id: null });
    expect((await save("POST", "desk", "?subscription_id=")).body).toMatchObject({ subscription_id: null });
  });

  test("a subscription's periods are listed with their amounts", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await until(platform, "2026-05-10T00:00:00Z");
    await closeDue(platform.deps);
    const { periods } = (await operate(platform, "GET", `/billing-periods?subscription_id=${id}`)).body;
    expect(
      periods.map(({ period, amount_micros }: { period: string; amount_micros: number }) => [
        period,
        amount_micros,
      ]),
    ).toEqual([
      ["2026-04", 29_000_000],
      ["2026-03", 25_580_645],
    ]);
  });
});
