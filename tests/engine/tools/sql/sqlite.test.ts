import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqlTool } from "../../../support/sql-tool.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const folder = temporaryFolder();
const path = (...names: string[]) => join(folder.path, ...names);
const tool = openSqlTool(folder.path, [path("hidden")]);
const shop = "shop.db";
const query = (query: string, params?: unknown[], config: Record<string, unknown> = {}) =>
  tool.query({ connection_string: shop, ...config }, { query, ...(params && { params }) });

beforeAll(() => {
  using database = new Database(path(shop));
  database.run("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL, big INTEGER, raw BLOB)");
  database.run("INSERT INTO item VALUES (1, 'pen', 1.5, 9007199254740993, x'00ff'), (2, 'ink', 2, 7, NULL)");
  database.run("CREATE VIRTUAL TABLE note USING fts5(text)");
  database.run("INSERT INTO note VALUES ('a blue pen'), ('red ink')");
  database.run("CREATE VIRTUAL TABLE old USING fts4(text)");
  database.run("INSERT INTO old VALUES ('a blue pen')");
  database.run("CREATE VIRTUAL TABLE box USING rtree(id, x0, x1)");
  database.run("INSERT INTO box VALUES (1, 0, 5)");
  database.run("CREATE VIEW cheap AS SELECT name FROM item WHERE price < 2");
  symlinkSync(path(shop), path("linked.db"));
  copyFileSync(path(shop), path("odd one.db"));
});
afterAll(() => {
  tool.runner.close();
  folder[Symbol.dispose]();
});

test("a result has its columns, rows and their number, and values that JSON can't hold as text", async () => {
  expect(await query("SELECT * FROM item WHERE id = 1")).toEqual({
    success: true,
    data: {
      columns: ["id", "name", "price", "big", "raw"],
      rows: [{ id: 1, name: "pen", price: 1.5, big: "9007199254740993", raw: { base64: "AP8=", bytes: 2 } }],
      row_count: 1,
      truncated: false,
    },
  });
  expect(await query("SELECT 9e999 AS more, -9e999 AS less, NULL AS none")).toMatchObject({
    data: { rows: [{ more: "Infinity", less: "-Infinity", none: null }] },
  });
});

test("columns of the same name are kept apart, and none is taken for a prototype", async () => {
  const { data } = (await query("SELECT 1 a, 2 a, 3 a_2, 4 __proto__")) as { data: { rows: object[] } };
  expect(JSON.stringify(data.rows)).toBe('[{"a":1,"a_2":2,"a_2_2":3,"__proto__":4}]');
});

const reads: [query: string, rows: unknown[], params?: unknown[]][] = [
  ["SELECT name FROM item WHERE id = ?", [{ name: "ink" }], [2]],
  ["SELECT name FROM item WHERE big = ?", [{ name: "pen" }], ["9007199254740993"]],
  ["SELECT ?2 AS b, ?1 AS a", [{ b: "y", a: "x" }], ["x", "y"]],
  [
    "SELECT typeof(?) i, typeof(?) r, typeof(?) t, typeof(?) n, ? b",
    [{ i: "integer", r: "real", t: "text", n: "null", b: 1 }],
    [3, 1.5, "x", null, true],
  ],
  ["SELECT name FROM cheap", [{ name: "pen" }]],
  ["SELECT text FROM note WHERE note MATCH 'pen'", [{ text: "a blue pen" }]],
  ["SELECT text FROM old WHERE old MATCH 'pen'", [{ text: "a blue pen" }]],
  ["SELECT name FROM item ORDER BY name -- the end", [{ name: "ink" }, { name: "pen" }]],
  ["/* ; */ SELECT ';' AS \"a;b\" ;;  -- ; \n ;", [{ "a;b": ";" }]],
  ["SELECT `id` FROM [item] WHERE [id] = 1", [{ id: 1 }]],
  ["EXPLAIN QUERY PLAN SELECT 1", [expect.objectContaining({ detail: "SCAN CONSTANT ROW" })]],
  ["PRAGMA table_info(item)", Array(5).fill(expect.objectContaining({ pk: expect.any(Number) }))],
];
for (const [text, rows, params] of reads) {
  test(`reads: ${text}`, async () => {
    expect(await query(text, params)).toMatchObject({ success: true, data: { rows } });
  });
}

const refusals: [query: string, error: RegExp, params?: unknown[]][] = [
  ["SELECT 1; SELECT 2", /Only one statement/],
  ["SELECT 1;/**/DELETE FROM item", /Only one statement/],
  ["SELECT\0 1", /NUL/],
  ["  ; -- nothing", /empty/],
  ["SELECT 'open", /not closed/],
  ["SELECT ?", /placeholders for 1 values and params has 0/],
  ["SELECT 1", /placeholders for 0 values and params has 1/, [1]],
  ["SELECT ?5000000", /numbered from 1 to 1000/],
  ["SELECT :name", /written as \?/],
  ["SELECT $name", /written as \?/],
  ["REPLACE INTO item(id) VALUES (1)", /not authorized/],
  ["EXPLAIN DELETE FROM item", /not authorized/],
  ["VACUUM", /not authorized|authorization denied/],
  ["REINDEX", /not authorized/],
  ["ANALYZE", /not authorized/],
  ["COMMIT", /not authorized/],
  ["SAVEPOINT s", /not authorized/],
  ["SELECT * FROM dbstat", /prohibited|not authorized/],
  ["SELECT * FROM pragma_function_list", /not authorized/],
  ["PRAGMA page_size = 512", /not authorized/],
  ["PRAGMA main.database_list", /not authorized/],
  ["INSERT INTO note(note) VALUES ('rebuild')", /not authorized/],
  ["SELECT fts3_tokenizer('simple')", /not authorized/],
  ["SELECT hex(randomblob(10))", /not authorized/],
  ["SELECT * FROM missing", /no such table: missing/],
  // Opening an R-tree prepares statements that write it.
  ["SELECT id FROM box WHERE x1 > 3", /not authorized/],
  ["SELEC 1", /syntax error/],
];
for (const [text, error, params] of refusals) {
  test(`refuses: ${JSON.stringify(text)}`, async () => {
    const before = readFileSync(path(shop));
    expect(await query(text, params)).toEqual({ success: false, error: expect.stringMatching(error) });
    expect(readFileSync(path(shop)).equals(before)).toBe(true);
  });
}

describe("a result is cut", () => {
  const numbers = (last: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${last}) SELECT i FROM n`;

  test.each([
    [3, 3, false],
    [4, 3, true],
    [100_000_000, 3, true],
  ])("after max_rows, of %d rows", async (given, kept, truncated) => {
    const result = await query(numbers(given), [], { max_rows: 3 });
    expect(result).toMatchObject({ data: { row_count: kept, truncated } });
  });

  test("after 1 Mi characters, and a single row beyond that is an error", async () => {
    const long = `SELECT printf('%300000d', i) FROM (${numbers(9)})`;
    expect(await query(long)).toMatchObject({ data: { row_count: 3, truncated: true } });
    expect(await query("SELECT printf('%2000000d', 1)")).toMatchObject({
      error: expect.stringContaining("too large"),
    });
  });
});

describe("reading leaves no file, in any state of the database", () => {
  const state = () => readdirSync(path("wal")).sort();
  const rows = () => tool.query({ connection_string: "wal/w.db" }, { query: "SELECT a FROM t" });

  test("a log that others use, one that a crash left, and none", async () => {
    mkdirSync(path("wal"));
    mkdirSync(path("aside"));
    const writer = new Database(path("aside", "w.db"));
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("CREATE TABLE t(a)");
    writer.run("INSERT INTO t VALUES (1)");
    for (const name of ["w.db", "w.db-wal"]) copyFileSync(path("aside", name), path("wal", name));

    expect(await rows()).toMatchObject({ data: { rows: [{ a: 1 }] } });
    expect(state()).toEqual(["w.db", "w.db-wal"]);

    const other = { connection_string: "aside/w.db" };
    writer.run("INSERT INTO t VALUES (2)");
    expect(await tool.query(other, { query: "SELECT a FROM t" })).toMatchObject({
      data: { rows: [{ a: 1 }, { a: 2 }] },
    });
    writer.close();
    expect(await tool.query(other, { query: "SELECT count(*) AS n FROM t" })).toMatchObject({
      data: { rows: [{ n: 2 }] },
    });
    expect(readdirSync(path("aside"))).toEqual(["w.db"]);
  });
});

describe("with read_only: false", () => {
  const write = (text: string, params?: unknown[]) => query(text, params, { read_only: false });

  test("rows, tables, indexes and views can be changed", async () => {
    expect(await write("CREATE TABLE log(id INTEGER PRIMARY KEY, line TEXT)")).toMatchObject({
      success: true,
    });
    expect(await write("INSERT INTO log(line) VALUES (?), (?)", ["a", "b"])).toEqual({
      success: true,
      data: { columns: [], rows: [], row_count: 0, truncated: false, changes: 2 },
    });
    expect(await write("UPDATE log SET line = line || '!' RETURNING line")).toMatchObject({
      data: { rows: [{ line: "a!" }, { line: "b!" }], changes: 2 },
    });
    for (const text of [
      "CREATE INDEX by_line ON log(line)",
      "ALTER TABLE log ADD COLUMN at TEXT",
      "ALTER TABLE log RENAME COLUMN at TO since",
      "CREATE VIEW lines AS SELECT line FROM log",
      "DROP VIEW lines",
      "DELETE FROM log WHERE id = 1",
    ]) {
      expect(await write(text)).toMatchObject({ success: true });
    }
    expect(await query("SELECT line, since FROM log")).toMatchObject({
      data: { rows: [{ line: "b!", since: null }] },
    });
    expect(await write("DROP TABLE log")).toMatchObject({ success: true });
  });

  test("all rows are written, however many come back", async () => {
    await write("CREATE TABLE many(i)");
    const text =
      "INSERT INTO many WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT i FROM n RETURNING i";
    expect(await write(text)).toMatchObject({ data: { row_count: 1000, truncated: true, changes: 5000 } });
    expect(await query("SELECT count(*) AS n FROM many")).toMatchObject({ data: { rows: [{ n: 5000 }] } });
  });

  test.each([
    "ATTACH 'other.db' AS o",
    "VACUUM INTO 'copy.db'",
    "VACUUM",
    "PRAGMA journal_mode = OFF",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_master SET sql = ''",
    "BEGIN IMMEDIATE",
    "CREATE TEMP TABLE z(a)",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "CREATE TRIGGER g AFTER INSERT ON item BEGIN SELECT 1; END",
    "SELECT load_extension('evil')",
    "DELETE FROM item; DELETE FROM item",
  ])("still refused: %s", async (text) => {
    const before = readdirSync(folder.path);
    expect(await write(text)).toMatchObject({ success: false });
    expect(readdirSync(folder.path)).toEqual(before);
    expect(await query("SELECT count(*) AS n FROM item")).toMatchObject({ data: { rows: [{ n: 2 }] } });
  });
});

describe("which file", () => {
  const ask = (connection_string: string) =>
    tool.query({ connection_string }, { query: "SELECT count(*) AS n FROM item" });

  test.each([
    shop,
    `./${shop}`,
    path(shop),
    `sqlite:///${shop}`,
    `sqlite://${path(shop)}`,
    `sqlite:///${path(shop)}`,
    `sqlite:${shop}`,
    `file:${shop}`,
    `file://${path(shop)}`,
    "linked.db",
    "file:od%64%20one.db",
  ])("%s", async (written) => {
    expect(await ask(written)).toMatchObject({ data: { rows: [{ n: 2 }] } });
  });

  test("only a regular file that is not off limits", async () => {
    mkdirSync(path("hidden"));
    copyFileSync(path(shop), path("hidden", "own.db"));
    symlinkSync(path("hidden", "own.db"), path("sly.db"));
    Bun.spawnSync(["mkfifo", path("pipe.db")]);
    writeFileSync(path("text.db"), "this is not a database at all, ".repeat(10));
    const cases: [string, RegExp][] = [
      ["hidden/own.db", /off limits/],
      ["sly.db", /off limits/],
      ["pipe.db", /not a regular file/],
      [".", /not a regular file/],
      ["missing.db", /does not exist/],
      ["text.db", /file is not a database/],
    ];
    for (const [written, error] of cases) {
      const result = await ask(written);
      expect(result).toEqual({ success: false, error: expect.stringMatching(error) });
      expect(JSON.stringify(result)).not.toContain(folder.path);
    }
    expect(readdirSync(folder.path)).not.toContain("missing.db");
  });
});
