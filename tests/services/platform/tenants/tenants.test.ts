import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { newId } from "../../../../src/kit/id.ts";
import { newCrName } from "../../../../src/services/platform/tenants/create-tenant.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const create = (platform: TestPlatform, { asPerson }: TestTenant, displayName: unknown = "Ada & Söhne") =>
  platform.call("POST", "/api/v1/tenants", { headers: asPerson, body: { displayName } });

const auditOf = async ({ deps: { storage } }: TestPlatform) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ id: _id, at: _at, ...entry }) => entry,
  );

onEachEngine("tenants", (engine) => {
  test("are found by a part of their name in any case, also of letters outside ASCII", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const { id } = (await create(platform, owner, "Ángel Ñandú")).body;
    for (const search of ["Ángel", "ÁNGEL", "ángel", "ñandú", "ngel", "ANGEL-NANDU", id.toUpperCase()]) {
      const { body } = await platform.call(
        "GET",
        `/api/v1/admin/tenant-names?search=${encodeURIComponent(search)}`,
        { headers: asOperator },
      );
      expect([search, body.tenants.map((one: { id: string }) => one.id)]).toEqual([search, [id]]);
    }
    for (const search of ["Angel", "%", "_", "*", "?", ".", "[Á]", "^Á", "\\w", "(?i)ngel"]) {
      const { body } = await platform.call(
        "GET",
        `/api/v1/admin/tenant-names?search=${encodeURIComponent(search)}`,
        { headers: asOperator },
      );
      // The code `angel-nandu-…` has no accents.
      expect([search, body.tenants.length]).toEqual([search, search === "Angel" ? 1 : 0]);
    }
  });

  test("are made with a DNS label of their own, and listed newest first", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const made = await create(platform, owner);
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      crName: expect.stringMatching(/^ada-sohne-[a-z0-9]{6}$/),
      displayName: "Ada & Söhne",
    });
    const list = await platform.call("GET", "/api/v1/tenants", { headers: owner.asPerson });
    expect(list.status).toBe(200);
    expect(list.body.tenants.map(({ id }: { id: string }) => id)).toEqual([made.body.id, owner.id]);
    expect(list.body.tenants[0]).toEqual({ ...made.body, role: "owner" });
  });

  test.each<[string, unknown]>([
    ["none", undefined],
    ["an empty one", ""],
    ["one of spaces", "   "],
    ["an invisible one", "\u200b\u200c\u200d\ufeff"],
    ["one of two lines", "line1\nINFO forged log line"],
    ["a long one", "x".repeat(256)],
    ["a number", 7],
  ])("need a display name: %s is 400", async (_, displayName) => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const answer = await platform.call("POST", "/api/v1/tenants", {
      headers: owner.asPerson,
      body: { displayName },
    });
    expect(answer).toMatchObject({ status: 400, body: { problems: [{ path: "displayName" }] } });
  });

  test("are three a person at most, also when asked for at once", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(platform, owner)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(new Set(refused.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
      new Set(["409 tenant_limit_reached"]),
    );
    expect(refused[0]?.body).toMatchObject({
      message: "You have 3 tenants; a person may have 3 in a month.",
      hint: "Delete a tenant, then create another from 2026-04-01 (UTC).",
    });
  });

  test("count until the month of their deletion ends: a deleted one gives its person no new credits", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const stranger = await platform.tenant();
    const remove = (id: string) =>
      platform.call("DELETE", `/api/v1/tenants/${id}`, { headers: owner.asPerson });
    await remove(owner.id);
    for (let turn = 0; turn < 2; turn++) {
      const made = await create(platform, owner);
      expect(made.status).toBe(201);
      await remove(made.body.id);
    }
    const refused = await create(platform, owner);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        error: "tenant_limit_reached",
        message:
          "You have 0 tenants and deleted 3 in this month, which count until it ends; a person may have 3 in a month.",
        hint: "You can create a tenant from 2026-04-01 (UTC).",
      },
    });
    const secondsLeft = (Date.UTC(2026, 3, 1) - platform.clock.now().getTime()) / 1000;
    expect(refused.headers.get("retry-after")).toBe(String(secondsLeft));
    expect((await create(platform, stranger)).status).toBe(201);
  });

  test("count while they exist or were deleted this month; one above the limit is 409", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const ids = [owner.id];
    for (let turn = 0; turn < 2; turn++) ids.push((await create(platform, owner)).body.id);
    const { storage } = platform.deps;
    const { tenants } = storage.tables;
    const deleteAt = (id: string | undefined, at: string) =>
      storage.transact((tx) =>
        tx
          .update(tenants)
          .set({ createdAt: new Date("2026-01-05T00:00:00Z"), deletedAt: new Date(at) })
          .where(eq(tenants.id, id ?? "")),
      );
    await deleteAt(ids[0], "2026-02-28T23:59:59.999Z");
    expect((await create(platform, owner)).status).toBe(201);
    await deleteAt(ids[1], "2026-03-01T00:00:00.000Z");
    expect(await create(platform, owner)).toMatchObject({
      status: 409,
      body: { hint: "You can create a tenant from 2026-04-01 (UTC)." },
    });
  });

  test("can get another display name; an empty one or another field is 400", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const path = `/api/v1/tenants/${owner.id}`;
    const headers = owner.asPerson;
    const renamed = await platform.call("PATCH", path, { headers, body: { displayName: " Grace " } });
    expect(renamed).toMatchObject({ status: 200, body: { id: owner.id, displayName: "Grace" } });
    const list = await platform.call("GET", "/api/v1/tenants", { headers });
    expect(list.body.tenants).toEqual([{ ...renamed.body, role: "owner" }]);
    expect((await platform.call("PATCH", path, { headers, body: { displayName: "" } })).status).toBe(400);
    expect((await platform.call("PATCH", path, { headers, body: { name: "x" } })).status).toBe(400);
    expect(await auditOf(platform)).toEqual([]);
  });

  test("are deleted with everything in them: their key is 401, their routes 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const other = await platform.tenant();
    await addAgentAndSubscription(platform, owner);
    await addAgentAndSubscription(platform, other);
    platform.runtime.agents.set(`t_${owner.id}__support`, registered(owner));
    platform.runtime.agents.set(`t_${other.id}__support`, registered(other));
    const headers = owner.asPerson;
    const path = `/api/v1/tenants/${owner.id}`;
    expect(await platform.call("DELETE", path, { headers })).toMatchObject({ status: 204, text: "" });

    expect((await platform.call("GET", "/api/v1/agents", { headers: owner.asProgram })).status).toBe(401);
    expect((await platform.call("GET", "/api/v1/agents", { headers })).status).toBe(404);
    expect((await platform.call("DELETE", path, { headers })).status).toBe(404);
    expect((await platform.call("GET", "/api/v1/tenants", { headers })).body).toEqual({ tenants: [] });
    expect((await platform.call("GET", `${path}/keys`, { headers })).status).toBe(404);
    expect([...platform.runtime.agents.keys()]).toEqual([`t_${other.id}__support`]);

    const { read, tables } = platform.deps.storage;
    const subscriptions = await read.select().from(tables.subscriptions);
    const ends = new Map(subscriptions.map(({ tenantId, ...row }) => [tenantId, row]));
    expect(ends.get(owner.id)).toMatchObject({ cancelledAt: platform.clock.now(), lastDay: "2026-03-10" });
    expect(ends.get(other.id)).toMatchObject({ cancelledAt: null, lastDay: null });
    const agents = await read.select().from(tables.agents);
    const deleted = new Map(agents.map(({ tenantId, deletedAt }) => [tenantId, deletedAt]));
    expect(deleted).toEqual(
      new Map([
        [owner.id, platform.clock.now()],
        [other.id, null],
      ]),
    );
    expect((await platform.call("GET", "/api/v1/agents", { headers: other.asProgram })).status).toBe(200);
    expect((await platform.call("GET", "/api/v1/me", { headers })).status).toBe(200);
  });

  test("are deleted also when the runtime can't be reached", async () => {
    await using platform = await startPlatform(engine, (deps) => ({
      ...deps,
      runtime: {
        ...deps.runtime,
        deregister: async () => {
          throw new Error("gone");
        },
      },
    }));
    const owner = await platform.tenant();
    await addAgentAndSubscription(platform, owner);
    const answer = await platform.call("DELETE", `/api/v1/tenants/${owner.id}`, { headers: owner.asPerson });
    expect(answer.status).toBe(204);
    expect(platform.logged.map(({ event }) => event)).toContain("agent.forget_failed");
  });

  test("of somebody else are 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const stranger = await platform.tenant();
    const headers = stranger.asPerson;
    const requests: [string, string, object | undefined][] = [
      ["DELETE", "", undefined],
      ["PATCH", "", { displayName: "Mine" }],
      ["POST", "/keys", { label: "mine" }],
      ["GET", "/keys", undefined],
      ["DELETE", `/keys/${"0".repeat(64)}`, undefined],
    ];
    for (const [method, rest, body] of requests) {
      const ask = (id: string) =>
        platform.call(method, `/api/v1/tenants/${id}${rest}`, { headers, ...(body && { body }) });
      const foreign = await ask(owner.id);
      expect([method, rest, foreign.status]).toEqual([method, rest, 404]);
      for (const id of [newId(), "x", "%00", "..%2f", "a".repeat(500)]) {
        const missing = await ask(id);
        expect([method, rest, id, missing.status]).toEqual([method, rest, id, 404]);
        if (id.length === 36) expect(missing.text).toBe(foreign.text);
      }
    }
    expect(await auditOf(platform)).toEqual([]);
    const { read, tables } = platform.deps.storage;
    expect((await read.select().from(tables.tenants)).every(({ deletedAt }) => deletedAt === null)).toBe(
      true,
    );
  });

  test("can be managed by operators, who are watched", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const operator = await platform.tenant({ role: "operator" });
    const headers = operator.asPerson;
    const path = `/api/v1/tenants/${owner.id}`;
    await platform.call("PATCH", path, { headers, body: { displayName: "Renamed" } });
    const key = await platform.call("POST", `${path}/keys`, { headers, body: { label: "support" } });
    await platform.call("DELETE", `${path}/keys/${key.body.hash}`, { headers });
    await platform.call("DELETE", path, { headers });
    const by = { actor: `user:${operator.userId}`, ownerId: owner.id };
    expect(await auditOf(platform)).toMatchObject([
      { ...by, action: "tenant.rename", subject: owner.id, detail: { displayName: "Renamed" } },
      { ...by, action: "key.create", subject: key.body.hash, detail: { label: "support" } },
      { ...by, action: "key.revoke", subject: key.body.hash },
      { ...by, action: "tenant.delete", subject: owner.id },
    ]);
    const own = await create(platform, operator);
    await platform.call("DELETE", `/api/v1/tenants/${own.body.id}`, { headers });
    expect(await auditOf(platform)).toHaveLength(4);
  });

  test("are for people: a key, an operator's token and no credential are 401", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    for (const headers of [owner.asProgram, asOperator, {}]) {
      const answers = await Promise.all([
        platform.call("POST", "/api/v1/tenants", { headers, body: { displayName: "x" } }),
        platform.call("GET", "/api/v1/tenants", { headers }),
        platform.call("DELETE", `/api/v1/tenants/${owner.id}`, { headers }),
        platform.call("POST", `/api/v1/tenants/${owner.id}/keys`, { headers, body: { label: "x" } }),
        platform.call("GET", `/api/v1/tenants/${owner.id}/keys`, { headers }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    }
  });
});

test.each([
  ["Ada", "ada"],
  ["  --Ada--  ", "ada"],
  ["Ünïcödé Ltd.", "unicode-ltd"],
  ["日本", "tenant"],
  ["9 lives", "9-lives"],
  ["a".repeat(255), "a".repeat(56)],
  [`${"a".repeat(55)} b`, "a".repeat(55)],
  ["</script><script>alert(1)</script>", "script-script-alert-1-script"],
])("the label of %p begins with %p and is one of DNS", (displayName, slug) => {
  const names = Array.from({ length: 200 }, () => newCrName(displayName));
  for (const name of names) {
    expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    expect(name.slice(0, -7)).toBe(slug);
  }
  expect(new Set(names).size).toBe(names.length);
});

async function addAgentAndSubscription({ deps }: TestPlatform, { id: tenantId }: TestTenant): Promise<void> {
  const { agents, subscriptions } = deps.storage.tables;
  const at = deps.clock.now();
  const agent = { tenantId, id: newId(), name: "support", subscriptionId: null, currentVersion: 1 };
  const subscription = { tenantId, id: newId(), argoCode: "erp", desde: "2026-01-01", lastDay: null };
  await deps.storage.transact(async (tx) => {
    await tx
      .insert(agents)
      .values({ ...agent, createdAt: at, updatedAt: at, deletedAt: null, forgottenAt: null });
    await tx.insert(subscriptions).values({ ...subscription, createdAt: at, cancelledAt: null });
  });
}

const registered = ({ id }: TestTenant) => ({
  tenant_id: id,
  agent_id: newId(),
  name: "support",
  checksum: "c",
  spec: {},
});
