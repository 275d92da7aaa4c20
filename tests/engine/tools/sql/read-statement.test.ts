import { expect, test } from "bun:test";
import { databaseName, readConnectionString } from "../../../../src/engine/tools/sql/connection-string.ts";
import { readStatement, type SqlDialect } from "../../../../src/engine/tools/sql/read-statement.ts";
import { processorMs } from "../../../support/processor-time.ts";

const accepted: [dialect: SqlDialect, sql: string, text: string, parameters: number, words: string[]][] = [
  ["sqlite", "SELECT ?, ?3, ?", "SELECT ?, ?3, ?", 4, ["select"]],
  ["sqlite", "SELECT a -> '$.x' FROM t; ", "SELECT a -> '$.x' FROM t", 0, ["select", "a", "from", "t"]],
  ["sqlite", "SELECT 'it''s; --'", "SELECT 'it''s; --'", 0, ["select"]],
  ["sqlite", 'SELECT "A""b"; /* open', 'SELECT "A""b"', 0, ["select", 'a"b']],
  ["postgres", "SELECT $1, $12::int", "SELECT $1, $12::int", 12, ["select", "int"]],
  ["postgres", 'SELECT a$1$b FROM "T"', 'SELECT a$1$b FROM "T"', 0, ["select", "a$1$b", "from", "t"]],
  ["postgres", "SELECT $q$;'$1'$q$;", "SELECT $q$;'$1'$q$", 0, ["select"]],
  ["postgres", "SELECT 1 /* /* ; */ ; */ AS a", "SELECT 1 /* /* ; */ ; */ AS a", 0, ["select", "as", "a"]],
  ["postgres", "SELECT E'a\\n', N'x'", "SELECT E'a\\n', N'x'", 0, ["select", "e", "n"]],
];
for (const [dialect, sql, text, parameters, words] of accepted) {
  test(`${dialect} reads ${sql}`, () => {
    expect(readStatement(sql, dialect)).toMatchObject({ text, words, parameters });
  });
}

const refused: [dialect: SqlDialect, sql: string][] = [
  ["sqlite", ""],
  ["sqlite", " ;; -- a"],
  ["sqlite", "; SELECT 1"],
  ["sqlite", "SELECT 1;SELECT 2"],
  ["sqlite", "SELECT 1 /* ; */ ; x"],
  ["sqlite", 'SELECT "a'],
  ["sqlite", "SELECT [a"],
  ["sqlite", "SELECT @a"],
  ["postgres", "SELECT $q$ open"],
  ["postgres", "SELECT /* /* */ 1"],
  ["postgres", "SELECT (1))("],
  ["postgres", "SELECT $0"],
  ["postgres", "SELECT E'a' 'b\\''"],
  ["postgres", 'SELECT U&"d\\0061t"'],
];
for (const [dialect, sql] of refused) {
  test(`${dialect} refuses ${sql}`, () => {
    expect(() => readStatement(sql, dialect)).toThrow(expect.objectContaining({ code: "sql_refused" }));
  });
}

test("texts written against scanners are read in linear time", () => {
  const pieces = ["'", "--", "/*", "$a$", "$", "(", '"a"', "E'", "'\\''", "a.", "-- \n", ";", "[", "?"];
  for (const dialect of ["sqlite", "postgres"] as const) {
    for (const piece of pieces) {
      const read = () => {
        try {
          readStatement(`SELECT ${piece.repeat(100_000)}`, dialect);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "sql_refused" });
        }
      };
      expect(processorMs(read)).toBeLessThan(1000);
    }
  }
});

const names: [text: string, name: string][] = [
  ["postgres://ann:secret@db.example:5433/shop?sslmode=require", "db.example:5433/shop"],
  ["postgresql://db/shop", "db/shop"],
  ["sqlite:///data/shop.db", "shop.db"],
  ["shop.db", "shop.db"],
];
for (const [text, name] of names) {
  test(`the database of ${text.replace("secret", "…")} may be called ${name}`, () => {
    const database = readConnectionString(text);
    if ("problem" in database) throw new Error(database.problem);
    expect(databaseName(database)).toBe(name);
  });
}

test.each([
  "mysql://a/b",
  "postgres://",
  "postgres://host",
  "postgres://[bad",
  ":memory:",
  "file::memory:?cache=shared",
  "a?mode=memory&x",
  "sqlite:",
  "file:a.db?vfs=x",
  "file:%zz",
  "http://x/y",
])("%s is not a database", (text) => {
  const problem = readConnectionString(text);
  // A plain path is used as written.
  if (text.startsWith("a?")) expect(problem).toEqual({ dialect: "sqlite", path: text });
  else expect(problem).toEqual({ problem: expect.any(String) });
});
