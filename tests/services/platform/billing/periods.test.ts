import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import type { Worker } from "../../../../src/kit/worker.ts";
import { closePeriod } from "../../../../src/services/platform/billing/close-period.ts";
import { closeDue, closingJob } from "../../../../src/services/platform/billing/closing-job.ts";
import { admitInvocation } from "../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { sweepInterrupted } from "../../../../src/services/platform/runs/sweep/run-sweep.ts";
import { baseScope } from "../../../../src/services/platform/subscriptions/period-lock.ts";
import {
  addPlans,
  auditOf,
  basePlanBody,
  notOperators,
  plan,
  subscribe,
  usageEvent,
} from "../../../support/billing.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/admin/billing-periods";
const hourMs = 3_600_000;
const until = async ({ clock }: TestPlatform, instant: string) =>
  clock.advance(Date.parse(instant) - clock.now().getTime());

/** Runs a worker until it is stopped, or the test is over. */
function runWorker(worker: Worker): AsyncDisposable & { stop(): Promise<void> } {
  const controller = new AbortController();
  const running = worker.run(controller.signal);
  const stop = () => {
    controller.abort();
    return running;
  };
  return { stop, [Symbol.asyncDispose]: stop };
}

onEachEngine("billing periods", (engine) => {
  const start = async () => {
    const platform = await startPlatform(engine);
    await addPlans(platform, plan());
    return platform;
  };
  const list = async ({ call }: TestPlatform, query = "") =>
    (await call("GET", `${path}${query}`, { headers: asOperator })).body;
  const overdue = async ({ call }: TestPlatform) =>
    (await call("GET", `${path}/overdue`, { headers: asOperator })).body.periods;
  const mark = ({ call }: TestPlatform, id: string) =>
    call("POST", `${path}/${id}/facturado`, { headers: asOperator });

  test("each is closed 48 hours after its end, not before, and once", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await until(platform, "2026-04-02T23:59:59.999Z");
    expect(await closeDue(platform.deps)).toBe(0);
    await until(platform, "2026-04-03T00:00:00.000Z");
    const counts = await Promise.all(Array.from({ length: 10 }, () => closeDue(platform.deps)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(await closeDue(platform.deps)).toBe(0);
    const { periods } = await list(platform);
    expect(periods).toHaveLength(2);
    for (const period of periods) {
      expect(period).toMatchObject({
        tenant_id: tenant.id,
        period: "2026-03",
        status: "closed",
        closed_at: "2026-04-03T00:00:00.000Z",
        facturado_at: null,
      });
    }
    expect(periods.map((one: { subscription_id: string | null }) => one.subscription_id).sort()).toEqual(
      [id, null].sort(),
    );
    const { charges } = platform.deps.storage.tables;
    expect(await platform.deps.storage.read.select().from(charges)).toHaveLength(3);
  });

  test("months that were missed are closed later, each of them", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await subscribe(platform, tenant, { desde: "2026-01-15" });
    await until(platform, "2026-07-10T00:00:00Z");
    // January to June of the subscription and of the base plan.
    expect(await closeDue(platform.deps)).toBe(12);
    expect(await closeDue(platform.deps)).toBe(0);
  });

  test("the job closes at its start and every 15 minutes", async () => {
    await using platform = await start();
    const { clock, deps } = platform;
    await platform.tenant();
    await until(platform, "2026-04-02T23:50:00Z");
    const idleTimers = clock.pending + (deps.storage.dialect === "sqlite" ? 1 : 2);
    await using working = runWorker(closingJob(deps));
    // At rest it waits for its next round and, if processes share the database, for the renewal of its lease.
    const rest = async () => {
      while (clock.pending < idleTimers) await new Promise(setImmediate);
    };
    const closedAfter = async (minutes: number) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 10) {
        await rest();
        await clock.advance(10_000);
      }
      await rest();
      return (await list(platform)).periods.length;
    };
    expect(await closedAfter(14)).toBe(0);
    expect(await closedAfter(1)).toBe(1);
    await working.stop();
    await until(platform, "2026-05-03T00:00:00Z");
    await using again = runWorker(closingJob(deps));
    await rest();
    expect((await list(platform)).periods).toHaveLength(2);
    await again.stop();
  });

  test("a period that fails is reported, stays open, and does not stop others from closing", async () => {
    await using platform = await start();
    const [one, other] = [await platform.tenant(), await platform.tenant()];
    const { creditCounters } = platform.deps.storage.tables;
    const broken = { scope: "tenant", month: "2026-04", heldMicros: 0, cancelledCostMicros: 0 };
    const dear = { credit_cap_period_micros: 1_000_000_000, extra_credit_price_micros: 1_000_000_000_000 };
    await addPlans(platform, basePlanBody(dear));
    const body = { plan_id: "base_pro" };
    await platform.call("PUT", `/api/v1/admin/tenants/${one.id}/plan`, { headers: asOperator, body });
    await until(platform, "2026-04-10T00:00:00Z");
    expect(await closeDue(platform.deps)).toBe(2);
    // More than can be billed exactly, which only a fault could cause.
    await platform.deps.storage.transact((tx) =>
      tx.insert(creditCounters).values({ ...broken, tenantId: one.id, chargedMicros: 9_000_000_000_000_000 }),
    );
    await until(platform, "2026-05-03T00:00:00Z");
    expect(await closeDue(platform.deps)).toBe(1);
    expect((await list(platform, "?period=2026-04")).periods).toMatchObject([
      { tenant_id: other.id, status: "closed" },
    ]);
    expect(platform.logged.filter(({ event }) => event === "billing.close_failed")).toHaveLength(1);
  });

  test("a month in which a run still holds credits stays open until it has ended", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { storage, owner } = platform.deps;
    await platform.call("POST", "/api/v1/admin/tariffs", {
      headers: asOperator,
      body: { provider: "lab", model: "m", credits_per_1k_in_micros: 1000, credits_per_1k_out_micros: 1000 },
    });
    await admitInvocation(storage, {
      tenantId: tenant.id,
      invocationId: newId(),
      agent: { id: "a", name: "support", version: 1, subscriptionId: null },
      sessionId: "s",
      caller: "cli",
      source: null,
      candidates: [{ provider: "lab", model: "m" }],
      idempotency: undefined,
      runToken: undefined,
      owner,
      now: platform.clock.now(),
      timeoutMs: 120_000,
    });
    await until(platform, "2026-04-03T00:00:00Z");
    expect(await closeDue(platform.deps)).toBe(0);
    expect((await list(platform)).periods).toEqual([]);
    await sweepInterrupted(storage, platform.clock.now());
    expect(await closeDue(platform.deps)).toBe(1);
  });

  test("an event dated just after the end of its subscription is billed all the same", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await until(platform, "2026-03-31T23:58:00Z");
    const body = usageEvent(platform, { id }, { ocurrido_en: "2026-04-01T00:01:00Z", cantidad: 11 });
    expect(
      (await platform.call("POST", "/api/v1/usage/events", { headers: tenant.asProgram, body })).status,
    ).toBe(201);
    await platform.call("POST", `/api/v1/admin/subscriptions/${id}/cancel`, { headers: asOperator });
    await until(platform, "2026-05-03T00:00:00Z");
    expect(await closeDue(platform.deps)).toBe(4);
    const statement = await platform.call(
      "GET",
      `/api/v1/admin/tenants/${tenant.id}/statement?period=2026-04`,
      { headers: asOperator },
    );
    expect(statement.body).toMatchObject({
      provisional: false,
      charges: [{ type: "excedente_unidad", quantity: 1, amount_micros: 50_000 }],
    });
    expect(await closeDue(platform.deps)).toBe(0);
  });

  test("a period is overdue more than an hour past its grace, until it is closed", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const { id } = await subscribe(platform, tenant);
    await platform.call("POST", "/api/v1/usage/events", {
      headers: tenant.asProgram,
      body: usageEvent(platform, { id }),
    });
    await until(platform, "2026-04-03T01:00:00.000Z");
    expect(await overdue(platform)).toEqual([]);
    await platform.clock.advance(1);
    const known = (await list(platform)).periods[0].id;
    const due = {
      tenant_id: tenant.id,
      tenant_name: "Ada's",
      period: "2026-03",
      status: "open",
      due_at: "2026-04-03T00:00:00.000Z",
    };
    const found = await overdue(platform);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ ...due, id: known, subscription_id: id, argo_code: "erp" });
    expect(found).toContainEqual({ ...due, id: null, subscription_id: null, argo_code: null });
    const page = async (query: string) =>
      (await platform.call("GET", `${path}/overdue?${query}`, { headers: asOperator })).body;
    const first = await page("limit=1");
    const second = await page(`limit=1&cursor=${first.next_cursor}`);
    expect([...first.periods, ...second.periods]).toEqual(found);
    expect([first.periods.length, second.next_cursor]).toEqual([1, undefined]);
    expect((await page("cursor=WzFd")).error).toBe("invalid_request");
    await closeDue(platform.deps);
    expect(await overdue(platform)).toEqual([]);
  });

  test("the latest month comes first, with the tenant's name, the vertical and the amount", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    await subscribe(platform, tenant, { desde: "2026-01-15" });
    await until(platform, "2026-05-10T00:00:00Z");
    await closeDue(platform.deps);
    const seen: { period: string; argo_code: string | null; amount_micros: number }[] = [];
    for (let cursor = ""; ; ) {
      const page = await list(platform, `?limit=2${cursor}`);
      seen.push(...page.periods);
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(seen.map(({ period }) => period)).toEqual(
      seen
        .map(({ period }) => period)
        .sort()
        .reverse(),
    );
    for (const period of seen) {
      expect(period).toMatchObject({ tenant_id: tenant.id, tenant_name: "Ada's", status: "closed" });
      const path = `/api/v1/admin/tenants/${tenant.id}/statement?period=${period.period}`;
      const { charges } = (await platform.call("GET", path, { headers: asOperator })).body;
      const own = charges.filter(
        (charge: { subscription_id: string | null }) =>
          (charge.subscription_id === null) === (period.argo_code === null),
      );
      expect(period.amount_micros).toBe(
        own.reduce((sum: number, charge: { amount_micros: number }) => sum + charge.amount_micros, 0),
      );
    }
    expect(seen.find(({ period, argo_code }) => period === "2026-01" && argo_code === "erp")).toMatchObject({
      argo_code: "erp",
      // 17 of 31 days of 31, and the activation.
      amount_micros: 22_000_000,
    });
    expect(
      seen.filter(({ argo_code }) => argo_code === null).map(({ amount_micros }) => amount_micros),
    ).toEqual([0, 0, 0, 0]);
  });

  test("a closed period is marked as invoiced once, of 50 at once", async () => {
    await using platform = await start();
    const { id: tenantId } = await platform.tenant();
    const key = { tenantId, scope: baseScope, month: "2026-03" };
    await closePeriod(platform.deps.storage, key, { now: platform.clock.now(), newId });
    const { id } = (await list(platform)).periods[0];
    await platform.clock.advance(hourMs);
    const answers = await Promise.all(Array.from({ length: 50 }, () => mark(platform, id)));
    const [done] = answers.filter(({ status }) => status === 200);
    expect(done?.body).toMatchObject({ id, status: "facturado", facturado_at: "2026-03-10T13:00:00.000Z" });
    expect(
      answers.filter(({ status, body }) => status === 409 && body.error === "already_facturado"),
    ).toHaveLength(49);
    expect((await auditOf(platform)).slice(1)).toEqual([
      { actor: "token", action: "period.facturado", tenantId, subject: id },
    ]);
    // An invoiced period stays closed.
    expect(await closePeriod(platform.deps.storage, key, { now: platform.clock.now(), newId })).toBe(false);
  });

  test("an open period is 409, an unknown one 404 and a stranger 401", async () => {
    await using platform = await start();
    const tenant = await platform.tenant();
    const subscription = await subscribe(platform, tenant);
    await platform.call("POST", "/api/v1/usage/events", {
      headers: tenant.asProgram,
      body: usageEvent(platform, subscription),
    });
    const { id } = (await list(platform)).periods[0];
    expect(await mark(platform, id)).toMatchObject({ status: 409, body: { error: "period_open" } });
    expect(await mark(platform, newId())).toMatchObject({ status: 404, body: { error: "not_found" } });
    for (const [who, headers] of notOperators(tenant)) {
      const statuses = [
        await platform.call("POST", `${path}/${id}/facturado`, { headers }),
        await platform.call("GET", path, { headers }),
        await platform.call("GET", `${path}/overdue`, { headers }),
      ].map(({ status }) => status);
      expect([who, statuses]).toEqual([who, [401, 401, 401]]);
    }
  });

  test("the list is filtered and paged", async () => {
    await using platform = await start();
    const [one] = [await platform.tenant(), await platform.tenant()];
    await until(platform, "2026-06-10T00:00:00Z");
    await closeDue(platform.deps);
    const ids: string[] = [];
    let cursor = "";
    for (let pages = 0; pages < 10; pages++) {
      const page = await list(platform, `?limit=4${cursor}`);
      ids.push(...page.periods.map(({ id }: { id: string }) => id));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(ids).toHaveLength(6);
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    const only = (query: string) => list(platform, query).then(({ periods }) => periods.length);
    expect(await only(`?tenant_id=${one.id}`)).toBe(3);
    expect(await only("?period=2026-04&status=closed")).toBe(2);
    expect(await only("?status=open")).toBe(0);
    expect(await only("?limit=100000")).toBe(6);
    for (const query of ["?limit=0", "?limit=x", "?cursor=x", "?status=paid", "?period=2026"]) {
      const { status } = await platform.call("GET", `${path}${query}`, { headers: asOperator });
      expect([query, status]).toEqual([query, 400]);
    }
  });
});
