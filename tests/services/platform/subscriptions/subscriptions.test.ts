import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import { addPlans, auditOf, notOperators, plan, subscribe, usageEvent } from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/admin/subscriptions";
const dayMs = 86_400_000;

onEachEngine("subscriptions", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(
      platform,
      plan(),
      plan({ id: "erp_max", name: "ERP Max" }),
      plan({ id: "crm", argo_code: "crm" }),
    );
    return platform;
  };
  const create = ({ call }: TestPlatform, body: unknown) => call("POST", path, { headers: asOperator, body });
  const schedule = ({ call }: TestPlatform, id: string, planId: unknown) =>
    call("PUT", `${path}/${id}/plan`, { headers: asOperator, body: { plan_id: planId } });
  const cancel = ({ call }: TestPlatform, id: string) =>
    call("POST", `${path}/${id}/cancel`, { headers: asOperator });
  const list = async ({ call }: TestPlatform, query = "") =>
    (await call("GET", `${path}${query}`, { headers: asOperator })).body.subscriptions;

  test("the list comes in pages, and one subscription is read by its id; an unknown one is 404, a wrong cursor 400", async () => {
    await using platform = await start();
    const ids: string[] = [];
    for (let number = 0; number < 3; number++) {
      const tenant = await platform.tenant();
      const { id } = await subscribe(platform, tenant);
      const event = usageEvent(platform, { id }, { cantidad: number + 1 });
      await platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body: event });
      ids.unshift(id);
    }
    const page = async (query: string) =>
      (await platform.call("GET", `${path}?${query}`, { headers: asOperator })).body;
    const first = await page("limit=2");
    const second = await page(`limit=2&cursor=${first.next_cursor}`);
    const shown = [...first.subscriptions, ...second.subscriptions] as {
      id: string;
      counters: { units: Record<string, number> };
    }[];
    expect(shown.map(({ id, counters }) => [id, counters.units["erp.docs"]])).toEqual(
      ids.map((id, at) => [id, 3 - at]),
    );
    expect([first.subscriptions.length, second.next_cursor]).toEqual([2, undefined]);
    const one = (id: string, query = "") =>
      platform.call("GET", `${path}/${id}${query}`, { headers: asOperator });
    expect(await one(ids[1] ?? "")).toMatchObject({ status: 200, body: shown[1] });
    expect((await one(ids[1] ?? "", "?period=2026-02")).body.counters).toMatchObject({ units: {} });
    expect(await one("nothing")).toMatchObject({ status: 404, body: { error: "subscription_not_found" } });
    for (const cursor of ["x", "W10", "WzFd", "WyJhIiwiYiJd"]) {
      const refused = await platform.call("GET", `${path}?cursor=${cursor}`, { headers: asOperator });
      expect([cursor, refused.status, refused.body.error]).toEqual([cursor, 400, "invalid_request"]);
    }
    expect(await page(`cursor=${Buffer.from('["\'; --"]').toString("base64url")}`)).toEqual({
      subscriptions: [],
    });
  });

  test("a tenant is subscribed, sees its subscription with the plan, and the operator sees the counters", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const body = { tenant_id: tenant.id, argo_code: "erp", plan_id: "erp_pro", desde: "2026-03-10" };
    const created = await create(platform, body);
    expect(created).toMatchObject({
      status: 201,
      body: {
        tenant_id: tenant.id,
        argo_code: "erp",
        plan_id: "erp_pro",
        next_plan_id: null,
        desde: "2026-03-10",
        status: "active",
        last_day: null,
        cancelled_at: null,
        counters: { period: "2026-03", credits_charged_micros: 0, credits_held_micros: 0, units: {} },
      },
    });
    for (const headers of [tenant.asProgram, tenant.asPerson]) {
      const mine = await platform.call("GET", "/api/v1/subscriptions?argo=erp", { headers });
      expect(mine.status).toBe(200);
      expect(mine.body).toMatchObject({ ...created.body, plan: plan() });
    }
    const event = usageEvent(platform, created.body);
    await platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body: event });
    expect(await list(platform)).toMatchObject([
      { id: created.body.id, counters: { units: { "erp.docs": 3 } } },
    ]);
    expect(await list(platform, "?period=2026-02")).toMatchObject([
      { counters: { period: "2026-02", units: {} } },
    ]);
    expect((await auditOf(platform)).slice(3)).toEqual([
      { actor: "token", action: "subscription.create", tenantId: tenant.id, subject: created.body.id },
    ]);
  });

  test("the list is of one tenant, or of all, newest first", async () => {
    await using platform = await start();
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    const first = await subscribe(platform, one);
    const second = await subscribe(platform, one, { argo_code: "crm", plan_id: "crm" });
    const third = await subscribe(platform, other);
    const idsOf = async (query: string) => (await list(platform, query)).map(({ id }: { id: string }) => id);
    expect(await idsOf("")).toEqual([third.id, second.id, first.id]);
    expect(await idsOf(`?tenant_id=${one.id}`)).toEqual([second.id, first.id]);
    expect(await idsOf(`?tenant_id=${newId()}`)).toEqual([]);
  });

  test("one is active for each tenant and vertical: of 20 at once one is made", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const body = { tenant_id: tenant.id, argo_code: "erp", plan_id: "erp_pro", desde: "2026-03-10" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(platform, body)));
    const [made] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ body: { error } }) => error === "subscription_exists")).toHaveLength(19);
    await cancel(platform, made?.body.id);
    expect((await create(platform, body)).status).toBe(201);
  });

  test("a plan is scheduled for the next period, and the one in force takes that back", async () => {
    await using platform = await start();
    const { id } = await subscribe(platform, await platform.tenant());
    const scheduled = await schedule(platform, id, "erp_max");
    expect(scheduled).toMatchObject({ status: 200, body: { plan_id: "erp_pro", next_plan_id: "erp_max" } });
    expect((await schedule(platform, id, "erp_pro")).body).toMatchObject({
      plan_id: "erp_pro",
      next_plan_id: null,
    });
    await schedule(platform, id, "erp_max");
    await platform.clock.advance(22 * dayMs);
    expect(await list(platform)).toMatchObject([{ plan_id: "erp_max", next_plan_id: null }]);
    expect(await list(platform, "?period=2026-03")).toMatchObject([
      { plan_id: "erp_pro", next_plan_id: "erp_max" },
    ]);
    expect((await auditOf(platform)).map(({ action }) => action).slice(4)).toEqual(
      Array(3).fill("subscription.plan"),
    );
  });

  test("a subscription that begins in a later month may have its first plan changed until then", async () => {
    await using platform = await start();
    const { id } = await subscribe(platform, await platform.tenant(), { desde: "2026-05-20" });
    expect((await schedule(platform, id, "erp_max")).body).toMatchObject({
      plan_id: "erp_max",
      next_plan_id: null,
    });
  });

  test("a period with an event dated ahead of it has begun: its plan stays", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await platform.clock.advance(Date.parse("2026-03-31T23:58:00Z") - platform.clock.now().getTime());
    const body = usageEvent(platform, { id }, { ocurrido_en: "2026-04-01T00:01:00Z" });
    const counted = await platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body });
    expect(counted).toMatchObject({ status: 201, body: { period: "2026-04" } });
    expect((await schedule(platform, id, "erp_max")).body).toMatchObject({ next_plan_id: null });
    const later = await list(platform, "?period=2026-04");
    expect(later).toMatchObject([{ plan_id: "erp_pro", next_plan_id: "erp_max" }]);
  });

  test("cancelling ends it today, once, of 20 at once", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant, { desde: "2026-03-01" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(platform, id)));
    const [done] = answers.filter(({ status }) => status === 200);
    expect(done?.body).toMatchObject({
      status: "cancelled",
      last_day: "2026-03-10",
      cancelled_at: "2026-03-10T12:00:00.000Z",
    });
    expect(answers.filter(({ body }) => body.error === "subscription_cancelled")).toHaveLength(19);
    expect((await schedule(platform, id, "erp_max")).body.error).toBe("subscription_cancelled");
    const mine = await platform.call("GET", "/api/v1/subscriptions?argo=erp", { headers: tenant.asProgram });
    expect(mine).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await auditOf(platform)).filter(({ action }) => action === "subscription.cancel")).toHaveLength(
      1,
    );
  });

  test("a first day in a month whose statement is final is 409", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await platform.clock.advance(30 * dayMs);
    await closeDue(platform.deps);
    const body = { tenant_id: tenant.id, argo_code: "erp", plan_id: "erp_pro", desde: "2026-03-31" };
    expect(await create(platform, body)).toMatchObject({ status: 409, body: { error: "period_closed" } });
    expect((await create(platform, { ...body, desde: "2026-04-01" })).status).toBe(201);
  });

  describe("refusals", () => {
    let platform: TestPlatform;
    let tenantId: string;
    beforeAll(async () => {
      platform = await start();
      tenantId = (await platform.tenant()).id;
    });
    afterAll(() => platform[Symbol.asyncDispose]());

    test.each<[string, Record<string, unknown>, number, string]>([
      ["an unknown tenant is 404", { tenant_id: newId() }, 404, "not_found"],
      ["an unknown plan is 404", { plan_id: "none" }, 404, "plan_not_found"],
      ["a base plan is 422", { plan_id: "plan_free" }, 422, "plan_mismatch"],
      ["a plan of another vertical is 422", { plan_id: "crm" }, 422, "plan_mismatch"],
      ["no vertical is 400", { argo_code: undefined }, 400, "invalid_request"],
      ["a vertical in capitals is 400", { argo_code: "ERP" }, 400, "invalid_request"],
      ["no first day is 400", { desde: undefined }, 400, "invalid_request"],
      ["an instant as the first day is 400", { desde: "2026-03-10T00:00:00Z" }, 400, "invalid_request"],
      ["a day that no calendar has is 400", { desde: "2026-02-29" }, 400, "invalid_request"],
      ["a day that is too long ago is 400", { desde: "2020-01-01" }, 400, "invalid_request"],
      ["a day that is too far ahead is 400", { desde: "2027-03-12" }, 400, "invalid_request"],
      ["an unknown field is 400", { price: 1 }, 400, "invalid_request"],
    ])("%s", async (_, change, status, error) => {
      const body = {
        tenant_id: tenantId,
        argo_code: "erp",
        plan_id: "erp_pro",
        desde: "2026-03-10",
        ...change,
      };
      expect(await create(platform, body)).toMatchObject({ status, body: { error } });
      expect(await list(platform)).toEqual([]);
    });

    test("an unknown subscription is 404, for every operation", async () => {
      for (const id of [newId(), "x"]) {
        expect((await schedule(platform, id, "erp_pro")).status).toBe(404);
        expect((await cancel(platform, id)).status).toBe(404);
      }
    });

    test("a scheduled plan that does not fit is 422", async () => {
      const { id } = await subscribe(platform, await platform.tenant());
      expect(await schedule(platform, id, "none")).toMatchObject({ status: 404 });
      expect(await schedule(platform, id, "crm")).toMatchObject({
        status: 422,
        body: { error: "plan_mismatch" },
      });
      expect(await schedule(platform, id, 7)).toMatchObject({ status: 400 });
      await cancel(platform, id);
    });

    test("a month that is not four and two digits is 400", async () => {
      for (const period of ["2026-13", "2026-3", "0050-01", "march"]) {
        const answer = await platform.call("GET", `${path}?period=${period}`, { headers: asOperator });
        expect([period, answer.status]).toEqual([period, 400]);
      }
    });

    test("a tenant that asks for its own without a vertical is 400, with one that it has not 404", async () => {
      const [mine, theirs] = [await platform.tenant(), await platform.tenant()];
      await subscribe(platform, theirs);
      const asked = (query: string, headers = mine.asProgram) =>
        platform.call("GET", `/api/v1/subscriptions${query}`, { headers });
      expect((await asked("?argo=erp")).status).toBe(404);
      expect((await asked("")).status).toBe(400);
      expect((await asked("?argo=erp", {})).status).toBe(401);
      expect((await asked("?argo=erp", asOperator)).status).toBe(401);
      const { authorization = "" } = mine.asPerson;
      expect((await asked("?argo=erp", { authorization })).body.error).toBe("tenant_required");
      expect((await asked("?argo=erp", { authorization, "x-tenant-id": theirs.id })).status).toBe(404);
    });

    test("to see or change them all is 401 except for operators", async () => {
      const tenant = await platform.tenant();
      const { id } = await subscribe(platform, tenant);
      for (const [who, headers] of notOperators(tenant)) {
        const calls: [string, string, unknown?][] = [
          ["GET", path],
          ["POST", path, { tenant_id: tenant.id, argo_code: "crm", plan_id: "crm", desde: "2026-03-10" }],
          ["PUT", `${path}/${id}/plan`, { plan_id: "erp_max" }],
          ["POST", `${path}/${id}/cancel`],
        ];
        for (const [method, to, body] of calls) {
          const { status } = await platform.call(method, to, { headers, body });
          expect([who, method, to, status]).toEqual([who, method, to, 401]);
        }
      }
    });
  });
});
