import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { addPlans, basePlanBody, notOperators, plan, subscribe } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("revenue and churn by month", (engine) => {
  const operate = ({ call }: TestPlatform, method: string, to: string, body?: unknown) =>
    call(method, `/api/v1/admin${to}`, { headers: asOperator, body });
  const moveTo = ({ clock }: TestPlatform, instant: string) =>
    clock.advance(Date.parse(instant) - clock.now().getTime());

  /** Two tenants pay 31 dollars a month from 1 March on; one leaves on 20 April, and a third begins in May. */
  const start = async () => {
    const platform = await startPlatform(engine);
    await moveTo(platform, "2026-03-01T00:00:00Z");
    await addPlans(platform, basePlanBody({ min_fee_micros: 31_000_000 }));
    const pay = async () => {
      const tenant = await platform.tenant();
      await operate(platform, "PUT", `/tenants/${tenant.id}/plan`, { plan_id: "base_pro" });
      return tenant;
    };
    const [, leaving] = [await pay(), await pay()];
    await moveTo(platform, "2026-04-20T12:00:00Z");
    const { tenants } = platform.deps.storage.tables;
    await platform.deps.storage.transact((tx) =>
      tx.update(tenants).set({ deletedAt: platform.clock.now() }).where(eq(tenants.id, leaving.id)),
    );
    await moveTo(platform, "2026-05-01T12:00:00Z");
    await pay();
    return { platform, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
  };
  const shown = ({ body }: { body: { months: Record<string, unknown>[] } }) =>
    body.months.map(({ period, revenue_micros, tenants, new_tenants, lost_tenants, churn }) => [
      period,
      revenue_micros,
      tenants,
      new_tenants,
      lost_tenants,
      churn,
    ]);

  test("counts who is new and who left, before and after the months are closed", async () => {
    await using world = await start();
    const { platform } = world;
    const expected = [
      ["2026-02", 0, 0, 0, 0, null],
      ["2026-03", 62_000_000, 2, 2, 0, null],
      // 31 dollars, and 20 of 30 days of 31 dollars.
      ["2026-04", 31_000_000 + 20_666_667, 2, 0, 0, 0],
      // One of 31 days each.
      ["2026-05", 2_000_000, 2, 1, 1, 0.5],
    ];
    const ask = () => operate(platform, "GET", "/revenue?months=4");
    expect(shown(await ask())).toEqual(expected);
    await moveTo(platform, "2026-05-03T00:30:00Z");
    await closeDue(platform.deps);
    expect(shown(await ask()).slice(0, 3)).toEqual(expected.slice(0, 3));
    const { months } = (await ask()).body;
    expect(months.map(({ provisional }: { provisional: boolean }) => provisional)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect(months.at(-1)).toMatchObject({ lost_revenue_micros: 20_666_667 });
  });

  test("counts subscriptions by their first and last days", async () => {
    await using world = await start();
    const { platform } = world;
    const tenant = await platform.tenant();
    await addPlans(platform, plan());
    const { id } = await subscribe(platform, tenant);
    await operate(platform, "POST", `/subscriptions/${id}/cancel`, { at: "now" });
    const { months } = (await operate(platform, "GET", "/revenue?months=1")).body;
    expect(months).toMatchObject([{ subscriptions_started: 1, subscriptions_ended: 1 }]);
  });

  test("is a table with format=csv, at most 36 months, 400 for none and 401 except for operators", async () => {
    await using world = await start();
    const { platform } = world;
    const answer = await fetch(`${platform.url}/api/v1/admin/revenue?months=1&format=csv`, {
      headers: asOperator,
    });
    expect((await answer.text()).split("\r\n")[1]).toBe("2026-05,yes,2,2,1,1,20.666667,0.5,0,0");
    expect((await operate(platform, "GET", "/revenue?months=100")).body.months).toHaveLength(36);
    for (const months of ["0", "-1", "x"])
      expect((await operate(platform, "GET", `/revenue?months=${months}`)).status).toBe(400);
    const tenant = await platform.tenant();
    for (const [who, headers] of notOperators(tenant))
      expect([who, (await platform.call("GET", "/api/v1/admin/revenue", { headers })).status]).toEqual([
        who,
        401,
      ]);
  });
});
