import { expect, test } from "bun:test";
import { asOperator, startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { accounts, password } from "./account-world.ts";

const email = "ada@example.com";
const path = "/api/v1/me/password";
const next = "battery staple";

onEachEngine("the own password", (engine) => {
  test("changes with the current one, ends the other sessions (401), keeps this one, and is audited", async () => {
    await using platform = await startPlatform(engine);
    const { register, signIn, login, ask, meOf, actions } = accounts(platform);
    const first = await register(email);
    const here = await signIn(email);
    const bob = await register("bob@example.com");
    expect((await ask("POST", path, here, { current: password, new: next })).status).toBe(204);

    expect(await meOf(here)).toBe(200);
    expect(await meOf(first)).toBe(401);
    const { refreshToken } = first;
    expect((await platform.call("POST", "/auth/refresh", { body: { refreshToken } })).status).toBe(401);
    expect(await meOf(bob)).toBe(200);
    expect((await login(email)).status).toBe(401);
    expect((await login(email, next)).status).toBe(200);
    expect(await actions()).toEqual(["person.password"]);
    const { read, tables } = platform.deps.storage;
    const audit = JSON.stringify([await read.select().from(tables.audit), platform.logged]);
    for (const secret of [password, next]) expect(audit).not.toContain(secret);
  });

  test("stays with a wrong, equal or short one (403, 400) and for all but its person (401)", async () => {
    await using platform = await startPlatform(engine);
    const { register, login, ask } = accounts(platform);
    const ada = await register(email);
    const refusals: [unknown, number, string][] = [
      [{ current: "wrong", new: next }, 403, "wrong_password"],
      [{ current: password, new: password }, 400, "password_unchanged"],
      [{ current: password, new: "short" }, 400, "invalid_request"],
      [{ current: password, new: next, email }, 400, "invalid_request"],
      [{ new: next }, 400, "invalid_request"],
      [{ current: password }, 400, "invalid_request"],
      [{ current: 1, new: next }, 400, "invalid_request"],
    ];
    for (const [body, status, error] of refusals)
      expect(await ask("POST", path, ada, body)).toMatchObject({ status, body: { error } });
    const body = { current: password, new: next };
    expect((await platform.call("POST", path, { body })).status).toBe(401);
    expect((await platform.call("POST", path, { body, headers: asOperator })).status).toBe(401);
    const tenant = await platform.tenant();
    expect((await platform.call("POST", path, { body, headers: tenant.asProgram })).status).toBe(401);
    expect((await login(email)).status).toBe(200);
  });

  test("is guessed no faster than at the sign-in: from the 11th wrong one on, tries wait for their turn", async () => {
    await using platform = await startPlatform(engine);
    const { register, ask } = accounts(platform);
    const ada = await register(email);
    for (let wrong = 0; wrong < 10; wrong++)
      expect((await ask("POST", path, ada, { current: `wrong ${wrong}`, new: next })).status).toBe(403);
    const { signInLanes } = platform.deps;
    const late = ask("POST", path, ada, { current: "wrong", new: next });
    while (signInLanes.waiting === 0) await new Promise(setImmediate);
    await platform.clock.advance(5000);
    expect((await late).status).toBe(403);
  });

  test("that changes while an older one is checked doesn't let that sign-in through (401)", async () => {
    let overtake: () => Promise<unknown> = async () => {};
    await using platform = await startPlatform(engine, (deps) => ({
      ...deps,
      passwords: {
        hash: deps.passwords.hash,
        async verify(typed, hash, caller) {
          const isRight = await deps.passwords.verify(typed, hash, caller);
          const first = overtake;
          overtake = async () => {};
          await first();
          return isRight;
        },
      },
    }));
    const { register, login, ask, meOf } = accounts(platform);
    const ada = await register(email);
    overtake = () => ask("POST", path, ada, { current: password, new: next });
    expect((await login(email)).status).toBe(401);
    expect(await meOf(ada)).toBe(200);
    const { read, tables } = platform.deps.storage;
    expect(await read.$count(tables.sessions)).toBe(1);
  });
});

onEachEngine("a password that an operator set", (engine) => {
  test("opens nothing but its change: every other route of people, tenants and operators is 403 password_expired", async () => {
    await using platform = await startPlatform(engine);
    const { register, login, ask, operate, meOf } = accounts(platform);
    const ada = await register(email);
    const tenant = await ask("POST", "/api/v1/tenants", ada, { displayName: "Ada's" });
    const { storage } = platform.deps;
    await storage.transact((tx) => tx.update(storage.tables.users).set({ role: "operator" }));
    const { body: reset } = await operate("POST", "/password-reset", { email });
    const { status, body } = await login(email, reset.password);
    expect({ status, expired: body.passwordExpired }).toEqual({ status: 200, expired: true });
    const headers = { authorization: `Bearer ${body.accessToken}`, "x-tenant-id": tenant.body.id };

    const closed = { status: 403, body: { error: "password_expired" } };
    for (const [method, route] of [
      ["GET", "/api/v1/me"],
      ["GET", "/api/v1/me/sessions"],
      ["DELETE", "/api/v1/me"],
      ["GET", "/api/v1/tenants"],
      ["POST", "/api/v1/tenants"],
      ["GET", "/api/v1/agents"],
      ["POST", "/api/v1/agents/support/run"],
      ["GET", "/api/v1/admin/tenants"],
      ["POST", "/api/v1/admin/password-links"],
    ] as const)
      expect(await platform.call(method, route, { headers })).toMatchObject(closed);
    const renewed = await platform.call("POST", "/auth/refresh", {
      body: { refreshToken: body.refreshToken },
    });
    const fresh = { authorization: `Bearer ${renewed.body.accessToken}` };
    expect(await platform.call("GET", "/api/v1/me", { headers: fresh })).toMatchObject(closed);

    expect(
      await ask("POST", path, { headers }, { current: reset.password, new: reset.password }),
    ).toMatchObject({
      status: 400,
      body: { error: "password_unchanged" },
    });
    expect((await ask("POST", path, { headers }, { current: reset.password, new: next })).status).toBe(204);
    expect(await meOf({ headers })).toBe(200);
    expect((await login(email, next)).body.passwordExpired).toBeUndefined();
  });

  test("lets its person sign out (204)", async () => {
    await using platform = await startPlatform(engine);
    const { register, signIn, ask, operate } = accounts(platform);
    await register(email);
    const { body: reset } = await operate("POST", "/password-reset", { email });
    const ada = await signIn(email, reset.password);
    expect((await ask("POST", "/auth/logout", ada)).status).toBe(204);
    expect((await ask("POST", path, ada, { current: reset.password, new: next })).status).toBe(401);
  });
});
