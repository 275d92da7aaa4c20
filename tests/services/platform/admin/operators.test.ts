import { expect, test } from "bun:test";
import { writeAudit } from "../../../../src/control-plane/audit/write-audit.ts";
import { newId } from "../../../../src/kit/id.ts";
import type { InvocationRow } from "../../../../src/services/platform/runs/schema.ts";
import { asOperator, type TestPlatform } from "../../../support/platform.ts";
import { addAgent, addInvocation, startWithTenant } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const [march, february] = [new Date("2026-03-02T10:00:00.000Z"), new Date("2026-02-27T10:00:00.000Z")];

const ask = async (platform: TestPlatform, path: string) =>
  platform.call("GET", `/api/v1/admin/${path}`, { headers: asOperator });

async function fileTariff({ deps }: TestPlatform, model: string, at: { from: Date; filed: Date }) {
  await deps.storage.transact((tx) =>
    tx.insert(deps.storage.tables.tariffs).values({
      id: newId(),
      provider: "lab",
      model,
      effectiveFrom: at.from,
      creditsPer1kIn: 10_000,
      creditsPer1kOut: 20_000,
      creditsPer1kCached: null,
      providerCostPer1kIn: 4000,
      providerCostPer1kOut: 8000,
      infraCostPerSecond: null,
      own: false,
      createdAt: at.filed,
    }),
  );
}

const used = (model: string, tokens_in: number, tokens_out: number) => ({
  provider: "lab",
  model,
  role: "main",
  tokens_in,
  tokens_out,
  tokens: tokens_in + tokens_out,
  tokens_cached: 0,
});

onEachEngine("what operators see", (engine) => {
  test("usage of a month: totals with costs, tenants by credits, and models that no tariff priced", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const other = await platform.tenant();
    await fileTariff(platform, "test-model", { from: february, filed: february });
    // Filed for the past after the run had ended, so it does not price the run.
    const late = new Date(march.getTime() + 3_600_000);
    await fileTariff(platform, "late", { from: february, filed: late });
    const agentId = await addAgent(platform, owner, "support");
    const otherId = await addAgent(platform, other, "support");
    await addInvocation(platform, { tenantId: owner.id, agentId, admittedAt: march, overrunMicros: 9 });
    await addInvocation(platform, { tenantId: owner.id, agentId, admittedAt: february });
    await addInvocation(platform, {
      tenantId: other.id,
      agentId: otherId,
      admittedAt: march,
      chargedMicros: 5000,
      pricingStatus: "unpriced",
      tokensIn: 33,
      tokensOut: 3,
      byModel: [used("test-model", 11, 1), used("free", 11, 1), used("late", 11, 1)],
    });
    const { status, body } = await ask(platform, "usage?period=2026-03");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      period: "2026-03",
      month: {
        invocations: 2,
        by_status: { ok: 2 },
        tokens_in: 133,
        credits_charged_micros: 6000,
        provider_cost_micros: 600,
        infra_cost_micros: 100,
        overrun_micros: 9,
        revenue_micros: 0,
        margin_micros: -700,
      },
      tenants: [
        {
          tenant_id: other.id,
          status: "active",
          month: { credits_charged_micros: 5000, margin_micros: -350 },
        },
        { tenant_id: owner.id, status: "active", month: { credits_charged_micros: 1000, overrun_micros: 9 } },
      ],
    });
    expect(body.unpriced_models.map(({ model }: { model: string }) => model).sort()).toEqual([
      "free",
      "late",
    ]);
    expect(body.unpriced_models[0]).toMatchObject({ invocations: 1, tokens_in: 11, tokens_out: 1 });
    expect((await ask(platform, "usage?period=2025-01")).body).toMatchObject({
      month: { invocations: 0, margin_micros: 0 },
      tenants: [],
      unpriced_models: [],
    });
  });

  test("tenants, page by page, and one with its plan, caps, margin and what runs now", async () => {
    await using platform = await startWithTenant(engine);
    const { owner, deps } = platform;
    const second = await platform.tenant();
    const third = await platform.tenant();
    const { tables, transact } = deps.storage;
    const agentId = await addAgent(platform, owner, "support");
    await addAgent(platform, owner, "gone", { deletedAt: march });
    await addInvocation(platform, { tenantId: owner.id, agentId, admittedAt: march });
    await addInvocation(platform, { tenantId: owner.id, agentId, admittedAt: february, chargedMicros: 7 });
    const open = { status: "in_progress", endedAt: null, tokensIn: 0, tokensOut: 0, byModel: [] } as const;
    const free = { chargedMicros: 0, providerCostMicros: 0, infraCostMicros: 0, pricingStatus: null };
    await addInvocation(platform, {
      tenantId: owner.id,
      agentId,
      admittedAt: march,
      ...open,
      ...free,
      byModel: [],
    });
    await transact((tx) =>
      tx.insert(tables.creditCounters).values({
        tenantId: owner.id,
        scope: "tenant",
        month: "2026-03",
        chargedMicros: 1000,
        heldMicros: 9000,
        cancelledCostMicros: 0,
      }),
    );
    const first = (await ask(platform, "tenants?limit=2")).body;
    expect(first.tenants.map(({ id }: { id: string }) => id)).toEqual([third.id, second.id]);
    const rest = (await ask(platform, `tenants?limit=2&cursor=${first.next_cursor}`)).body;
    expect(rest).toMatchObject({
      period: "2026-03",
      tenants: [
        {
          id: owner.id,
          owner: { id: owner.userId, email: `${owner.userId}@example.com` },
          status: "active",
          plan_id: "plan_free",
          active_agents: 1,
          credits: { charged_micros: 1000, held_micros: 9000, cap_micros: 5_000_000, percent: 0 },
          month: {
            invocations: 2,
            credits_charged_micros: 1000,
            provider_cost_micros: 300,
            revenue_micros: 0,
            margin_micros: -350,
          },
        },
      ],
    });
    expect(rest.next_cursor).toBeUndefined();
    const { status, body } = await ask(platform, `tenants/${owner.id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: owner.id,
      plan: { id: "plan_free", max_concurrency: 10, max_rpm: 60, credit_cap_period_micros: 5_000_000 },
      credits: { charged_micros: 1000, held_micros: 9000 },
      running: 1,
      active_agents: 1,
      month: { invocations: 2, margin_micros: -350, by_status: { ok: 1, in_progress: 1 } },
      all_time: { invocations: 3, credits_charged_micros: 1007, margin_micros: -700 },
      subscriptions: [],
    });
    expect(await ask(platform, `tenants/${newId()}`)).toMatchObject({
      status: 404,
      body: { error: "not_found" },
    });
  });

  test("an agent's error rate is errors of errors and answers", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const idleId = await addAgent(platform, owner, "idle");
    const of = { tenantId: owner.id, agentId, admittedAt: march };
    for (const status of ["ok", "ok", "ok", "error", "cancelled", "rejected"] as const) {
      await addInvocation(platform, { ...of, status });
    }
    const late = new Date(march.getTime() + 1000);
    await addInvocation(platform, { ...of, admittedAt: late, status: "timeout" });
    await addInvocation(platform, { ...of, status: "error", admittedAt: february });
    const { body } = await ask(platform, "agents");
    expect(body.agents).toMatchObject([
      { agent_id: idleId, invocations: 0, ok: 0, errors: 0, error_rate: null, last_invocation_at: null },
      {
        agent_id: agentId,
        tenant_id: owner.id,
        tenant_name: "Ada's",
        margin_micros: null,
        name: "support",
        status: "active",
        ok: 3,
        errors: 2,
        error_rate: 0.4,
        by_status: { ok: 3, error: 1, cancelled: 1, rejected: 1, timeout: 1 },
        last_invocation_at: late.toISOString(),
        invocations: 7,
      },
    ]);
    const stranger = await platform.tenant();
    expect((await ask(platform, `agents?tenant_id=${stranger.id}`)).body.agents).toEqual([]);
    expect((await ask(platform, "agents?period=2026-02")).body.agents[1]).toMatchObject({ error_rate: 1 });
  });

  test("invocations by each filter and by all together, page by page", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const other = await platform.tenant();
    const agents = [
      { tenantId: owner.id, agentId: await addAgent(platform, owner, "support") },
      { tenantId: owner.id, agentId: await addAgent(platform, owner, "sales") },
      { tenantId: other.id, agentId: await addAgent(platform, other, "support") },
    ];
    const rows: InvocationRow[] = [];
    for (const agent of agents) {
      for (const admittedAt of [march, february]) {
        for (const status of ["ok", "error"] as const) {
          for (const pricingStatus of ["priced", "unpriced"] as const) {
            rows.unshift(await addInvocation(platform, { ...agent, admittedAt, status, pricingStatus }));
          }
        }
      }
    }
    const filters: Record<string, { value: string; fits: (row: InvocationRow) => boolean }> = {
      tenant_id: { value: owner.id, fits: (row) => row.tenantId === owner.id },
      agent_id: { value: agents[1]?.agentId ?? "", fits: (row) => row.agentId === agents[1]?.agentId },
      status: { value: "error", fits: (row) => row.status === "error" },
      pricing_status: { value: "unpriced", fits: (row) => row.pricingStatus === "unpriced" },
      period: { value: "2026-02", fits: (row) => row.month === "2026-02" },
    };
    const names = Object.keys(filters);
    for (let chosen = 0; chosen < 2 ** names.length; chosen += 1) {
      const set = names.filter((_, at) => (chosen >> at) % 2 === 1);
      const expected = rows.filter((row) => set.every((name) => filters[name]?.fits(row)));
      const query = set.map((name) => `${name}=${filters[name]?.value}`);
      const seen: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const more = cursor === undefined ? [] : [`cursor=${cursor}`];
        const { body } = await ask(platform, `invocations?${[...query, "limit=5", ...more].join("&")}`);
        seen.push(...body.invocations.map((one: { invocation_id: string }) => one.invocation_id));
        cursor = body.next_cursor;
        if (cursor === undefined) break;
      }
      expect(seen).toEqual(expected.map(({ id }) => id));
    }
  });

  test("an invocation in full: costs, overrun, what each model took, and models without a tariff; an unknown one is 404", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    await fileTariff(platform, "test-model", { from: february, filed: february });
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, {
      tenantId: owner.id,
      agentId,
      admittedAt: march,
      chargedMicros: 130,
      overrunMicros: 20,
      providerCostMicros: 52,
      infraCostMicros: 3,
      pricingStatus: "unpriced",
      usageEstimated: true,
      traceId: "trace-1",
      byModel: [used("test-model", 11, 1), used("free", 5, 5)],
    });
    const { status, body } = await ask(platform, `invocations/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      invocation_id: id,
      tenant_id: owner.id,
      agent_id: agentId,
      plan_id: "plan_free",
      period: "2026-03",
      provider_cost_micros: 52,
      infra_cost_micros: 3,
      overrun_micros: 20,
      tenant_name: "Ada's",
      margin_micros: null,
      held_micros: 9000,
      usage_estimated: true,
      pricing_status: "unpriced",
      unpriced_models: [{ provider: "lab", model: "free" }],
      trace_id: "trace-1",
      usage: {
        by_model: [
          { model: "test-model", priced: true, credits_micros: 130, provider_cost_micros: 52 },
          { model: "free", priced: false, credits_micros: 0, provider_cost_micros: null },
        ],
      },
    });
    expect(await ask(platform, `invocations/${newId()}`)).toMatchObject({
      status: 404,
      body: { error: "invocation_not_found" },
    });
  });

  test("the audit log, newest first, by tenant, action and actor", async () => {
    await using platform = await startWithTenant(engine);
    const { deps, clock, owner } = platform;
    const { storage } = deps;
    for (const [actor, action] of [
      ["token", "plan.create"],
      ["user:1", "tenant.plan"],
      ["token", "tenant.plan"],
    ] as const) {
      const of = action === "tenant.plan" ? { ownerId: owner.id, subject: "plan_big" } : { ownerId: null };
      const entry = { actor, action, detail: { id: "plan_big" }, requestId: "r1", ...of };
      await storage.transact((tx) => writeAudit({ storage, newId }, tx, clock.now(), entry));
    }
    const actions = async (query: string) =>
      (await ask(platform, `audit${query}`)).body.entries.map((one: Record<string, string>) => [
        one.actor,
        one.action,
      ]);
    expect(await actions("")).toEqual([
      ["token", "tenant.plan"],
      ["user:1", "tenant.plan"],
      ["token", "plan.create"],
    ]);
    expect(await actions(`?tenant_id=${owner.id}`)).toHaveLength(2);
    expect(await actions("?actor=user:1")).toEqual([["user:1", "tenant.plan"]]);
    expect(await actions("?action=plan.create")).toEqual([["token", "plan.create"]]);
    const now = clock.now().toISOString();
    expect(await actions(`?since=${now}`)).toHaveLength(3);
    expect(await actions(`?until=${now}`)).toEqual([]);
    expect(await ask(platform, "audit?since=soon")).toMatchObject({ status: 400 });
    const { body } = await ask(platform, "audit?limit=1");
    expect(body.entries[0]).toMatchObject({
      at: clock.now().toISOString(),
      tenant_id: owner.id,
      subject: "plan_big",
      detail: { id: "plan_big" },
      request_id: "r1",
    });
    expect(await actions(`?limit=5&cursor=${body.next_cursor}`)).toHaveLength(2);
  });

  test("every change by an operator is in the log", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const change = async (method: string, path: string, body?: object) => {
      const answer = await platform.call(method, `/api/v1/admin/${path}`, { headers: asOperator, body });
      expect(answer.status).toBeLessThan(300);
      return answer.body;
    };
    const plan = {
      name: "Big",
      max_concurrency: null,
      max_rpm: null,
      credit_cap_period_micros: null,
      max_tokens_per_call: null,
      max_run_tokens: null,
      max_iterations: null,
      max_active_agents: null,
      min_fee_micros: 0,
      activation_price_micros: 0,
      included_credits_micros: 0,
      extra_credit_price_micros: 0,
      spec: { unidades: {}, features: {} },
    };
    await change("POST", "plans", { ...plan, id: "big" });
    await change("POST", "plans", { ...plan, id: "legal", argo_code: "legal" });
    await change("POST", "plans", { ...plan, id: "legal-2", argo_code: "legal" });
    await change("PUT", `tenants/${owner.id}/plan`, { plan_id: "big" });
    await change("POST", "tariffs", {
      provider: "lab",
      model: "m",
      credits_per_1k_in_micros: 1,
      credits_per_1k_out_micros: 1,
    });
    const subscription = await change("POST", "subscriptions", {
      tenant_id: owner.id,
      argo_code: "legal",
      plan_id: "legal",
      desde: "2026-03-10",
    });
    await change("PUT", `subscriptions/${subscription.id}/plan`, { plan_id: "legal-2" });
    await change("POST", `subscriptions/${subscription.id}/cancel`);
    const { body } = await ask(platform, "audit");
    expect(body.entries).toHaveLength(8);
    expect(new Set(body.entries.map((one: { actor: string }) => one.actor))).toEqual(new Set(["token"]));
    const named = body.entries.filter((one: { subject: string }) => one.subject === subscription.id);
    expect(named.map((one: { subject_name: string }) => one.subject_name)).toEqual([
      "legal",
      "legal",
      "legal",
    ]);
    expect(body.entries.every((one: { request_id: string | null }) => one.request_id !== null)).toBe(true);
  });

  test("an operator may read and act for any tenant; others are 401", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const operator = await platform.tenant({ role: "operator" });
    const headers = { authorization: operator.asPerson.authorization ?? "" };
    expect((await platform.call("GET", "/api/v1/admin/tenants", { headers })).status).toBe(200);
    const forOwner = { ...headers, "x-tenant-id": owner.id };
    expect((await platform.call("GET", "/api/v1/usage", { headers: forOwner })).status).toBe(200);
    const person = { authorization: owner.asPerson.authorization ?? "" };
    expect((await platform.call("GET", "/api/v1/admin/tenants", { headers: person })).status).toBe(401);
  });

  test.each([
    "invocations?status=done",
    "invocations?limit=0",
    "audit?cursor=x",
    "agents?period=2026",
    "usage?period=x",
  ])("%s is 400", async (path) => {
    await using platform = await startWithTenant(engine);
    expect(await ask(platform, path)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });
});
