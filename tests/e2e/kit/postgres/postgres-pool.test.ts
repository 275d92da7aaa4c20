import { afterEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { systemClock } from "../../../../src/kit/clock.ts";
import { tooManyConnections } from "../../../../src/kit/postgres/postgres-connections.ts";
import { PostgresPool } from "../../../../src/kit/postgres/postgres-pool.ts";
import { PostgresServers } from "../../../../src/kit/postgres/postgres-servers.ts";
import { settle } from "../../../support/fake-clock.ts";
import { ownPostgresServer, postgresMissing } from "../../../support/postgres.ts";

const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

const opened: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** A database with an administrator's view of its connections. */
async function newDatabase() {
  const server = await ownPostgresServer();
  const url = await server.createDatabase();
  const admin = new SQL(url, { max: 1 });
  opened.push(admin);
  const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
  return {
    url,
    admin,
    connections: async (): Promise<number> =>
      (await admin.unsafe(`select count(*)::int as open ${others}`))[0].open,
    /** Ends all other connections, and resolves when they are gone. */
    async endAll(): Promise<void> {
      await admin.unsafe(`select pg_terminate_backend(pid, 10000) ${others}`);
    },
  };
}

function poolOf(url: string, max: number): PostgresPool {
  const servers = new PostgresServers(systemClock);
  const server = servers.serverOf(url);
  const pool = new PostgresPool({ server, max, clock: systemClock, statementMs: 20_000, name: "pool" });
  opened.push({
    async close() {
      await pool.close();
      servers.close();
    },
  });
  return pool;
}

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (thrown) => thrown,
  );

const processOf = async (pool: PostgresPool): Promise<number> =>
  pool.alone(async (connection) => (await connection.unsafe("select pg_backend_pid() as id"))[0].id);

/** Callers that hold their connections until `release`; `holding` resolves when the first `count` have theirs. */
function holders(pool: PostgresPool, callers: number, count = callers) {
  const [released, holding] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let having = 0;
  const served = Array.from({ length: callers }, () =>
    pool.alone(async (connection) => {
      const [{ id }] = await connection.unsafe("select pg_backend_pid() as id");
      if (++having === count) holding.resolve();
      await released.promise;
      return id as number;
    }),
  );
  return { served: Promise.all(served), holding: holding.promise, release: released.resolve };
}

describe.skipIf(postgresMissing !== undefined)(`connections to PostgreSQL${reason}`, () => {
  test("are opened as callers need them, and used again", async () => {
    const { url, connections } = await newDatabase();
    const pool = poolOf(url, 12);
    expect(await connections()).toBe(0);

    const first = await processOf(pool);
    for (let call = 0; call < 5; call++) expect(await processOf(pool)).toBe(first);
    expect(await connections()).toBe(1);

    const three = holders(pool, 3);
    await three.holding;
    expect(await connections()).toBe(3);
    three.release();
    expect(new Set(await three.served)).toContain(first);
  });

  test("are no more than their limit: callers beyond it wait their turn", async () => {
    const { url, connections } = await newDatabase();
    const pool = poolOf(url, 4);
    const callers = holders(pool, 20, 4);
    await callers.holding;
    expect(await connections()).toBe(4);
    callers.release();
    const served = await callers.served;
    expect(served).toHaveLength(20);
    expect(new Set(served).size).toBe(4);
    expect(await connections()).toBe(4);
  });

  test("that the server ended while they were idle are replaced unnoticed", async () => {
    const { url, connections, endAll } = await newDatabase();
    const pool = poolOf(url, 3);
    const before = holders(pool, 3);
    await before.holding;
    before.release();
    const ended = await before.served;
    await endAll();
    expect(await connections()).toBe(0);
    const after = holders(pool, 3);
    await after.holding;
    after.release();
    for (const id of await after.served) expect(ended).not.toContain(id);
  });

  test("that end in use fail their callers alone, and leave their places to those who wait", async () => {
    const { url, endAll } = await newDatabase();
    const pool = poolOf(url, 2);
    const released = Promise.withResolvers<void>();
    const having: Promise<void>[] = [];
    const lost = Array.from({ length: 2 }, () => {
      const has = Promise.withResolvers<void>();
      having.push(has.promise);
      return errorOf(
        pool.alone(async (connection) => {
          await connection.unsafe("select 1");
          has.resolve();
          await released.promise;
          await connection.unsafe("select 1");
        }),
      );
    });
    await Promise.all(having);
    const waiting = Array.from({ length: 6 }, () => processOf(pool));
    await endAll();
    released.resolve();
    for (const error of await Promise.all(lost)) expect(error).toBeInstanceOf(Error);
    expect(new Set(await Promise.all(waiting)).size).toBeLessThanOrEqual(2);
  });

  test("that end while their callers do something else cause no error", async () => {
    const { url, connections, endAll } = await newDatabase();
    const pool = poolOf(url, 2);
    const holding = holders(pool, 2);
    await holding.holding;
    const waiting = processOf(pool);
    await endAll();
    while ((await connections()) > 0);
    await settle();
    holding.release();
    const ended = await holding.served;
    expect(ended).not.toContain(await waiting);
    expect(ended).not.toContain(await processOf(pool));
  });

  test("that the server refuses to open cost only patience, as long as the process has one", async () => {
    const { url, admin } = await newDatabase();
    const [role, free] = [`few_${crypto.randomUUID().replaceAll("-", "")}`, new URL(url)];
    await admin.unsafe(`create role ${role} login password '${free.password}' connection limit 2`);
    free.username = role;
    const pool = poolOf(free.href, 6);
    const callers = holders(pool, 9, 2);
    await callers.holding;
    // Another process of the same role gets none.
    expect(await errorOf(processOf(poolOf(free.href, 6)))).toMatchObject({ errno: tooManyConnections });
    callers.release();
    expect(new Set(await callers.served).size).toBe(2);
    // The limit was raised: the pool asks again by itself.
    await admin.unsafe(`alter role ${role} connection limit 6`);
    let most = 0;
    while (most < 6) {
      const again = holders(pool, 6, 2);
      await again.holding;
      again.release();
      most = new Set(await again.served).size;
    }
  });

  test("end with their pool, and are refused afterwards", async () => {
    const { url, connections } = await newDatabase();
    const pool = poolOf(url, 3);
    await Promise.all(Array.from({ length: 9 }, () => processOf(pool)));
    await pool.close();
    expect(await errorOf(processOf(pool))).toBeInstanceOf(Error);
    while ((await connections()) > 0);
  });
});
