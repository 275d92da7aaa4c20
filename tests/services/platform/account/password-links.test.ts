import { expect, test } from "bun:test";
import { startPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { accounts, password } from "./account-world.ts";

const email = "ada@example.com";
const next = "battery staple";

onEachEngine("a password link", (engine) => {
  test("replaces the password once, signs in, and ends the sessions and the old password when it is made", async () => {
    await using platform = await startPlatform(engine);
    const { register, login, operate, meOf, actions } = accounts(platform);
    const ada = await register(email);
    const made = await operate("POST", "/password-links", { email: "ADA@example.com" });
    const { token } = made.body;
    expect(made).toMatchObject({
      status: 201,
      body: {
        user_id: ada.id,
        email,
        path: `/platform#password=${token}`,
        expires_at: "2026-03-11T12:00:00.000Z",
      },
    });
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(await meOf(ada)).toBe(401);
    expect((await login(email)).status).toBe(401);

    const use = (body: object) => platform.call("POST", "/auth/password", { body });
    expect((await use({ token, password: "short" })).status).toBe(400);
    const used = await use({ token, password: next });
    expect(used).toMatchObject({ status: 200, body: { user: { id: ada.id, email } } });
    expect(used.headers.get("set-cookie")).toContain("argosy_device=");
    expect(await meOf({ headers: { authorization: `Bearer ${used.body.accessToken}` } })).toBe(200);
    expect((await login(email, next)).body.passwordExpired).toBeUndefined();
    expect(await use({ token, password: "another one" })).toMatchObject({
      status: 404,
      body: { error: "link_not_found" },
    });
    expect(await actions()).toEqual(["person.password_link", "person.password"]);
    const { read, tables } = platform.deps.storage;
    const kept = JSON.stringify([await read.select().from(tables.audit), platform.logged]);
    expect(kept).not.toContain(token);
    expect(await read.$count(tables.accountLinks)).toBe(0);
  });

  test("is stored as a digest, and is 404 after a day, after a newer one, after a change, and for something else", async () => {
    await using platform = await startPlatform(engine);
    const { register, ask, operate } = accounts(platform);
    await register(email);
    const make = async () => (await operate("POST", "/password-links", { email })).body.token as string;
    const use = (token: string) =>
      platform.call("POST", "/auth/password", { body: { token, password: next } });
    const first = await make();
    const { read, tables } = platform.deps.storage;
    expect(JSON.stringify(await read.select().from(tables.accountLinks))).not.toContain(first);
    const second = await make();
    expect((await use(first)).status).toBe(404);
    await platform.clock.advance(24 * 3_600_000);
    expect((await use(second)).status).toBe(404);
    const third = await make();
    const { body } = await operate("POST", "/password-reset", { email });
    expect((await use(third)).status).toBe(404);
    for (const token of ["x", "constructor", `${third}x`]) expect((await use(token)).status).toBe(404);
    const { body: session } = await platform.call("POST", "/auth/login", {
      body: { email, password: body.password },
    });
    const ada = { headers: { authorization: `Bearer ${session.accessToken}` } };
    await ask("POST", "/api/v1/me/password", ada, { current: body.password, new: password });
    const fourth = await make();
    expect((await ask("POST", "/api/v1/me/email/confirm", ada, { token: fourth })).status).toBe(401);
    expect((await use(fourth)).status).toBe(200);
  });

  test("works once among parallel tries", async () => {
    await using platform = await startPlatform(engine);
    const { register, operate } = accounts(platform);
    await register(email);
    const { token } = (await operate("POST", "/password-links", { email })).body;
    const tries = await Promise.all(
      Array.from({ length: 8 }, (_, place) =>
        platform.call("POST", "/auth/password", { body: { token, password: `password ${place}` } }),
      ),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
  });

  test("is 404 for an unknown account, and 401 for everyone but operators", async () => {
    await using platform = await startPlatform(engine);
    const { register, ask, operate } = accounts(platform);
    expect(await operate("POST", "/password-links", { email })).toMatchObject({
      status: 404,
      body: { error: "user_not_found" },
    });
    const ada = await register(email);
    expect((await ask("POST", "/api/v1/admin/password-links", ada, { email })).status).toBe(401);
  });
});
