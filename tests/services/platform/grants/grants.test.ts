import { expect, test } from "bun:test";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { admitInvocation } from "../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { addPlans, basePlanBody, chargeRun, plan, subscribe, tariff } from "../../../support/billing.ts";
import { answeredWith, attemptOf } from "../../../support/campaign/open-ledger.ts";
import { seeded } from "../../../support/campaign/seeded.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { countersOf } from "../../../support/platform-agent.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;
const credit = 1_000_000;

onEachEngine("grants", (engine) => {
  const start = async (change: Record<string, unknown> = {}) => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), basePlanBody({ included_credits_micros: 5 * credit, ...change }));
    const body = tariff({ credits_per_1k_in_micros: credit, credits_per_1k_out_micros: credit });
    await platform.call("POST", "/api/v1/admin/tariffs", { headers: asOperator, body });
    const tenant = await platform.tenant();
    const body2 = { plan_id: "base_pro" };
    await platform.call("PUT", `/api/v1/admin/tenants/${tenant.id}/plan`, {
      headers: asOperator,
      body: body2,
    });
    return { platform, tenant };
  };
  const give = async ({ call }: TestPlatform, { id }: TestTenant, body: Record<string, unknown>) =>
    call("POST", `/api/v1/admin/tenants/${id}/grants`, { headers: asOperator, body });
  const statement = async ({ call }: TestPlatform, { id }: TestTenant, query = "") =>
    (await call("GET", `/api/v1/admin/tenants/${id}/statement${query}`, { headers: asOperator })).body;
  const grants = async ({ call }: TestPlatform, { id }: TestTenant) =>
    (await call("GET", `/api/v1/admin/tenants/${id}/grants`, { headers: asOperator })).body.grants;

  test("are used after the included credits, soonest expiry first; the rest is charged as extra", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    await give(platform, tenant, { credits_micros: 10 * credit, reason: "top-up", price_micros: 8 * credit });
    await give(platform, tenant, {
      credits_micros: 3 * credit,
      reason: "trial",
      expires_at: "2026-03-20T00:00:00Z",
    });
    await chargeRun(platform, tenant.id, { tokens: 7_000 });
    expect(await grants(platform, tenant)).toMatchObject([
      { reason: "trial", used_micros: 2 * credit, left_micros: credit },
      { reason: "top-up", used_micros: 0, left_micros: 10 * credit },
    ]);
    await platform.clock.advance(11 * dayMs);
    await chargeRun(platform, tenant.id, { tokens: 12_500 });
    const line = (type: string, quantity: number, amount: number) =>
      expect.objectContaining({ type, quantity, amount_micros: amount });
    const credits = {
      used_micros: 19.5 * credit,
      granted_micros: 12 * credit,
      extra_micros: 2.5 * credit,
      grants: [
        { reason: "trial", opening_micros: 3 * credit, used_micros: 2 * credit, expired_micros: credit },
        { reason: "top-up", opening_micros: 10 * credit, used_micros: 10 * credit, left_micros: 0 },
      ],
    };
    const charges = [line("creditos_extra", 2.5 * credit, 5 * credit), line("recarga", 1, 8 * credit)];
    const open = await statement(platform, tenant);
    expect(open).toMatchObject({ credits, charges: [expect.anything(), ...charges] });
    await platform.clock.advance(15 * dayMs);
    await closeDue(platform.deps);
    expect(await statement(platform, tenant, "?period=2026-03")).toMatchObject({ credits });
  });

  test("last for several months, and a month shows what it found and left", async () => {
    const begun = await start({ included_credits_micros: 0, extra_credit_price_micros: 0 });
    await using platform = begun.platform;
    const { tenant } = begun;
    await give(platform, tenant, { credits_micros: 10 * credit, reason: "goodwill" });
    await chargeRun(platform, tenant.id, { tokens: 4_000 });
    await platform.clock.advance(31 * dayMs);
    await chargeRun(platform, tenant.id, { tokens: 5_000 });
    const shown = async (period: string) =>
      (await statement(platform, tenant, `?period=${period}`)).credits.grants.map(
        (grant: Record<string, unknown>) => [grant.opening_micros, grant.used_micros, grant.left_micros],
      );
    expect(await shown("2026-02")).toEqual([]);
    expect(await shown("2026-03")).toEqual([[10 * credit, 4 * credit, 6 * credit]]);
    expect(await shown("2026-04")).toEqual([[6 * credit, 5 * credit, credit]]);
  });

  test("pay for what is used after they were given; earlier extra credits stay charged", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    await chargeRun(platform, tenant.id, { tokens: 7_000 });
    await give(platform, tenant, { credits_micros: 10 * credit, reason: "top-up" });
    await chargeRun(platform, tenant.id, { tokens: 4_000 });
    await give(platform, tenant, { credits_micros: credit, reason: "goodwill" });
    await chargeRun(platform, tenant.id, { tokens: 1_000 });
    expect((await statement(platform, tenant)).credits).toMatchObject({
      extra_micros: 2 * credit,
      granted_micros: 5 * credit,
    });
  });

  test("raise the caps of the plan and of a subscription's plan, and are shared by both", async () => {
    const begun = await start({ credit_cap_period_micros: 5 * credit });
    await using platform = begun.platform;
    const { tenant } = begun;
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-08" });
    await give(platform, tenant, { credits_micros: 4 * credit, reason: "trial" });
    await chargeRun(platform, tenant.id, { tokens: 5_000 });
    await chargeRun(platform, tenant.id, { tokens: 4_000, subscriptionId: id });
    await expect(chargeRun(platform, tenant.id, { tokens: 2_000 })).rejects.toThrow();
    const used = await platform.call("GET", "/api/v1/usage", { headers: tenant.asProgram });
    expect(used.body.credits).toMatchObject({
      charged_micros: 9 * credit,
      cap_micros: 5 * credit,
      granted_micros: 4 * credit,
      grants_left_micros: 0,
    });
    expect((await statement(platform, tenant)).credits.by_plan).toMatchObject([
      { plan_id: "base_pro", used_micros: 5 * credit, granted_micros: 0, extra_micros: 0 },
      { plan_id: "erp_pro", used_micros: 4 * credit, granted_micros: 4 * credit, extra_micros: 0 },
    ]);
  });

  test("200 runs at once charge and hold at most the cap and the grants, which end fully used", async () => {
    const begun = await start({
      credit_cap_period_micros: 20 * credit,
      max_concurrency: null,
      max_rpm: null,
    });
    await using platform = begun.platform;
    const { tenant } = begun;
    const { storage, clock } = platform.deps;
    await give(platform, tenant, { credits_micros: 7 * credit, reason: "trial", expires_at: "2026-04-01" });
    await give(platform, tenant, { credits_micros: 6 * credit, reason: "top-up" });
    const random = seeded(1);
    const runs = Array.from({ length: 200 }, async () => {
      const attempt = attemptOf(tenant.id, clock.now());
      for (let turns = Math.floor(random() * 30); turns > 0; turns--)
        await new Promise((resolve) => setImmediate(resolve));
      if ((await admitInvocation(storage, attempt)).kind !== "admitted") return;
      const tokens = Math.floor(random() * 4000);
      await settleInvocation(storage, attempt, answeredWith(tokens), clock.now());
    });
    await Promise.all(runs);
    for (;;) {
      const attempt = attemptOf(tenant.id, clock.now());
      if ((await admitInvocation(storage, attempt)).kind !== "admitted") break;
      await settleInvocation(storage, attempt, answeredWith(2000), clock.now());
    }
    const [counter] = await countersOf(platform);
    const { chargedMicros = 0, grantedMicros = 0 } = counter ?? {};
    expect(counter).toMatchObject({ heldMicros: 0, heldGrantMicros: 0 });
    expect(chargedMicros).toBeLessThanOrEqual(33 * credit);
    expect(chargedMicros).toBeGreaterThan(31 * credit);
    expect(grantedMicros).toBe(Math.min(13 * credit, chargedMicros - 5 * credit));
    const accounts = await storage.read.select().from(storage.tables.grantAccounts);
    expect(accounts).toMatchObject([{ heldMicros: 0 }]);
    const used = (await grants(platform, tenant)).map((grant: { used_micros: number }) => grant.used_micros);
    expect(used).toEqual([6 * credit, 7 * credit]);
  });

  test("a run in progress that holds the plan's credits lets others use grants, and gives back what it left", async () => {
    const begun = await start({ credit_cap_period_micros: 5 * credit, max_run_tokens: 5_000 });
    await using platform = begun.platform;
    const { tenant } = begun;
    const { storage, clock } = platform.deps;
    await give(platform, tenant, { credits_micros: 5 * credit, reason: "trial" });
    const [first, second] = [attemptOf(tenant.id, clock.now()), attemptOf(tenant.id, clock.now())];
    for (const attempt of [first, second])
      expect(await admitInvocation(storage, attempt)).toMatchObject({ kind: "admitted" });
    await settleInvocation(storage, second, answeredWith(5_000), clock.now());
    expect(await grants(platform, tenant)).toMatchObject([{ used_micros: 5 * credit }]);
    await settleInvocation(storage, first, answeredWith(1_000), clock.now());
    expect(await grants(platform, tenant)).toMatchObject([{ used_micros: credit, left_micros: 4 * credit }]);
  });

  test.each([
    [{ credits_micros: 0, reason: "trial" }, 400],
    [{ credits_micros: -1, reason: "trial" }, 400],
    [{ credits_micros: 1.5, reason: "trial" }, 400],
    [{ credits_micros: 1, reason: "" }, 400],
    [{ credits_micros: 1 }, 400],
    [{ credits_micros: 1, reason: "trial", price_micros: -1 }, 400],
    [{ credits_micros: 1, reason: "trial", expires_at: "yesterday" }, 400],
    [{ credits_micros: 1, reason: "trial", expires_at: "2026-03-10T12:00:00Z" }, 400],
    [{ credits_micros: 1, reason: "trial", credits: 1 }, 400],
  ])("%j is %i", async (body, status) => {
    const begun = await start();
    await using platform = begun.platform;
    expect(await give(platform, begun.tenant, body)).toMatchObject({ status });
    expect(await grants(platform, begun.tenant)).toEqual([]);
  });

  test("an unknown or deleted tenant is 404, and sums beyond exact numbers are 422", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    const body = { credits_micros: 1_000_000_000_000, reason: "trial" };
    expect(await give(platform, { ...tenant, id: tenant.userId }, body)).toMatchObject({ status: 404 });
    const { grants: table } = platform.deps.storage.tables;
    await give(platform, tenant, body);
    const [row] = await platform.deps.storage.read.select().from(table);
    await platform.deps.storage.transact(async (tx) => {
      for (let index = 0; index < 999; index++)
        if (row) await tx.insert(table).values({ ...row, id: crypto.randomUUID() });
    });
    expect(await give(platform, tenant, body)).toMatchObject({
      status: 422,
      body: { error: "amount_too_large" },
    });
    await platform.call("DELETE", `/api/v1/tenants/${tenant.id}`, { headers: tenant.asPerson });
    expect(await give(platform, tenant, body)).toMatchObject({ status: 404 });
  });
});
