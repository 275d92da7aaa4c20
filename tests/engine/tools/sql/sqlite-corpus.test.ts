import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import corpus from "../../../corpora/sql_readonly.json" with { type: "json" };
import { openSqlTool } from "../../../support/sql-tool.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const folder = temporaryFolder();
const tool = openSqlTool(folder.path);
const original = join(folder.path, "original");

beforeAll(() => {
  mkdirSync(original);
  const database = new Database(join(original, "m.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE t(a, b)");
  database.run("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
  database.close();
  const other = new Database(join(original, "other.db"));
  other.run("CREATE TABLE secret(v)");
  other.run("INSERT INTO secret VALUES ('FOREIGN-CANARY')");
  other.close();
});
afterAll(() => {
  tool.runner.close();
  folder[Symbol.dispose]();
});

/** Returns every file of a folder with its content. */
function contentOf(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path, { recursive: true })
      .map(String)
      .sort()
      .map((name) => [name, Bun.hash(readFileSync(join(path, name))).toString(16)]),
  );
}

/** Honest reads of the corpus, with their results. */
const rows: Record<string, unknown[]> = {
  "sql_readonly-079": [{ column1: 1 }, { column1: 2 }],
  "sql_readonly-081": [{ update: "one" }, { update: "two" }],
  "sql_readonly-082": [],
  "sql_readonly-083": [{ last_update_at: 1 }],
  "sql_readonly-084": [{ "9007199254740993": "9007199254740993" }],
  "sql_readonly-085": [{ "-9223372036854775808": "-9223372036854775808" }],
  "sql_readonly-088": [{ "char(0)||'x'": "\0x" }],
  "sql_readonly-089": [{ "1": 1 }, { "1": 2 }, { "1": 3 }],
  "sql_readonly-100": [
    { a: 1, b: "one" },
    { a: 2, b: "two" },
  ],
  "sql_readonly-101": [{ value: 1 }, { value: 2 }, { value: 3 }],
  // Deeply nested, but valid.
  "sql_readonly-099": [expect.any(Object)],
  // Documented: tables that describe the schema may be read.
  "sql_readonly-060": [expect.objectContaining({ name: "a" }), expect.objectContaining({ name: "b" })],
  "sql_readonly-067": [expect.objectContaining({ name: "t", sql: "CREATE TABLE t(a, b)" })],
};

for (const { id, input, why, expected } of corpus.entries) {
  test(`${id}: ${why}`, async () => {
    const own = join(folder.path, id);
    mkdirSync(own);
    for (const name of ["m.db", "other.db"]) copyFileSync(join(original, name), join(own, name));
    const before = contentOf(own);
    const result = await tool.query({ connection_string: join(own, "m.db") }, { query: input });
    const told = JSON.stringify(result);
    expect(told).not.toContain(folder.path);
    expect(told).not.toContain("FOREIGN-CANARY");
    expect(contentOf(own)).toEqual(before);
    expect(existsSync("/srv/test/vac_abs.db")).toBe(false);
    const wanted = rows[id];
    if (wanted === undefined) {
      expect(expected).not.toStartWith("allow-e");
      expect(expected).not.toBe("allow");
      expect(result).toEqual({ success: false, error: expect.any(String) });
    } else {
      expect(result).toMatchObject({ success: true, data: { rows: wanted, row_count: wanted.length } });
    }
    const writer = new Database(join(own, "m.db"));
    writer.run("BEGIN IMMEDIATE");
    writer.close();
  });
}
