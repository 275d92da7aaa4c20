import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { dropExpiredTokens } from "../../../../src/control-plane/sessions/drop-expired-tokens.ts";
import { startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const dayMs = 86_400_000;

interface Pair {
  accessToken: string;
  refreshToken: string;
}

async function stage(engine: TestEngine): Promise<{ platform: TestPlatform; first: Pair; userId: string }> {
  const platform = await startPlatform(engine);
  const { body } = await platform.call("POST", "/auth/register", {
    body: { email: "ada@example.com", password: "correct horse", displayName: "Ada" },
  });
  return { platform, first: body, userId: body.user.id };
}

const refresh = (platform: TestPlatform, refreshToken: string) =>
  platform.call("POST", "/auth/refresh", { body: { refreshToken } });

const me = async (platform: TestPlatform, { accessToken }: Pair) =>
  (await platform.call("GET", "/api/v1/me", { headers: { authorization: `Bearer ${accessToken}` } })).status;

const auditOf = async ({ deps: { storage } }: TestPlatform) =>
  (await storage.read.select().from(storage.tables.audit).orderBy(storage.tables.audit.id)).map(
    ({ action }) => action,
  );

onEachEngine("refreshing", (engine) => {
  test("gives the next pair; tokens are 401 after 15 minutes and 7 days", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    await platform.clock.advance(14 * 60_000);
    expect(await me(platform, first)).toBe(200);
    await platform.clock.advance(60_000);
    expect(await me(platform, first)).toBe(401);
    const next = await refresh(platform, first.refreshToken);
    expect(next.status).toBe(200);
    expect(Object.keys(next.body).sort()).toEqual(["accessToken", "refreshToken"]);
    expect(await me(platform, next.body)).toBe(200);
    await platform.clock.advance(7 * dayMs);
    expect(await refresh(platform, next.body.refreshToken)).toMatchObject({
      status: 401,
      body: { error: "unauthorized" },
    });
    expect(await auditOf(platform)).toEqual([]);
  });

  test("50 exchanges of one token at once all give the same successor, and no session ends", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(platform, first.refreshToken)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const successors = [...new Set(answers.map(({ body }) => body.refreshToken))];
    expect(successors).toHaveLength(1);
    for (const { body } of answers) expect(await me(platform, body)).toBe(200);
    expect((await refresh(platform, successors[0])).status).toBe(200);
    expect(await auditOf(platform)).toEqual([]);
  });

  test("a token that comes again within 60 s gives the same successor; later it is 401 and ends the session", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const next = (await refresh(platform, first.refreshToken)).body;
    await platform.clock.advance(60_000);
    const again = await refresh(platform, first.refreshToken);
    expect(again).toMatchObject({ status: 200, body: { refreshToken: next.refreshToken } });
    expect(await me(platform, again.body)).toBe(200);
    await platform.clock.advance(1);
    expect(await refresh(platform, first.refreshToken)).toMatchObject({
      status: 401,
      body: { error: "unauthorized" },
    });
    expect((await refresh(platform, next.refreshToken)).status).toBe(401);
    expect(await me(platform, next)).toBe(401);
    expect(await auditOf(platform)).toEqual(["session.reuse_revoked"]);
    expect((await refresh(platform, first.refreshToken)).status).toBe(401);
    expect(await auditOf(platform)).toEqual(["session.reuse_revoked"]);
  });

  test("with a token two generations old is 401 and ends the session, also within 60 s", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const second = (await refresh(platform, first.refreshToken)).body;
    await platform.clock.advance(1000);
    const third = (await refresh(platform, second.refreshToken)).body;
    expect(await refresh(platform, first.refreshToken)).toMatchObject({ body: { error: "unauthorized" } });
    expect((await refresh(platform, third.refreshToken)).status).toBe(401);
    expect(await me(platform, third)).toBe(401);
  });

  test("with a token two generations old is 401 also within one millisecond", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const second = (await refresh(platform, first.refreshToken)).body;
    const third = (await refresh(platform, second.refreshToken)).body;
    expect(await refresh(platform, first.refreshToken)).toMatchObject({ body: { error: "unauthorized" } });
    expect((await refresh(platform, third.refreshToken)).status).toBe(401);
  });

  test("the sessions of one person are apart", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const other = await platform.call("POST", "/auth/login", {
      body: { email: "ada@example.com", password: "correct horse" },
    });
    await refresh(platform, first.refreshToken);
    await platform.clock.advance(60_001);
    await refresh(platform, first.refreshToken);
    expect((await refresh(platform, other.body.refreshToken)).status).toBe(200);
  });

  test("tokens of a person who is gone are 401", async () => {
    const { platform, first, userId } = await stage(engine);
    await using _ = platform;
    const { storage } = platform.deps;
    const { users } = storage.tables;
    await storage.transact((tx) => tx.delete(users).where(eq(users.id, userId)));
    expect((await refresh(platform, first.refreshToken)).status).toBe(401);
    expect(await me(platform, first)).toBe(401);
  });

  test.each<[string, unknown, number]>([
    ["of no kind is 401", "nonsense", 401],
    ["that is an access token is 401", "access", 401],
    ["of nothing is 400", "", 400],
    ["of 100,000 letters is 400", "a".repeat(100_000), 400],
    ["that is not text is 400", 1, 400],
  ])("one %s", async (_title, token, status) => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    const refreshToken = token === "access" ? first.accessToken : token;
    const answer = await platform.call("POST", "/auth/refresh", { body: { refreshToken } });
    expect(answer.status).toBe(status);
    expect(answer.text.length).toBeLessThan(500);
    expect((await refresh(platform, first.refreshToken)).status).toBe(200);
  });

  test("expired tokens are swept, with sessions that have no other; then they are 401", async () => {
    const { platform, first } = await stage(engine);
    await using _ = platform;
    await platform.clock.advance(dayMs);
    const kept = (await refresh(platform, first.refreshToken)).body;
    const { body: gone } = await platform.call("POST", "/auth/login", {
      body: { email: "ada@example.com", password: "correct horse" },
    });
    expect(await dropExpiredTokens(platform.deps)).toBe(0);
    await platform.clock.advance(6 * dayMs);
    expect(await dropExpiredTokens(platform.deps)).toBe(1);
    const next = (await refresh(platform, kept.refreshToken)).body;
    await platform.clock.advance(dayMs);
    expect(await dropExpiredTokens(platform.deps)).toBe(2);
    const { read, tables } = platform.deps.storage;
    expect(await read.select().from(tables.refreshTokens)).toHaveLength(1);
    expect(await read.select().from(tables.sessions)).toHaveLength(1);
    expect((await refresh(platform, gone.refreshToken)).status).toBe(401);
    expect((await refresh(platform, next.refreshToken)).status).toBe(200);
  });
});
