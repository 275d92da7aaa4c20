import { expect, test } from "bun:test";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { presentInvocationDetail } from "../../../../src/services/platform/usage/present-invocation.ts";
import {
  addPlans,
  basePlanBody,
  chargeRun,
  plan,
  subscribe,
  tariff,
  usageEvent,
} from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

onEachEngine("what tenants earn", (engine) => {
  const ask = async ({ call }: TestPlatform, path: string) =>
    (await call("GET", `/api/v1/admin/${path}`, { headers: asOperator })).body;
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), basePlanBody());
    const body = tariff({
      credits_per_1k_in_micros: 1_000_000,
      provider_cost_per_1k_in_micros: 400_000,
    });
    await platform.call("POST", "/api/v1/admin/tariffs", { headers: asOperator, body });
    return platform;
  };
  type Earned = { tenant_id: string; month: { revenue_micros: number; margin_micros: number } };

  test("is what their statements say, less costs, in open months and in closed ones", async () => {
    await using platform = await start();
    const [subscriber, onFree, onBase] = [
      await platform.tenant(),
      await platform.tenant(),
      await platform.tenant(),
    ];
    const { id } = await subscribe(platform, subscriber, { desde: "2026-03-08" });
    await chargeRun(platform, subscriber.id, { tokens: 4000, subscriptionId: id });
    await chargeRun(platform, onFree.id, { tokens: 2000 });
    // A fee without any run is revenue too.
    await platform.call("PUT", `/api/v1/admin/tenants/${onBase.id}/plan`, {
      headers: asOperator,
      body: { plan_id: "base_pro" },
    });
    const tenants = [subscriber, onFree, onBase];
    const expectStatements = async (month: string) => {
      const totals = new Map<string, number>();
      for (const tenant of tenants) {
        const { total_micros } = await ask(platform, `tenants/${tenant.id}/statement?period=${month}`);
        totals.set(tenant.id, total_micros);
      }
      const usage = await ask(platform, `usage?period=${month}`);
      const sum = [...totals.values()].reduce((all, one) => all + one, 0);
      expect(usage.month.revenue_micros).toBe(sum);
      expect(usage.month.margin_micros).toBe(sum - usage.month.provider_cost_micros);
      const listed = (await ask(platform, `tenants?period=${month}`)).tenants;
      for (const tenant of tenants) {
        const total = totals.get(tenant.id) ?? 0;
        const row = listed.find((each: { id: string }) => each.id === tenant.id).month;
        expect(row.revenue_micros).toBe(total);
        expect(row.margin_micros).toBe(total - row.provider_cost_micros);
        const one = await ask(platform, `tenants/${tenant.id}?period=${month}`);
        expect(one.month.revenue_micros).toBe(total);
        const ranked = usage.tenants.find((each: Earned) => each.tenant_id === tenant.id);
        expect(ranked?.month.revenue_micros ?? 0).toBe(total);
      }
      return { totals, usage };
    };
    const open = await expectStatements("2026-03");
    // 3 of 31 days, the activation, and 3 credits beyond the included one at two dollars each.
    expect(open.totals.get(subscriber.id)).toBe(14_000_000);
    expect(open.totals.get(onFree.id)).toBe(0);
    expect(open.totals.get(onBase.id)).toBe(1_000_000);
    expect(open.usage.tenants.find((each: Earned) => each.tenant_id === onFree.id).month).toMatchObject({
      revenue_micros: 0,
      provider_cost_micros: 800_000,
      margin_micros: -800_000,
    });
    await platform.clock.advance(28 * dayMs);
    expect(await closeDue(platform.deps)).toBe(4);
    await expectStatements("2026-03");
    const april = await expectStatements("2026-04");
    const ever = (await ask(platform, `tenants/${subscriber.id}?period=2026-04`)).all_time;
    const march = await ask(platform, `tenants/${subscriber.id}/statement?period=2026-03`);
    expect(ever.revenue_micros).toBe(march.total_micros + (april.totals.get(subscriber.id) ?? 0));
    expect(ever.margin_micros).toBe(ever.revenue_micros - ever.provider_cost_micros);
  });

  test("has the engine's costs where no tariff has one, and is unknown, not full, while a cost is", async () => {
    await using platform = await start();
    const [known, unknown] = [await platform.tenant(), await platform.tenant()];
    await chargeRun(platform, known.id, { tokens: 1000, model: "other", cost: 70 });
    await chargeRun(platform, unknown.id, { tokens: 1000, model: "other", cost: 70 });
    await chargeRun(platform, unknown.id, { tokens: 1000, model: "other", cost: null });
    const usage = await ask(platform, "usage");
    expect(usage.month).toMatchObject({
      provider_cost_micros: 140,
      unknown_cost_invocations: 1,
      margin_micros: null,
    });
    const of = async ({ id }: { id: string }) => (await ask(platform, `tenants/${id}`)).month;
    expect(await of(known)).toMatchObject({ unknown_cost_invocations: 0, margin_micros: -70 });
    expect(await of(unknown)).toMatchObject({
      provider_cost_micros: 70,
      unknown_cost_invocations: 1,
      margin_micros: null,
    });
    const { invocations } = await ask(platform, `invocations?tenant_id=${unknown.id}`);
    const costs = invocations.map((run: { provider_cost_micros: unknown }) => run.provider_cost_micros);
    expect(costs).toEqual([null, 70]);
    const [run] = invocations;
    const detail = await ask(platform, `invocations/${run.invocation_id}`);
    expect(detail.usage.by_model).toMatchObject([{ priced: false, provider_cost_micros: null }]);
    // The tenant sees neither costs nor that they are unknown.
    const { read, tables } = platform.deps.storage;
    const rows = await read.select().from(tables.invocations);
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows.map(presentInvocationDetail))).not.toMatch(/cost/i);
  });

  test("includes units of a month that begins after the subscription's last day", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await platform.clock.advance(Date.parse("2026-03-31T23:58:00Z") - platform.clock.now().getTime());
    const body = usageEvent(platform, { id }, { cantidad: 110, ocurrido_en: "2026-04-01T00:01:00Z" });
    const sent = await platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body });
    expect(sent.status).toBe(201);
    await platform.call("POST", `/api/v1/admin/subscriptions/${id}/cancel`, { headers: asOperator });
    const expectRevenue = async (provisional: boolean) => {
      const statement = await ask(platform, `tenants/${tenant.id}/statement?period=2026-04`);
      expect(statement).toMatchObject({ provisional, total_micros: 5_000_000 });
      const { month } = await ask(platform, `tenants/${tenant.id}?period=2026-04`);
      expect(month.revenue_micros).toBe(5_000_000);
    };
    await platform.clock.advance(dayMs);
    await expectRevenue(true);
    await platform.clock.advance(33 * dayMs);
    await closeDue(platform.deps);
    await expectRevenue(false);
  });

  test("names are listed beside ids, and tenants are found by name, code and id", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { tenants } = platform.deps.storage.tables;
    await platform.deps.storage.transact((tx) => tx.update(tenants).set({ displayName: "100%_Ärzte \\ Co" }));
    const { id } = await subscribe(platform, tenant);
    expect(await ask(platform, "subscriptions")).toMatchObject({
      subscriptions: [{ id, tenant_name: "100%_Ärzte \\ Co" }],
    });
    expect((await ask(platform, "audit")).entries[0]).toMatchObject({
      action: "subscription.create",
      tenant_id: tenant.id,
      tenant_name: "100%_Ärzte \\ Co",
    });
    const [row] = await platform.deps.storage.read.select().from(tenants);
    const found = async (search: string) =>
      (await ask(platform, `tenant-names?search=${encodeURIComponent(search)}`)).tenants;
    const one = [
      { id: tenant.id, display_name: "100%_Ärzte \\ Co", cr_name: row?.crName ?? "", status: "active" },
    ];
    for (const search of ["", "100%", "0%_", "\\ co", row?.crName ?? "", tenant.id, ` ${tenant.id} `]) {
      expect([search, await found(search)]).toEqual([search, one]);
    }
    for (const search of ["1_0", "%%", "\\\\", "nobody", "'; --"]) {
      expect([search, await found(search)]).toEqual([search, []]);
    }
  });

  test("models for a tariff are those that tariffs, runs and agents name, by provider", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await chargeRun(platform, tenant.id, { tokens: 1 });
    const spec = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "shop" },
      spec: {
        model: {
          primary: { provider: "openai_compat", model: "gpt-new" },
          fallback: { provider: "rehearsal", model: "rehearsal" },
        },
        prompts: { system: "You help." },
      },
    };
    const made = await platform.call("POST", "/api/v1/agents", { headers: tenant.asProgram, body: spec });
    expect([made.status, made.text]).toEqual([201, made.text]);
    const { providers, models } = await ask(platform, "models");
    expect(providers).toContain("anthropic");
    expect(providers).not.toContain("openai_compat");
    expect(models).toMatchObject([
      { provider: "lab", model: "test-model", has_tariff: true },
      { provider: "openai", model: "gpt-new", has_tariff: false },
      { provider: "rehearsal", model: "rehearsal", has_tariff: false },
    ]);
  });
});
