import { expect, test } from "bun:test";
import { closeDue } from "../../../../../src/services/platform/billing/closing-job.ts";
import {
  addPlans,
  auditOf,
  basePlanBody,
  chargeRun,
  notOperators,
  tariff,
} from "../../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../../support/platform.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";

onEachEngine("pricing unpriced runs again", (engine) => {
  const operate = ({ call }: TestPlatform, method: string, to: string, body?: unknown) =>
    call(method, `/api/v1/admin${to}`, { headers: asOperator, body });
  const rerate = async (platform: TestPlatform, dry_run: boolean, more = {}) =>
    (await operate(platform, "POST", "/tariffs/rerate", { dry_run, ...more })).body.tenants;
  const creditsOf = async (platform: TestPlatform, id: string, period = "2026-03") =>
    (await operate(platform, "GET", `/tenants/${id}?period=${period}`)).body.credits.charged_micros;
  const until = ({ clock }: TestPlatform, instant: string) =>
    clock.advance(Date.parse(instant) - clock.now().getTime());
  const price = (platform: TestPlatform, change: object) =>
    operate(platform, "POST", "/tariffs", tariff({ credits_per_1k_in_micros: 1_000_000, ...change }));
  /** A tenant whose cap is 10 credits, with two unpriced runs of 3 and 4 credits and one of another model. */
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, basePlanBody({ credit_cap_period_micros: 10_000_000 }));
    const tenant = await platform.tenant();
    await operate(platform, "PUT", `/tenants/${tenant.id}/plan`, { plan_id: "base_pro" });
    for (const [tokens, model] of [
      [3000, "late"],
      [4000, "late"],
      [500, "never"],
    ] as const)
      expect(await chargeRun(platform, tenant.id, { tokens, model })).toBe(0);
    await until(platform, "2026-03-10T13:00:00Z");
    return { platform, tenant, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
  };
  const backDated = { model: "late", effective_from: "2026-03-01T00:00:00Z" };

  test("is shown first, then charged once, audited, and on the statement", async () => {
    await using world = await start();
    const { platform, tenant } = world;
    expect(await rerate(platform, false)).toEqual([]);
    await price(platform, backDated);
    const expected = [
      {
        tenant_id: tenant.id,
        tenant_name: "Ada's",
        period: "2026-03",
        invocations: 2,
        credits_micros: 7_000_000,
      },
    ];
    expect(await rerate(platform, true)).toEqual(expected);
    expect(await creditsOf(platform, tenant.id)).toBe(0);
    expect(await rerate(platform, false)).toEqual(expected);
    for (const dry of [true, false]) expect(await rerate(platform, dry)).toEqual([]);
    expect(await creditsOf(platform, tenant.id)).toBe(7_000_000);
    // 7 credits, 1 of them included, at two dollars each; 22 of 31 days of 31 dollars.
    const { charges } = (await operate(platform, "GET", `/tenants/${tenant.id}/statement`)).body;
    expect(charges.at(-1)).toMatchObject({ type: "creditos_extra", amount_micros: 12_000_000 });
    const { invocations } = (await operate(platform, "GET", "/invocations")).body;
    expect(
      invocations.map((run: { pricing_status: string; credits_charged_micros: number }) => [
        run.pricing_status,
        run.credits_charged_micros,
      ]),
    ).toEqual([
      ["unpriced", 0],
      ["priced", 4_000_000],
      ["priced", 3_000_000],
    ]);
    const detail = (await operate(platform, "GET", `/invocations/${invocations[1].invocation_id}`)).body;
    expect(detail.usage.by_model).toMatchObject([{ priced: true, credits_micros: 4_000_000 }]);
    const audited = (await auditOf(platform)).filter(({ action }) => action === "invocation.rerate");
    expect(audited.map(({ tenantId }) => tenantId)).toEqual([tenant.id, tenant.id]);
  });

  test("20 at once charge once, and never more than the cap: the rest is overrun", async () => {
    await using world = await start();
    const { platform, tenant } = world;
    await price(platform, { ...backDated, credits_per_1k_in_micros: 2_000_000 });
    expect(await rerate(platform, true)).toMatchObject([{ invocations: 2, credits_micros: 10_000_000 }]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => rerate(platform, false)));
    const charged = answers.flat().reduce((sum, { credits_micros }) => sum + credits_micros, 0);
    expect(charged).toBe(10_000_000);
    expect(await creditsOf(platform, tenant.id)).toBe(10_000_000);
    const { month } = (await operate(platform, "GET", `/tenants/${tenant.id}?period=2026-03`)).body;
    expect(month).toMatchObject({ credits_charged_micros: 10_000_000, overrun_micros: 4_000_000 });
  });

  test("leaves a tariff that begins after the runs, another tenant and a closed period as they are", async () => {
    await using world = await start();
    const { platform, tenant } = world;
    await price(platform, { model: "late" });
    expect(await rerate(platform, true)).toEqual([]);
    await price(platform, backDated);
    const other = await platform.tenant();
    expect(await rerate(platform, true, { tenant_id: other.id })).toEqual([]);
    expect(await rerate(platform, true, { period: "2026-02" })).toEqual([]);
    expect(await rerate(platform, true, { tenant_id: tenant.id })).toHaveLength(1);
    await until(platform, "2026-04-05T00:00:00Z");
    await closeDue(platform.deps);
    for (const dry of [true, false]) expect(await rerate(platform, dry, { period: "2026-03" })).toEqual([]);
    expect(await creditsOf(platform, tenant.id)).toBe(0);
  });

  test("a past month shows the cap that was in force then", async () => {
    await using world = await start();
    const { platform, tenant } = world;
    await until(platform, "2026-04-02T00:00:00Z");
    await operate(platform, "PUT", `/tenants/${tenant.id}/plan`, { plan_id: "plan_free" });
    const capsOf = async (period: string) => {
      const own = await platform.call("GET", `/api/v1/usage?period=${period}`, { headers: tenant.asProgram });
      const all = (await operate(platform, "GET", `/tenants?period=${period}`)).body.tenants;
      const one = (await operate(platform, "GET", `/tenants/${tenant.id}?period=${period}`)).body;
      return [own.body, one, ...all].map(({ credits }) => credits.cap_micros);
    };
    expect(await capsOf("2026-03")).toEqual([10_000_000, 10_000_000, 10_000_000]);
    expect(await capsOf("2026-04")).toEqual([5_000_000, 5_000_000, 5_000_000]);
  });

  test("is 401 except for operators, and 400 without dry_run", async () => {
    await using world = await start();
    const { platform, tenant } = world;
    for (const [who, headers] of notOperators(tenant)) {
      const body = { dry_run: false };
      const { status } = await platform.call("POST", "/api/v1/admin/tariffs/rerate", { headers, body });
      expect([who, status]).toEqual([who, 401]);
    }
    for (const body of [
      {},
      { dry_run: "no" },
      { dry_run: true, period: "2026-13" },
      { dry_run: true, all: 1 },
    ])
      expect((await operate(platform, "POST", "/tariffs/rerate", body)).status).toBe(400);
  });
});
