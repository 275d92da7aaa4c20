import { expect, test } from "bun:test";
import type { AttributedCosts, CostAttribution } from "../../../../src/contracts/platform/attribution.ts";
import type { RuntimeUsage } from "../../../../src/contracts/runtime/runs.ts";
import { expireApprovals } from "../../../../src/services/platform/runs/decisions/expire-approvals.ts";
import {
  attributeOldRuns,
  partsOf,
} from "../../../../src/services/platform/runs/settlement/attribute-runs.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { priceRun } from "../../../../src/services/platform/tariffs/price-run.ts";
import { tariff } from "../../../support/billing.ts";
import { pausing } from "../../../support/paused-run.ts";
import { asOperator, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { invocationsOf, type PlatformWithAgent, platformWithAgent } from "../../../support/platform-agent.ts";
import { addInvocation } from "../../../support/platform-history.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { until } from "../../../support/until.ts";

const line = (change: Partial<RuntimeUsage> = {}): RuntimeUsage => ({
  provider: "lab",
  model: "test-model",
  role: "main",
  tokens_in: 100,
  tokens_out: 20,
  tokens_cached: 0,
  estimated: false,
  ...change,
});

const costs = async (platform: TestPlatform, query: string): Promise<CostAttribution> =>
  (await platform.call("GET", `/api/v1/admin/usage/attribution?${query}`, { headers: asOperator })).body;
const run = (platform: PlatformWithAgent, headers = platform.owner.asProgram) =>
  platform.call("POST", "/api/v1/agents/support/run", { headers, body: { query: "hi" } });
const answers = (platform: TestPlatform, usage: RuntimeUsage[]) =>
  platform.runtime.plays(async function* () {
    yield ended({ usage });
  });
const newKey = async (platform: TestPlatform, owner: TestTenant, label: string) => {
  const path = `/api/v1/tenants/${owner.id}/keys`;
  const { body } = await platform.call("POST", path, { headers: owner.asPerson, body: { label } });
  return { headers: { "x-api-key": body.rawKey }, hash: body.hash as string };
};

/** The sums that a report must have, from the rows of the runs. */
async function fromRows(platform: TestPlatform, month: string): Promise<AttributedCosts> {
  const rows = (await invocationsOf(platform)).filter(
    (row) => row.month === month && !["rejected", "in_progress", "awaiting_approval"].includes(row.status),
  );
  const sum = (value: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + value(row), 0);
  return {
    invocations: rows.length,
    tokens_in: sum(({ tokensIn }) => tokensIn),
    tokens_out: sum(({ tokensOut }) => tokensOut),
    tokens_cached: sum(({ byModel }) => byModel.reduce((total, used) => total + used.tokens_cached, 0)),
    credits_charged_micros: sum(({ chargedMicros }) => chargedMicros),
    provider_cost_micros: sum(({ providerCostMicros }) => providerCostMicros),
    unknown_cost_invocations: sum(({ costUnknown }) => (costUnknown ? 1 : 0)),
  };
}

onEachEngine("attribution of usage and cost", (engine) => {
  test("splits runs by key, by who made it and by model, for the tenant without the operator's costs", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const { owner } = platform;
    const shop = await newKey(platform, owner, "shop");
    answers(platform, [line(), line({ model: "other", role: "judge", cost_micros: 7 })]);
    await run(platform, shop.headers);
    answers(platform, [line({ tokens_in: 1000 })]);
    await run(platform, shop.headers);
    await run(platform, { ...owner.asPerson, "x-tenant-id": owner.id });
    const read = async (by: string) =>
      (await platform.call("GET", `/api/v1/usage/attribution?by=${by}`, { headers: owner.asProgram })).body;
    const sums = (invocations: number, tokens_in: number, tokens_out: number, charged: number) => ({
      invocations,
      tokens_in,
      tokens_out,
      tokens_cached: 0,
      credits_charged_micros: charged,
    });
    expect(await read("key")).toEqual({
      period: "2026-03",
      by: "key",
      complete: true,
      rows: [
        { id: shop.hash, name: "shop", ...sums(2, 1200, 60, 1140) },
        { id: null, name: "No key", ...sums(1, 1000, 20, 1020) },
      ],
      others: null,
      total: sums(3, 2200, 80, 2160),
    });
    const email = `${owner.userId}@example.com`;
    expect((await read("member")).rows).toEqual([
      { id: owner.userId, name: email, ...sums(3, 2200, 80, 2160) },
    ]);
    expect((await read("model")).rows).toEqual([
      { id: "lab/test-model", name: "lab/test-model", ...sums(3, 2100, 60, 2160) },
      { id: "lab/other", name: "lab/other", ...sums(1, 100, 20, 0) },
    ]);
    const byModel = await costs(platform, "by=model&period=2026-03");
    expect(byModel.rows).toMatchObject([
      { provider_cost_micros: 12 + 102 + 102, unknown_cost_invocations: 0, tenant_id: null },
      { provider_cost_micros: 7, unknown_cost_invocations: 0 },
    ]);
    const byKey = await costs(platform, `by=key&tenant_id=${owner.id}`);
    expect(byKey.rows).toMatchObject([
      { tenant_id: owner.id, tenant_name: "Ada's", provider_cost_micros: 12 + 7 + 102 },
      { provider_cost_micros: 102 },
    ]);
    expect((await costs(platform, "by=key&tenant_id=none")).rows).toEqual([]);
  });

  test("adds up to the runs after every way in which a run ends or changes", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000, plan: { maxRunTokens: 3000 } });
    const { owner, clock, deps } = platform;
    const settled = async () => {
      for (const month of ["2026-03", "2026-04"])
        for (const by of ["key", "member", "model"]) {
          const report = await costs(platform, `by=${by}&period=${month}`);
          expect([by, report.total]).toEqual([by, await fromRows(platform, month)]);
          const charged = report.rows.reduce((sum, row) => sum + row.credits_charged_micros, 0);
          expect([by, charged]).toEqual([by, report.total.credits_charged_micros]);
        }
    };
    // Beyond the hold, without a tariff, without a model, failed.
    answers(platform, [line({ tokens_in: 5000 }), line({ role: "judge" }), line({ model: "dear" })]);
    await run(platform);
    answers(platform, [line({ model: "late", tokens_in: 900 }), line({ model: "never" })]);
    await run(platform);
    answers(platform, []);
    await run(platform);
    platform.runtime.plays(async function* () {
      yield ended({ outcome: "error", error: { code: "provider_failed", status: 502, message: "no" } });
    });
    await run(platform);
    await settled();
    // Priced again, and corrected.
    await clock.advance(60_000);
    const filed = tariff({ model: "late", effective_from: "2026-03-01T00:00:00Z" });
    await platform.call("POST", "/api/v1/admin/tariffs", { headers: asOperator, body: filed });
    const body = { dry_run: false };
    await platform.call("POST", "/api/v1/admin/tariffs/rerate", { headers: asOperator, body });
    await settled();
    platform.runtime.plays(async function* () {
      yield ended({ usage_awaited: true });
      yield { type: "corrected", usage: [line({ tokens_in: -40, tokens_out: 333 })] };
    });
    await run(platform);
    await until(async () => (await invocationsOf(platform)).at(-1)?.tokensOut === 353);
    await settled();
    // Paused: approved in the next month, rejected, expired. Interrupted.
    const moveTo = (instant: string) => clock.advance(Date.parse(instant) - clock.now().getTime());
    await moveTo("2026-03-31T12:00:00Z");
    platform.runtime.plays(async function* () {
      yield pausing();
    });
    const paused = [await run(platform), await run(platform), await run(platform)];
    await settled();
    await moveTo("2026-04-01T06:00:00Z");
    const [approved, rejected] = paused.map(({ body: { approval_id: id } }) => `/api/v1/approvals/${id}`);
    answers(platform, [line({ tokens_out: 50 })]);
    for (const decision of [`${approved}/approve`, `${rejected}/reject`])
      expect((await platform.call("POST", decision, { headers: owner.asProgram, body: {} })).status).toBe(
        200,
      );
    await settled();
    await moveTo("2026-04-01T13:00:00Z");
    expect(await expireApprovals(deps.storage, clock.now())).toBe(1);
    await settled();
    expect((await costs(platform, "by=key&period=2026-04")).total.invocations).toBe(2);
    await deps.storage.transact((tx) =>
      tx
        .update(deps.storage.tables.invocations)
        .set({ status: "in_progress", attributed: false, heldUntil: new Date(0), byModel: [] }),
    );
    await deps.storage.transact((tx) => tx.delete(deps.storage.tables.attributedUsage));
    await sweepInterrupted(deps.storage, clock.now());
    await settled();
  });

  test("contains runs of earlier versions once, and marks their unknown costs", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    const { owner, deps } = platform;
    const old = (change: object) => addInvocation(platform, { tenantId: owner.id, agentId: "a", ...change });
    await run(platform);
    await old({});
    const used = { provider: "lab", model: "no-price", role: "main", ...{ tokens_in: 9, tokens_out: 1 } };
    await old({ byModel: [{ ...used, tokens: 10, tokens_cached: 0 }], providerCostMicros: 0, tokensIn: 9 });
    await old({ status: "rejected", count: 5, chargedMicros: 0, byModel: [] });
    expect((await costs(platform, "by=model")).complete).toBe(false);
    const [first, second] = await Promise.all([
      attributeOldRuns(deps.storage),
      attributeOldRuns(deps.storage),
    ]);
    expect(first + second).toBe(3);
    expect(await attributeOldRuns(deps.storage)).toBe(0);
    const report = await costs(platform, "by=model");
    expect(report).toMatchObject({ complete: true, total: { invocations: 3, unknown_cost_invocations: 1 } });
    expect(report.rows.find(({ id }) => id === "lab/no-price")).toMatchObject({
      unknown_cost_invocations: 1,
      provider_cost_micros: 0,
    });
    expect((await costs(platform, "by=member")).rows.map(({ name }) => name).sort()).toEqual(
      [`${owner.userId}@example.com`, "No member"].sort(),
    );
  });

  test("is CSV with format=csv, where an unknown cost is an empty cell", async () => {
    await using platform = await platformWithAgent(engine, { rate: 1000 });
    await newKey(platform, platform.owner, "=1+1");
    answers(platform, [line({ model: "free-of-price" })]);
    await run(platform);
    const csvOf = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(`${platform.url}${path}`, { headers });
      expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      return (await answer.text()).split("\r\n");
    };
    const own = "/api/v1/usage/attribution?by=model&format=csv";
    expect(await csvOf(own, platform.owner.asProgram)).toEqual([
      "period,by,id,name,invocations,tokens_in,tokens_out,tokens_cached,credits",
      "2026-03,model,lab/free-of-price,lab/free-of-price,1,100,20,0,0",
      "",
    ]);
    const [, all] = await csvOf("/api/v1/admin/usage/attribution?by=model&format=csv", asOperator);
    expect(all).toBe("2026-03,model,lab/free-of-price,lab/free-of-price,,,1,100,20,0,0,,1");
  });

  test("is 400 without a split or with another, and for a month that is none", async () => {
    await using platform = await platformWithAgent(engine);
    const headers = platform.owner.asProgram;
    for (const query of ["", "?by=agent", "?by=key&period=2026-13", "?by=key&format=xml"])
      expect((await platform.call("GET", `/api/v1/usage/attribution${query}`, { headers })).status).toBe(400);
  });
});

test.each([
  ["in full", 3_000, [1000, 2000]],
  ["up to the hold", 1_000, [333, 667]],
  ["not at all", 0, [0, 0]],
])("a run charged %s is split without a remainder", (_, chargedMicros, expected) => {
  const rates = {
    creditsIn: 1000,
    creditsOut: 0,
    creditsCached: 1000,
    providerIn: 1,
    providerOut: 1,
    infraPerSecond: 0,
  };
  const usage = [line({ tokens_in: 1000 }), line({ model: "big", tokens_in: 2000 })];
  const price = priceRun(usage, () => rates, 0);
  const parts = partsOf({ chargedMicros, providerCostMicros: 4, costUnknown: false }, price);
  expect(parts.map((part) => part.chargedMicros)).toEqual(expected);
  expect(parts.map(({ invocations, uses }) => [invocations, uses])).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect(parts.reduce((sum, part) => sum + part.providerCostMicros, 0)).toBe(4);
});
