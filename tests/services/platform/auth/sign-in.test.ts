import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { signIn } from "../../../../src/services/platform/auth/sign-in.ts";
import { dropOldFailures } from "../../../../src/services/platform/auth/sign-in-throttle.ts";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const email = "ada@example.com";
const password = "correct horse";
const minuteMs = 60_000;

async function withAda(engine: TestEngine, change?: Parameters<typeof startPlatform>[1]) {
  const platform = await startPlatform(engine, change);
  await platform.call("POST", "/auth/register", { body: { email, password, displayName: "Ada" } });
  return platform;
}

const login = (platform: TestPlatform, change: object = {}) =>
  platform.call("POST", "/auth/login", { body: { email, password, ...change } });

/** The code of what becomes of a sign-in from an address. */
async function outcome({ deps }: TestPlatform, address: string, change: object = {}): Promise<string> {
  return signIn(deps, { email, password, ...change }, address).then(
    () => "ok",
    (thrown) => (thrown instanceof AppError ? thrown.code : String(thrown)),
  );
}

async function fail(platform: TestPlatform, times: number, address: (time: number) => string) {
  const codes = new Set<string>();
  for (let time = 0; time < times; time++) {
    codes.add(await outcome(platform, address(time), { password: "wrong" }));
  }
  return [...codes];
}

onEachEngine("signing in", (engine) => {
  test("gives a pair of tokens and the person, and each time a session of its own", async () => {
    await using platform = await withAda(engine);
    const first = await login(platform);
    expect(first).toMatchObject({ status: 200, body: { user: { email, displayName: "Ada" } } });
    const second = await login(platform, { email: "ADA@example.com" });
    expect(second.body.refreshToken).not.toBe(first.body.refreshToken);
    const out = await platform.call("POST", "/auth/logout", {
      headers: { authorization: `Bearer ${first.body.accessToken}` },
    });
    expect(out).toMatchObject({ status: 204, text: "" });
    const me = (token: string) =>
      platform.call("GET", "/api/v1/me", { headers: { authorization: `Bearer ${token}` } });
    expect((await me(first.body.accessToken)).status).toBe(401);
    expect((await me(second.body.accessToken)).status).toBe(200);
    const refreshed = await platform.call("POST", "/auth/refresh", {
      body: { refreshToken: first.body.refreshToken },
    });
    expect(refreshed.status).toBe(401);
  });

  test("an unknown account is refused as a wrong password is, after the same work", async () => {
    const verified: boolean[] = [];
    await using platform = await withAda(engine, (deps) => ({
      ...deps,
      passwords: {
        ...deps.passwords,
        verify: (given, hash) => {
          verified.push(hash !== undefined);
          return deps.passwords.verify(given, hash);
        },
      },
    }));
    const wrong = await login(platform, { password: "wrong" });
    const unknown = await login(platform, { email: "eve@example.com" });
    expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_credentials" } });
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text]);
    expect(verified).toEqual([true, false]);
  });

  test.each<[string, object]>([
    ["no e-mail address", { email: "ada" }],
    ["an empty password", { password: "" }],
    ["a long password", { password: "x".repeat(1025) }],
    ["an unknown field", { remember: true }],
  ])("refuses %s", async (_, change) => {
    await using platform = await withAda(engine);
    expect(await login(platform, change)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("guessing at one account from one address ends after ten, for a while", async () => {
    await using platform = await withAda(engine);
    expect(await fail(platform, 10, () => "192.0.2.1")).toEqual(["invalid_credentials"]);
    expect(await outcome(platform, "192.0.2.1")).toBe("too_many_attempts");
    expect(await outcome(platform, "192.0.2.2")).toBe("ok");
    await platform.clock.advance(15 * minuteMs);
    expect(await outcome(platform, "192.0.2.1")).toBe("too_many_attempts");
    await platform.clock.advance(15 * minuteMs);
    expect(await outcome(platform, "192.0.2.1")).toBe("ok");
  });

  test("a refusal says when to come again, over HTTP", async () => {
    await using platform = await withAda(engine);
    for (let time = 0; time < 10; time++) await login(platform, { password: "wrong" });
    const refused = await login(platform);
    expect(refused).toMatchObject({ status: 429, body: { error: "too_many_attempts" } });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(900);
  });

  test("of 60 guesses at once no more are tried than one after the other", async () => {
    let tried = 0;
    await using platform = await withAda(engine, (deps) => ({
      ...deps,
      passwords: {
        ...deps.passwords,
        verify: async () => {
          tried++;
          return false;
        },
      },
    }));
    await Promise.all(Array.from({ length: 60 }, () => outcome(platform, "192.0.2.1")));
    expect(tried).toBe(10);
  });

  test("guessing from many addresses doesn't shut the person out, and each has one more try", async () => {
    await using platform = await withAda(engine);
    await fail(platform, 100, (time) => `198.51.100.${time}`);
    expect(await fail(platform, 1, () => "203.0.113.1")).toEqual(["invalid_credentials"]);
    expect(await fail(platform, 1, () => "203.0.113.1")).toEqual(["too_many_attempts"]);
    expect(await outcome(platform, "203.0.113.2")).toBe("ok");
  });

  test("guessing at many accounts from one address ends after a hundred", async () => {
    await using platform = await withAda(engine);
    const guess = (time: number) =>
      outcome(platform, "192.0.2.1", { email: `person${time}@example.com`, password: "wrong" });
    for (let time = 0; time < 100; time++) expect(await guess(time)).toBe("invalid_credentials");
    expect(await guess(100)).toBe("too_many_attempts");
    expect(await outcome(platform, "192.0.2.1")).toBe("too_many_attempts");
  });

  test("addresses of one IPv6 customer are one", async () => {
    await using platform = await withAda(engine);
    await fail(platform, 10, (time) => `2001:db8:1:2::${time + 1}`);
    expect(await outcome(platform, "2001:db8:1:2:ffff::1")).toBe("too_many_attempts");
    expect(await outcome(platform, "2001:db8:1:3::1")).toBe("ok");
  });

  test("what succeeded, and what was never tried, is not counted", async () => {
    let isBusy = true;
    await using platform = await withAda(engine, (deps) => ({
      ...deps,
      passwords: {
        ...deps.passwords,
        verify: async (given, hash) => {
          if (isBusy) throw new AppError("unavailable", "too_busy", "Busy.");
          return deps.passwords.verify(given, hash);
        },
      },
    }));
    expect(await login(platform)).toMatchObject({ status: 503, body: { error: "too_busy" } });
    isBusy = false;
    await fail(platform, 3, () => "192.0.2.1");
    for (let time = 0; time < 30; time++) expect(await outcome(platform, "192.0.2.1")).toBe("ok");
    const { read, tables } = platform.deps.storage;
    const rows = await read.select().from(tables.failedSignIns);
    const counts = Object.fromEntries(
      rows.flatMap(({ subject, failures }) => (failures === 0 ? [] : [[subject.split(":")[0], failures]])),
    );
    expect(counts).toEqual({ account: 3, address: 3 });
  });

  test("what no longer counts is swept away, and nothing else", async () => {
    await using platform = await withAda(engine);
    const rows = () => platform.deps.storage.read.select().from(platform.deps.storage.tables.failedSignIns);
    await fail(platform, 2, () => "192.0.2.1");
    await platform.clock.advance(15 * minuteMs);
    await dropOldFailures(platform.deps);
    expect(await rows()).toHaveLength(3);
    await platform.clock.advance(15 * minuteMs);
    await dropOldFailures(platform.deps);
    expect(await rows()).toEqual([]);
  });
});
