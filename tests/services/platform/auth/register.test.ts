import { expect, test } from "bun:test";
import { invite } from "../../../../src/services/platform/auth/operators.ts";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const ada = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };

const register = (platform: TestPlatform, change: object = {}) =>
  platform.call("POST", "/auth/register", { body: { ...ada, ...change } });

const withRegistration = (registration: "open" | "invite" | "closed") =>
  [
    (deps: TestPlatform["deps"]) => ({
      ...deps,
      settings: { ...deps.settings, registration: { here: registration, beyond: registration } },
    }),
  ] as const;

/** The default if nothing is set and the service is not exposed. */
const unset = [
  (deps: TestPlatform["deps"]) => ({
    ...deps,
    settings: { ...deps.settings, registration: { here: "open" as const, beyond: "invite" as const } },
  }),
] as const;

onEachEngine("registration", (engine) => {
  test("makes an account and signs it in", async () => {
    await using platform = await startPlatform(engine);
    const { status, body } = await register(platform);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual(["accessToken", "refreshToken", "user"]);
    expect(body.user).toEqual({ id: expect.any(String), email: "ada@example.com", displayName: "Ada" });
    const me = await platform.call("GET", "/api/v1/me", {
      headers: { authorization: `Bearer ${body.accessToken}` },
    });
    expect(me).toMatchObject({ status: 200, body: body.user });
    const rows = await platform.deps.storage.read.select().from(platform.deps.storage.tables.refreshTokens);
    expect(JSON.stringify(rows)).not.toContain(body.refreshToken);
  });

  test.each([
    ["as it is", "ada@example.com"],
    ["in other letters", " ADA@Example.COM "],
  ])("an e-mail that was taken is 409, %s", async (_, email) => {
    await using platform = await startPlatform(engine);
    await register(platform);
    expect(await register(platform, { email })).toMatchObject({
      status: 409,
      body: { error: "email_taken" },
    });
  });

  test("of one e-mail in composed and decomposed form is one account: the second is 409", async () => {
    await using platform = await startPlatform(engine);
    await register(platform, { email: "caf\u00e9@example.com" });
    const twin = await register(platform, { email: "cafe\u0301@example.com" });
    expect(twin.status).toBe(409);
  });

  test("of one e-mail many times at once succeeds once; the others are 409", async () => {
    await using platform = await startPlatform(engine);
    const answers = await Promise.all(Array.from({ length: 12 }, () => register(platform)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)]);
  });

  test.each<[string, object, string]>([
    ["a short password", { password: "1234567" }, "password"],
    ["a long password", { password: "x".repeat(1025) }, "password"],
    ["no @", { email: "ada" }, "email"],
    ["no dot behind the @", { email: "ada@example" }, "email"],
    ["two @", { email: "ada@b@example.com" }, "email"],
    ["an address literal", { email: "a@[127.0.0.1]" }, "email"],
    ["a quoted local part", { email: '"a b"@example.com' }, "email"],
    ["a line break in the e-mail", { email: "a@b.example\r\nBcc: x@y.example" }, "email"],
    ["an invisible e-mail", { email: "\u200b@example.com" }, "email"],
    ["a long e-mail", { email: `a@${"x".repeat(320)}.com` }, "email"],
    ["an empty name", { displayName: "" }, "displayName"],
    ["a name of spaces", { displayName: " \t " }, "displayName"],
    ["an invisible name", { displayName: "\u200b\u200c\u200d\ufeff" }, "displayName"],
    ["a name of two lines", { displayName: "Ada\r\nSet-Cookie: a=b" }, "displayName"],
    ["a long name", { displayName: "x".repeat(256) }, "displayName"],
    ["an unknown field", { role: "operator" }, "role"],
    ["a number as password", { password: 12345678 }, "password"],
  ])("%s is 400", async (_, change, path) => {
    await using platform = await startPlatform(engine);
    expect(await register(platform, change)).toMatchObject({
      status: 400,
      body: { error: "invalid_request", problems: [{ path }] },
    });
    const { read, tables } = platform.deps.storage;
    expect(await read.select().from(tables.users)).toEqual([]);
  });

  test("NUL, and a body that is missing, are 400", async () => {
    await using platform = await startPlatform(engine);
    expect(await register(platform, { displayName: "A\0da" })).toMatchObject({ status: 400 });
    expect(await platform.call("POST", "/auth/register")).toMatchObject({ status: 400 });
  });

  test("closed: every registration is 403", async () => {
    await using platform = await startPlatform(engine, ...withRegistration("closed"));
    const refused = await register(platform);
    expect(refused).toMatchObject({ status: 403, body: { error: "registration_closed" } });
  });

  test("by invitation: the invited register once, others are 403", async () => {
    await using platform = await startPlatform(engine, ...withRegistration("invite"));
    expect(await register(platform)).toMatchObject({ status: 403, body: { error: "not_invited" } });
    await invite(platform.deps, "Ada@example.com");
    expect((await register(platform)).status).toBe(201);
    expect(await register(platform, { email: "eve@example.com" })).toMatchObject({
      status: 403,
      body: { error: "not_invited" },
    });
    const { read, tables } = platform.deps.storage;
    expect(await read.select().from(tables.invitations)).toEqual([]);
  });

  test("that fails with 400 does not use up the invitation", async () => {
    await using platform = await startPlatform(engine, ...withRegistration("invite"));
    await invite(platform.deps, ada.email);
    expect((await register(platform, { password: "short" })).status).toBe(400);
    expect((await register(platform)).status).toBe(201);
  });

  test("one invitation used many times at once makes one account", async () => {
    await using platform = await startPlatform(engine, ...withRegistration("invite"));
    await invite(platform.deps, ada.email);
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(platform)));
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  });

  test.each<[string, Record<string, string>]>([
    ["X-Forwarded-For", { "x-forwarded-for": "198.51.100.7" }],
    ["an empty X-Forwarded-For", { "x-forwarded-for": "" }],
    ["X-Forwarded-Proto alone", { "x-forwarded-proto": "https" }],
    ["Forwarded", { forwarded: "for=198.51.100.7" }],
    ["another name in Host", { host: "agents.example.com" }],
  ])("unless it is set, a request with %s and no invitation is 403", async (_, headers) => {
    let hashed = 0;
    await using platform = await startPlatform(engine, (deps) => ({
      ...unset[0](deps),
      passwords: {
        ...deps.passwords,
        hash: (password) => {
          hashed++;
          return deps.passwords.hash(password);
        },
      },
    }));
    const send = () => platform.call("POST", "/auth/register", { body: ada, headers });
    expect(await send()).toMatchObject({ status: 403, body: { error: "not_invited" } });
    expect(hashed).toBe(0);
    await invite(platform.deps, ada.email);
    expect((await send()).status).toBe(201);
    expect((await register(platform, { email: "bob@example.com" })).status).toBe(201);
  });

  test("set to open, it is open behind a proxy as well", async () => {
    await using platform = await startPlatform(engine, ...withRegistration("open"));
    const headers = { "x-forwarded-for": "198.51.100.7" };
    expect((await platform.call("POST", "/auth/register", { body: ada, headers })).status).toBe(201);
  });
});
