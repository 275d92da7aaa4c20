import { describe, expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { ownPostgresServer, postgresMissing } from "../../support/postgres.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { firstMigrations } from "../../support/storage-engines.ts";

const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;
const unavailable = { kind: "unavailable", code: "storage_unavailable" };

const open = async (url: string) =>
  openStorage({
    service: "sample",
    tables: sampleTables,
    migrations: await firstMigrations("sample", sampleTables),
    url,
    folder: "",
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });

describe.skipIf(postgresMissing !== undefined)(`a PostgreSQL server that goes away${reason}`, () => {
  test("reads and writes say so while it is down, and work again once it is back", async () => {
    const server = await ownPostgresServer();
    const url = await server.createDatabase();
    const storage = await open(url);
    const { things } = storage.tables;
    await storage.transact((tx) => tx.insert(things).values({ id: "before" }));
    await server.crash();
    try {
      expect(
        await refusal(storage.transact((tx) => tx.insert(things).values({ id: "while" }))),
      ).toMatchObject(unavailable);
      expect(await refusal(storage.read.select().from(things))).toMatchObject(unavailable);
      expect(await refusal(storage.check())).toMatchObject(unavailable);
      expect(await refusal(open(url))).toMatchObject(unavailable);
    } finally {
      await server.start();
    }
    await storage.check();
    await storage.transact((tx) => tx.insert(things).values({ id: "after" }));
    expect(await storage.read.select({ id: things.id }).from(things).orderBy(things.id)).toEqual([
      { id: "after" },
      { id: "before" },
    ]);
    await storage.close();
  });

  test("a transaction whose connection was lost stores nothing, even if its code continues", async () => {
    const server = await ownPostgresServer();
    const storage = await open(await server.createDatabase());
    const { things } = storage.tables;
    const wentOn = Promise.withResolvers<unknown[]>();
    const broken = storage.transact(async (tx) => {
      await tx.insert(things).values({ id: "first" });
      await server.crash();
      await server.start();
      const later: unknown[] = [];
      for (const id of ["second", "third"]) {
        later.push(
          await tx
            .insert(things)
            .values({ id })
            .catch((error: unknown) => error),
        );
      }
      wentOn.resolve(later);
    });
    expect(await refusal(broken)).toMatchObject(unavailable);
    for (const error of await wentOn.promise) expect(error).toBeInstanceOf(Error);
    expect(await storage.read.select().from(things)).toEqual([]);
    await storage.close();
  });

  test("a server that isn't there, a wrong password and a missing database are named so at the start", async () => {
    const url = new URL(await (await ownPostgresServer()).createDatabase());
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const secret = "wrong-password-canary";
    const wrongs: [string, string][] = [
      [changed((copy) => (copy.port = "1")), "storage_unavailable"],
      [changed((copy) => (copy.password = secret)), "storage_login_refused"],
      [changed((copy) => (copy.pathname = "/missing")), "storage_login_refused"],
    ];
    for (const [wrong, code] of wrongs) {
      const error = await refusal(open(wrong));
      expect(error).toMatchObject({ kind: "unavailable", code });
      expect(Bun.inspect(error)).not.toContain(secret);
      expect(Bun.inspect(error)).not.toContain(url.password);
    }
  });
});
