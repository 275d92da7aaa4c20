import { expect, test } from "bun:test";
import { signatureOf } from "../../../../src/channels/sending/post-callback.ts";
import type { Notice, NoticeEvent } from "../../../../src/contracts/platform/notices.ts";
import { noticeEvents } from "../../../../src/contracts/platform/notices.ts";
import { closeDue } from "../../../../src/services/platform/billing/closing-job.ts";
import type { PlatformDeps } from "../../../../src/services/platform/deps.ts";
import { noticeStorage, noticeWorkers } from "../../../../src/services/platform/notices/notice-workers.ts";
import { admitInvocation } from "../../../../src/services/platform/runs/admission/admit-invocation.ts";
import { settleInvocation } from "../../../../src/services/platform/runs/settlement/settle-invocation.ts";
import { addPlans, basePlanBody, chargeRun, plan, subscribe, tariff } from "../../../support/billing.ts";
import { answeredWith, attemptOf } from "../../../support/campaign/open-ledger.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;
const credit = 1_000_000;
const secret = "a secret of this test";

interface Posted {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

onEachEngine("notices", (engine) => {
  const start = async (answers: number[] = []) => {
    const posted: Posted[] = [];
    const platform = await startPlatform(
      engine,
      (deps): PlatformDeps => ({
        ...deps,
        async postNotice(url, headers, body) {
          posted.push({ url, headers, body });
          return { status: answers.shift() ?? 204, retryAfterMs: undefined };
        },
      }),
    );
    await addPlans(
      platform,
      plan(),
      basePlanBody({ credit_cap_period_micros: 10 * credit, included_credits_micros: 0 }),
    );
    const body = tariff({ credits_per_1k_in_micros: credit, credits_per_1k_out_micros: credit });
    await platform.call("POST", "/api/v1/admin/tariffs", { headers: asOperator, body });
    const tenant = await platform.tenant();
    await platform.call("PUT", `/api/v1/admin/tenants/${tenant.id}/plan`, {
      headers: asOperator,
      body: { plan_id: "base_pro" },
    });
    return { platform, tenant, posted };
  };
  const hook = async (
    { call }: TestPlatform,
    events: readonly NoticeEvent[] = noticeEvents,
    headers: Record<string, string> = asOperator,
  ) => {
    const path = headers === asOperator ? "/api/v1/admin/webhooks" : "/api/v1/webhooks";
    const body = { url: "https://hooks.example.com/x", secret, events };
    return (await call("POST", path, { headers, body })).body.id as string;
  };
  const deliveries = async ({ call }: TestPlatform, id: string) =>
    (await call("GET", `/api/v1/admin/webhooks/${id}/deliveries`, { headers: asOperator })).body.deliveries;
  const given = async (platform: TestPlatform, id: string) =>
    (await deliveries(platform, id)).map(({ event }: { event: string }) => event).reverse();
  /** Lets the worker send until no notice is open. The clock moves only while none is being sent. */
  const send = async (platform: TestPlatform, id: string) => {
    const [worker] = noticeWorkers(platform.deps);
    const stopping = new AbortController();
    const run = worker?.run(stopping.signal);
    for (;;) {
      const open = (await deliveries(platform, id)).filter(({ status }: { status: string }) =>
        ["pending", "sending"].includes(status),
      );
      if (open.length === 0) break;
      if (open.some(({ status }: { status: string }) => status === "sending")) continue;
      const waits = open.map(
        (one: { next_retry_at: string }) => Date.parse(one.next_retry_at) - platform.clock.now().getTime(),
      );
      await platform.clock.advance(Math.max(1000, Math.min(...waits) + 1));
    }
    stopping.abort();
    await platform.clock.advance(1000);
    await run;
  };
  const personOf = ({ id, asPerson }: TestTenant) => ({ ...asPerson, "x-tenant-id": id });

  test("thresholds of credits and a refusal are told once per month, signed and in the order of their time", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant, posted } = begun;
    const id = await hook(platform);
    await chargeRun(platform, tenant.id, { tokens: 7_999 });
    expect(await given(platform, id)).toEqual([]);
    await chargeRun(platform, tenant.id, { tokens: 2 });
    expect(await given(platform, id)).toEqual(["credits.80"]);
    await chargeRun(platform, tenant.id, { tokens: 1_999 }).catch(() => undefined);
    for (let times = 0; times < 3; times++)
      await chargeRun(platform, tenant.id, { tokens: 1_000 }).catch(() => undefined);
    expect(await given(platform, id)).toEqual(["credits.80", "run.refused"]);
    await send(platform, id);
    expect(posted.length).toBe(2);
    const [first] = posted;
    expect(first?.headers).toMatchObject({
      "content-type": "application/json",
      "x-gateway-signature-256": signatureOf(first?.body ?? "", secret),
    });
    const notices = posted.map(({ body }) => JSON.parse(body) as Notice);
    expect(notices.map(({ event }) => event).sort()).toEqual(["credits.80", "run.refused"]);
    expect(notices.find(({ event }) => event === "credits.80")).toMatchObject({
      tenant_id: tenant.id,
      data: { period: "2026-03", percent: 80, charged_micros: 8_001_000, limit_micros: 10 * credit },
    });
    expect(await deliveries(platform, id)).toMatchObject([{ status: "sent" }, { status: "sent" }]);
    // The next month is another occasion.
    await platform.clock.advance(22 * dayMs);
    await chargeRun(platform, tenant.id, { tokens: 10_000 });
    expect(await given(platform, id)).toEqual(["credits.80", "run.refused", "credits.80", "credits.100"]);
  });

  test("the end of a period and of a subscription, an unpriced model and a failing agent are told", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    const { storage, clock } = platform.deps;
    const id = await hook(platform);
    const own = await hook(platform, noticeEvents, personOf(tenant));
    const subscription = await subscribe(platform, tenant, { desde: "2026-03-08" });
    await platform.call("POST", `/api/v1/admin/subscriptions/${subscription.id}/cancel`, {
      headers: asOperator,
    });
    const candidates = [{ provider: "lab", model: "new" }];
    const attempt = attemptOf(tenant.id, clock.now(), { candidates });
    await admitInvocation(storage, attempt);
    const usage = answeredWith(10).usage.map((line) => ({ ...line, model: "new" }));
    await settleInvocation(storage, attempt, { ...answeredWith(10), usage }, clock.now());
    for (let times = 0; times < 12; times++) {
      const failing = attemptOf(tenant.id, clock.now());
      await admitInvocation(storage, failing);
      const ending = { ...answeredWith(0), status: "error" as const, isCharged: false, errorCode: "broken" };
      await settleInvocation(storage, failing, ending, clock.now());
    }
    await platform.clock.advance(24 * dayMs);
    await closeDue(platform.deps);
    expect(await given(platform, id)).toEqual([
      "subscription.ending",
      "model.unpriced",
      "agent.alert",
      "period.closed",
      "period.closed",
    ]);
    const mine = await platform.call("GET", `/api/v1/webhooks/${own}/deliveries`, {
      headers: tenant.asProgram,
    });
    expect(mine.body.deliveries.map(({ event }: Notice) => event).reverse()).toEqual([
      "subscription.ending",
      "agent.alert",
      "period.closed",
      "period.closed",
    ]);
  });

  test("what a tenant stores is told at 80 % of its limit, once a month", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    await addPlans(
      platform,
      basePlanBody({ id: "base_small", spec: { unidades: {}, features: { storage_bytes_max: 100 } } }),
    );
    await chargeRun(platform, tenant.id, { tokens: 1 });
    await platform.call("PUT", `/api/v1/admin/tenants/${tenant.id}/plan`, {
      headers: asOperator,
      body: { plan_id: "base_small" },
    });
    const id = await hook(platform, ["storage.80"]);
    for (let times = 0; times < 2; times++) await noticeStorage(platform.deps);
    expect(await given(platform, id)).toEqual(["storage.80"]);
  });

  test("a notice that fails is tried again for a day and then given up; 410 ends it at once", async () => {
    const begun = await start(Array.from({ length: 40 }, () => 500));
    await using platform = begun.platform;
    const { tenant, posted } = begun;
    const id = await hook(platform, ["credits.80"]);
    await chargeRun(platform, tenant.id, { tokens: 9_000 });
    await send(platform, id);
    expect(posted.length).toBe(10);
    expect(new Set(posted.map(({ body }) => body)).size).toBe(1);
    expect(await deliveries(platform, id)).toMatchObject([{ attempts: 10, last_error: "callback_500" }]);
  });

  test.each([
    [{ url: "http://a.example", events: ["credits.80"] }, 400],
    [{ url: "https://u:p@a.example", events: ["credits.80"] }, 400],
    [{ url: "mailto:a@example.com", events: ["credits.80"] }, 400],
    [{ url: "https://a.example", events: [] }, 400],
    [{ url: "https://a.example", events: ["credits.90"] }, 400],
    [{ url: "https://a.example", events: ["credits.80"], secret: "short" }, 400],
  ])("the webhook %j is %i", async (body, status) => {
    const begun = await start();
    await using platform = begun.platform;
    expect(
      await platform.call("POST", "/api/v1/admin/webhooks", { headers: asOperator, body }),
    ).toMatchObject({
      status,
    });
  });

  test("another tenant's webhook is 404, a deleted one gets nothing, and a secret is shown once", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    const other: TestTenant = await platform.tenant();
    const id = await hook(platform, noticeEvents, personOf(tenant));
    const path = `/api/v1/webhooks/${id}`;
    expect(await platform.call("DELETE", path, { headers: personOf(other) })).toMatchObject({ status: 404 });
    const listed = await platform.call("GET", "/api/v1/webhooks", { headers: personOf(tenant) });
    expect(listed.body.webhooks).toMatchObject([{ id, tenant_id: tenant.id }]);
    expect(listed.text).not.toContain(secret);
    expect(await platform.call("DELETE", path, { headers: personOf(tenant) })).toMatchObject({ status: 204 });
    await chargeRun(platform, tenant.id, { tokens: 9_000 });
    const { outbox } = platform.deps.storage.tables;
    expect(await platform.deps.storage.read.select().from(outbox)).toEqual([]);
  });

  test("what the gateway reports of a desk is told once for each occasion, without words of the tenant in its text", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant, posted } = begun;
    const id = await hook(platform, ["desk.needs_person", "desk.mention"], personOf(tenant));
    await hook(platform, ["desk.message"], personOf(await platform.tenant()));
    const report = (event: string, occasion: string, more: object = {}) =>
      platform.call("POST", "/api/v1/desk-notices", {
        headers: tenant.asProgram,
        body: { event, occasion, conversation_id: "c1", channel: "phone_messenger", ...more },
      });
    const wanted = { reason: "Buy now at spam.example", contact_name: "Spam", people: ["Ana"], by: "Bob" };
    for (let times = 0; times < 2; times++)
      expect(await report("desk.needs_person", "e1", wanted)).toMatchObject({
        status: 202,
        body: { taken: true },
      });
    await report("desk.message", "m1");
    const [worker] = noticeWorkers(platform.deps);
    const stopping = new AbortController();
    const run = worker?.run(stopping.signal);
    while (posted.length === 0) await platform.clock.advance(1000);
    stopping.abort();
    await platform.clock.advance(1000);
    await run;
    expect(posted).toHaveLength(1);
    const notice: Notice = JSON.parse(posted[0]?.body ?? "{}");
    expect(notice).toMatchObject({
      event: "desk.needs_person",
      tenant_id: tenant.id,
      text: "Conversation c1 needs a person.",
      data: { conversation_id: "c1", ...wanted },
    });
    expect(
      (await platform.call("GET", `/api/v1/webhooks/${id}/deliveries`, { headers: tenant.asProgram })).body
        .deliveries,
    ).toHaveLength(1);
    for (const body of [
      { event: "credits.80", occasion: "o", conversation_id: "c1", channel: "echo" },
      { event: "desk.mention", occasion: "", conversation_id: "c1", channel: "echo" },
      { event: "desk.mention", occasion: "o", conversation_id: "c1 <b>", channel: "echo" },
    ])
      expect(
        (await platform.call("POST", "/api/v1/desk-notices", { headers: tenant.asProgram, body })).status,
      ).toBe(400);
  });

  test("more than 200 notices of a desk within an hour are 429", async () => {
    const begun = await start();
    await using platform = begun.platform;
    const { tenant } = begun;
    await hook(platform, ["desk.mention"], personOf(tenant));
    const report = async (occasion: number) => {
      const body = {
        event: "desk.mention",
        occasion: `o${occasion}`,
        conversation_id: "c1",
        channel: "echo",
      };
      return (await platform.call("POST", "/api/v1/desk-notices", { headers: tenant.asProgram, body }))
        .status;
    };
    for (let occasion = 0; occasion < 200; occasion++) expect(await report(occasion)).toBe(202);
    expect(await report(200)).toBe(429);
    await platform.clock.advance(60 * 60_000 + 1);
    expect(await report(200)).toBe(202);
  });
});
