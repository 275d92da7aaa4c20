import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { readConnections } from "../../../../src/services/platform/connections/read-connections.ts";
import { startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const canary = "canary-of-the-material";
const material = { token: canary, nested: { list: [1, "é \u{1F468}"] } };

const base_url = "https://service.example/api";

const put = (
  platform: TestPlatform,
  { asProgram }: TestTenant,
  name: string,
  body: unknown = { base_url, material },
) => platform.call("PUT", `/api/v1/connections/${name}`, { headers: asProgram, body });

const list = (platform: TestPlatform, { asProgram }: TestTenant) =>
  platform.call("GET", "/api/v1/connections", { headers: asProgram });

onEachEngine("connections", (engine) => {
  test("go in, and come out for runs alone", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const made = await put(platform, owner, "erp", { base_url: "https://erp.example/api", material });
    const shown = {
      name: "erp",
      base_url: "https://erp.example/api",
      updated_at: "2026-03-10T12:00:00.000Z",
    };
    expect(made).toMatchObject({ status: 200 });
    expect(made.body).toEqual(shown);
    await put(platform, owner, "api_crm");
    const listed = await list(platform, owner);
    expect(listed.body).toEqual({
      connections: [{ name: "api_crm", base_url, updated_at: shown.updated_at }, shown],
    });
    expect(await readConnections(platform.deps, owner.id)).toEqual({
      api_crm: { base_url, material },
      erp: { base_url: "https://erp.example/api", material },
    });
    const { read, tables } = platform.deps.storage;
    const rows = await read.select().from(tables.connections);
    expect(JSON.stringify([made.text, listed.text, rows, platform.logged])).not.toContain(canary);
  });

  test("are replaced as a whole", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await put(platform, owner, "erp", { base_url: "https://erp.example", material });
    await platform.clock.advance(1000);
    const again = await put(platform, owner, "erp", { base_url, material: { key: "other" } });
    expect(again.body).toEqual({ name: "erp", base_url, updated_at: "2026-03-10T12:00:01.000Z" });
    expect(await readConnections(platform.deps, owner.id)).toEqual({
      erp: { base_url, material: { key: "other" } },
    });
  });

  test("are deleted once, then 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await put(platform, owner, "erp");
    const remove = () => platform.call("DELETE", "/api/v1/connections/erp", { headers: owner.asProgram });
    expect(await remove()).toMatchObject({ status: 204, text: "" });
    expect(await remove()).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await list(platform, owner)).body).toEqual({ connections: [] });
  });

  test("are each tenant's own, also sealed: a row that is moved doesn't open", async () => {
    await using platform = await startPlatform(engine);
    const [owner, stranger] = [await platform.tenant(), await platform.tenant()];
    await put(platform, owner, "erp");
    expect((await list(platform, stranger)).body).toEqual({ connections: [] });
    expect(await readConnections(platform.deps, stranger.id)).toEqual({});
    const headers = stranger.asProgram;
    const foreign = await platform.call("DELETE", "/api/v1/connections/erp", { headers });
    const missing = await platform.call("DELETE", "/api/v1/connections/nope", { headers });
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
    expect(await readConnections(platform.deps, owner.id)).toEqual({ erp: { base_url, material } });
    const { transact, tables } = platform.deps.storage;
    for (const moved of [{ name: "crm" }, { tenantId: stranger.id, name: "erp" }]) {
      await transact((tx) =>
        tx.update(tables.connections).set(moved).where(eq(tables.connections.name, "erp")),
      );
      const failure = await readConnections(platform.deps, moved.tenantId ?? owner.id).catch(
        (thrown) => thrown,
      );
      expect(failure).toMatchObject({ kind: "internal", code: "seal_broken" });
      await transact((tx) => tx.update(tables.connections).set({ tenantId: owner.id, name: "erp" }));
    }
  });

  test.each<[string, string, unknown, string]>([
    ["a name in capitals", "ERP", { base_url, material }, "name"],
    ["a name with a slash", "a%2Fb", { base_url, material }, "name"],
    ["a long name", "a".repeat(64), { base_url, material }, "name"],
    ["no material", "erp", { base_url }, "material"],
    ["empty material", "erp", { base_url, material: {} }, "material"],
    ["material that is a text", "erp", { base_url, material: canary }, "material"],
    ["material that is a list", "erp", { base_url, material: [canary] }, "material"],
    ["much material", "erp", { base_url, material: { token: "x".repeat(16 * 1024) } }, "material"],
    ["masked material", "erp", { base_url, material: { token: "•••abcd" } }, "material"],
    ["an address of another kind", "erp", { base_url: "file:///etc/passwd", material }, "base_url"],
    ["no address", "erp", { base_url: "erp", material }, "base_url"],
    ["an address with credentials", "erp", { base_url: "https://a:b@erp.example", material }, "base_url"],
    ["a long address", "erp", { base_url: `https://erp.example/${"x".repeat(2048)}`, material }, "base_url"],
    ["an unknown field", "erp", { base_url, material, token: canary }, "token"],
    ["without an address", "erp", { material }, "base_url"],
    ["an empty address", "erp", { base_url: "", material }, "base_url"],
    ["an address with a query", "erp", { base_url: "https://erp.example/?a=b", material }, "base_url"],
    ["an address with a fragment", "erp", { base_url: "https://erp.example/#a", material }, "base_url"],
  ])("%s is 400", async (_, name, body, path) => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const refused = await put(platform, owner, name, body);
    expect(refused).toMatchObject({ status: 400, body: { error: "invalid_request", problems: [{ path }] } });
    expect(refused.text).not.toContain(canary);
    expect((await list(platform, owner)).body).toEqual({ connections: [] });
  });

  test("are a hundred a tenant, also at once: more are 409, and any of them can still be replaced", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    for (let number = 0; number < 97; number++) await put(platform, owner, `c${number}`);
    const more = await Promise.all(
      Array.from({ length: 6 }, (_, number) => put(platform, owner, `d${number}`)),
    );
    expect(more.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = more.find(({ status }) => status !== 200);
    expect(refused).toMatchObject({ status: 409, body: { error: "connection_limit_reached" } });
    expect((await put(platform, owner, "c0", { base_url, material: { key: "other" } })).status).toBe(200);
    expect((await put(platform, await platform.tenant(), "erp")).status).toBe(200);
  });

  test("without keys are 503, and runs go without", async () => {
    await using platform = await startPlatform(engine, (deps) => ({ ...deps, sealer: undefined }));
    const owner = await platform.tenant();
    const answers = [
      await put(platform, owner, "erp"),
      await list(platform, owner),
      await platform.call("DELETE", "/api/v1/connections/erp", { headers: owner.asProgram }),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error]).toEqual([503, "connections_key_missing"]);
    }
    expect(await readConnections(platform.deps, owner.id)).toEqual({});
  });

  test("are 401 without a tenant's credential, and 400 without a tenant", async () => {
    await using platform = await startPlatform(engine);
    const { asPerson } = await platform.tenant();
    expect((await platform.call("GET", "/api/v1/connections")).status).toBe(401);
    const { authorization = "" } = asPerson;
    const nameless = await platform.call("GET", "/api/v1/connections", { headers: { authorization } });
    expect(nameless).toMatchObject({ status: 400, body: { error: "tenant_required" } });
    expect((await platform.call("GET", "/api/v1/connections", { headers: asPerson })).status).toBe(200);
  });
});
