import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { sql } from "drizzle-orm";
import { systemClock } from "../../../src/kit/clock.ts";
import { PostgresPool } from "../../../src/kit/postgres/postgres-pool.ts";
import { PostgresServers } from "../../../src/kit/postgres/postgres-servers.ts";
import { PgvectorDatabase } from "../../../src/retrieval/stores/pgvector/pgvector-database.ts";
import type { Query } from "../../../src/storage/storage.ts";
import { pgbouncerMissing, startPgbouncer } from "../../support/pgbouncer.ts";
import { ownPostgresServer, postgresMissing } from "../../support/postgres.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { openNew } from "../../support/storage-engines.ts";

const missing = postgresMissing ?? pgbouncerMissing;
const reason = missing === undefined ? "" : ` (${missing})`;

/** How poolers treat the settings of a connection that they don't keep. */
const poolers: [how: string, settings: string][] = [
  ["refuses settings", ""],
  [
    "drops settings",
    "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,default_transaction_read_only",
  ],
];

describe.skipIf(missing !== undefined).each(poolers)(
  `a pooler in transaction mode that %s${reason}`,
  (_how, settings) => {
    const open = async (statementMs = 20_000) => {
      const direct = await (await ownPostgresServer()).createDatabase();
      const pooler = await startPgbouncer(direct, settings);
      const storage = await openNew({ tables: sampleTables, url: pooler.url, statementMs });
      return {
        storage,
        direct,
        pooled: pooler.url,
        async [Symbol.asyncDispose]() {
          await storage[Symbol.asyncDispose]();
          await pooler[Symbol.asyncDispose]();
        },
      };
    };

    test("serves more callers than it has connections, each with its own answer", async () => {
      await using world = await open();
      const { things } = world.storage.tables;
      const ids = Array.from({ length: 60 }, (_, index) => `thing ${index}`);
      await Promise.all(
        ids.map((id) =>
          world.storage.transact(async (tx) => {
            await tx.insert(things).values({ id });
            const [found] = await tx.select().from(things).where(sql`${things.id} = ${id}`);
            expect(found?.id).toBe(id);
          }),
        ),
      );
      const read = await Promise.all(
        ids.map(
          async (id) =>
            (await world.storage.read.select().from(things).where(sql`${things.id} = ${id}`))[0]?.id,
        ),
      );
      expect(read).toEqual(ids);
    });

    test("limits reads and transactions, and leaves nothing behind on connections that others get", async () => {
      await using world = await open(300);
      const { things } = world.storage.tables;
      await world.storage.transact((tx) => tx.insert(things).values({ id: "thing" }));
      const unavailable = { code: "storage_unavailable" };
      const sleep = (by: Pick<Query, "select">) => by.select({ slept: sql`pg_sleep(20)::text` }).from(things);
      expect(await refusal(sleep(world.storage.read))).toMatchObject(unavailable);
      expect(await refusal(world.storage.transact(sleep))).toMatchObject(unavailable);
      const written = (world.storage.read as Query).insert(things).values({ id: "other" });
      expect(await refusal(written)).toMatchObject(unavailable);
      const servers = new PostgresServers(systemClock);
      const pool = new PostgresPool({
        server: servers.serverOf(world.pooled),
        max: 6,
        clock: systemClock,
        statementMs: 20_000,
        name: "other",
      });
      const limits = await Promise.all(
        Array.from({ length: 12 }, () =>
          pool.alone(
            async (connection) => (await connection.unsafe("show statement_timeout"))[0].statement_timeout,
          ),
        ),
      );
      expect(new Set(limits)).toEqual(new Set(["0"]));
      await pool.close();
      servers.close();
    });

    test("lets one process at a time build an index of vectors, and keeps no lock", async () => {
      await using world = await open();
      const database = () =>
        new PgvectorDatabase({
          url: world.pooled,
          clock: systemClock,
          random: Math.random,
          connectionsMax: 4,
        });
      const [one, other] = [database(), database()];
      // Each has seen the pooler before it builds.
      for (const each of [one, other]) await each.transact((tx) => tx.unsafe("select 1"));
      const built = Promise.withResolvers<void>();
      const first = one.locked(
        "index",
        async (connection) => {
          await other.locked("index", () => Promise.reject(new Error("Two build at once.")), signal);
          await connection.unsafe("create index concurrently built on sample.things (name)");
          built.resolve();
        },
        signal,
      );
      await Promise.all([first, built.promise]);
      await using admin = new SQL(world.direct, { max: 1 });
      expect(
        (await admin.unsafe("select count(*)::int as held from pg_locks where locktype = 'advisory'"))[0]
          .held,
      ).toBe(0);
      for (const each of [one, other]) await each.close();
    });
  },
);

const { signal } = new AbortController();
