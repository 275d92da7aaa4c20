import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RedisClient, SQL } from "bun";
import type { Config } from "../../../../../../src/compose/settings/config.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../../../support/daemon.ts";
import { ownPostgresServer, postgresMissing } from "../../../../../support/postgres.ts";
import { redisMissing, redisServer } from "../../../../../support/redis.ts";
import { temporaryFolder } from "../../../../../support/temp-folder.ts";

const keptIn = (conversational: object) => agentFile("keeper", { memory: { conversational } });
const files = (conversational: object) => ({ "keeper.agent.yaml": keptIn(conversational) });

async function say(daemon: TestDaemon, query: string, session = "s"): Promise<void> {
  const { status, text } = await daemon.run("keeper", { query, session_id: session });
  expect({ status, text }).toMatchObject({ status: 200 });
}

async function history(daemon: TestDaemon, session = "s"): Promise<string[]> {
  const { body } = await daemon.call("GET", `/v1/memory/keeper/history/${session}`);
  return body.messages.map(({ content }: { content: string }) => content);
}

/** The keys of what is kept. Marks of what was ended hold no content, and expire. */
async function keysOf(url: string): Promise<string[]> {
  const client = new RedisClient(url);
  try {
    const keys = (await client.send("KEYS", ["*"])) as string[];
    const ends = keys.filter((key) => key.includes(":ended:"));
    for (const end of ends) expect(Number(await client.send("PTTL", [end]))).toBeGreaterThan(0);
    return keys.filter((key) => !ends.includes(key));
  } finally {
    client.close();
  }
}

function turnsIn(file: string): number {
  using database = new Database(file, { readonly: true });
  return database.query<{ n: number }, []>("SELECT count(*) AS n FROM turns").get()?.n ?? 0;
}

describe("a file of its own", () => {
  test("holds the conversations over restarts; another process that opens it meanwhile gets 503", async () => {
    using folder = temporaryFolder();
    const place = { backend: "sqlite", connection: { url: "sqlite:kept/chats.db" } };
    const workspace = folder.path;
    const file = join(workspace, "kept/chats.db");
    {
      await using first = await startDaemon({ workspace, agents: files(place) });
      expect(existsSync(file)).toBe(false);
      await say(first, "1");
      expect(turnsIn(file)).toBe(2);
      expect(turnsIn(join(workspace, ".argosy/daemon.db"))).toBe(0);
      // Another installation with its own data folder, and the same file.
      using elsewhere = temporaryFolder();
      await using other = await startDaemon({
        agents: files(place),
        configure: (config) => ({ ...config, workspace, dataFolder: elsewhere.path }),
      });
      const { status, body } = await other.run("keeper", { query: "1" });
      expect({ status, code: body.error }).toEqual({ status: 503, code: "memory_unavailable" });
      expect(body.message).toContain("another process uses it");
      expect(body.hint).toContain("connection.url");
    }
    await using second = await startDaemon({ workspace, agents: files(place) });
    await say(second, "2");
    expect(await history(second)).toEqual(["1", "Hello there.", "2", "Hello there."]);
  });

  test("that is another program's, no database, or behind a link to elsewhere is not changed", async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const workspace = folder.path;
    {
      using theirs = new Database(join(workspace, "theirs.db"));
      theirs.run("CREATE TABLE turns (mine)");
    }
    writeFileSync(join(workspace, "text.db"), "x".repeat(5000));
    symlinkSync(elsewhere.path, join(workspace, "link"));
    const table: [string, string][] = [
      ["theirs.db", "another program's"],
      ["text.db", "not an SQLite database"],
      ["link/x.db", "link to somewhere else"],
    ];
    for (const [url, reason] of table) {
      await using daemon = await startDaemon({
        workspace,
        agents: files({ backend: "sqlite", connection: { url } }),
      });
      const { status, body } = await daemon.run("keeper", { query: "1" });
      expect([status, body.error, body.message]).toEqual([
        503,
        "memory_unavailable",
        expect.stringContaining(reason),
      ]);
    }
    expect(existsSync(join(elsewhere.path, "x.db"))).toBe(false);
    using theirs = new Database(join(workspace, "theirs.db"), { readonly: true });
    expect(theirs.query("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "turns" }]);
  });
});

describe("what can't be had is refused by name:", () => {
  const table: [conversational: object, path: string, message: string][] = [
    [{ backend: "redis" }, "backend", "REDIS_URL"],
    [{ backend: "postgres" }, "backend", "DATABASE_URL"],
    [{ backend: "memory", connection: { url: "redis://h" } }, "connection", "no address"],
    [{ backend: "redis", connection: { url: "http://h" } }, "connection.url", "redis://host:6379"],
    [{ backend: "redis", connection: { url: "redis://" } }, "connection.url", "redis://host:6379"],
    [{ backend: "postgres", connection: { url: "mysql://h/d" } }, "connection.url", "postgres://"],
    [{ backend: "sqlite", connection: { url: "/etc/x.db" } }, "connection.url", "in the workspace"],
    [{ backend: "sqlite", connection: { url: "../x.db" } }, "connection.url", "in the workspace"],
    [{ backend: "sqlite", connection: { url: ".argosy/daemon.db" } }, "connection.url", "memory/"],
    [{ backend: "sqlite", connection: { url: "sqlite::memory:" } }, "connection.url", ".db"],
    [{ backend: "sqlite", connection: { url: "agents.yaml" } }, "connection.url", ".db"],
  ];
  test.each(table)("%j is 503", async (conversational, path, message) => {
    await using daemon = await startDaemon({ agents: files(conversational) });
    const { status, body } = await daemon.run("keeper", { query: "1" });
    expect({ status, code: body.error }).toEqual({ status: 503, code: "agent_failed" });
    expect(body.problems[0]).toMatchObject({
      path: `spec.memory.conversational.${path}`,
      message: expect.stringContaining(message),
    });
  });
});

test("conversations in the process are gone with it", async () => {
  using folder = temporaryFolder();
  const options = { workspace: folder.path, agents: files({ backend: "memory" }) };
  {
    await using first = await startDaemon(options);
    await say(first, "1");
    await say(first, "2");
    expect(await history(first)).toHaveLength(4);
  }
  await using second = await startDaemon(options);
  expect(await history(second)).toEqual([]);
});

test("a manifest that was sent and names a database of its own is 400", async () => {
  await using daemon = await startDaemon();
  const sent = JSON.parse(keptIn({ backend: "redis", connection: { url: "redis://10.0.0.1" } }));
  const { status, body } = await daemon.call("POST", "/v1/agents", { body: sent });
  expect(status).toBe(400);
  expect(body.problems).toMatchObject([{ path: "spec.memory.conversational.connection" }]);
});

const redisReason = redisMissing === undefined ? "" : ` (${redisMissing})`;
const withRedis = (redisUrl: string) => (config: Config) => ({ ...config, redisUrl });

describe.skipIf(redisMissing !== undefined)(`Redis${redisReason}`, () => {
  test("holds the conversations, over restarts, in the server of the installation or the agent's own", async () => {
    using folder = temporaryFolder();
    const server = await redisServer();
    const shared = server.createDatabase();
    const own = server.createDatabase();
    const options = {
      workspace: folder.path,
      configure: withRedis(shared),
      agents: {
        ...files({ backend: "redis" }),
        "own.agent.yaml": agentFile("own", {
          memory: { conversational: { connection: { url: own }, ttl_seconds: 3600 } },
        }),
      },
    };
    {
      await using first = await startDaemon(options);
      await say(first, "1");
      expect((await first.run("own", { query: "x", session_id: "s" })).status).toBe(200);
    }
    expect((await keysOf(shared)).sort()).toEqual([
      "argosy:conversations:{operator:keeper}:index",
      "argosy:conversations:{operator:keeper}:session:s",
      "argosy:conversations:{operator:keeper}:turns:s",
    ]);
    expect(await keysOf(own)).toHaveLength(3);
    await using second = await startDaemon(options);
    await say(second, "2");
    expect(await history(second)).toEqual(["1", "Hello there.", "2", "Hello there."]);
    const client = new RedisClient(own);
    expect(
      Number(await client.send("PTTL", ["argosy:conversations:{operator:own}:turns:s"])),
    ).toBeGreaterThan(3_000_000);
    client.close();
  });

  test("that is down is 503 with advice, and works by itself once it is back", async () => {
    const server = await redisServer();
    const url = new URL(server.createDatabase());
    url.password = "hidden-canary";
    await using daemon = await startDaemon({
      configure: withRedis(server.createDatabase()),
      agents: files({ backend: "redis" }),
    });
    await say(daemon, "1");
    await server.crash();
    try {
      for (const call of [
        daemon.run("keeper", { query: "2", session_id: "s" }),
        daemon.call("GET", "/v1/memory/keeper/history/s"),
        daemon.call("GET", "/v1/memory/keeper/sessions"),
        daemon.call("GET", "/v1/memory/keeper/export"),
        daemon.call("DELETE", "/v1/memory/keeper"),
      ]) {
        const { status, body } = await call;
        expect({ status, code: body.error }).toEqual({ status: 503, code: "memory_unavailable" });
        expect(body.hint).toContain("REDIS_URL");
      }
      expect((await daemon.call("GET", "/readyz")).status).toBe(200);
    } finally {
      await server.start();
    }
    await say(daemon, "3");
    expect(await history(daemon)).toEqual(["1", "Hello there.", "3", "Hello there."]);
  });

  test("with a wrong password is 503, and the answer doesn't contain the password", async () => {
    const server = await redisServer();
    const url = `redis://someone:hidden-canary-1@127.0.0.1:${server.port}/0`;
    await using daemon = await startDaemon({ agents: files({ backend: "redis", connection: { url } }) });
    const { status, text, body } = await daemon.run("keeper", { query: "1" });
    expect({ status, code: body.error }).toEqual({ status: 503, code: "memory_unavailable" });
    expect(body.message).toContain("login");
    expect(text + daemon.logLines().join("\n")).not.toContain("hidden-canary-1");
  });
});

const postgresReason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

describe.skipIf(postgresMissing !== undefined)(`PostgreSQL${postgresReason}`, () => {
  test("of an agent's own stores its conversations; while it is down the answer is 503, and it reconnects by itself", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    await using daemon = await startDaemon({ agents: files({ backend: "postgres", connection: { url } }) });
    await say(daemon, "1");
    {
      await using sql = new SQL(url, { max: 1 });
      expect(await sql.unsafe("select count(*)::int as n from daemon.turns")).toEqual([{ n: 2 }]);
    }
    await server.crash();
    try {
      const { status, body } = await daemon.run("keeper", { query: "2", session_id: "s" });
      expect({ status, code: body.error }).toEqual({ status: 503, code: "memory_unavailable" });
      expect(body.message).not.toContain(new URL(url).password);
    } finally {
      await server.start();
    }
    await say(daemon, "3");
    expect(await history(daemon)).toEqual(["1", "Hello there.", "3", "Hello there."]);
  });
});

describe("an agent that is deleted is forgotten", () => {
  const sent = (conversational: object) => JSON.parse(keptIn(conversational));
  const create = async (daemon: TestDaemon, conversational: object) =>
    expect((await daemon.call("POST", "/v1/agents", { body: sent(conversational) })).status).toBe(201);
  const replace = async (daemon: TestDaemon, conversational: object) =>
    expect((await daemon.call("PUT", "/v1/agents/keeper", { body: sent(conversational) })).status).toBe(200);
  const remove = async (daemon: TestDaemon) =>
    expect((await daemon.call("DELETE", "/v1/agents/keeper")).status).toBe(200);

  test.skipIf(redisMissing !== undefined)(`in every place that it used${redisReason}`, async () => {
    const redisUrl = (await redisServer()).createDatabase();
    await using daemon = await startDaemon({ agents: {}, configure: withRedis(redisUrl) });
    await create(daemon, { backend: "redis" });
    await say(daemon, "in redis");
    await replace(daemon, { backend: "memory" });
    await say(daemon, "in the process");
    await replace(daemon, { backend: "sqlite" });
    await say(daemon, "in sqlite");
    await remove(daemon);
    expect(await keysOf(redisUrl)).toEqual([]);
    for (const backend of ["redis", "memory", "sqlite"]) {
      await create(daemon, { backend });
      expect(await history(daemon)).toEqual([]);
      await remove(daemon);
    }
  });

  test.skipIf(redisMissing !== undefined)(
    `also where it can't be reached at that time${redisReason}`,
    async () => {
      using folder = temporaryFolder();
      const server = await redisServer();
      const options = {
        workspace: folder.path,
        agents: {},
        configure: withRedis(server.createDatabase()),
      };
      {
        await using daemon = await startDaemon(options);
        await create(daemon, { backend: "redis" });
        await say(daemon, "secret");
        await server.crash();
        try {
          await remove(daemon);
        } finally {
          await server.start();
        }
      }
      {
        // After a restart, before the sweep has reached it.
        await using daemon = await startDaemon(options);
        await create(daemon, { backend: "redis" });
        expect(await history(daemon)).toEqual([]);
        await say(daemon, "new");
        expect(await history(daemon)).toEqual(["new", "Hello there."]);
        await server.crash();
        try {
          await remove(daemon);
        } finally {
          await server.start();
        }
        await daemon.clock.advance(60_000);
        while ((await keysOf(options.configure({} as Config).redisUrl)).length > 0)
          await daemon.clock.advance(60_000);
      }
    },
  );
});

test("a database of before there were sessions lists them, and continues in them", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  mkdirSync(join(workspace, "agents"), { recursive: true });
  {
    await using first = await startDaemon({ workspace, agents: files({}) });
    await say(first, "1");
  }
  {
    using database = new Database(join(workspace, ".argosy/daemon.db"));
    database.run("DELETE FROM sessions");
  }
  await using second = await startDaemon({ workspace, agents: files({}) });
  const { body } = await second.call("GET", "/v1/memory/keeper/sessions");
  expect(body.sessions).toMatchObject([{ session_id: "s", turns: 2 }]);
  await say(second, "2");
  expect(await history(second)).toEqual(["1", "Hello there.", "2", "Hello there."]);
});
