import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { seedDefaultPlan } from "../../../../src/services/platform/plans/plan-commands.ts";
import { addPlans, auditOf, basePlanBody, notOperators, plan } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/admin/plans";

onEachEngine("plans", (engine) => {
  const create = ({ call }: TestPlatform, body: unknown) => call("POST", path, { headers: asOperator, body });
  const give = ({ call }: TestPlatform, tenantId: string, body: unknown) =>
    call("PUT", `/api/v1/admin/tenants/${tenantId}/plan`, { headers: asOperator, body });

  test("a plan is made, listed newest first, and audited", async () => {
    await using platform = await startPlatform(engine);
    await platform.clock.advance(1000);
    const answer = await create(platform, plan());
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({ ...plan(), created_at: "2026-03-10T12:00:01.000Z" });
    const { body } = await platform.call("GET", path, { headers: asOperator });
    expect(body.plans).toMatchObject([answer.body, { id: "plan_free" }]);
    expect(await auditOf(platform)).toEqual([
      { actor: "token", action: "plan.create", tenantId: null, subject: "erp_pro" },
    ]);
  });

  test.each(["Pro\nPlus", "Pro\r\n=1+1", "Pro\u001b[31m", "Pro\u0085", "Pro\u2028", " ", "\u200b"])(
    "a name that isn't one visible line is 400: %p",
    async (name) => {
      await using platform = await startPlatform(engine);
      expect(await create(platform, { ...plan(), name })).toMatchObject({
        status: 400,
        body: { error: "invalid_request", problems: [{ path: "name" }] },
      });
    },
  );

  test("the plan of those who have no other is there from the start, and stays as it is", async () => {
    await using platform = await startPlatform(engine);
    await seedDefaultPlan(platform.deps.storage, platform.clock.now());
    const { body } = await platform.call("GET", path, { headers: asOperator });
    expect(body.plans).toMatchObject([
      {
        id: "plan_free",
        argo_code: null,
        max_concurrency: 10,
        max_rpm: 60,
        max_active_agents: 25,
        credit_cap_period_micros: 5_000_000,
        max_tokens_per_call: 2048,
        max_run_tokens: 64_000,
        max_iterations: 10,
      },
    ]);
  });

  test("an id is never free again: of 20 at once one plan is made and 19 are 409", async () => {
    await using platform = await startPlatform(engine);
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(platform, plan())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.error === "plan_exists")).toHaveLength(19);
    expect((await create(platform, plan({ id: "plan_free" }))).status).toBe(409);
  });

  test("a tenant gets another base plan at once", async () => {
    await using platform = await startPlatform(engine);
    const { id } = await platform.tenant();
    await addPlans(platform, basePlanBody({ max_concurrency: 0 }));
    expect(await give(platform, id, { plan_id: "base_pro" })).toMatchObject({
      status: 200,
      body: { tenant_id: id, plan_id: "base_pro", since: "2026-03-10T12:00:00.000Z" },
    });
    // Twice within a millisecond: the last one counts.
    expect((await give(platform, id, { plan_id: "plan_free" })).status).toBe(200);
    expect((await auditOf(platform)).slice(1)).toEqual([
      { actor: "token", action: "tenant.plan", tenantId: id, subject: "base_pro" },
      { actor: "token", action: "tenant.plan", tenantId: id, subject: "plan_free" },
    ]);
  });

  describe("refusals", () => {
    let platform: TestPlatform;
    beforeAll(async () => {
      platform = await startPlatform(engine);
      await addPlans(platform, plan());
    });
    afterAll(() => platform[Symbol.asyncDispose]());

    const unit = (name: string, of: unknown) => ({ unidades: { [name]: of }, features: {} });
    const micros = { incluidas: 1, excedente_micros: 1 };

    test.each<[string, unknown]>([
      ["no body", undefined],
      ["no id", { ...plan(), id: undefined }],
      ["an id in capitals", plan({ id: "Pro" })],
      ["no name", plan({ name: "" })],
      ["a negative fee", plan({ min_fee_micros: -1 })],
      ["a fee of a fraction", plan({ min_fee_micros: 1.5 })],
      ["a fee whose sums could not be exact", plan({ min_fee_micros: 1_000_000_000_001 })],
      ["a limit below zero", plan({ max_rpm: -1 })],
      ["no spec", { ...plan(), spec: undefined }],
      ["a unit without a vertical", { ...plan(), spec: unit("docs", micros) }],
      ["a unit with a fraction", { ...plan(), spec: unit("erp.docs", { ...micros, incluidas: 0.5 }) }],
      ["a unit with more fields", { ...plan(), spec: unit("erp.docs", { ...micros, price: 1 }) }],
      ["units of no vertical", { ...basePlanBody(), spec: unit("erp.docs", micros) }],
      [
        "extra credits that could cost more than is exact",
        plan({ credit_cap_period_micros: null, extra_credit_price_micros: 1_000_000_000_000 }),
      ],
      ["an unknown field", { ...plan(), price: 1 }],
    ])("a plan with %s is 400", async (_, body) => {
      const answer = await create(platform, body);
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
      const { body: list } = await platform.call("GET", path, { headers: asOperator });
      expect(list.plans).toHaveLength(2);
    });

    test("a tenant's plan that doesn't exist is 404, and one that is not a base plan 422", async () => {
      const { id } = await platform.tenant();
      expect(await give(platform, id, { plan_id: "none" })).toMatchObject({
        status: 404,
        body: { error: "plan_not_found" },
      });
      expect(await give(platform, id, { plan_id: "erp_pro" })).toMatchObject({
        status: 422,
        body: { error: "plan_mismatch" },
      });
      expect((await give(platform, id, {})).status).toBe(400);
      for (const nobody of [newId(), "x", "%00"]) {
        expect([nobody, (await give(platform, nobody, { plan_id: "plan_free" })).status]).toEqual([
          nobody,
          404,
        ]);
      }
    });

    test("a plan for a tenant that was deleted is 404", async () => {
      const tenant = await platform.tenant();
      await platform.call("DELETE", `/api/v1/tenants/${tenant.id}`, { headers: tenant.asPerson });
      expect((await give(platform, tenant.id, { plan_id: "plan_free" })).status).toBe(404);
    });

    test("to see, make or give plans is 401 except for operators", async () => {
      const tenant = await platform.tenant();
      for (const [who, headers] of notOperators(tenant)) {
        const statuses = [
          await platform.call("GET", path, { headers }),
          await platform.call("POST", path, { headers, body: plan({ id: "mine" }) }),
          await platform.call("PUT", `/api/v1/admin/tenants/${tenant.id}/plan`, {
            headers,
            body: { plan_id: "plan_free" },
          }),
        ].map(({ status }) => status);
        expect([who, statuses]).toEqual([who, [401, 401, 401]]);
      }
    });

    test("plans are never changed: PUT, PATCH and DELETE are 405", async () => {
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        expect((await platform.call(method, path, { headers: asOperator, body: plan() })).status).toBe(405);
      }
    });
  });
});
