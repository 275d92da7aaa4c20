import { expect, test } from "bun:test";
import { and, eq } from "drizzle-orm";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { accounts, password, type Registered } from "./account-world.ts";

const email = "ada@example.com";

const addMember = (
  { deps: { storage, clock } }: TestPlatform,
  tenantId: string,
  userId: string,
  role = "owner",
) =>
  storage.transact((tx) =>
    tx
      .insert(storage.tables.tenantMembers)
      .values({ tenantId, userId, role: role as "owner", joinedAt: clock.now() }),
  );

async function tenantOf(platform: TestPlatform, ada: Registered): Promise<string> {
  const { body } = await accounts(platform).ask("POST", "/api/v1/tenants", ada, { displayName: "Ada's" });
  return body.id;
}

onEachEngine("the deletion of an account", (engine) => {
  test("erases name, address and password, ends the sessions (401), and frees the address", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const other = await world.signIn(email);
    await world.ask("POST", "/api/v1/me/email", ada, { email: "b@example.com", current: password });
    expect((await world.ask("DELETE", "/api/v1/me", ada)).status).toBe(204);
    for (const gone of [ada, other]) expect(await world.meOf(gone)).toBe(401);
    expect((await world.login(email)).status).toBe(401);
    const { read, tables } = platform.deps.storage;
    expect(JSON.stringify(await read.select().from(tables.users))).not.toContain(email);
    expect((await world.operate("POST", "/password-links", { email })).status).toBe(404);
    expect((await world.operate("GET", "/email-changes")).body.changes).toEqual([]);
    expect((await world.actions()).at(-1)).toBe("person.delete");
    const again = await world.register(email);
    expect(again.id).not.toBe(ada.id);
    expect((await world.ask("GET", "/api/v1/tenants", again)).body.tenants).toEqual([]);
  });

  test("is 409 last_owner while a tenant has no other owner, and changes nothing", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const [first, second] = [await tenantOf(platform, ada), await tenantOf(platform, ada)];
    const bob = await world.register("bob@example.com");
    await addMember(platform, first, bob.id);
    const refused = await world.ask("DELETE", "/api/v1/me", ada);
    expect(refused).toMatchObject({ status: 409, body: { error: "last_owner" } });
    expect((await world.ask("GET", "/api/v1/tenants", ada)).body.tenants).toHaveLength(2);
    expect((await world.ask("DELETE", `/api/v1/tenants/${second}`, ada)).status).toBe(204);
    expect((await world.ask("DELETE", "/api/v1/me", ada)).status).toBe(204);
    const { body } = await world.ask("GET", `/api/v1/tenants/${first}/members`, bob);
    expect(body.members.map((one: { user_id: string }) => one.user_id)).toEqual([bob.id]);
  });

  test("leaves nothing that opens a door: keys, invitations and the operator's role end with it", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const tenant = await tenantOf(platform, ada);
    const bob = await world.register("bob@example.com");
    await addMember(platform, tenant, bob.id);
    const { storage } = platform.deps;
    const { users, tenantInvitations } = storage.tables;
    await storage.transact((tx) => tx.update(users).set({ role: "operator" }).where(eq(users.id, ada.id)));
    const key = await world.ask("POST", `/api/v1/tenants/${tenant}/keys`, ada, { label: "ci" });
    await world.ask("POST", `/api/v1/tenants/${tenant}/invitations`, ada, {
      email: "eve@example.com",
      role: "owner",
    });
    expect((await world.ask("DELETE", "/api/v1/me", ada)).status).toBe(204);
    const headers = { "x-api-key": key.body.rawKey };
    expect((await platform.call("GET", "/api/v1/agents", { headers })).status).toBe(401);
    expect(await storage.read.$count(tenantInvitations)).toBe(0);
    expect(await storage.read.$count(users, and(eq(users.role, "operator")))).toBe(0);
  });

  test("keeps a deleted tenant in the operator's list, whose owner has no name any more", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const tenant = await tenantOf(platform, ada);
    await world.ask("DELETE", `/api/v1/tenants/${tenant}`, ada);
    await world.ask("DELETE", "/api/v1/me", ada);
    const { body } = await platform.call("GET", "/api/v1/admin/tenants", { headers: asOperator });
    expect(body.tenants).toMatchObject([{ id: tenant, status: "deleted", owner: { id: ada.id } }]);
    expect(JSON.stringify(body)).not.toContain(email);
  });

  test("of both owners at once leaves one of them: the other is 409", async () => {
    await using platform = await startPlatform(engine);
    const world = accounts(platform);
    const ada = await world.register(email);
    const tenant = await tenantOf(platform, ada);
    const bob = await world.register("bob@example.com");
    await addMember(platform, tenant, bob.id);
    const answers = await Promise.all([ada, bob].map((one) => world.ask("DELETE", "/api/v1/me", one)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });
});
