import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { keyUseWriter } from "../../../../src/control-plane/keys/key-uses.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const pathOf = ({ id }: TestTenant) => `/api/v1/tenants/${id}/keys`;

const create = (platform: TestPlatform, tenant: TestTenant, label: unknown = "ci") =>
  platform.call("POST", pathOf(tenant), { headers: tenant.asPerson, body: { label } });

const list = async (platform: TestPlatform, tenant: TestTenant) =>
  (await platform.call("GET", pathOf(tenant), { headers: tenant.asPerson })).body.keys;

const use = async (platform: TestPlatform, key: string, more: Record<string, string> = {}) =>
  (await platform.call("GET", "/api/v1/agents", { headers: { "x-api-key": key, ...more } })).status;

onEachEngine("API keys", (engine) => {
  test("a key with a role may do what a member with it may; more is 403, an unknown role is 400", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const keyOf = async (role: string) => {
      const path = `/api/v1/tenants/${owner.id}/keys`;
      return platform.call("POST", path, { headers: owner.asPerson, body: { label: role, role } });
    };
    expect((await keyOf("boss")).status).toBe(400);
    const { rawKey } = (await keyOf("desk")).body;
    const headers = { "x-api-key": rawKey };
    expect((await platform.call("GET", "/api/v1/agents", { headers })).status).toBe(200);
    expect((await platform.call("GET", "/api/v1/actor", { headers })).body).toMatchObject({
      tenant_id: owner.id,
      role: "desk",
      person: null,
    });
    const refused = await platform.call("PUT", "/api/v1/connections/x", { headers, body: {} });
    expect(refused).toMatchObject({ status: 403, body: { error: "role_required" } });
  });

  test("are shown once, and listed by hash and label, newest first", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await platform.clock.advance(1000);
    const made = await create(platform, owner, " ci ");
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      rawKey: expect.stringMatching(/^apk_[A-Za-z0-9_-]{43}$/),
      label: "ci",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await use(platform, made.body.rawKey)).toBe(200);
    const keys = await list(platform, owner);
    expect(keys).toEqual([
      {
        hash: made.body.hash,
        label: "ci",
        created_by: expect.stringContaining("@"),
        created_at: "2026-03-10T12:00:01.000Z",
        expires_at: null,
        last_used_at: null,
        role: null,
      },
      expect.objectContaining({ label: "test" }),
    ]);
    const rows = await platform.deps.storage.read.select().from(platform.deps.storage.tables.apiKeys);
    expect(JSON.stringify([rows, keys, platform.logged])).not.toContain(made.body.rawKey.slice(4));
  });

  test("of a tenant are at most 100, one more is 409; a revoked one makes room", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const { storage, clock } = platform.deps;
    const [first] = await list(platform, owner);
    const [known] = await storage.read.select().from(storage.tables.apiKeys);
    const others = Array.from({ length: 99 }, (_, n) => ({
      hash: `${n}`.padStart(64, "0"),
      tenantId: owner.id,
      label: `k${n}`,
      createdBy: known?.createdBy ?? "",
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    }));
    await storage.transact(async (tx) => void (await tx.insert(storage.tables.apiKeys).values(others)));
    expect(await create(platform, owner)).toMatchObject({
      status: 409,
      body: {
        error: "key_limit_reached",
        message: "A tenant may have 100 active keys. Revoke one first.",
      },
    });
    await platform.call("DELETE", `${pathOf(owner)}/${first.hash}`, { headers: owner.asPerson });
    expect((await create(platform, owner)).status).toBe(201);
  });

  test("are 401 at once when they are revoked; a second time is 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const { rawKey, hash } = (await create(platform, owner)).body;
    const revoke = () => platform.call("DELETE", `${pathOf(owner)}/${hash}`, { headers: owner.asPerson });
    expect(await revoke()).toMatchObject({ status: 204, text: "" });
    expect(await use(platform, rawKey)).toBe(401);
    expect(await revoke()).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await list(platform, owner)).map(({ label }: { label: string }) => label)).toEqual(["test"]);
    const rows = await platform.deps.storage.read.select().from(platform.deps.storage.tables.apiKeys);
    expect(rows).toHaveLength(2);
  });

  test("of another tenant of the same person are 401 or 404 for this one", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const second = await platform.call("POST", "/api/v1/tenants", {
      headers: owner.asPerson,
      body: { displayName: "Second" },
    });
    const { rawKey, hash } = (await create(platform, owner)).body;
    const wrong = `/api/v1/tenants/${second.body.id}/keys/${hash}`;
    expect((await platform.call("DELETE", wrong, { headers: owner.asPerson })).status).toBe(404);
    expect(await use(platform, rawKey, { "x-tenant-id": owner.id })).toBe(200);
    expect(await use(platform, rawKey, { "x-tenant-id": second.body.id })).toBe(401);
  });

  test.each<[string, unknown]>([
    ["none", undefined],
    ["an empty one", ""],
    ["one of spaces", " "],
    ["a long one", "x".repeat(101)],
    ["one of two lines", "a\nb"],
  ])("need a label: %s is 400", async (_, label) => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const body = label === undefined ? {} : { label };
    const answer = await platform.call("POST", pathOf(owner), { headers: owner.asPerson, body });
    expect(answer).toMatchObject({ status: 400, body: { problems: [{ path: "label" }] } });
    expect(await list(platform, owner)).toHaveLength(1);
  });

  test.each(["", "apk_", "apk_unknown", "\u00e9", "x".repeat(5000)])("%p is 401", async (key) => {
    await using platform = await startPlatform(engine);
    await platform.tenant();
    expect(await use(platform, key)).toBe(401);
  });

  test("a use is written within 5 s, by the worker and not by the request", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const lastUsed = async () => (await list(platform, owner))[0].last_used_at;
    const stopping = new AbortController();
    const { storage, keyUses } = platform.deps;
    const written = Promise.withResolvers<void>();
    let write = written;
    const running = keyUseWriter({
      ...platform.deps,
      storage: {
        ...storage,
        async transact(run, options) {
          const result = await storage.transact(run, options);
          write.resolve();
          return result;
        },
      },
    }).run(stopping.signal);
    await platform.clock.advance(1_000);
    for (let time = 0; time < 5; time++) await use(platform, owner.key);
    expect(await lastUsed()).toBeNull();
    await platform.clock.advance(4_000);
    await write.promise;
    expect(await lastUsed()).toBe("2026-03-10T12:00:01.000Z");

    write = Promise.withResolvers();
    await use(platform, owner.key);
    stopping.abort();
    await running;
    expect(await lastUsed()).toBe("2026-03-10T12:00:05.000Z");
    await keyUses.write(storage);
  });

  test("a use that could not be written is written later, and a later one by another process stays", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const { keyUses, storage } = platform.deps;
    const lastUsed = async () => (await list(platform, owner))[0].last_used_at;
    await use(platform, owner.key);
    const failing = {
      ...storage,
      transact: async () => {
        throw new Error("disk full");
      },
    };
    const failure = await keyUses.write(failing).catch((thrown) => thrown);
    expect(failure.message).toBe("disk full");
    await keyUses.write(storage);
    expect(await lastUsed()).toBe("2026-03-10T12:00:00.000Z");

    await use(platform, owner.key);
    const later = new Date("2026-03-10T12:05:00.000Z");
    const { apiKeys } = storage.tables;
    await storage.transact((tx) =>
      tx.update(apiKeys).set({ lastUsedAt: later }).where(eq(apiKeys.tenantId, owner.id)),
    );
    await keyUses.write(storage);
    expect(await lastUsed()).toBe(later.toISOString());
  });
});
