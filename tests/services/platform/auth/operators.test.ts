import { expect, test } from "bun:test";
import {
  grantOperator,
  invite,
  listOperators,
  revokeOperator,
} from "../../../../src/services/platform/auth/operators.ts";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const email = "ada@example.com";

const register = (platform: TestPlatform) =>
  platform.call("POST", "/auth/register", { body: { email, password: "correct horse", displayName: "Ada" } });

const auditOf = async ({ deps: { storage } }: TestPlatform) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ actor, action, subject, detail }) => ({
      actor,
      action,
      subject,
      detail,
    }),
  );

const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (thrown) => ({ kind: thrown.kind, code: thrown.code }),
  );

onEachEngine("operators", (engine) => {
  test("a grant opens the operators' routes; its end makes them 401 and ends the sessions", async () => {
    await using platform = await startPlatform(engine);
    const { body } = await register(platform);
    const headers = { authorization: `Bearer ${body.accessToken}` };
    const tariffs = async () => (await platform.call("GET", "/api/v1/admin/tariffs", { headers })).status;
    expect(await tariffs()).toBe(401);

    const account = { userId: body.user.id, email, displayName: "Ada" };
    expect(await grantOperator(platform.deps, "ADA@example.com")).toEqual(account);
    expect(await tariffs()).toBe(200);
    expect(await grantOperator(platform.deps, email)).toEqual(account);
    expect(await listOperators(platform.deps)).toEqual([account]);

    expect(await revokeOperator(platform.deps, email, "user:boss")).toEqual(account);
    expect(await tariffs()).toBe(401);
    expect((await platform.call("GET", "/api/v1/me", { headers })).status).toBe(401);
    const { refreshToken } = body;
    expect((await platform.call("POST", "/auth/refresh", { body: { refreshToken } })).status).toBe(401);
    await revokeOperator(platform.deps, email);
    expect(await listOperators(platform.deps)).toEqual([]);
    expect(await auditOf(platform)).toEqual([
      { actor: "cli", action: "operator.grant", subject: account.userId, detail: { email } },
      { actor: "user:boss", action: "operator.revoke", subject: account.userId, detail: { email } },
    ]);
  });

  test("a person without the role keeps their sessions", async () => {
    await using platform = await startPlatform(engine);
    const { body } = await register(platform);
    await revokeOperator(platform.deps, email);
    const headers = { authorization: `Bearer ${body.accessToken}` };
    expect((await platform.call("GET", "/api/v1/me", { headers })).status).toBe(200);
  });

  test("a person without an account can't be made an operator, nor a text that is not an e-mail address", async () => {
    await using platform = await startPlatform(engine);
    for (const change of [grantOperator, revokeOperator]) {
      const unknown = await refusalOf(change(platform.deps, "eve@example.com"));
      expect(unknown).toEqual({ kind: "not_found", code: "user_not_found" });
      const none = await refusalOf(change(platform.deps, "eve"));
      expect(none).toEqual({ kind: "invalid", code: "invalid_request" });
    }
    expect(await auditOf(platform)).toEqual([]);
  });

  test("an invitation is on record once, and refused for who has an account", async () => {
    await using platform = await startPlatform(engine);
    const first = await invite(platform.deps, "Eve@example.com");
    expect(first).toEqual({ email: "eve@example.com", invitedAt: platform.clock.now() });
    await platform.clock.advance(1000);
    expect(await invite(platform.deps, "eve@example.com")).toEqual(first);
    expect(await auditOf(platform)).toMatchObject([
      { actor: "cli", action: "person.invite", subject: "eve@example.com" },
    ]);
    await register(platform);
    expect(await refusalOf(invite(platform.deps, email))).toEqual({ kind: "conflict", code: "email_taken" });
    expect(await refusalOf(invite(platform.deps, "no"))).toEqual({
      kind: "invalid",
      code: "invalid_request",
    });
  });
});
