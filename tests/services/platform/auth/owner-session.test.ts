import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { openOwnerSession } from "../../../../src/services/platform/auth/owner-session.ts";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const email = "owner@localhost";

onEachEngine("the owner of the machine", (engine) => {
  test("is made an operator once, and signed in each time with an entry in the audit", async () => {
    await using platform = await startPlatform(engine);
    const { storage } = platform.deps;
    const first = await openOwnerSession(platform.deps);
    const second = await openOwnerSession(platform.deps);
    expect(first.user).toEqual({ id: second.user.id, email, displayName: "Owner of this machine" });
    expect(first.refreshToken).not.toBe(second.refreshToken);
    const headers = { authorization: `Bearer ${second.accessToken}` };
    expect((await platform.call("GET", "/api/v1/me", { headers })).body).toEqual(second.user);
    const audit = await platform.call("GET", "/api/v1/admin/audit", { headers });
    expect(audit.body.entries).toMatchObject([
      { actor: "cli", action: "owner.sign_in", subject: first.user.id },
      { actor: "cli", action: "owner.sign_in", subject: first.user.id },
    ]);
    // Its tokens are like any person's: they are exchanged and expire.
    const body = { refreshToken: first.refreshToken };
    expect((await platform.call("POST", "/auth/refresh", { body })).status).toBe(200);
    const { users } = storage.tables;
    await storage.transact((tx) => tx.update(users).set({ role: "user" }).where(eq(users.email, email)));
    const { accessToken } = await openOwnerSession(platform.deps);
    const again = { authorization: `Bearer ${accessToken}` };
    expect((await platform.call("GET", "/api/v1/admin/audit", { headers: again })).status).toBe(200);
  });

  test("many at once make one account", async () => {
    await using platform = await startPlatform(engine);
    const opened = await Promise.all(Array.from({ length: 8 }, () => openOwnerSession(platform.deps)));
    expect(new Set(opened.map(({ user }) => user.id)).size).toBe(1);
  });

  test("registering by that name is 400, and signing in 400 or 401", async () => {
    await using platform = await startPlatform(engine);
    const register = { email, password: "correct horse", displayName: "Mallory" };
    expect((await platform.call("POST", "/auth/register", { body: register })).status).toBe(400);
    await openOwnerSession(platform.deps);
    for (const password of ["", "x", "plain:"]) {
      const { status } = await platform.call("POST", "/auth/login", { body: { email, password } });
      expect(status).toBeOneOf([400, 401]);
    }
    expect((await platform.call("POST", "/control/owner-session")).status).toBe(404);
  });
});
