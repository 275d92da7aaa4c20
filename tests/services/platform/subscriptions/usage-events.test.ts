import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Subscription } from "../../../../src/contracts/platform/billing/subscriptions.ts";
import { newId } from "../../../../src/kit/id.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { addPlans, plan, subscribe, usageEvent } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/usage/events";
const dayMs = 86_400_000;

onEachEngine("usage events", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan());
    const tenant = await platform.tenant();
    return { platform, tenant, subscription: await subscribe(platform, tenant, { desde: "2026-03-05" }) };
  };
  const send = ({ call }: TestPlatform, { asProgram }: TestTenant, body: unknown) =>
    call("POST", path, { headers: asProgram, body });
  const countedOf = async ({ call }: TestPlatform, { asProgram }: TestTenant) =>
    (await call("GET", "/api/v1/subscriptions?argo=erp", { headers: asProgram })).body.counters.units;

  test("an event counts once; the first of an id wins, and another quantity is reported", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    const event = usageEvent(platform, subscription);
    const first = await send(platform, tenant, event);
    expect(first.status).toBe(201);
    expect(first.body).toEqual({ ...event, period: "2026-03", received_at: "2026-03-10T12:00:00.000Z" });
    await platform.clock.advance(1000);
    expect(await send(platform, tenant, event)).toMatchObject({ status: 200, body: first.body });
    for (const change of [{ cantidad: 4 }, { unidad: "erp.other" }]) {
      const again = await send(platform, tenant, { ...event, ...change });
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, conflict: true });
    }
    // Even if the repeated event has a different instant.
    expect((await send(platform, tenant, { ...event, ocurrido_en: "2027-01-01T00:00:00Z" })).status).toBe(
      200,
    );
    expect(await countedOf(platform, tenant)).toEqual({ "erp.docs": 3 });
  });

  test("of 20 equal events at once one counts, also when their months differ", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    await platform.clock.advance(25 * dayMs);
    const instants = ["2026-03-20T00:00:00Z", "2026-04-02T00:00:00Z"];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(
          platform,
          tenant,
          usageEvent(platform, subscription, { ocurrido_en: instants[index % 2] as string }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    const { usageEvents, usageCounters } = platform.deps.storage.tables;
    expect(await platform.deps.storage.read.select().from(usageEvents)).toHaveLength(1);
    expect(await platform.deps.storage.read.select().from(usageCounters)).toMatchObject([{ cantidad: 3 }]);
  });

  test("an id is of its subscription alone", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    const other = await platform.tenant();
    const theirs = await subscribe(platform, other);
    expect((await send(platform, tenant, usageEvent(platform, subscription))).status).toBe(201);
    expect((await send(platform, other, usageEvent(platform, theirs, { cantidad: 9 }))).status).toBe(201);
    expect(await countedOf(platform, other)).toEqual({ "erp.docs": 9 });
  });

  test("the counters are the sums of the events, for any events in any order", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    const events = fc.array(
      fc.record({
        id: fc.nat(30),
        cantidad: fc.integer({ min: 1, max: 9_000_000 }),
        day: fc.integer({ min: 5, max: 10 }),
      }),
      { minLength: 20, maxLength: 40 },
    );
    const first = new Map<string, bigint>();
    for (const [round, batch] of fc.sample(events, { numRuns: 3, seed: 7 }).entries()) {
      for (const { id, cantidad, day } of batch) {
        const event_id = `${round}-${id}`;
        const ocurrido_en = `2026-03-${String(day).padStart(2, "0")}T00:00:00Z`;
        await send(platform, tenant, usageEvent(platform, subscription, { event_id, cantidad, ocurrido_en }));
        if (!first.has(event_id)) first.set(event_id, BigInt(cantidad));
      }
    }
    const sum = [...first.values()].reduce((total, cantidad) => total + cantidad, 0n);
    expect(await countedOf(platform, tenant)).toEqual({ "erp.docs": Number(sum) });
  });

  test.each([
    ["2026-03-31T23:59:59.999Z", "2026-03"],
    ["2026-04-01T00:00:00.000Z", "2026-04"],
    ["2026-04-01T01:30:00+02:00", "2026-03"],
    ["2026-03-31T22:30:00-02:00", "2026-04"],
    ["2026-03-29T02:30:00+01:00", "2026-03"],
  ])("an event at %s is of the period %s", async (ocurrido_en, period) => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    await platform.clock.advance(23 * dayMs);
    const body = usageEvent(platform, subscription, { ocurrido_en });
    expect(await send(platform, tenant, body)).toMatchObject({ status: 201, body: { period } });
  });

  test("the window is from the first day through the last, and five minutes ahead; outside is 422", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    const at = async (event_id: string, ocurrido_en: string) => {
      const { status, body } = await send(
        platform,
        tenant,
        usageEvent(platform, subscription, { event_id, ocurrido_en }),
      );
      return [status, body.error];
    };
    expect(await at("a", "2026-03-04T23:59:59.999Z")).toEqual([422, "outside_subscription"]);
    expect(await at("b", "2026-03-05T00:00:00Z")).toEqual([201, undefined]);
    expect(await at("c", "2026-03-10T12:05:00Z")).toEqual([201, undefined]);
    expect(await at("d", "2026-03-10T12:05:00.001Z")).toEqual([422, "event_in_future"]);
    await platform.call("POST", `/api/v1/admin/subscriptions/${subscription.id}/cancel`, {
      headers: asOperator,
    });
    await platform.clock.advance(dayMs);
    expect(await at("e", "2026-03-10T23:59:59.999Z")).toEqual([201, undefined]);
    expect(await at("f", "2026-03-11T00:00:00Z")).toEqual([422, "outside_subscription"]);
    // Events counted before are still there, and a repeat gets the same answer.
    expect(await at("c", "2026-03-10T12:05:00Z")).toEqual([200, undefined]);
  });

  test("an event in a closed period is 409, and one it has is answered", async () => {
    const { platform, tenant, subscription } = await start();
    await using _ = platform;
    const event = usageEvent(platform, subscription);
    await send(platform, tenant, event);
    await platform.clock.advance(24 * dayMs);
    await closeDue(platform.deps);
    expect((await send(platform, tenant, event)).status).toBe(200);
    expect(await send(platform, tenant, { ...event, event_id: "late" })).toMatchObject({
      status: 409,
      body: { error: "period_closed" },
    });
    const { usageEvents } = platform.deps.storage.tables;
    expect(await platform.deps.storage.read.select().from(usageEvents)).toHaveLength(1);
  });

  test("units that could not be billed exactly are 422", async () => {
    const platform = await startPlatform(engine);
    await using _ = platform;
    const dear = { incluidas: 0, excedente_micros: 1_000_000_000_000 };
    await addPlans(platform, plan({ spec: { unidades: { "erp.docs": dear }, features: {} } }));
    const tenant = await platform.tenant();
    const subscription = await subscribe(platform, tenant);
    const of = (event_id: string, cantidad: number) =>
      send(platform, tenant, usageEvent(platform, subscription, { event_id, cantidad }));
    expect((await of("a", 1000)).status).toBe(201);
    expect(await of("b", 1)).toMatchObject({ status: 422, body: { error: "quantity_too_large" } });
    expect(await countedOf(platform, tenant)).toEqual({ "erp.docs": 1000 });
  });

  describe("refusals", () => {
    let platform: TestPlatform;
    let tenant: TestTenant;
    let subscription: Subscription;
    beforeAll(async () => {
      ({ platform, tenant, subscription } = await start());
    });
    afterAll(() => platform[Symbol.asyncDispose]());

    test.each<[string, Record<string, unknown>]>([
      ["no id", { event_id: undefined }],
      ["an empty id", { event_id: "" }],
      ["an id that is too long", { event_id: "x".repeat(256) }],
      ["no unit", { unidad: undefined }],
      ["a quantity of 0", { cantidad: 0 }],
      ["a quantity of -1", { cantidad: -1 }],
      ["a quantity of 1.5", { cantidad: 1.5 }],
      ["a quantity of 1e308", { cantidad: 1e308 }],
      ["a quantity in words", { cantidad: "1" }],
      ["a quantity that is none", { cantidad: Number.NaN }],
      ["no instant", { ocurrido_en: undefined }],
      ["an instant in words", { ocurrido_en: "now" }],
      ["an instant of the year 0", { ocurrido_en: "0000-01-01T00:00:00Z" }],
      ["NUL", { event_id: "a\0" }],
      ["an unknown field", { price: 1 }],
    ])("%s is 400", async (_, change) => {
      const answer = await send(platform, tenant, { ...usageEvent(platform, subscription), ...change });
      expect(answer.status).toBe(400);
      expect(await countedOf(platform, tenant)).toEqual({});
    });

    test.each(["erp.other", "constructor", "erp", "__proto__"])(
      "a unit %s that the plan has not is 422",
      async (unidad) => {
        const answer = await send(platform, tenant, usageEvent(platform, subscription, { unidad }));
        expect(answer).toMatchObject({ status: 422, body: { error: "unit_not_in_plan" } });
      },
    );

    test("another tenant's subscription is 404 like a missing one", async () => {
      const other = await platform.tenant();
      const foreign = await send(platform, other, usageEvent(platform, subscription));
      const missing = await send(platform, other, usageEvent(platform, { id: newId() }));
      expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
      expect(missing.status).toBe(404);
    });

    test("an event without a tenant's credential is 401", async () => {
      for (const headers of [{}, asOperator, { "x-api-key": `${tenant.key}x` }]) {
        const answer = await platform.call("POST", path, {
          headers,
          body: usageEvent(platform, subscription),
        });
        expect(answer.status).toBe(401);
      }
    });
  });
});
