import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { lendDatabase } from "../../support/lent-databases.ts";
import { postgresMissing, postgresServer } from "../../support/postgres.ts";

const prepare = async (url: string) => {
  await using database = new SQL(url, { max: 1 });
  await database.unsafe(`
    create table kept (id int generated always as identity, name text);
    create function refuse() returns trigger language plpgsql as $$ begin raise 'append-only'; end $$;
    create trigger guard before delete on kept for each statement execute function refuse()`);
};

const reason = postgresMissing === undefined ? "" : ` (${postgresMissing})`;

describe.skipIf(postgresMissing !== undefined)(`lent databases${reason}`, () => {
  const lend = async (kind: string) => lendDatabase(await postgresServer(), kind, prepare);
  const fill = async (url: string, more = "") => {
    await using database = new SQL(url, { max: 1 });
    const [row] = await database`insert into kept (name) values ('x') returning id`;
    await database.unsafe(more);
    return row.id;
  };
  /** Kinds of this process: another file or run may lend the same. */
  const kind = (name: string) => `${name} ${crypto.randomUUID()}`;

  test("two at once differ; one that was given back is empty again, guarded rows and counters included", async () => {
    const wanted = kind("sample");
    const used: string[] = [];
    {
      await using one = await lend(wanted);
      await using two = await lend(wanted);
      expect(one.url).not.toBe(two.url);
      used.push(one.url, two.url);
      for (const url of used) expect(await fill(url)).toBe(1);
    }
    await using again = await lend(wanted);
    expect(used).toContain(again.url);
    expect(await fill(again.url)).toBe(1);
  });

  test.each([
    "alter table kept add column more int",
    "drop trigger guard on kept",
    "create table another (id int)",
    "create or replace function refuse() returns trigger language plpgsql as $$ begin return null; end $$",
  ])("one that is changed is not lent again: %s", async (change) => {
    const wanted = kind("changed");
    const used: string[] = [];
    {
      await using one = await lend(wanted);
      used.push(one.url);
      await fill(one.url, change);
    }
    await using again = await lend(wanted);
    expect(used).not.toContain(again.url);
    expect(await fill(again.url)).toBe(1);
  });
});
