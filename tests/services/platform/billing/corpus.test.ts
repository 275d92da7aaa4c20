import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { closePeriod } from "../../../../src/services/platform/billing/close-period.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { admitInvocation } from "../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import corpus from "../../../corpora/billing_and_admission.json" with { type: "json" };
import {
  addPlans,
  basePlanBody,
  chargeRun,
  plan,
  subscribe,
  tariff,
  usageEvent,
} from "../../../support/billing.ts";
import { postAtRandom } from "../../../support/ledger-postings.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;
const admin = "/api/v1/admin";

interface World {
  platform: TestPlatform;
  tenant: TestTenant;
  subscription: { id: string };
  operate(method: string, path: string, body?: unknown): ReturnType<TestPlatform["call"]>;
  use(change?: Parameters<typeof usageEvent>[2]): ReturnType<TestPlatform["call"]>;
}

/** The test of each corpus entry about bills; runs have tests of their own. */
const entries: Record<string, (world: World) => Promise<void>> = {
  "010": async ({ platform: { deps, clock, ...platform }, tenant, operate }) => {
    await operate("POST", "/tariffs", tariff({ credits_per_1k_in_micros: 1000 }));
    await clock.advance(1000);
    const invocationId = newId();
    const model = { provider: "lab", model: "test-model" };
    await admitInvocation(deps.storage, {
      tenantId: tenant.id,
      invocationId,
      agent: { id: "a", name: "support", version: 1, subscriptionId: null },
      sessionId: "s",
      caller: "cli",
      source: null,
      candidates: [model],
      idempotency: undefined,
      runToken: undefined,
      owner: deps.owner,
      now: clock.now(),
      timeoutMs: 120_000,
    });
    await clock.advance(1000);
    await operate("POST", "/tariffs", tariff({ credits_per_1k_in_micros: 9000 }));
    const usage = [
      { ...model, role: "main", tokens_in: 1000, tokens_out: 0, tokens_cached: 0, estimated: false },
    ];
    const ending = { status: "ok" as const, usage, durationMs: 1, isCharged: true };
    const settled = await settleInvocation(
      deps.storage,
      { tenantId: tenant.id, invocationId },
      ending,
      clock.now(),
    );
    expect(settled?.invocation.chargedMicros).toBe(1000);
    expect(await chargeRun({ deps, clock, ...platform }, tenant.id, { tokens: 1000 })).toBe(9000);
  },
  "012": async ({ platform, operate }) => {
    const { id } = (await operate("POST", "/tariffs", tariff())).body;
    for (const method of ["PUT", "DELETE"]) {
      expect((await operate(method, `/tariffs/${id}`, tariff())).status).toBe(404);
      expect((await operate(method, "/tariffs", tariff())).status).toBe(405);
    }
    const { storage } = platform.deps;
    const { tariffs } = storage.tables;
    for (const change of [
      () => storage.transact((tx) => tx.update(tariffs).set({ creditsPer1kIn: 0 })),
      () => storage.transact((tx) => tx.delete(tariffs)),
    ]) {
      expect(
        await change().then(
          () => "done",
          () => "refused",
        ),
      ).toBe("refused");
    }
    expect(await storage.read.select().from(tariffs)).toMatchObject([{ id, creditsPer1kIn: 1000 }]);
  },
  "013": async ({ platform }) => {
    const { differences } = await postAtRandom(platform, 1000, 13);
    expect(differences).toEqual([]);
  },
  "014": async ({ platform, tenant, operate }) => {
    // Tokens times rates, and credits times prices, exceed 2^53 as intermediate values of results that do not.
    const dear = basePlanBody({
      id: "base_dear",
      included_credits_micros: 0,
      credit_cap_period_micros: 1_000_000_000_000,
      extra_credit_price_micros: 1_000_000_000,
    });
    await addPlans(platform, dear);
    await operate("PUT", `/tenants/${tenant.id}/plan`, { plan_id: dear.id });
    await operate("POST", "/tariffs", tariff({ credits_per_1k_in_micros: 12_345_678_901 }));
    expect(await chargeRun(platform, tenant.id, { tokens: 60_001 })).toBe(740_753_079_739);
    const { body } = await operate("GET", `/tenants/${tenant.id}/statement`);
    expect(body.charges).toContainEqual(
      expect.objectContaining({ type: "creditos_extra", amount_micros: 740_753_079_739_000 }),
    );
  },
  "017": async ({ use }) => {
    expect((await use()).status).toBe(201);
    expect(await use({ cantidad: 4 })).toMatchObject({ status: 200, body: { cantidad: 3, conflict: true } });
  },
  "018": async ({ platform, use }) => {
    const ahead = (seconds: number) =>
      new Date(platform.clock.now().getTime() + seconds * 1000).toISOString();
    expect((await use({ ocurrido_en: ahead(301) })).status).toBe(422);
    expect((await use({ ocurrido_en: ahead(300) })).status).toBe(201);
  },
  "021": async ({ platform, subscription, operate, use }) => {
    await operate("POST", `/subscriptions/${subscription.id}/cancel`);
    await platform.clock.advance(dayMs);
    expect((await use()).status).toBe(422);
  },
  "023": async ({ use }) => {
    for (const cantidad of [0, -1, 1e308, "1", Number.NaN]) {
      expect([cantidad, (await use({ cantidad: cantidad as number })).status]).toEqual([cantidad, 400]);
    }
  },
  "024": async ({ platform, use }) => {
    const ocurrido_en = platform.clock.now().toISOString();
    await platform.clock.advance(30 * dayMs);
    await closeDue(platform.deps);
    expect(await use({ ocurrido_en })).toMatchObject({ status: 409, body: { error: "period_closed" } });
  },
  "026": async ({ platform, tenant, subscription, operate }) => {
    const key = { tenantId: tenant.id, scope: subscription.id, month: "2026-03" };
    await closePeriod(platform.deps.storage, key, { now: platform.clock.now(), newId });
    const { id } = (await operate("GET", "/billing-periods")).body.periods[0];
    const marks = Array.from({ length: 50 }, () => operate("POST", `/billing-periods/${id}/facturado`));
    const statuses = (await Promise.all(marks)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(49).fill(409)]);
  },
  "028": async ({ platform, use }) => {
    await platform.clock.advance(Date.parse("2028-03-30T12:00:00Z") - platform.clock.now().getTime());
    const periods = [
      ["2028-02-29T23:59:59.999Z", "2028-02"],
      ["2028-03-01T00:00:00.000Z", "2028-03"],
      ["2028-02-29T23:30:00-01:00", "2028-03"],
      // In central Europe this hour does not exist; in UTC every hour does.
      ["2028-03-26T02:30:00+01:00", "2028-03"],
    ];
    for (const [index, [ocurrido_en = "", period]] of periods.entries()) {
      expect(await use({ event_id: `e${index}`, ocurrido_en })).toMatchObject({
        status: 201,
        body: { period },
      });
    }
  },
};

/** Entries that the tests of runs cover. */
const ofRuns = ["002", "004", "007", "009", "030", "033", "035", "036", "040", "041"];

test("every entry of the corpus is tried somewhere", () => {
  const known = [...Object.keys(entries), ...ofRuns].map((id) => `billing_and_admission-${id}`);
  expect(corpus.entries.map(({ id }) => id).sort()).toEqual(known.sort());
});

onEachEngine("the corpus of bills", (engine) => {
  const mine = corpus.entries.filter(({ id }) => Object.hasOwn(entries, id.slice(-3)));
  test.each(mine.map(({ id, why, expected }) => [id, why, expected] as const))("%s (%s): %s", async (id) => {
    await using platform = await startPlatform(engine);
    // The postings bring their own plans.
    if (id.endsWith("013")) await entries["013"]?.({ platform } as World);
    else await entries[id.slice(-3)]?.(await worldOf(platform));
  });
});

async function worldOf(platform: TestPlatform): Promise<World> {
  await addPlans(platform, plan());
  const tenant = await platform.tenant();
  const subscription = await subscribe(platform, tenant);
  return {
    platform,
    tenant,
    subscription,
    operate: (method, path, body) =>
      platform.call(method, `${admin}${path}`, { headers: asOperator, ...(body !== undefined && { body }) }),
    use: (change) =>
      platform.call("POST", "/api/v1/usage/events", {
        headers: tenant.asProgram,
        body: usageEvent(platform, subscription, change),
      }),
  };
}
