import { expect, test } from "bun:test";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { addPlans, basePlanBody, plan, subscribe, usageEvent } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

onEachEngine("corrections", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan(), basePlanBody());
    return { platform, tenant: await platform.tenant() };
  };
  const admin = ({ call }: TestPlatform, method: string, path: string, body?: unknown) =>
    call(method, `/api/v1/admin${path}`, { headers: asOperator, ...(body === undefined ? {} : { body }) });
  const adjust = (platform: TestPlatform, { id }: TestTenant, body: Record<string, unknown>) =>
    admin(platform, "POST", `/tenants/${id}/adjustments`, body);
  const statement = async (platform: TestPlatform, { id }: TestTenant, query = "") =>
    (await admin(platform, "GET", `/tenants/${id}/statement${query}`)).body;

  test("an adjustment is a signed line of the open month, and a closed month never changes", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    const refund = { amount_micros: -12_345_678, reason: "outage", reference: "T-1" };
    expect(await adjust(platform, tenant, refund)).toMatchObject({ status: 201 });
    await adjust(platform, tenant, { amount_micros: 345_678, reason: "set-up" });
    const charges = [
      { type: "ajuste", description: "outage (T-1)", quantity: 1, amount_micros: -12_345_678 },
      { type: "ajuste", description: "set-up", quantity: 1, unit_price_micros: 345_678 },
    ];
    const shown = { charges, total_micros: -12_000_000 };
    expect(await statement(platform, tenant)).toMatchObject(shown);
    await platform.clock.advance(23 * dayMs);
    const late = { amount_micros: -5, reason: "late", period: "2026-03" };
    expect(await adjust(platform, tenant, late)).toMatchObject({ status: 201 });
    await platform.clock.advance(dayMs);
    await closeDue(platform.deps);
    expect(await adjust(platform, tenant, late)).toMatchObject({
      status: 409,
      body: { error: "period_closed" },
    });
    expect(await statement(platform, tenant, "?period=2026-03")).toMatchObject({
      provisional: false,
      total_micros: -12_000_005,
    });
    const found = await admin(platform, "GET", `/tenants/${tenant.id}/adjustments?limit=2`);
    expect(found.body.adjustments).toMatchObject([{ reason: "late" }, { reason: "set-up" }]);
    expect(found.body.next_cursor).toBeString();
  });

  test.each([
    [{ amount_micros: 0, reason: "nothing" }, 400],
    [{ amount_micros: 1.5, reason: "half" }, 400],
    [{ amount_micros: 1_000_000_000_001, reason: "too much" }, 400],
    [{ amount_micros: 1 }, 400],
    [{ amount_micros: 1, reason: "r", period: "March" }, 400],
    [{ amount_micros: 1, reason: "before the tenant", period: "2026-02" }, 422],
    [{ amount_micros: 1, reason: "in the future", period: "2026-04" }, 422],
  ])("the adjustment %j is %i", async (body, status) => {
    const begun = await start();
    await using platform = begun.platform;
    expect(await adjust(platform, begun.tenant, body)).toMatchObject({ status });
    expect(await statement(platform, begun.tenant)).toMatchObject({ charges: [] });
  });

  test("a voided event no longer counts, its id stays used, and voiding it again is 409", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-08" });
    const events = [
      usageEvent(platform, { id }, { event_id: "e/1", cantidad: 13 }),
      usageEvent(platform, { id }, { event_id: "e/2", cantidad: 900 }),
    ];
    const send = (body: unknown) =>
      platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body });
    for (const event of events) await send(event);
    const voiding = { event_id: "e/2", reason: "test data" };
    const path = `/subscriptions/${id}/usage-events`;
    expect(await admin(platform, "POST", `${path}/void`, voiding)).toMatchObject({
      status: 200,
      body: { cantidad: 900, voided: { reason: "test data" } },
    });
    const units = async () =>
      (await statement(platform, tenant)).charges.find(
        ({ type }: { type: string }) => type === "excedente_unidad",
      );
    expect(await units()).toMatchObject({ quantity: 3, description: "erp.docs: 13 used, 10 included" });
    expect(await admin(platform, "POST", `${path}/void`, voiding)).toMatchObject({
      status: 409,
      body: { error: "already_voided" },
    });
    expect(await send(events[1])).toMatchObject({ status: 200, body: { event_id: "e/2", voided: true } });
    expect(await units()).toMatchObject({ quantity: 3 });
    const listed = await admin(platform, "GET", `${path}?period=2026-03&limit=1`);
    expect(listed.body.events).toMatchObject([{ event_id: "e/2", voided: { reason: "test data" } }]);
    const next = await admin(platform, "GET", `${path}?limit=1&cursor=${listed.body.next_cursor}`);
    expect(next.body).toMatchObject({ events: [{ event_id: "e/1", voided: null }] });
    await platform.clock.advance(24 * dayMs);
    await closeDue(platform.deps);
    expect(await admin(platform, "POST", `${path}/void`, { ...voiding, event_id: "e/1" })).toMatchObject({
      status: 409,
      body: { error: "period_closed" },
    });
    expect(await admin(platform, "POST", `${path}/void`, { ...voiding, event_id: "e/3" })).toMatchObject({
      status: 404,
    });
  });
});
