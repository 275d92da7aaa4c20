import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { PostgresServers } from "../../../src/kit/postgres/postgres-servers.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { ownPostgresServer, postgresMissing } from "../../support/postgres.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { firstMigrations } from "../../support/storage-engines.ts";

const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;
const unavailable = {
  kind: "unavailable",
  code: "storage_unavailable",
  details: { retryAfterSeconds: 1 },
};

/** Short enough for a test; long enough for a server that is only slow. */
const shortTimes = { suspectMs: 400, hangMs: 1_600 };

const open = async (
  url: string,
  { servers = new PostgresServers(systemClock, shortTimes), statementMs = 20_000 } = {},
) =>
  openStorage({
    service: "sample",
    tables: sampleTables,
    migrations: await firstMigrations("sample", sampleTables),
    url,
    folder: "",
    log: silentLogger,
    // This clock does not move: server answers are awaited in real time, whatever clock the service uses.
    clock: new FakeClock(),
    random: Math.random,
    servers,
    statementMs,
  });

type Sample = Awaited<ReturnType<typeof open>>;

const insert = ({ tables: { things }, transact }: Sample, id: string) =>
  transact((tx) => tx.insert(things).values({ id }));

const idsOf = async ({ read, tables: { things } }: Sample) =>
  (await read.select({ id: things.id }).from(things).orderBy(things.id)).map(({ id }) => id);

/** Resolves once the storage works again by itself. */
async function recovered(storage: Storage): Promise<void> {
  while (
    await storage.check().then(
      () => false,
      () => true,
    )
  )
    await settle();
}

describe.skipIf(postgresMissing !== undefined)(`a PostgreSQL server that hangs${reason}`, () => {
  test("every use says so while it hangs, and works again once it continues", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    const storage = await open(url);
    await insert(storage, "before");
    server.freeze();
    try {
      const met = await Promise.all([
        refusal(insert(storage, "while")),
        refusal(idsOf(storage)),
        refusal(storage.check()),
        ...Array.from({ length: 30 }, () => refusal(idsOf(storage))),
      ]);
      for (const error of met) expect(error).toMatchObject(unavailable);
      // The outage is known by now, so callers fail without waiting.
      expect(await refusal(insert(storage, "later"))).toMatchObject(unavailable);
      expect(await refusal(open(url))).toMatchObject(unavailable);
    } finally {
      server.thaw();
    }
    await recovered(storage);
    await insert(storage, "after");
    const ids = await idsOf(storage);
    expect(ids).toEqual(expect.arrayContaining(["after", "before"]));
    expect(ids).not.toContain("later");
    await storage.close();
  });

  test("what one storage has found out, another of the same server knows", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    const clock = new FakeClock();
    const servers = new PostgresServers(clock, shortTimes);
    const [one, other] = [await open(url, { servers }), await open(url, { servers })];
    server.freeze();
    try {
      const first = refusal(idsOf(one));
      await clock.advance(2_000);
      expect(await first).toMatchObject(unavailable);
      // The clock stands still: these wait for nothing.
      expect(await refusal(idsOf(other))).toMatchObject(unavailable);
      expect(await refusal(insert(other, "late"))).toMatchObject(unavailable);
    } finally {
      server.thaw();
    }
    for (const storage of [one, other]) await storage.close();
    servers.close();
  });

  test("connections that timed out are closed at the server", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    const storage = await open(url);
    await Promise.all(Array.from({ length: 20 }, (_, index) => insert(storage, `before ${index}`)));
    for (let round = 0; round < 3; round++) {
      server.freeze();
      await Promise.all(Array.from({ length: 20 }, () => refusal(idsOf(storage))));
      server.thaw();
      await recovered(storage);
    }
    await using admin = new SQL(url, { max: 1 });
    const [{ open: connections }] = await admin.unsafe(
      "select count(*)::int as open from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    // At most eight writers, four readers and a probe.
    expect(connections).toBeLessThanOrEqual(13);
    await storage.close();
  });

  test("a commit without an answer fails with an error that says it may have happened", async () => {
    const server = await ownPostgresServer();
    const storage = await open(await server.createDatabase());
    const { things } = storage.tables;
    const error = await refusal(
      storage.transact(async (tx) => {
        await tx.insert(things).values({ id: "asked" });
        server.freeze();
      }),
    );
    server.thaw();
    expect(error).toMatchObject(unavailable);
    expect((error as Error).message).toContain("may or may not have been stored");
    await recovered(storage);
    await storage.close();
  });

  test("a statement without an answer inside a transaction stores nothing", async () => {
    const server = await ownPostgresServer();
    const storage = await open(await server.createDatabase());
    const { things } = storage.tables;
    const error = await refusal(
      storage.transact(async (tx) => {
        await tx.insert(things).values({ id: "first" });
        server.freeze();
        await tx.insert(things).values({ id: "second" });
      }),
    );
    server.thaw();
    expect(error).toMatchObject(unavailable);
    expect((error as Error).message).not.toContain("may or may not");
    await recovered(storage);
    expect(await idsOf(storage)).toEqual([]);
    await storage.close();
  });

  test("closing while it hangs ends", async () => {
    const server = await ownPostgresServer();
    const storage = await open(await server.createDatabase());
    server.freeze();
    try {
      const late = refusal(insert(storage, "late"));
      await storage.close();
      expect(await late).toMatchObject({ kind: "unavailable" });
    } finally {
      server.thaw();
    }
  });

  test("a statement that waits for a lock ends by the limit, and the server counts as well", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    const storage = await open(url, { statementMs: 600 });
    await insert(storage, "row");
    const { things } = storage.tables;
    await using other = new SQL(url, { max: 1 });
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holding = other.begin(async (tx) => {
      await tx.unsafe("lock table sample.things in access exclusive mode");
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    expect(await refusal(insert(storage, "waiting"))).toMatchObject(unavailable);
    // Another table is not affected.
    await storage.check();
    held.resolve();
    await holding;
    await insert(storage, "free");
    expect(await storage.read.select({ id: things.id }).from(things).orderBy(things.id)).toEqual([
      { id: "free" },
      { id: "row" },
    ]);
    await storage.close();
  });
});
