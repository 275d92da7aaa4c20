import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { guardedClient } from "../../src/storage/sqlite/guarded-client.ts";

test("a bound limit is one that SQLite's plan can't hang on", () => {
  const database = new Database(":memory:");
  database.run("create table t (n integer primary key)");
  database.run("insert into t values (1), (2), (3)");
  const compiled: string[] = [];
  const client = guardedClient(
    {
      query(text: string) {
        compiled.push(text);
        return database.query(text);
      },
    } as unknown as Database,
    (step) => step(),
  );
  const some = client.prepare("select n from t where n > ? order by n limit ?");
  expect(compiled).toEqual(["select n from t where n > ? order by n limit +?"]);
  expect(some.values(1, 1)).toEqual([[2]]);
  expect(some.values(0, 10)).toEqual([[1], [2], [3]]);
  expect(some.values(0, 0)).toEqual([]);
});
