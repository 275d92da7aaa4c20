import { describe, expect, test } from "bun:test";
import { readYaml } from "../../../src/manifest/yaml/read-yaml.ts";

const readOrProblem = (text: string) => {
  const reading = readYaml(text);
  return "value" in reading ? reading.value : reading.problem;
};

describe("a text is refused", () => {
  const nested = (depth: number) => `a: ${"[".repeat(depth)}${"]".repeat(depth)}`;
  const ladder = Array.from({ length: 12 }, (_, i) =>
    i === 0 ? "a0: &a0 [x, x]" : `a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`,
  );

  test.each([
    ["nothing", "", "", "is empty", 1, 1],
    ["a comment", "# only\n", "", "is empty", 1, 1],
    ["an empty document", "---\n", "", "must be a mapping", 1, 4],
    ["a list", "- a", "", "must be a mapping", 1, 1],
    ["text", "just text", "", "must be a mapping", 1, 1],
    ["two documents", "a: 1\n---\nb: 2\n", "", "more than one document", 2, 1],
    ["a directive", "%YAML 1.1\n---\na: 1\n", "", "directive", 1, 1],
    ["a duplicate key", "a: 1\nb:\n  c: 1\n  c: 2\n", "b.c", "is given twice", 4, 3],
    ["a duplicate key in quotes", 'a: 1\n"a": 2\n', "a", "is given twice", 2, 1],
    ["a tag", "a:\n  - !custom x\n", "a[0]", "has the tag", 2, 13],
    ["a standard tag", "a: !!str 1", "a", "has the tag", 1, 10],
    ["a tag on a mapping", "a: !x {b: 1}", "a", "has the tag", 1, 7],
    ["a tag on a key", "!!str a: 1", "", "key with a tag", 1, 7],
    ["an anchor on a key", "&x a: 1", "", "key with an anchor", 1, 4],
    ["a merge key", "a: &a {b: 1}\nc:\n  <<: *a\n", "c", "merge key", 3, 3],
    ["__proto__", "a:\n  __proto__: {x: 1}\n", "a", "__proto__", 2, 3],
    ["a list as a key", "? [a]\n: 1\n", "", "is not YAML", 1, 3],
    ["an alias as a key", "a: &a x\n*a : 1\n", "", "is not YAML", 2, 1],
    ["an unknown alias", "a: *b", "a", "an alias of an anchor", 1, 4],
    ["an alias before its anchor", "a: *b\nb: &b 1\n", "a", "an alias of an anchor", 1, 4],
    ["a cycle", "a: &a {b: *a}", "a.b", "refers to itself", 1, 11],
    ["a cycle of the root", "&a {b: [*a]}", "b[0]", "refers to itself", 1, 9],
    ["a ladder of aliases", ladder.join("\n"), "", "through aliases", 8, 0],
    ["an integer a double can't hold", "a: 9007199254740993", "a", "held exactly", 1, 4],
    ["a hexadecimal one", "a: 0x20000000000001", "a", "held exactly", 1, 4],
    ["a million digits", `a: ${"7".repeat(1_000_000)}`, "a", "held exactly", 1, 4],
    ["infinity", "a: .inf", "a", "held exactly", 1, 4],
    ["minus infinity", "a: -.INF", "a", "held exactly", 1, 4],
    ["not a number", "a: .nan", "a", "held exactly", 1, 4],
    ["overflow", "a: 1e999", "a", "held exactly", 1, 4],
    ["a tab as indentation", "a:\n\tb: 1", "", "is not YAML", 2, 1],
    ["two colons", "a: b: c", "", "is not YAML", 1, 4],
    ["an open list", "a: [1, 2", "", "is not YAML", 1, 9],
    ["an open quote", 'a: "x\n\nb: 1', "", "is not YAML", 3, 5],
    ["a code point that is none", 'a: "\\U00110000"', "", "is not YAML", 1, 5],
    ["depth", nested(65), "", "deeper than 64", 1, 0],
    ["great depth", nested(100_000), "", "deeper than 64", 1, 0],
    ["depth without brackets", `a: \n${"- ".repeat(100_000)}x`, "", "deeper than 64", 2, 0],
    ["depth of keys", "? ".repeat(100_000), "", "deeper than 64", 1, 0],
    ["length", `a: ${"x".repeat(1_048_576)}`, "", "longer than 1 MiB", 1, 1],
    ["length in bytes", `a: ${"é".repeat(600_000)}`, "", "longer than 1 MiB", 1, 1],
    ["a million commas", `a: [${",".repeat(1_000_000)}`, "", "has more than 200000 parts", 1, 0],
    ["many anchors", "&a ".repeat(300_000), "", "has more than 200000 parts", 1, 0],
    ["many aliases", `a: &a x\nb: [${"*a,".repeat(60_000)}]`, "", "through aliases", 2, 0],
  ] as const)("%s", (_, text, path, words, line, column) => {
    const reading = readYaml(text);
    if (!("problem" in reading)) throw new Error("accepted");
    expect(reading.problem.message).toContain(words);
    expect(reading.problem.line).toBe(line);
    if (column > 0) expect(reading.problem.column).toBe(column);
    if (path !== "") expect(reading.problem.path).toBe(path);
  });
});

test.each([
  ["YAML 1.2 has no other octals", "a: 0755", 755],
  ["octal", "a: 0o17", 15],
  ["hexadecimal", "a: 0x1F", 31],
  ["a sign", "a: +12", 12],
  ["a fraction", "a: .5", 0.5],
  ["a fraction that is rounded", "a: 0.1", 0.1],
  ["the largest integer", "a: 9007199254740991", 9_007_199_254_740_991],
  ["sexagesimal is text", "a: 12:34:56", "12:34:56"],
  ["a date is text", "a: 2020-01-01", "2020-01-01"],
  ["a version is text", "a: 1.2.0", "1.2.0"],
  ["yes is text", "a: yes", "yes"],
  ["on is text", "a: on", "on"],
  ["null", "a: ~", null],
  ["nothing", "a:", null],
  ["a block", "a: |\n  x\n  y\n", "x\ny\n"],
  ["a quoted merge is still a key of that name", "a: '<<'", "<<"],
  ["keys are text", "200: ok", undefined],
  ["depth 64", `a: ${"[".repeat(63)}${"]".repeat(63)}`, undefined],
  ["a byte order mark", "\ufeffa: 1", 1],
  ["Windows' lines", "a: 1\r\nb: 2\r\n", 1],
  ["a document's marks", "---\na: 1\n...\n", 1],
])("%s", (_, text, expected) => {
  const reading = readYaml(text);
  if ("problem" in reading) throw new Error(reading.problem.message);
  if (expected !== undefined) expect(reading.value.a).toEqual(expected);
});

test("aliases may repeat a little, and the copies are independent", () => {
  const value = readOrProblem("a: &a {b: [1, 2]}\nc: *a\nd: *a\n") as Record<string, { b: number[] }>;
  value.c?.b.push(3);
  expect(value).toEqual({ a: { b: [1, 2] }, c: { b: [1, 2, 3] }, d: { b: [1, 2] } });
});

test("an anchor can be set again", () => {
  expect(readOrProblem("a: &x 1\nb: *x\nc: &x 2\nd: *x\n")).toEqual({ a: 1, b: 1, c: 2, d: 2 });
});

test("many keys take time that grows with their number only", () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: ${i}`);
  const value = readOrProblem(keys.join("\n"));
  expect(Object.keys(value)).toHaveLength(20_000);
});

describe("places", () => {
  const reading = readYaml("a:\n  - b: 1\n    c: {d: 2}\n  - &x {e: 3}\nf: *x\ng:\n");
  test.each([
    [["a"], "key", 1, 1],
    [["a", 0], "value", 2, 5],
    [["a", 0, "b"], "key", 2, 5],
    [["a", 0, "b"], "value", 2, 8],
    [["a", 0, "c", "d"], "value", 3, 12],
    [["a", 1, "e"], "value", 4, 12],
    [["a", 0, "missing"], "value", 2, 5],
    [["a", 0, "c", "missing", "deeper"], "value", 3, 5],
    [["f", "e"], "value", 5, 1],
    [["g"], "value", 6, 3],
    [["nowhere"], "value", 1, 1],
  ] as const)("%j by its %s", (path, at, line, column) => {
    if (!("locate" in reading)) throw new Error(reading.problem.message);
    expect(reading.locate(path, at)).toEqual({ line, column });
  });
});

test.each([
  "*x7Qz9kLm",
  "!x7Qz9kLm",
  "!x7Qz9kLm y",
  "|x7Qz9kLm\n  y",
  ">x7Qz9kLm",
  "&x7Qz9kLm @",
  "@x7Qz9kLm",
  "%x7Qz9kLm",
  '"x7Qz9kLm" z',
  "[x7Qz9kLm",
])("a password that is not plain text, %p, is not repeated in the refusal", (password) => {
  const reading = readYaml(`smtp_password: ${password}`);
  expect(JSON.stringify("problem" in reading && reading.problem)).not.toContain("x7Qz9kLm");
  expect("problem" in reading).toBeTrue();
});
