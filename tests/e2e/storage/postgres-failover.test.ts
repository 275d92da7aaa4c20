import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { settle } from "../../support/fake-clock.ts";
import { postgresMissing, postgresPair } from "../../support/postgres.ts";
import { outcome, refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { openNew } from "../../support/storage-engines.ts";

const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

/** The address of one database with the hosts of all `urls`, in this order. */
function together(...urls: string[]): string {
  const [first = "", ...others] = urls;
  const { host } = new URL(first);
  return first.replace(host, [host, ...others.map((url) => new URL(url).host)].join(","));
}

describe.skipIf(postgresMissing !== undefined)(`an address with several PostgreSQL servers${reason}`, () => {
  test("uses the one that takes writes, and the promoted standby after that one fails", async () => {
    const { primary, standby } = await postgresPair();
    await using storage = await openNew({ tables: sampleTables, url: together(standby.url, primary.url) });
    const { things } = storage.tables;
    const insert = (id: string) => storage.transact((tx) => tx.insert(things).values({ id }));
    await insert("before");
    await using followed = new SQL(standby.url, { max: 1 });
    const replayed = "select count(*)::int as rows from sample.things";
    const rows = async () => (await followed.unsafe(replayed).catch(() => [{ rows: 0 }]))[0].rows;
    while ((await rows()) === 0) await settle();

    await primary.crash();
    expect(await refusal(insert("while"))).toMatchObject({ code: "storage_unavailable" });
    await followed.unsafe("select pg_promote()");
    while ((await outcome(insert("after"))) !== undefined) await settle();
    const ids = await storage.read.select({ id: things.id }).from(things).orderBy(things.id);
    expect(ids).toEqual([{ id: "after" }, { id: "before" }]);
  });

  test("leaves a server that came back as a standby", async () => {
    const { primary, standby } = await postgresPair();
    await using storage = await openNew({ tables: sampleTables, url: together(primary.url, standby.url) });
    const { things } = storage.tables;
    const insert = (id: string) => storage.transact((tx) => tx.insert(things).values({ id }));
    await insert("before");
    await using second = new SQL(standby.url, { max: 1 });
    while ((await second.unsafe("select to_regclass('sample.things') is null as missing"))[0].missing)
      await settle();
    await second.unsafe("select pg_promote()");
    await primary.demote();
    while ((await outcome(insert("after"))) !== undefined) await settle();
    expect(
      (await second.unsafe("select id from sample.things order by id")).map(({ id }: { id: string }) => id),
    ).toContain("after");
  });
});
