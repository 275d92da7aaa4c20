import { expect, test } from "bun:test";
import {
  listedModelsMax,
  listedPerDayMax,
  rankedAgentsMax,
} from "../../../../src/contracts/platform/observability.ts";
import { addAgent, addInvocation, startWithTenant } from "../../../support/platform-history.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const [march, february] = [new Date("2026-03-02T10:00:00.000Z"), new Date("2026-02-27T10:00:00.000Z")];

onEachEngine("what a tenant sees of its runs", (engine) => {
  test("status and logs give an agent's own runs, newest first, page by page", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const otherId = await addAgent(platform, owner, "sales");
    const ids: string[] = [];
    for (let run = 0; run < 5; run += 1) {
      ids.unshift((await addInvocation(platform, { tenantId: owner.id, agentId, sessionId: `s${run}` })).id);
      await addInvocation(platform, { tenantId: owner.id, agentId: otherId, agentName: "sales" });
    }
    for (const view of ["status", "logs"]) {
      const seen: string[] = [];
      let cursor = "";
      for (;;) {
        const path = `/api/v1/agents/support/${view}?limit=2${cursor}`;
        const { status, body } = await platform.call("GET", path, { headers: owner.asProgram });
        expect(status).toBe(200);
        expect(body.agent).toEqual({
          id: agentId,
          name: "support",
          status: "active",
          current_version: 1,
          deleted_at: null,
        });
        seen.push(...body.invocations.map((one: { invocation_id: string }) => one.invocation_id));
        if (body.next_cursor === undefined) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect(seen).toEqual(ids);
    }
  });

  test("all runs of a tenant and of no other, deleted agents' among them, newest first, page by page", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const supportId = await addAgent(platform, owner, "support");
    const goneId = await addAgent(platform, owner, "gone", { deletedAt: march });
    const stranger = await platform.tenant();
    const foreignId = await addAgent(platform, stranger, "support");
    const ids: string[] = [];
    for (const [agentId, agentName] of [
      [supportId, "support"],
      [goneId, "gone"],
      [supportId, "support"],
    ] as const) {
      ids.unshift((await addInvocation(platform, { tenantId: owner.id, agentId, agentName })).id);
      await addInvocation(platform, { tenantId: stranger.id, agentId: foreignId });
    }
    const read = async (query: string) =>
      (await platform.call("GET", `/api/v1/invocations${query}`, { headers: owner.asProgram })).body;
    const first = await read("?limit=2");
    const second = await read(`?limit=2&cursor=${first.next_cursor}`);
    expect(second).not.toHaveProperty("next_cursor");
    const seen = [...first.invocations, ...second.invocations];
    expect(seen.map((one) => one.invocation_id)).toEqual(ids);
    expect(seen.map(({ agent_id, agent_name }) => [agent_id, agent_name])).toEqual([
      [supportId, "support"],
      [goneId, "gone"],
      [supportId, "support"],
    ]);
  });

  test("a run is shown with status, timing, error and usage by model, and nothing of what it cost", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, {
      tenantId: owner.id,
      agentId,
      status: "error",
      errorCode: "provider_failed",
      message: "The provider failed.",
      admittedAt: march,
      chargedMicros: 0,
      overrunMicros: 77,
      providerCostMicros: 4242,
      infraCostMicros: 4343,
      heldMicros: 4444,
      traceId: "trace-1",
      owner: "process-1",
    });
    const answer = await platform.call("GET", `/api/v1/agents/support/invocations/${id}`, {
      headers: owner.asPerson,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      invocation_id: id,
      source: "production",
      agent_id: agentId,
      agent_name: "support",
      agent_version: 1,
      subscription_id: null,
      status: "error",
      session_id: "s",
      error_code: "provider_failed",
      message: "The provider failed.",
      started_at: "2026-03-02T10:00:00.000Z",
      ended_at: "2026-03-02T10:00:01.500Z",
      duration_ms: 1500,
      tokens_in: 100,
      tokens_out: 20,
      credits_charged_micros: 0,
      pricing_status: "priced",
      count: 1,
      usage_estimated: false,
      usage: {
        tokens_in: 100,
        tokens_out: 20,
        by_model: [
          {
            provider: "lab",
            model: "test-model",
            role: "main",
            tokens_in: 100,
            tokens_out: 20,
            tokens: 120,
            tokens_cached: 5,
          },
        ],
      },
    });
    for (const path of ["agents/support/status", "agents/support/metrics", "invocations", "usage"]) {
      const { text } = await platform.call("GET", `/api/v1/${path}`, { headers: owner.asProgram });
      expect(text).not.toMatch(/cost|margin|overrun|infra|process-1/);
      // Random ids may contain any digits, so the amounts are matched as numbers.
      expect(text).not.toMatch(/[^\w-](?:4242|4343|4444)[^\w-]/);
    }
  });

  test("metrics and usage add up by month, of all time, by model and by agent", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const supportId = await addAgent(platform, owner, "support");
    const goneId = await addAgent(platform, owner, "gone", { deletedAt: march });
    const of = (agentId: string, agentName: string) => ({ tenantId: owner.id, agentId, agentName });
    await addInvocation(platform, { ...of(supportId, "support"), admittedAt: march });
    await addInvocation(platform, { ...of(supportId, "support"), admittedAt: february, chargedMicros: 500 });
    const nothing = { tokensIn: 0, tokensOut: 0, chargedMicros: 0, byModel: [] };
    const rejected = { status: "rejected", count: 7, errorCode: "rate_limited" } as const;
    await addInvocation(platform, {
      ...of(supportId, "support"),
      admittedAt: march,
      ...nothing,
      ...rejected,
    });
    const model = { provider: "lab", model: "large", role: "planner", tokens_cached: 1 };
    await addInvocation(platform, {
      ...of(goneId, "gone"),
      admittedAt: march,
      chargedMicros: 9_007_199_254,
      tokensIn: 7,
      tokensOut: 3,
      byModel: [{ ...model, tokens_in: 7, tokens_out: 3, tokens: 10 }],
    });
    const stranger = await platform.tenant();
    const foreignId = await addAgent(platform, stranger, "support");
    await addInvocation(platform, { tenantId: stranger.id, agentId: foreignId, admittedAt: march });

    const metrics = await platform.call("GET", "/api/v1/agents/support/metrics", {
      headers: owner.asProgram,
    });
    const mainModel = {
      provider: "lab",
      model: "test-model",
      role: "main",
      tokens_in: 100,
      tokens_out: 20,
      tokens: 120,
      tokens_cached: 5,
    };
    expect(metrics.body).toMatchObject({
      period: "2026-03",
      month: {
        invocations: 8,
        by_status: { ok: 1, rejected: 7 },
        tokens_in: 100,
        tokens_out: 20,
        credits_charged_micros: 1000,
        by_model: [mainModel],
      },
      all_time: {
        invocations: 9,
        credits_charged_micros: 1500,
        by_model: [{ ...mainModel, tokens_in: 200, tokens_out: 40, tokens: 240, tokens_cached: 10 }],
      },
    });
    const past = await platform.call("GET", "/api/v1/agents/support/metrics?period=2026-02", {
      headers: owner.asProgram,
    });
    expect(past.body).toMatchObject({
      period: "2026-02",
      month: { invocations: 1, credits_charged_micros: 500 },
    });

    const { body: usage } = await platform.call("GET", "/api/v1/usage", { headers: owner.asProgram });
    expect(usage).toMatchObject({
      period: "2026-03",
      month: { invocations: 9, tokens_in: 107, credits_charged_micros: 9_007_200_254 },
      all_time: { invocations: 10, tokens_in: 207, credits_charged_micros: 9_007_200_754 },
      credits: { charged_micros: 0, held_micros: 0, cap_micros: 5_000_000 },
    });
    expect(usage.month.by_model).toEqual([mainModel, { ...model, tokens_in: 7, tokens_out: 3, tokens: 10 }]);
    expect(usage.agents.map(({ agent_id: _, ...agent }: { agent_id: string }) => agent)).toEqual([
      {
        name: "gone",
        status: "deleted",
        month: { invocations: 1, tokens_in: 7, tokens_out: 3, credits_charged_micros: 9_007_199_254 },
        all_time: { invocations: 1, tokens_in: 7, tokens_out: 3, credits_charged_micros: 9_007_199_254 },
      },
      {
        name: "support",
        status: "active",
        month: { invocations: 8, tokens_in: 100, tokens_out: 20, credits_charged_micros: 1000 },
        all_time: { invocations: 9, tokens_in: 200, tokens_out: 40, credits_charged_micros: 1500 },
      },
    ]);
  });

  test("a month by days has each day's agents and models, without other months and tenants", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const [support, sales] = [
      await addAgent(platform, owner, "support"),
      await addAgent(platform, owner, "sales"),
    ];
    const stranger = await platform.tenant();
    const at = (admittedAt: string, agentId: string, agentName: string) =>
      addInvocation(platform, {
        tenantId: owner.id,
        agentId,
        agentName,
        admittedAt: new Date(admittedAt),
        month: admittedAt.slice(0, 7),
        tokensIn: 100,
        tokensOut: 20,
        chargedMicros: 500,
      });
    await at("2026-03-01T23:59:59.999Z", support, "support");
    await at("2026-03-02T00:00:00.000Z", sales, "sales");
    await at("2026-03-01T00:00:00.000Z", support, "support");
    await at("2026-02-28T23:59:59.999Z", support, "support");
    await addInvocation(platform, { tenantId: stranger.id, agentId: support, admittedAt: march });
    const read = async (query: string) =>
      (await platform.call("GET", `/api/v1/usage/days${query}`, { headers: owner.asProgram })).body;
    const model = { provider: "lab", model: "test-model" };
    const once = { invocations: 1, tokens_in: 100, tokens_out: 20, credits_charged_micros: 500 };
    const twice = { invocations: 2, tokens_in: 200, tokens_out: 40, credits_charged_micros: 1000 };
    expect(await read("")).toEqual({
      period: "2026-03",
      days: [
        {
          day: "2026-03-01",
          ...twice,
          agents: [{ agent_id: support, name: "support", ...twice }],
          models: [{ ...model, tokens_in: 200, tokens_out: 40 }],
        },
        {
          day: "2026-03-02",
          ...once,
          agents: [{ agent_id: sales, name: "sales", ...once }],
          models: [{ ...model, tokens_in: 100, tokens_out: 20 }],
        },
      ],
    });
    expect(await read("?period=2026-02")).toMatchObject({ days: [{ day: "2026-02-28" }] });
    expect(await read("?period=2025-01")).toEqual({ period: "2025-01", days: [] });
  });

  test("lists of a month stay short, however many agents a tenant makes and deletes, and sums count them all", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const { storage } = platform.deps;
    const active = await addAgent(platform, owner, "active");
    const [gone] = await storage.read.select().from(storage.tables.agents);
    const { id: runId } = await addInvocation(platform, {
      tenantId: owner.id,
      agentId: active,
      chargedMicros: 1,
    });
    const [run] = await storage.read.select().from(storage.tables.invocations);
    const made = Array.from({ length: rankedAgentsMax + 50 }, (_, at) => ({
      id: `${active.slice(0, -6)}${String(at).padStart(6, "0")}`,
      name: `gone-${at}`,
    }));
    await storage.transact(async (tx) => {
      for (const { id, name } of made) {
        await tx
          .insert(storage.tables.agents)
          .values({ ...(gone as object), id, name, deletedAt: march } as never);
        await tx.insert(storage.tables.invocations).values({
          ...(run as object),
          id: `${runId.slice(0, -6)}${id.slice(-6)}`,
          agentId: id,
          agentName: name,
          chargedMicros: 10 + Number(id.slice(-6)),
          byModel: [
            {
              provider: "lab",
              model: name,
              role: "primary",
              tokens_in: 1,
              tokens_out: 1,
              tokens: 2,
              tokens_cached: 0,
            },
          ],
        } as never);
      }
    });
    const read = async (path: string) =>
      (await platform.call("GET", path, { headers: owner.asProgram })).body;
    const charged = made.reduce((sum, _, at) => sum + 10 + at, 1);
    const usage = await read("/api/v1/usage");
    expect(usage.agents).toHaveLength(rankedAgentsMax);
    expect(usage.agents[0]).toMatchObject({ name: made.at(-1)?.name, status: "deleted" });
    expect(usage.month).toMatchObject({ invocations: made.length + 1, credits_charged_micros: charged });
    expect(usage.month.by_model).toHaveLength(listedModelsMax);
    const [day] = (await read("/api/v1/usage/days")).days;
    expect(day).toMatchObject({ invocations: made.length + 1, credits_charged_micros: charged });
    expect([day.agents.length, day.models.length]).toEqual([listedPerDayMax, listedPerDayMax]);
    expect(day.agents[0]).toMatchObject({ name: made.at(-1)?.name });
  });

  test("a deleted agent stays readable, until another takes its name", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const oldId = await addAgent(platform, owner, "support", { deletedAt: march });
    const old = await addInvocation(platform, { tenantId: owner.id, agentId: oldId });
    const headers = owner.asProgram;
    const read = async () => (await platform.call("GET", "/api/v1/agents/support/status", { headers })).body;
    expect(await read()).toMatchObject({
      agent: { id: oldId, status: "deleted", deleted_at: march.toISOString() },
      invocations: [{ invocation_id: old.id }],
    });
    const newAgentId = await addAgent(platform, owner, "support");
    expect(await read()).toMatchObject({ agent: { id: newAgentId, status: "active" }, invocations: [] });
    const detail = await platform.call("GET", `/api/v1/agents/support/invocations/${old.id}`, { headers });
    expect(detail).toMatchObject({ status: 200, body: { agent_id: oldId } });
  });

  test("another tenant's agent, a missing agent and another agent's run are 404", async () => {
    await using platform = await startWithTenant(engine);
    const { owner } = platform;
    const stranger = await platform.tenant();
    const agentId = await addAgent(platform, owner, "support");
    const { id } = await addInvocation(platform, { tenantId: owner.id, agentId });
    await addAgent(platform, owner, "sales");
    const refusal = async (tenant: typeof owner, path: string) => {
      const { status, body } = await platform.call("GET", `/api/v1/agents/${path}`, {
        headers: tenant.asProgram,
      });
      return `${status} ${body.error}`;
    };
    for (const view of ["status", "logs", "metrics", `invocations/${id}`]) {
      expect(await refusal(stranger, `support/${view}`)).toBe("404 agent_not_found");
      expect(await refusal(owner, `nobody/${view}`)).toBe("404 agent_not_found");
    }
    expect(await refusal(owner, `sales/invocations/${id}`)).toBe("404 invocation_not_found");
    expect(await refusal(owner, "support/invocations/x")).toBe("404 invocation_not_found");
  });

  test.each([
    "agents/support/metrics?period=2026-13",
    "agents/support/metrics?period=March",
    "agents/support/status?limit=0",
    "agents/support/status?limit=ten",
    "agents/support/status?cursor=nonsense",
    "invocations?cursor=nonsense",
    "usage?period=2026-3",
  ])("%s is 400", async (path) => {
    await using platform = await startWithTenant(engine);
    await addAgent(platform, platform.owner, "support");
    const answer = await platform.call("GET", `/api/v1/${path}`, { headers: platform.owner.asProgram });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(answer.body.problems).toHaveLength(1);
  });

  test("a limit above the maximum is cut to it", async () => {
    await using platform = await startWithTenant(engine);
    await addAgent(platform, platform.owner, "support");
    const answer = await platform.call("GET", "/api/v1/agents/support/status?limit=100000", {
      headers: platform.owner.asProgram,
    });
    expect(answer.status).toBe(200);
  });
});
