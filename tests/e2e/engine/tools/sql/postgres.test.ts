import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import corpus from "../../../../corpora/sql_readonly.json" with { type: "json" };
import { ownPostgresServer, postgresMissing } from "../../../../support/postgres.ts";
import { recordingLogger } from "../../../../support/recording-logger.ts";
import { openSqlTool } from "../../../../support/sql-tool.ts";

const tool = openSqlTool("/");
let admin: SQL;
let superuser = "";
/** A role that may only SELECT. */
let reader = "";

const ask = (
  connection_string: string,
  query: string,
  params?: unknown[],
  config: Record<string, unknown> = {},
) => tool.query({ connection_string, ...config }, { query, ...(params && { params }) });
const count = async () => Number((await admin.unsafe("SELECT count(*) AS n FROM t"))[0].n);

describe.skipIf(postgresMissing !== undefined)(`sql_query on PostgreSQL ${postgresMissing ?? ""}`, () => {
  beforeAll(async () => {
    superuser = await (await ownPostgresServer()).createDatabase();
    admin = new SQL(superuser, { max: 1 });
    await admin.unsafe(
      "CREATE TABLE t(a int, b text, big bigint, price numeric, day date, at timestamptz, raw bytea, doc jsonb)",
    );
    await admin.unsafe(
      "INSERT INTO t VALUES (1, 'one', 9007199254740993, 12.50, '2026-02-03', '2026-02-03 04:05:06Z', '\\x00ff', '{\"k\": [1]}'), (2, 'two', 7, NULL, NULL, NULL, NULL, NULL)",
    );
    await admin.unsafe(
      "CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS 'INSERT INTO t(a) VALUES (9) RETURNING a'",
    );
    const url = new URL(superuser);
    const role = `reader_${url.pathname.slice(1)}`;
    await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'reader-canary'; GRANT SELECT ON t TO ${role}`);
    url.username = role;
    url.password = "reader-canary";
    reader = url.href;
  });
  afterAll(async () => {
    await admin?.close();
    tool.runner.close();
  });

  test("rows come as they are stored", async () => {
    expect(await ask(reader, "SELECT * FROM t WHERE a = $1", [1])).toEqual({
      success: true,
      data: {
        columns: ["a", "b", "big", "price", "day", "at", "raw", "doc"],
        rows: [
          {
            a: 1,
            b: "one",
            big: "9007199254740993",
            price: 12.5,
            day: "2026-02-03",
            at: "2026-02-03T04:05:06+00:00",
            raw: "\\x00ff",
            doc: { k: [1] },
          },
        ],
        row_count: 1,
        truncated: false,
      },
    });
  });

  const plan = expect.arrayContaining([{ "QUERY PLAN": expect.any(String) }]);
  const reads: [query: string, rows: unknown, params?: unknown[]][] = [
    ["SELECT a FROM t WHERE a > 5", []],
    ["SELECT 1, 2 -- twice ?column?", [{ "?column?": 1, "?column?_2": 2 }]],
    ["SELECT 1 AS _rows, 2 AS line", [{ _rows: 1, line: 2 }]],
    ["VALUES (1), (2);", [{ column1: 1 }, { column1: 2 }]],
    ["TABLE t", [{ a: 1 }, { a: 2 }]],
    ["WITH x AS (SELECT max(a) AS m FROM t) SELECT m FROM x", [{ m: 2 }]],
    ["SELECT b FROM t ORDER BY b DESC", [{ b: "two" }, { b: "one" }]],
    [
      "SELECT ';' AS a, $$;'$$ AS b, $x$;$$'$x$ AS c, E'\\n' AS d /* ; /* ; */ ; */",
      [{ a: ";", b: ";'", c: ";$$'", d: "\n" }],
    ],
    ["SELECT 'pg_read_file' AS name, 'C:\\' AS drive", [{ name: "pg_read_file", drive: "C:\\" }]],
    [
      "SELECT b FROM t WHERE day = $1 AND price > $2 AND big = $3",
      [{ b: "one" }],
      ["2026-02-03", 12, "9007199254740993"],
    ],
    [
      "SELECT $1::int AS i, $2 AS t, $3::bool AS f, $4 AS n",
      [{ i: 3, t: "x", f: true, n: null }],
      [3, "x", true, null],
    ],
    [
      "SELECT 0.1::float8 + 0.2 AS f, 1e400::numeric AS n, 'NaN'::float8 AS x",
      [{ f: 0.30000000000000004, n: `1${"0".repeat(400)}`, x: "NaN" }],
    ],
    ["SELECT count(*) AS n FROM pg_catalog.pg_class WHERE relname = 't'", [{ n: 1 }]],
    ["SHOW TIME ZONE", [{ TimeZone: "UTC" }]],
    ["EXPLAIN (COSTS off) SELECT 1", [{ "QUERY PLAN": "Result" }]],
    ["explain analyze verbose SELECT $1::int AS x", plan, [1]],
    ["EXPLAIN (FORMAT JSON) SELECT $1::jsonb", [{ "QUERY PLAN": [{ Plan: expect.anything() }] }], ["{}"]],
  ];
  for (const [text, rows, params] of reads) {
    test(`reads: ${text}`, async () => {
      const result = await ask(reader, text, params);
      expect(result).toMatchObject({ success: true, data: { rows } });
      expect(await count()).toBe(2);
    });
  }

  test("columns are known without rows", async () => {
    expect(await ask(reader, "SELECT a, b FROM t WHERE false")).toMatchObject({
      data: { columns: ["a", "b"], rows: [] },
    });
  });

  const refusals: [query: string, error: RegExp][] = [
    ["SELECT 1; SELECT 2", /Only one statement/],
    ["SELECT 1) AS x; COMMIT; DELETE FROM t; --", /parentheses/],
    ["SELECT 1) AS x --", /parentheses/],
    ["SELECT (1", /parentheses/],
    ["SELECT E'\\'' || '; DELETE FROM t; --'", /Only one statement/],
    ["SELECT E'\\\\', E'it\\'s'", /after a backslash|not closed/],
    ["SELECT E'a'\n'b\\'' || ') x; COMMIT; DELETE FROM t; --'", /parentheses/],
    ['SELECT U&"pg\\005fsleep"(5)', /U&/],
    ["INSERT INTO t(a) VALUES (3)", /Only reading/],
    ["WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", /refused the statement/],
    ["SELECT * FROM t FOR UPDATE", /read-only|permission/],
    ["SELECT sly()", /read-only|permission/],
    ["COMMIT", /Only reading/],
    ["EXPLAIN ANALYZE DELETE FROM t", /Only reading/],
    ["EXPLAIN (COSTS off, ANALYZE) UPDATE t SET a = 1", /Only reading/],
    ['EXPLAIN ("analyse" on) INSERT INTO t(a) VALUES (1)', /Only reading/],
    ["EXPLAIN ANALYZE WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", /refused the statement/],
    ["EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1", /Only reading/],
    ["EXPLAIN ANALYZE SELECT sly()", /read-only|permission/],
    ["EXPLAIN", /empty/],
    ["EXPLAIN SELECT 1; DELETE FROM t", /Only one statement/],
    ["EXPLAIN SELECT pg_sleep(1)", /pg_sleep can't be used/],
    ["SHOW timezone; DELETE FROM t", /Only one statement/],
    ["SELECT set_config('transaction_read_only', 'off', true)", /set_config can't be used/],
    ["SELECT \"set_config\" ('statement_timeout', '0', false)", /set_config can't be used/],
    ["SELECT pg_catalog . pg_read_file /* x */ ('/etc/passwd')", /pg_read_file can't be used/],
    ["SELECT ('/etc/passwd'::text).pg_read_file", /pg_read_file can't be used/],
    ["SELECT * FROM dblink('host=127.0.0.1', 'SELECT 1') AS x(a int)", /dblink can't be used/],
    ["SELECT query_to_xml('SELECT pg_sleep(9)', true, true, '')", /query_to_xml can't be used/],
    ["SELECT lo_import('/etc/passwd')", /lo_import can't be used/],
    ["SELECT pg_terminate_backend(1)", /pg_terminate_backend can't be used/],
    ["SELECT pg_advisory_lock(1)", /pg_advisory_lock can't be used/],
    ["SELECT nextval('s')", /refused the statement/],
    ["SELECT * FROM missing", /relation "missing" does not exist/],
    ["SELECT $2", /placeholders for 2 values and params has 0/],
  ];
  for (const [text, error] of refusals) {
    test(`refuses: ${text}`, async () => {
      for (const url of [reader, superuser]) {
        const result = await ask(url, text);
        expect(result).toEqual({ success: false, error: expect.stringMatching(error) });
      }
      expect(await count()).toBe(2);
    });
  }

  test("every entry of the corpus leaves the database as it is, also as a superuser", async () => {
    const reads = new Set(["079", "081", "082", "084", "085", "089", "099", "100"]);
    const tablesOf = () => admin.unsafe("SELECT relname FROM pg_class ORDER BY relname");
    const before = JSON.stringify(await tablesOf());
    for (const { id, input } of corpus.entries) {
      const result = await ask(superuser, input, undefined, { statement_timeout_seconds: 1 });
      // Statements in SQLite's own syntax fail here.
      expect(`${id} ${result.success}`).toBe(`${id} ${reads.has(id.slice(-3))}`);
      expect(JSON.stringify(await tablesOf())).toBe(before);
    }
    expect(await count()).toBe(2);
    const locks = await admin.unsafe(
      "SELECT count(*) AS n FROM pg_locks WHERE pid <> pg_backend_pid() AND relation = 't'::regclass",
    );
    expect(Number(locks[0].n)).toBe(0);
  });

  test("results are cut on the server", async () => {
    const rows = (text: string, config = {}) => ask(reader, text, [], config);
    expect(await rows("SELECT generate_series(1, 4) AS i", { max_rows: 3 })).toMatchObject({
      data: { rows: [{ i: 1 }, { i: 2 }, { i: 3 }], truncated: true },
    });
    expect(await rows("SELECT generate_series(1, 3) AS i", { max_rows: 3 })).toMatchObject({
      data: { truncated: false },
    });
    expect(await rows("SELECT repeat('x', 300000) AS x FROM generate_series(1, 20)")).toMatchObject({
      data: { row_count: 3, truncated: true },
    });
    expect(await rows("SELECT repeat('x', 3000000) AS x")).toMatchObject({
      error: expect.stringContaining("too large"),
    });
  });

  test("a slow statement ends after its limit", async () => {
    const slow = "SELECT count(*) FROM generate_series(1, 1000000000) AS a, generate_series(1, 1000) AS b";
    expect(await ask(reader, slow, [], { statement_timeout_seconds: 1 })).toMatchObject({
      error: expect.stringContaining("longer than 1 seconds"),
    });
  });

  test("a call whose run ends stops waiting and leaves no connection", async () => {
    const run = new AbortController();
    const config = { connection_string: reader };
    const query = "SELECT count(*) FROM generate_series(1, 1000000000)";
    const stopped = tool.query(config, { query }, { signal: run.signal });
    run.abort(new Error("cancelled"));
    expect(await stopped).toMatchObject({ success: false });
  });

  test("20 calls at once are answered", async () => {
    const calls = Array.from({ length: 20 }, (_, index) => ask(reader, "SELECT $1::int AS i", [index]));
    const results = await Promise.all(calls);
    for (const [index, result] of results.entries())
      expect(result).toMatchObject({ data: { rows: [{ i: index }] } });
  });

  test("a superuser is warned of once, and reads with fewer rights", async () => {
    const { log, logged } = recordingLogger();
    const own = openSqlTool("/");
    for (let call = 0; call < 2; call++) {
      const result = await own.query(
        { connection_string: superuser },
        { query: "SELECT current_user AS who" },
        { log },
      );
      expect(result).toMatchObject({ data: { rows: [{ who: "pg_read_all_data" }] } });
    }
    expect(logged).toMatchObject([{ event: "sql.superuser" }]);
  });

  describe("with read_only: false", () => {
    const write = (text: string, params?: unknown[]) => ask(superuser, text, params, { read_only: false });

    test("rows and tables can be changed", async () => {
      expect(await write("CREATE TABLE log(id serial, line text, at date)")).toMatchObject({ success: true });
      expect(
        await write("INSERT INTO log(line, at) VALUES ($1, $2), ('b', NULL) RETURNING *", [
          "a",
          "2026-01-02",
        ]),
      ).toMatchObject({
        data: {
          rows: [
            { id: 1, line: "a" },
            { id: 2, line: "b", at: null },
          ],
          changes: 2,
        },
      });
      expect(await write("UPDATE log SET line = 'c'")).toMatchObject({ data: { changes: 2, rows: [] } });
      expect(
        await write("WITH x AS (DELETE FROM log WHERE id = 1 RETURNING id) SELECT id FROM x"),
      ).toMatchObject({
        data: { rows: [{ id: 1 }] },
      });
      expect(await write("SELECT line FROM log")).toMatchObject({
        data: { rows: [{ line: "c" }], changes: 0 },
      });
      expect(await write("DROP TABLE log")).toMatchObject({ success: true });
    });

    test.each([
      "COPY t TO '/tmp/x'",
      "COPY t FROM PROGRAM 'id'",
      "DO $$ BEGIN DELETE FROM t; END $$",
      "CALL p()",
      "LOCK TABLE t",
      "GRANT ALL ON t TO public",
      "CREATE EXTENSION dblink",
      "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "ALTER SYSTEM SET work_mem = '1GB'",
      "DELETE FROM t; DELETE FROM t",
      "INSERT INTO t(b) SELECT pg_read_file('/etc/passwd')",
      "SET statement_timeout = 0",
      "COMMIT",
      "VACUUM",
    ])("still refused: %s", async (text) => {
      expect(await write(text)).toMatchObject({ success: false });
      expect(await count()).toBe(2);
    });
  });

  test("what is wrong with the way to the server names nothing of it", async () => {
    const wrong = (change: (url: URL) => void) => {
      const url = new URL(reader);
      change(url);
      return ask(url.href, "SELECT 1");
    };
    const results = [
      await wrong((url) => {
        url.password = "wrong-canary";
      }),
      await wrong((url) => {
        url.pathname = "/no_such_database";
      }),
      await wrong((url) => {
        url.port = "1";
      }),
    ];
    expect(results).toEqual([
      { success: false, error: expect.stringContaining("refused the connection") },
      { success: false, error: expect.stringContaining("refused the connection") },
      { success: false, error: expect.stringContaining("could not be reached") },
    ]);
    expect(JSON.stringify(results)).not.toMatch(/canary|127\.0\.0\.1|reader_|no_such/);
  });
});

test.each([
  ["postgres://ann:canary100%@127.0.0.1:1/shop", "each % of its password written as %25"],
  ["postgres://ann:canary@127.0.0.1:1/shop?sslmode=canary", "one of these values for sslmode"],
])("an address that the driver can't read is refused with the reason: %s", async (address, says) => {
  const refused = await ask(address, "SELECT 1");
  expect(refused).toEqual({ success: false, error: expect.stringContaining(says) });
  expect(JSON.stringify(refused)).not.toContain("canary");
});
