import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { MemberRole } from "../../../../src/contracts/platform/members.ts";
import { newId } from "../../../../src/kit/id.ts";
import { membershipsMax, membersMax } from "../../../../src/services/platform/members/invitations.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { addAgent } from "../../../support/platform-history.ts";
import { refusedHandshake } from "../../../support/platform-stream.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const emailOf = ({ userId }: TestTenant) => `${userId}@example.com`;

/** Calls of one person about the members of a tenant. */
const as = (platform: TestPlatform, { asPerson }: TestTenant, tenant: TestTenant) => {
  const path = `/api/v1/tenants/${tenant.id}`;
  const headers = { authorization: asPerson.authorization ?? "" };
  return {
    inTenant: { ...headers, "x-tenant-id": tenant.id },
    invite: (email: string, role: string) =>
      platform.call("POST", `${path}/invitations`, { headers, body: { email, role } }),
    invitations: () => platform.call("GET", `${path}/invitations`, { headers }),
    withdraw: (id: string) => platform.call("DELETE", `${path}/invitations/${id}`, { headers }),
    accept: (token: string) =>
      platform.call("POST", "/api/v1/invitations/accept", { headers, body: { token } }),
    members: () => platform.call("GET", `${path}/members`, { headers }),
    setRole: (user: TestTenant, role: string) =>
      platform.call("PATCH", `${path}/members/${user.userId}`, { headers, body: { role } }),
    remove: (user: TestTenant, query = "") =>
      platform.call("DELETE", `${path}/members/${user.userId}${query}`, { headers }),
    createKey: (body: object) => platform.call("POST", `${path}/keys`, { headers, body }),
    keys: () => platform.call("GET", `${path}/keys`, { headers }),
  };
};

/** Makes a person a member, through an invitation. */
async function join(platform: TestPlatform, owner: TestTenant, role: MemberRole): Promise<TestTenant> {
  const person = await platform.tenant();
  const { body } = await as(platform, owner, owner).invite(emailOf(person), role);
  const joined = await as(platform, person, owner).accept(body.token);
  expect(joined).toMatchObject({ status: 200, body: { id: owner.id, role } });
  return person;
}

const auditOf = async ({ deps: { storage } }: TestPlatform) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ actor, action, subject, detail }) => ({ actor, action, subject, detail }),
  );

onEachEngine("members", (engine) => {
  test("join with a token that works once; each step is audited, and the token is not stored; others see 404", async () => {
    await using platform = await startPlatform(engine);
    const [owner, guest] = [await platform.tenant(), await platform.tenant()];
    const [byOwner, byGuest] = [as(platform, owner, owner), as(platform, guest, owner)];
    expect((await byGuest.members()).status).toBe(404);
    const invited = await byOwner.invite(` ${emailOf(guest).toUpperCase()} `, "member");
    expect(invited).toMatchObject({ status: 201, body: { email: emailOf(guest), role: "member" } });
    const { token, ...listed } = invited.body;
    // An argument of a command line must not look like an option.
    expect(token).toMatch(/^inv_[A-Za-z0-9_-]{43}$/);
    expect((await byOwner.invitations()).body).toEqual({ invitations: [listed] });
    const { storage } = platform.deps;
    const stored = await storage.read.select().from(storage.tables.tenantInvitations);
    expect(JSON.stringify(stored)).not.toContain(token);

    const joined = await byGuest.accept(token);
    expect(joined).toMatchObject({
      status: 200,
      body: { id: owner.id, displayName: "Ada's", role: "member" },
    });
    expect((await byGuest.accept(token)).body.error).toBe("invitation_not_found");
    expect((await byOwner.invitations()).body).toEqual({ invitations: [] });
    const { members } = (await byGuest.members()).body;
    expect(members.map(({ user_id, role }: Record<string, string>) => [user_id, role])).toEqual([
      [owner.userId, "owner"],
      [guest.userId, "member"],
    ]);
    const own = await platform.call("GET", "/api/v1/tenants", { headers: byGuest.inTenant });
    expect(own.body.tenants.map(({ id, role }: Record<string, string>) => [id, role])).toEqual([
      [guest.id, "owner"],
      [owner.id, "member"],
    ]);
    expect(await auditOf(platform)).toEqual([
      {
        actor: `user:${owner.userId}`,
        action: "member.invite",
        subject: listed.id,
        detail: { email: emailOf(guest), role: "member" },
      },
      {
        actor: `user:${guest.userId}`,
        action: "member.join",
        subject: guest.userId,
        detail: { role: "member" },
      },
    ]);
  });

  test("join once when the token is sent many times at the same moment; the other requests are 404", async () => {
    await using platform = await startPlatform(engine);
    const [owner, guest] = [await platform.tenant(), await platform.tenant()];
    const { body } = await as(platform, owner, owner).invite(emailOf(guest), "viewer");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => as(platform, guest, owner).accept(body.token)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  test("a token that is another person's, withdrawn, replaced, expired, or of a deleted tenant is 404", async () => {
    await using platform = await startPlatform(engine);
    const [owner, guest, other] = [await platform.tenant(), await platform.tenant(), await platform.tenant()];
    const [byOwner, byGuest] = [as(platform, owner, owner), as(platform, guest, owner)];
    const invite = async () => (await byOwner.invite(emailOf(guest), "member")).body;
    const refused = { status: 404, body: { error: "invitation_not_found" } };
    const first = await invite();
    expect(await as(platform, other, owner).accept(first.token)).toMatchObject(refused);
    const second = await invite();
    expect(await byGuest.accept(first.token)).toMatchObject(refused);
    expect((await byOwner.withdraw(second.id)).status).toBe(204);
    expect((await byOwner.withdraw(second.id)).status).toBe(404);
    expect(await byGuest.accept(second.token)).toMatchObject(refused);
    const third = await invite();
    const { storage } = platform.deps;
    const { tenantInvitations } = storage.tables;
    await storage.transact((tx) => tx.update(tenantInvitations).set({ expiresAt: platform.clock.now() }));
    expect((await byOwner.invitations()).body.invitations).toEqual([]);
    expect(await byGuest.accept(third.token)).toMatchObject(refused);
    const fourth = await invite();
    await platform.call("DELETE", `/api/v1/tenants/${owner.id}`, { headers: owner.asPerson });
    expect(await byGuest.accept(fourth.token)).toMatchObject(refused);
  });

  test("a bad address or role is 400; a second invitation and one above the limit are refused", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const byOwner = as(platform, owner, owner);
    expect((await byOwner.invite(emailOf(owner), "viewer")).body.error).toBe("already_member");
    expect((await byOwner.invite("no address", "viewer")).status).toBe(400);
    expect((await byOwner.invite("a@example.com", "king")).status).toBe(400);
    const { storage, clock } = platform.deps;
    const invitedAt = clock.now();
    const open = Array.from({ length: membersMax - 1 }, (_, turn) => ({
      id: newId(),
      tenantId: owner.id,
      email: `p${turn}@example.com`,
      role: "viewer" as const,
      tokenHash: `hash ${turn}`,
      invitedBy: owner.userId,
      invitedAt,
      expiresAt: new Date(invitedAt.getTime() + 1000),
    }));
    await storage.transact((tx) => tx.insert(storage.tables.tenantInvitations).values(open));
    expect((await byOwner.invite("one@example.com", "viewer")).body.error).toBe("member_limit_reached");
    // A new invitation of the same address takes the place of the old one.
    expect((await byOwner.invite("p0@example.com", "member")).status).toBe(201);
  });

  test("join up to 100 tenants, one more is 409; deleted tenants don't count", async () => {
    await using platform = await startPlatform(engine);
    const [owner, guest] = [await platform.tenant(), await platform.tenant()];
    const { storage, clock } = platform.deps;
    const { tenants, tenantMembers } = storage.tables;
    const at = clock.now();
    // With the guest's own tenant, these are the most.
    const rows = Array.from({ length: membershipsMax - 1 }, (_, turn) => ({
      id: newId(),
      userId: owner.userId,
      crName: `other-${turn}`,
      displayName: "Other",
      createdAt: at,
      deletedAt: null,
    }));
    const places = rows.map(({ id: tenantId }) => ({ tenantId, role: "member" as const, joinedAt: at }));
    await storage.transact(async (tx) => {
      await tx.insert(tenants).values(rows);
      await tx.insert(tenantMembers).values(places.map((place) => ({ ...place, userId: guest.userId })));
    });
    const { token } = (await as(platform, owner, owner).invite(emailOf(guest), "member")).body;
    const byGuest = as(platform, guest, owner);
    expect(await byGuest.accept(token)).toMatchObject({
      status: 409,
      body: { error: "membership_limit_reached" },
    });
    const deleted = eq(tenants.id, rows[0]?.id ?? "");
    await storage.transact((tx) => tx.update(tenants).set({ deletedAt: at }).where(deleted));
    expect(await byGuest.accept(token)).toMatchObject({ status: 200, body: { id: owner.id } });
  });

  test("always include an owner: of two owners who leave at once the last is 409", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const byOwner = as(platform, owner, owner);
    const last = { status: 409, body: { error: "last_owner" } };
    expect(await byOwner.remove(owner)).toMatchObject(last);
    expect(await byOwner.setRole(owner, "admin")).toMatchObject(last);
    const second = await join(platform, owner, "owner");
    const left = await Promise.all([byOwner.remove(owner), as(platform, second, owner).remove(second)]);
    expect(left.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test("an admin who touches or makes an owner is 403; so is a viewer who does more than leave", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const [admin, viewer] = [await join(platform, owner, "admin"), await join(platform, owner, "viewer")];
    const byAdmin = as(platform, admin, owner);
    const refused = { status: 403, body: { error: "role_required" } };
    expect(await byAdmin.remove(owner)).toMatchObject(refused);
    expect(await byAdmin.setRole(owner, "viewer")).toMatchObject(refused);
    expect(await byAdmin.setRole(admin, "owner")).toMatchObject(refused);
    expect(await byAdmin.invite("new@example.com", "owner")).toMatchObject(refused);
    const { body } = await as(platform, owner, owner).invite("new@example.com", "owner");
    expect(await byAdmin.withdraw(body.id)).toMatchObject(refused);
    expect(await byAdmin.invite("new@example.com", "viewer")).toMatchObject(refused);
    const open = await byAdmin.invitations();
    expect(open.body.invitations.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    expect((await byAdmin.setRole(viewer, "member")).body).toMatchObject({ role: "member" });
    const byViewer = as(platform, viewer, owner);
    expect(await byViewer.remove(admin)).toMatchObject(refused);
    expect((await byViewer.remove(viewer)).status).toBe(204);
    expect((await byViewer.members()).status).toBe(404);
    expect((await auditOf(platform)).slice(-2)).toEqual([
      {
        actor: `user:${admin.userId}`,
        action: "member.role",
        subject: viewer.userId,
        detail: { from: "viewer", to: "member" },
      },
      {
        actor: `user:${viewer.userId}`,
        action: "member.leave",
        subject: viewer.userId,
        detail: { email: emailOf(viewer), role: "member" },
      },
    ]);
  });

  test("of a removed member the keys are 401; keep_keys=true keeps them, but is 403 for oneself", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const byOwner = as(platform, owner, owner);
    const reach = async (key: string) =>
      (await platform.call("GET", "/api/v1/agents", { headers: { "x-api-key": key } })).status;
    for (const [query, status, left] of [
      ["", 401, []],
      ["?keep_keys=false", 401, []],
      ["?keep_keys=true", 200, ["kept"]],
    ] as const) {
      const admin = await join(platform, owner, "admin");
      const byAdmin = as(platform, admin, owner);
      const { body } = await byAdmin.createKey({ label: "kept" });
      expect((await byOwner.keys()).body.keys).toContainEqual(
        expect.objectContaining({ hash: body.hash, created_by: emailOf(admin), expires_at: null }),
      );
      expect(await byAdmin.remove(admin, "?keep_keys=true")).toMatchObject({ status: 403 });
      expect((await byOwner.remove(admin, query)).status).toBe(204);
      expect(await reach(body.rawKey)).toBe(status);
      const { keys } = (await byOwner.keys()).body;
      expect(keys.filter((key: { created_by: string }) => key.created_by === emailOf(admin))).toMatchObject(
        left.map((label) => ({ label })),
      );
      expect((await auditOf(platform)).at(-1)?.detail).toMatchObject(
        left.length === 0 ? { revoked_keys: [body.hash] } : { role: "admin" },
      );
    }
    const leaver = await join(platform, owner, "admin");
    const { body } = await as(platform, leaver, owner).createKey({ label: "gone" });
    expect((await as(platform, leaver, owner).remove(leaver)).status).toBe(204);
    expect(await reach(body.rawKey)).toBe(401);
    expect(await reach(owner.key)).toBe(200);
  });

  test("may limit a key in time; an expiry that is past or unreadable is 400", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const { createKey, keys } = as(platform, owner, owner);
    const expires_at = new Date(platform.clock.now().getTime() + 1000).toISOString();
    const { body } = await createKey({ label: "brief", expires_at });
    expect((await keys()).body.keys).toContainEqual(expect.objectContaining({ label: "brief", expires_at }));
    const reach = async () =>
      (await platform.call("GET", "/api/v1/agents", { headers: { "x-api-key": body.rawKey } })).status;
    expect(await reach()).toBe(200);
    for (const wrong of [platform.clock.now().toISOString(), "2020-01-01", "soon", ""])
      expect(await createKey({ label: "x", expires_at: wrong })).toMatchObject({ status: 400 });
    await platform.clock.advance(1000);
    expect(await reach()).toBe(401);
    expect((await keys()).body.keys.map(({ label }: { label: string }) => label)).not.toContain("brief");
  });

  test("who are removed lose access, and their tickets and invitations are 403 or 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    await addAgent(platform, owner, "support");
    const admin = await join(platform, owner, "admin");
    const [byOwner, byAdmin] = [as(platform, owner, owner), as(platform, admin, owner)];
    const list = () => platform.call("GET", "/api/v1/agents", { headers: byAdmin.inTenant });
    expect((await list()).status).toBe(200);
    const guest = await platform.tenant();
    const { token } = (await byAdmin.invite(emailOf(guest), "admin")).body;
    const issue = () =>
      platform.call("POST", "/api/v1/agents/support/stream-ticket", {
        headers: byAdmin.inTenant,
        body: { query: "hi" },
      });
    const redeem = async (ticket: string) =>
      refusedHandshake(platform.url, `/api/v1/agents/support/run/stream?ticket=${ticket}`, {});
    const demotedTicket = (await issue()).body.ticket;
    const removedTicket = (await issue()).body.ticket;
    expect((await byOwner.setRole(admin, "viewer")).status).toBe(200);
    expect((await redeem(demotedTicket)).status).toBe(403);
    expect((await byOwner.remove(admin)).status).toBe(204);
    expect((await redeem(removedTicket)).status).toBe(404);
    expect((await list()).status).toBe(404);
    expect((await as(platform, guest, owner).accept(token)).status).toBe(404);
  });

  test("an operator manages those of any tenant; its owner is then the first of its owners", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    const operator = await platform.tenant({ role: "operator" });
    const second = await join(platform, owner, "viewer");
    const byOperator = as(platform, operator, owner);
    expect((await byOperator.setRole(second, "owner")).status).toBe(200);
    expect((await byOperator.remove(owner)).status).toBe(204);
    const told = await platform.call("GET", `/api/v1/admin/tenants/${owner.id}`, { headers: asOperator });
    expect(told.body.owner).toEqual({ id: second.userId, email: emailOf(second) });
    // Each tenant's page has its own members only.
    const other = await platform.tenant();
    expect(told.body.members).toEqual((await byOperator.members()).body.members);
    expect(told.body.members).toMatchObject([{ user_id: second.userId, role: "owner" }]);
    const elsewhere = await platform.call("GET", `/api/v1/admin/tenants/${other.id}`, {
      headers: asOperator,
    });
    expect(elsewhere.body.members).toMatchObject([{ user_id: other.userId, role: "owner" }]);
    const all = await platform.call("GET", "/api/v1/admin/tenants", { headers: asOperator });
    const listed = all.body.tenants.find(({ id }: { id: string }) => id === owner.id);
    expect(listed.owner).toEqual({ id: second.userId, email: emailOf(second) });
    expect((await auditOf(platform)).map(({ action }) => action)).toContain("member.remove");
  });
});
