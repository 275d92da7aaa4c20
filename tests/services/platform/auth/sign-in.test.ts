import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { signIn } from "../../../../src/services/platform/auth/sign-in.ts";
import { dropOldFailures } from "../../../../src/services/platform/auth/sign-in-throttle.ts";
import { settle } from "../../../support/fake-clock.ts";
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

/** Returns the outcome of a sign-in from an address, as a code. */
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

/** Returns a promise with its value, once it has one. */
function later<T>(promise: Promise<T>): { promise: Promise<T>; value: T | undefined } {
  const one: { promise: Promise<T>; value: T | undefined } = { promise, value: undefined };
  void promise.then((value) => {
    one.value = value;
  });
  return one;
}

/** Waits until this holds; a vain wait ends with the test's time-out. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

/** Waits until all earlier database queries have been answered. */
async function settleStorage({ deps: { storage } }: TestPlatform): Promise<void> {
  for (let time = 0; time < 20; time++) {
    await storage.transact((tx) => tx.select().from(storage.tables.users));
    await settle();
  }
}

async function failures({ deps: { storage } }: TestPlatform): Promise<Record<string, number>> {
  const rows = await storage.read.select().from(storage.tables.failedSignIns);
  return Object.fromEntries(rows.map(({ subject, failures: count }) => [subject.split(":")[0], count]));
}

onEachEngine("signing in", (engine) => {
  test("gives a pair of tokens and the person, each time in a new session; a signed-out one is 401", async () => {
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

  test("an unknown account is 401 like a wrong password, after the same work", async () => {
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
  ])("%s is 400", async (_, change) => {
    await using platform = await withAda(engine);
    expect(await login(platform, change)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });

  test("after ten failures at an address the right password waits five seconds, however often others failed", async () => {
    await using platform = await withAda(engine);
    expect(await fail(platform, 10, () => "192.0.2.1")).toEqual(["invalid_credentials"]);
    const right = later(outcome(platform, "192.0.2.1"));
    await until(() => platform.deps.signInLanes.waiting === 1);
    await platform.clock.advance(4999);
    expect(right.value).toBeUndefined();
    await platform.clock.advance(1);
    expect(await right.promise).toBe("ok");
    // Its failures are reset.
    expect(await outcome(platform, "192.0.2.1")).toBe("ok");
  });

  test("a person who comes after a crowd of guesses is served first", async () => {
    let tried = 0;
    await using platform = await withAda(engine, (deps) => ({
      ...deps,
      passwords: {
        ...deps.passwords,
        verify: (...sent) => {
          tried++;
          return deps.passwords.verify(...sent);
        },
      },
    }));
    await fail(platform, 10, () => "192.0.2.1");
    const crowd = Array.from({ length: 20 }, () => outcome(platform, "192.0.2.1", { password: "wrong" }));
    const ended: unknown[] = [];
    for (const one of crowd) void one.then((code) => ended.push(code));
    // Four wait; each later one rejects one of them.
    await until(() => ended.length === 16);
    const right = later(outcome(platform, "192.0.2.1"));
    await until(() => ended.length === 17);
    expect(new Set(ended)).toEqual(new Set(["too_many_attempts"]));
    await platform.clock.advance(5000);
    expect(await right.promise).toBe("ok");
    expect(tried).toBe(11);
    await platform.clock.advance(60_000);
    const codes = await Promise.all(crowd);
    expect(codes.filter((code) => code === "too_many_attempts").length).toBeGreaterThanOrEqual(16);
  });

  test("guesses at one account from one address are bounded: one in five seconds", async () => {
    let tried = 0;
    await using platform = await withAda(engine, (deps) => ({
      ...deps,
      passwords: { ...deps.passwords, verify: async () => ++tried < 0 },
    }));
    for (let round = 0; round < 12; round++) {
      const guesses = Array.from({ length: 12 }, () => outcome(platform, "192.0.2.1"));
      await until(
        () => platform.deps.signInLanes.waiting === Math.min(4, tried === 0 ? 2 : 4) || round === 0,
      );
      await settleStorage(platform);
      await platform.clock.advance(5000);
      await settleStorage(platform);
      void guesses;
    }
    await platform.clock.advance(60_000);
    await settleStorage(platform);
    expect(tried).toBeGreaterThanOrEqual(10);
    expect(tried).toBeLessThanOrEqual(10 + 12 + 4);
  });

  describe("when a flood of guesses comes from the person's own address, as behind a proxy that isn't trusted", () => {
    const proxy = "10.0.0.9";
    const attempt = (platform: TestPlatform, caller: Parameters<typeof signIn>[4], change: object = {}) =>
      signIn(platform.deps, { email, password, ...change }, proxy, undefined, caller).then(
        () => "ok",
        (thrown) => (thrown instanceof AppError ? thrown.code : String(thrown)),
      );
    const flood = async (platform: TestPlatform, times: number, claimed?: string) => {
      const ended: Promise<string>[] = [];
      for (let time = 0; time < times; time++) {
        ended.push(attempt(platform, { claimed }, { password: "wrong" }));
        await settleStorage(platform);
      }
      return ended;
    };

    test("a device that signed in before does not wait", async () => {
      await using platform = await withAda(engine);
      const device = { mark: "d".repeat(43) };
      expect(await attempt(platform, { device })).toBe("ok");
      await fail(platform, 10, () => proxy);
      const guesses = await flood(platform, 8);
      expect(await attempt(platform, { device })).toBe("ok");
      // A mark that nobody has, and that of this device for another account, are none.
      const forged = later(attempt(platform, { device: { mark: "e".repeat(43) } }));
      await settleStorage(platform);
      expect(forged.value).toBeUndefined();
      await platform.clock.advance(60_000);
      await Promise.all([...guesses, forged.promise]);
    });

    test("guesses with a stolen device are one in five seconds, too", async () => {
      await using platform = await withAda(engine);
      const device = { mark: "d".repeat(43) };
      expect(await attempt(platform, { device })).toBe("ok");
      for (let time = 0; time < 10; time++)
        expect(await attempt(platform, { device }, { password: "wrong" })).toBe("invalid_credentials");
      const slow = later(attempt(platform, { device }, { password: "wrong" }));
      await until(() => platform.deps.signInLanes.waiting === 1);
      expect(slow.value).toBeUndefined();
      await platform.clock.advance(5000);
      expect(await slow.promise).toBe("invalid_credentials");
    });

    test("a person without a mark whom the proxy tells apart isn't pushed out, and is tried next", async () => {
      await using platform = await withAda(engine);
      await fail(platform, 10, () => proxy);
      const before = await flood(platform, 8, "198.51.100.1");
      const right = later(attempt(platform, { claimed: "203.0.113.7" }));
      await settleStorage(platform);
      const after = await flood(platform, 30, "198.51.100.1");
      expect(right.value).toBeUndefined();
      await platform.clock.advance(5000);
      await settleStorage(platform);
      await platform.clock.advance(5000);
      expect(await right.promise).toBe("ok");
      await platform.clock.advance(60_000);
      await Promise.all([...before, ...after]);
    });

    test("a caller without a proxy that claims a thousand addresses gets no more tries", async () => {
      let tried = 0;
      await using platform = await withAda(engine, (deps) => ({
        ...deps,
        passwords: { ...deps.passwords, verify: async () => ++tried < 0 },
      }));
      await fail(platform, 10, () => proxy);
      const guesses: Promise<string>[] = [];
      for (let time = 0; time < 40; time++) {
        guesses.push(attempt(platform, { claimed: `198.51.100.${time}` }, { password: "wrong" }));
        await settleStorage(platform);
      }
      expect(platform.deps.signInLanes.waiting).toBe(4);
      await platform.clock.advance(5000);
      await settleStorage(platform);
      // The eleventh may still be on its way to a busy database.
      expect(tried).toBeLessThanOrEqual(11);
      await platform.clock.advance(60_000);
      await Promise.all(guesses);
      expect(tried).toBeGreaterThan(10);
    });
  });

  test("signing in marks the browser for 90 days, and a failure doesn't", async () => {
    await using platform = await withAda(engine);
    expect((await login(platform, { password: "wrong" })).headers.getSetCookie()).toEqual([]);
    const [mark = ""] = (await login(platform)).headers.getSetCookie();
    expect(mark).toMatch(/^argosy_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/);
    const again = await platform.call("POST", "/auth/login", {
      headers: { cookie: mark.split(";")[0] ?? "" },
      body: { email, password },
    });
    expect(again.headers.getSetCookie()).toEqual([mark]);
  });

  test("a 429 says when to come again, over HTTP", async () => {
    await using platform = await withAda(engine);
    for (let time = 0; time < 10; time++) await login(platform, { password: "wrong" });
    const crowd = Array.from({ length: 5 }, () => login(platform, { password: "wrong" }));
    const refused = await Promise.race(crowd);
    expect(refused).toMatchObject({ status: 429, body: { error: "too_many_attempts" } });
    expect(Number(refused.headers.get("retry-after"))).toBe(5);
    await platform.clock.advance(60_000);
    await Promise.all(crowd);
  });

  test("a caller who leaves while waiting is not tried, and not counted", async () => {
    await using platform = await withAda(engine);
    await fail(platform, 10, () => "192.0.2.1");
    const gone = new AbortController();
    const waits = signIn(platform.deps, { email, password }, "192.0.2.1", gone.signal).catch(String);
    await until(() => platform.deps.signInLanes.waiting === 1);
    gone.abort(new Error("gone"));
    expect(await waits).toContain("gone");
    expect(platform.deps.signInLanes.waiting).toBe(0);
    expect(await failures(platform)).toEqual({ account: 10, address: 10, pair: 10 });
  });

  test("guessing from many addresses doesn't slow the person down at an address of theirs", async () => {
    await using platform = await withAda(engine);
    expect(await outcome(platform, "203.0.113.7")).toBe("ok");
    await fail(platform, 100, (time) => `198.51.100.${time}`);
    expect(await outcome(platform, "203.0.113.7")).toBe("ok");
    // From another address it takes a second.
    const elsewhere = later(outcome(platform, "203.0.113.8"));
    await until(() => platform.deps.signInLanes.waiting === 1);
    await platform.clock.advance(1000);
    expect(await elsewhere.promise).toBe("ok");
    expect(await outcome(platform, "203.0.113.8")).toBe("ok");
  });

  test("an address is known for 90 days after it was used", async () => {
    await using platform = await withAda(engine);
    expect(await outcome(platform, "203.0.113.7")).toBe("ok");
    await platform.clock.advance(90 * 86_400_000);
    await dropOldFailures(platform.deps);
    const { read, tables } = platform.deps.storage;
    // Two addresses, and the device that registered.
    expect(await read.select().from(tables.knownAddresses)).toHaveLength(3);
    await platform.clock.advance(1);
    await dropOldFailures(platform.deps);
    expect(await read.select().from(tables.knownAddresses)).toEqual([]);
  });

  test("guessing at many accounts from one address slows down strangers there, not people who were there before", async () => {
    await using platform = await withAda(engine);
    const guess = (time: number) =>
      outcome(platform, "127.0.0.1", { email: `person${time}@example.com`, password: "wrong" });
    for (let time = 0; time < 100; time++) expect(await guess(time)).toBe("invalid_credentials");
    const stranger = later(guess(100));
    await until(() => platform.deps.signInLanes.waiting === 1);
    expect(stranger.value).toBeUndefined();
    // Ada registered from there.
    expect((await login(platform)).status).toBe(200);
    await platform.clock.advance(1000);
    expect(await stranger.promise).toBe("invalid_credentials");
  });

  test("addresses of one IPv6 customer are one", async () => {
    await using platform = await withAda(engine);
    await fail(platform, 10, (time) => `2001:db8:1:2::${time + 1}`);
    const slow = later(outcome(platform, "2001:db8:1:2:ffff::1"));
    await until(() => platform.deps.signInLanes.waiting === 1);
    expect(await outcome(platform, "2001:db8:1:3::1")).toBe("ok");
    await platform.clock.advance(5000);
    expect(await slow.promise).toBe("ok");
  });

  test("successes and attempts that were refused as too busy (503) are not counted", async () => {
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
