import { expect, test } from "bun:test";
import { getTableColumns, getTableName, sql, type Table } from "drizzle-orm";
import { countedTables } from "../../../../scripts/counted-bytes-triggers.ts";
import { newId } from "../../../../src/kit/id.ts";
import type { PlatformDeps } from "../../../../src/services/platform/deps.ts";
import { noteTenantsElsewhere } from "../../../../src/services/platform/room/note-elsewhere.ts";
import { storedAreas } from "../../../../src/storage/room.ts";
import { evalOf } from "../../../support/hosted-evals.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { asOwner, create, type PlatformWithOwner, platformWithOwner, specOf } from "../agents/sent-spec.ts";
import { platformWithEvals, putEval, runToEnd } from "../evals/staged-evals.ts";

/** The bytes of every counted row of a tenant, by area, without triggers. */
async function counted({ storage }: PlatformDeps, tenantId: string): Promise<Record<string, number>> {
  const sums: Record<string, number> = {};
  const tables = Object.values(storage.tables) as unknown as Table[];
  for (const { table, owner, area, columns } of countedTables(tables)) {
    const found = tables.find((one) => getTableName(one) === table) as Table;
    const byName = new Map(Object.values(getTableColumns(found)).map((column) => [column.name, column]));
    const isText = (name: string) => sql`coalesce(octet_length(cast(${byName.get(name)} as text)), 0)`;
    const bytes = columns.map(isText).reduce((sum, one) => sql`${sum} + ${one}`, sql`96`);
    const rows = await storage.read
      .select({ bytes: sql<number>`coalesce(sum(${bytes}), 0)`.mapWith(Number) })
      .from(found as never)
      .where(sql`${byName.get(owner)} = ${tenantId}`);
    const [row] = rows as { bytes: number }[];
    if ((row?.bytes ?? 0) > 0) sums[area] = (sums[area] ?? 0) + (row?.bytes ?? 0);
  }
  return sums;
}

const ledger = async ({ deps, owner }: PlatformWithOwner) =>
  Object.fromEntries((await storedAreas(deps.storage, owner.id)).map(({ area, bytes }) => [area, bytes]));

/** Lets the default plan store so many bytes. */
const allow = ({ deps: { storage }, clock, owner }: PlatformWithOwner, bytes: number | null) =>
  storage.transact(async (tx) => {
    const { plans, tenantPlans } = storage.tables;
    const [plan] = await tx.select().from(plans).limit(1);
    if (plan === undefined) throw new Error("There is no plan.");
    const id = newId();
    const spec = { ...plan.spec, features: { storage_bytes_max: bytes } };
    await tx.insert(plans).values({ ...plan, id, spec });
    await clock.advance(1);
    await tx.insert(tenantPlans).values({ tenantId: owner.id, since: clock.now(), planId: id });
  });

onEachEngine("the stored bytes of a tenant", (engine) => {
  test("are those of its rows, after every write, change and deletion", async () => {
    await using platform = await platformWithEvals(engine);
    const { deps, owner } = platform;
    await create(platform, specOf("support"));
    await asOwner(platform, "PUT", "/api/v1/agents/support", {
      body: specOf("support", { identity: { role: "päpstlich 😀" } }),
    });
    await putEval(platform, evalOf("greets", ["hello", "bye"]));
    await runToEnd(platform, "greets");
    await putEval(platform, evalOf("greets", ["hello"]));
    const headers = { "idempotency-key": "one" };
    await asOwner(platform, "POST", "/api/v1/agents/support/run", { body: { query: "Hi" }, headers });
    const now = await ledger(platform);
    expect(now).toEqual(await counted(deps, owner.id));
    expect(Object.keys(now)).toEqual(
      expect.arrayContaining(["agents", "runs", "answers", "evals", "eval_runs", "keys"]),
    );
    await asOwner(platform, "DELETE", "/api/v1/evals/greets");
    const after = await ledger(platform);
    expect(after).toEqual(await counted(deps, owner.id));
    expect(after.evals).toBeUndefined();
  });

  test("beyond the plan refuse what stores more with 409 `storage_limit_reached`; reading and deleting continue", async () => {
    await using platform = await platformWithOwner(engine);
    await create(platform, specOf("support"));
    expect(
      (await asOwner(platform, "PUT", "/api/v1/evals/greets", { body: evalOf("greets", ["hi"]) })).status,
    ).toBe(200);
    await allow(platform, 1000);
    const ways: [string, string, unknown?][] = [
      ["POST", "/agents", specOf("other")],
      ["PUT", "/agents/support", specOf("support", { identity: { role: "new" } })],
      ["POST", "/agents/support/versions/1/restore"],
      ["POST", "/agents/support/run", { query: "Hi" }],
      ["PUT", "/evals/more", evalOf("more", ["hi"])],
      ["POST", "/evals/greets/runs", {}],
      ["PUT", "/connections/crm", { base_url: "https://crm.example.com", headers: { a: "b" } }],
      ["PUT", "/collections/docs/documents/one", { text: "one" }],
      ["PUT", `/invocations/${newId()}/feedback`, { rating: "up" }],
    ];
    for (const [method, path, body] of ways) {
      const refused = await asOwner(platform, method, `/api/v1${path}`, { body });
      expect([method, path, refused.status, refused.body.error]).toEqual([
        method,
        path,
        409,
        "storage_limit_reached",
      ]);
      expect(refused.body.message).toMatch(/lets 1000 bytes be stored, and .* in agents/);
    }
    const usage = (await asOwner(platform, "GET", "/api/v1/usage")).body.storage;
    expect(usage).toMatchObject({ limit_bytes: 1000, areas: expect.any(Array) });
    expect(usage.stored_bytes).toBeGreaterThan(1000);
    expect((await asOwner(platform, "GET", "/api/v1/agents/support")).status).toBe(200);
    expect((await asOwner(platform, "POST", `/api/v1/eval-runs/${newId()}/cancel`)).status).toBe(404);
    expect((await asOwner(platform, "DELETE", "/api/v1/evals/greets")).status).toBe(204);
    expect((await asOwner(platform, "DELETE", "/api/v1/agents/support")).status).toBe(204);
    // Another tenant isn't touched, and a larger plan opens at once.
    await allow(platform, null);
    expect((await create(platform, specOf("third"))).status).toBe(201);
  });

  test("include what the runtime holds, as the last round found it", async () => {
    await using platform = await platformWithOwner(engine);
    const { deps, owner, runtime } = platform;
    runtime.stored = async (owners) =>
      owners.map((owner_id) => ({ owner_id, area: "memory", bytes: 2 ** 31 }));
    await noteTenantsElsewhere(deps);
    expect((await create(platform, specOf("support"))).body.error).toBe("storage_limit_reached");
    expect((await ledger(platform)).memory).toBe(2 ** 31);
    // The runtime is away: the figures stay.
    runtime.stored = () => Promise.reject(new Error("away"));
    await noteTenantsElsewhere(deps);
    runtime.stored = async () => [{ owner_id: owner.id, area: "memory", bytes: 0 }];
    expect((await create(platform, specOf("support"))).body.error).toBe("storage_limit_reached");
    await noteTenantsElsewhere(deps);
    expect((await create(platform, specOf("support"))).status).toBe(201);
  });

  test("on a nearly full disk refuse those beyond an equal share with 503, and no other tenant", async () => {
    await using platform = await platformWithOwner(engine, (deps) => ({
      ...deps,
      storage: { ...deps.storage, disk: { isUsed: () => true } },
    }));
    const modest = { ...platform, owner: await platform.tenant() };
    await create(modest, specOf("small"));
    const big = specOf("big", { prompts: { system: "x".repeat(100_000) } });
    expect((await create(platform, big)).status).toBe(201);
    expect(await create(platform, specOf("more"))).toMatchObject({
      status: 503,
      body: { error: "disk_reserved" },
    });
    expect((await create(modest, specOf("more"))).status).toBe(201);
    expect((await asOwner(platform, "DELETE", "/api/v1/agents/big")).status).toBe(204);
  });
});

/** Tables with a tenant that don't count, and why. */
const uncounted = {
  run_tokens: "live as long as a run",
  stream_tickets: "live for seconds",
  tenant_members: "bounded by people who accept",
  tenant_invitations: "bounded by the limit of members, and expire",
  tenant_plans: "written by operators",
  workspaces: "one row of numbers",
  attributed_usage: "numbers by month, fewer than runs, which count",
  invocation_sums: "numbers by month, fewer than runs, which count",
  invocation_model_sums: "numbers by month, fewer than runs, which count",
  invocation_days: "numbers by day, fewer than runs, which count",
  invocation_model_days: "numbers by day, fewer than runs, which count",
  credit_counters: "numbers by month",
  rate_windows: "numbers of this minute",
  subscriptions: "written by operators",
  subscription_plans: "written by operators",
  usage_counters: "numbers by month",
  billing_periods: "written by the service",
  charges: "written by the service",
  grants: "written by operators",
  grant_accounts: "one row of numbers",
  grant_uses: "numbers by month",
  plan_credits: "numbers by month",
  notice_outbox: "bounded by occasions and hooks, kept for 90 days",
  notice_inbound: "empty",
  notice_hooks: "at most 20",
  notice_marks: "numbers by month",
  adjustments: "written by operators",
  invoice_customers: "written by operators",
  invoices: "written by operators",
  invoice_states: "written by operators",
  voided_events: "written by operators",
};

test("every table with a tenant counts, or has a reason not to", async () => {
  await using platform = await platformWithOwner(
    (await import("../../../support/storage-engines.ts")).sqliteEngine,
  );
  const tables = Object.values(platform.deps.storage.tables) as unknown as Table[];
  const known = new Set(countedTables(tables).map(({ table }) => table));
  const missing = tables
    .filter((table) => Object.values(getTableColumns(table)).some(({ name }) => name === "tenant_id"))
    .map(getTableName)
    .filter((name) => !known.has(name) && !Object.hasOwn(uncounted, name));
  expect(missing).toEqual([]);
});
