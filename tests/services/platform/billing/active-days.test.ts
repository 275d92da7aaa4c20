import { expect, test } from "bun:test";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { addPlans, plan, subscribe } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

onEachEngine("the active days of a vertical's subscriptions", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), plan({ id: "crm_pro", argo_code: "crm" }));
    return platform;
  };
  const read = async ({ call }: TestPlatform, path: string) =>
    (await call("GET", `/api/v1/admin/${path}`, { headers: asOperator })).body;
  const cancel = ({ call }: TestPlatform, id: string) =>
    call("POST", `/api/v1/admin/subscriptions/${id}/cancel`, { headers: asOperator });
  const feesOf = async (platform: TestPlatform, { id }: TestTenant, period: string) => {
    const { charges, total_micros } = await read(platform, `tenants/${id}/statement?period=${period}`);
    const tenant = await read(platform, `tenants/${id}?period=${period}`);
    expect(tenant.month.revenue_micros).toBe(total_micros);
    return charges
      .filter(({ type }: { type: string }) => type === "cuota")
      .map((line: { subscription_id: string; quantity: number; amount_micros: number }) => [
        line.subscription_id,
        line.quantity,
        line.amount_micros,
      ]);
  };
  const until = ({ clock }: TestPlatform, instant: string) =>
    clock.advance(Date.parse(instant) - clock.now().getTime());

  test("a day that two of them include is billed once, to the one created first", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const whole = { desde: "2026-03-01" };
    const first = await subscribe(platform, tenant, whole);
    await until(platform, "2026-04-01T12:00:00Z");
    await cancel(platform, first.id);
    const second = await subscribe(platform, tenant, whole);
    const other = await subscribe(platform, tenant, { ...whole, argo_code: "crm", plan_id: "crm_pro" });
    const march = [
      [first.id, 31, 31_000_000],
      [other.id, 31, 31_000_000],
    ];
    expect(await feesOf(platform, tenant, "2026-03")).toEqual(march);
    // The day of the cancellation is the first one's.
    expect(await feesOf(platform, tenant, "2026-04")).toEqual([
      [first.id, 1, 1_033_333],
      [other.id, 1, 1_033_333],
    ]);
    await until(platform, "2026-05-03T00:00:00Z");
    const april = [
      [first.id, 1, 1_033_333],
      [second.id, 29, 29_966_667],
      [other.id, 30, 31_000_000],
    ];
    expect(await feesOf(platform, tenant, "2026-04")).toEqual(april);
    await closeDue(platform.deps);
    expect(await feesOf(platform, tenant, "2026-03")).toEqual(march);
    expect(await feesOf(platform, tenant, "2026-04")).toEqual(april);
  });

  test("a later one that begins before and ends after an earlier one pays the days around it, in one line", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const first = await subscribe(platform, tenant, { desde: "2026-03-05" });
    // Cancelled before its first day: it covers nothing.
    await cancel(platform, first.id);
    const future = await subscribe(platform, tenant, { desde: "2026-03-20" });
    await cancel(platform, future.id);
    const last = await subscribe(platform, tenant, { desde: "2026-03-02" });
    await platform.clock.advance(4 * dayMs);
    await cancel(platform, last.id);
    await until(platform, "2026-04-01T00:00:00Z");
    expect(await feesOf(platform, tenant, "2026-03")).toEqual([
      [first.id, 6, 6_000_000],
      // The 2nd to the 4th and the 11th to the 14th.
      [last.id, 7, 7_000_000],
    ]);
  });

  test("those of another tenant don't count", async () => {
    await using platform = await start();
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    const first = await subscribe(platform, one);
    const second = await subscribe(platform, other);
    expect(await feesOf(platform, one, "2026-03")).toEqual([[first.id, 1, 1_000_000]]);
    expect(await feesOf(platform, other, "2026-03")).toEqual([[second.id, 1, 1_000_000]]);
  });
});
