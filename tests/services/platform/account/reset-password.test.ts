import { expect, test } from "bun:test";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const email = "ada@example.com";
const password = "correct horse";

const register = (platform: TestPlatform, of = email) =>
  platform.call("POST", "/auth/register", { body: { email: of, password, displayName: "Ada" } });
const login = (platform: TestPlatform, typed: string, of = email) =>
  platform.call("POST", "/auth/login", { body: { email: of, password: typed } });
const reset = (platform: TestPlatform, body: unknown, headers: Record<string, string> = asOperator) =>
  platform.call("POST", "/api/v1/admin/password-reset", { headers, body });

onEachEngine("password reset", (engine) => {
  test("sets a new password once, ends the sessions (401), and is audited without the password", async () => {
    await using platform = await startPlatform(engine);
    const { body: ada } = await register(platform);
    const { body: bob } = await register(platform, "bob@example.com");
    const answer = await reset(platform, { email: " ADA@example.com".trim() });
    expect(answer).toMatchObject({ status: 200, body: { user_id: ada.user.id, email } });
    const given: string = answer.body.password;
    expect(given).toMatch(/^(?:[a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");

    const meOf = (token: string) =>
      platform.call("GET", "/api/v1/me", { headers: { authorization: `Bearer ${token}` } });
    expect((await meOf(ada.accessToken)).status).toBe(401);
    const { refreshToken } = ada;
    expect((await platform.call("POST", "/auth/refresh", { body: { refreshToken } })).status).toBe(401);
    expect((await meOf(bob.accessToken)).status).toBe(200);
    expect((await login(platform, password)).status).toBe(401);
    expect((await login(platform, password, "bob@example.com")).status).toBe(200);
    expect((await login(platform, given)).status).toBe(200);

    const { body: audit } = await platform.call("GET", "/api/v1/admin/audit", { headers: asOperator });
    expect(audit.entries[0]).toMatchObject({
      actor: "token",
      action: "person.password_reset",
      subject: ada.user.id,
      detail: { email },
    });
    expect(JSON.stringify([audit, platform.logged])).not.toContain(given);
    expect((await reset(platform, { email })).body.password).not.toBe(given);
  });

  test("is 401 for everyone but operators, and 404 for an unknown account", async () => {
    await using platform = await startPlatform(engine);
    const { body } = await register(platform);
    const asAda = { authorization: `Bearer ${body.accessToken}` };
    expect((await reset(platform, { email }, {})).status).toBe(401);
    expect((await reset(platform, { email }, asAda)).status).toBe(401);
    expect(await reset(platform, { email: "nobody@example.com" })).toMatchObject({
      status: 404,
      body: { error: "user_not_found" },
    });
    for (const faulty of [
      {},
      { email: "" },
      { email: "<img src=x onerror=alert(1)>" },
      { email: 1 },
      { email, password: "mine, please" },
      { email: `${"a".repeat(400)}@example.com` },
    ]) {
      expect((await reset(platform, faulty)).status).toBe(400);
    }
    expect((await login(platform, password)).status).toBe(200);
  });
});
