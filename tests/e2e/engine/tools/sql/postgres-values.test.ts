import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { ownPostgresServer, postgresMissing } from "../../../../support/postgres.ts";
import { openSqlTool } from "../../../../support/sql-tool.ts";

type Scalar = string | number | boolean | null;

/** A column, a parameter, the stored value as the server writes it, and the value in a result. */
const values: readonly (readonly [column: string, given: Scalar, stored: string | null, result: unknown])[] =
  [
    ["jsonb", '{"a":1}', '{"a": 1}', { a: 1 }],
    ["jsonb", 5, "5", 5],
    ["jsonb", true, "true", true],
    ["jsonb", '"text"', '"text"', "text"],
    ["jsonb", "[1, null]", "[1, null]", [1, null]],
    ["jsonb", "9007199254740993", "9007199254740993", "9007199254740993"],
    ["jsonb", "null", "null", null],
    ["jsonb", null, null, null],
    ["json", '{"b": [1,2]}', '{"b": [1,2]}', { b: [1, 2] }],
    ["jsonb[]", '{"{\\"a\\": 1}"}', '{"{\\"a\\": 1}"}', [{ a: 1 }]],
    ["int[]", "{1,NULL,3}", "{1,NULL,3}", [1, null, 3]],
    [
      "int[]",
      "{{1,2},{3,4}}",
      "{{1,2},{3,4}}",
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ["text[]", '{"a,b",c\'d}', '{"a,b",c\'d}', ["a,b", "c'd"]],
    [
      "numeric",
      "12345678901234567890.123456789",
      "12345678901234567890.123456789",
      "12345678901234567890.123456789",
    ],
    ["numeric", 0.1, "0.1", 0.1],
    ["bigint", "9007199254740993", "9007199254740993", "9007199254740993"],
    ["bigint", 7, "7", 7],
    ["float8", "NaN", "NaN", "NaN"],
    ["float8", 1e300, "1e+300", 1e300],
    [
      "timestamptz",
      "2026-02-03T04:05:06.123456Z",
      "2026-02-03 04:05:06.123456+00",
      "2026-02-03T04:05:06.123456+00:00",
    ],
    ["timestamp", "2026-02-03 04:05:06", "2026-02-03 04:05:06", "2026-02-03T04:05:06"],
    ["date", "2026-02-03", "2026-02-03", "2026-02-03"],
    ["date", "infinity", "infinity", "infinity"],
    ["time", "04:05:06.5", "04:05:06.5", "04:05:06.5"],
    ["bytea", "\\x00ff", "\\x00ff", "\\x00ff"],
    [
      "uuid",
      "0B6E4B0E-0000-4000-8000-000000000001",
      "0b6e4b0e-0000-4000-8000-000000000001",
      "0b6e4b0e-0000-4000-8000-000000000001",
    ],
    ["bool", false, "false", false],
    ["bool", "yes", "true", true],
    ["mood", "calm", "calm", "calm"],
    ["interval", "1 day 2 hours", "1 day 02:00:00", "1 day 02:00:00"],
    ["int4range", "[1,5)", "[1,5)", "[1,5)"],
    ["inet", "10.0.0.1/8", "10.0.0.1/8", "10.0.0.1/8"],
    ["point", "(1,2)", "(1,2)", "(1,2)"],
    ["pair", "(1,two)", "(1,two)", { a: 1, b: "two" }],
    [
      "text",
      "it's \\ a '' \\' text; --\n$$",
      "it's \\ a '' \\' text; --\n$$",
      "it's \\ a '' \\' text; --\n$$",
    ],
    ["text", '{"a":1}', '{"a":1}', '{"a":1}'],
    ["text", 1.5, "1.5", "1.5"],
    ["text", "", "", ""],
    ["text", "ünï 😀", "ünï 😀", "ünï 😀"],
  ];

const tool = openSqlTool("/");
let admin: SQL;
let url = "";

const ask = (query: string, params: readonly Scalar[] = [], readOnly = false) =>
  tool.query({ connection_string: url, read_only: readOnly }, { query, params });
const rowsOf = async (...call: Parameters<typeof ask>) => {
  const result = await ask(...call);
  if (!result.success) throw new Error(result.error);
  return (result.data as { rows: Record<string, unknown>[] }).rows;
};

describe.skipIf(postgresMissing !== undefined)(
  `values of sql_query on PostgreSQL ${postgresMissing ?? ""}`,
  () => {
    beforeAll(async () => {
      url = await (await ownPostgresServer()).createDatabase();
      admin = new SQL(url, { max: 1 });
      await admin.unsafe("CREATE TYPE mood AS ENUM ('calm', 'cross')");
      await admin.unsafe("CREATE TYPE pair AS (a int, b text)");
      for (const type of new Set(values.map(([column]) => column)))
        await admin.unsafe(`CREATE TABLE ${tableOf(type)} (id serial, v ${type})`);
    });
    afterAll(async () => {
      await admin?.close();
      tool.runner.close();
    });

    test.each(values)("%s: %j is stored as %j and read as %j", async (type, given, stored, result) => {
      const table = tableOf(type);
      const read = (query: string, params?: Scalar[]) => rowsOf(query, params);
      expect(await read(`INSERT INTO ${table}(v) VALUES ($1) RETURNING v`, [given])).toEqual([{ v: result }]);
      const [row] = await admin.unsafe(
        `SELECT v::text AS v, id::text FROM ${table} ORDER BY id DESC LIMIT 1`,
      );
      expect(row.v).toBe(stored);
      const id = Number(row.id);
      const newest = `FROM ${table} WHERE id = ${id}`;
      const ways = [
        read(`SELECT v ${newest}`),
        read(`SELECT v ${newest} AND $1::int = 1`, [1]),
        rowsOf(`SELECT v ${newest}`, [], true),
        read(`UPDATE ${table} SET v = v WHERE id = ${id} RETURNING v`),
        read(`UPDATE ${table} SET v = $1 WHERE id = $2 RETURNING v`, [given, id]),
        read(`WITH x AS (UPDATE ${table} SET v = v WHERE id = ${id} RETURNING v) SELECT v FROM x`),
        read(`WITH x AS (UPDATE ${table} SET v = $1 WHERE id = ${id} RETURNING v) SELECT v FROM x`, [given]),
        read(
          `WITH x AS (SELECT $1::${type} AS v) UPDATE ${table} AS t SET v = x.v FROM x WHERE id = ${id} RETURNING t.v`,
          [given],
        ),
      ];
      for (const rows of await Promise.all(ways)) expect(rows).toEqual([{ v: result }]);
      const [after] = await admin.unsafe(`SELECT v::text AS v ${newest}`);
      expect(after.v).toBe(stored);
      expect(
        await read(`SELECT v FROM ${table} WHERE v::text IS NOT DISTINCT FROM $1::${type}::text LIMIT 1`, [
          given,
        ]),
      ).toEqual([{ v: result }]);
    });

    test("JSON parameters find what contains them", async () => {
      await ask("INSERT INTO t_jsonb(v) VALUES ($1)", ['{"a":1,"b":2}']);
      expect(await rowsOf("SELECT v FROM t_jsonb WHERE v @> $1 AND v ? $2", ['{"a":1}', "b"], true)).toEqual([
        { v: { a: 1, b: 2 } },
      ]);
    });

    test("a text that is not a value of its column's type is refused, and nothing is stored", async () => {
      const before = await rowsOf("SELECT count(*) AS n FROM t_jsonb");
      expect(await ask("INSERT INTO t_jsonb(v) VALUES ($1)", ["not json"])).toEqual({
        success: false,
        error: expect.stringContaining("invalid input syntax for type json"),
      });
      expect(await ask("INSERT INTO t_text(v) VALUES ($1)", ["a\0b"])).toEqual({
        success: false,
        error: expect.stringContaining("params[0] contains a NUL"),
      });
      expect(await rowsOf("SELECT count(*) AS n FROM t_jsonb")).toEqual(before);
    });

    const shapes: [query: string, data: object, params?: Scalar[]][] = [
      [
        "INSERT INTO t_int__(v) VALUES ('{1}'), ('{2}') RETURNING v, v, 1 AS v",
        {
          columns: ["v", "v_2", "v_3"],
          rows: [
            { v: [1], v_2: [1], v_3: 1 },
            { v: [2], v_2: [2], v_3: 1 },
          ],
          changes: 2,
        },
      ],
      ["DELETE FROM t_int__ WHERE false RETURNING id, v", { columns: ["id", "v"], rows: [], changes: 0 }],
      [
        'WITH update AS (SELECT 1 AS a), "select"(b) AS MATERIALIZED (VALUES (2)) -- select\n INSERT INTO t_bigint(v) SELECT a + b FROM update, "select" RETURNING v -- end',
        { rows: [{ v: 3 }], changes: 1 },
      ],
      [
        "WITH x AS (INSERT INTO t_bigint(v) VALUES (4) RETURNING v) (SELECT v FROM x) UNION ALL SELECT $1::bigint",
        { rows: [{ v: 4 }, { v: 5 }] },
        [5],
      ],
      [
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) INSERT INTO t_bigint(v) SELECT i FROM n RETURNING v",
        { rows: [{ v: 1 }, { v: 2 }, { v: 3 }], changes: 3 },
      ],
      ["WITH x AS (SELECT 1) DELETE FROM t_bigint WHERE v = $1", { rows: [], changes: 1 }, [4]],
      ["INSERT INTO t_text(v) SELECT 'returning' AS returning", { rows: [], changes: 1 }],
      [
        "UPDATE t_text SET v = 'x' WHERE v = 'returning' RETURNING v AS returning",
        { rows: [{ returning: "x" }], changes: 1 },
      ],
      ["CREATE TABLE made AS SELECT 1 AS a", { rows: [] }],
      [
        "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) DELETE FROM made WHERE a = $1",
        { columns: ["QUERY PLAN"] },
        [1],
      ],
      ["SELECT count(*) AS n FROM made", { rows: [{ n: 0 }], changes: 0 }],
      ["EXPLAIN DELETE FROM made", { columns: ["QUERY PLAN"] }],
    ];
    for (const [query, data, params] of shapes) {
      test(query, async () => {
        expect(await ask(query, params)).toMatchObject({ success: true, data });
      });
    }

    test("rows that don't fit are left out of a writing statement's answer, never of its effect", async () => {
      const config = { connection_string: url, read_only: false, max_rows: 2 };
      const query = "INSERT INTO t_point(v) SELECT point(i, i) FROM generate_series(1, 5) AS i RETURNING v";
      expect(await tool.query(config, { query })).toMatchObject({
        data: { row_count: 2, truncated: true, changes: 5 },
      });
      const large = "INSERT INTO t_text(v) VALUES (repeat('x', 3000000)) RETURNING v";
      expect(await ask(large)).toMatchObject({ data: { rows: [], truncated: true, changes: 1 } });
    });
  },
);

const tableOf = (type: string) => `t_${type.replaceAll(/\W/g, "_")}`;
