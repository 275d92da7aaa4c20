import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { costText, usdFigureText, usdMarkText } from "../../src/contracts/amounts.ts";

describe("a cost", () => {
  test.each([
    [{ micros: 0, unknown: 0 }, "$0.00"],
    [{ micros: 8_527, unknown: 0 }, "$0.008527"],
    [{ micros: 0, unknown: 3 }, "unknown"],
    [{ micros: 10_000, unknown: 1 }, "$0.01 + unknown"],
    // Estimates that were too high come back as a negative count.
    [{ micros: 10_000, unknown: -5 }, "$0.01"],
  ])("%j is %p", (cost, text) => {
    expect(costText(cost)).toBe(text);
  });
});

test.each([
  [0, "$0.00"],
  [12, "$0.000012"],
  [999_999, "$0.999999"],
  [1_004_999, "$1.00"],
  [-1_005_000, "-$1.01"],
  [1_234_567_891, "$1,234.57"],
])("the figure of %p micros is %p", (micros, text) => {
  expect(usdFigureText(micros)).toBe(text);
});

test.each([
  [5_000, 5_000, "$0.005"],
  [10_000, 5_000, "$0.010"],
  [1_500_000, 500_000, "$1.50"],
  [10_000_000, 5_000_000, "$10"],
  [0, 2, "$0.000000"],
])("the mark at %p micros of an axis in steps of %p is %p", (micros, step, text) => {
  expect(usdMarkText(micros, step)).toBe(text);
});

describe("one rule for money", () => {
  const root = join(import.meta.dir, "../../src");
  const files = [...new Glob("**/*.{ts,tsx}").scanSync(root)].filter(
    (file) => file !== "contracts/amounts.ts",
  );
  /** Ways to write an amount without the rule: a dollar before a value, or a currency of the browser's. */
  const ownForm = /["'`(>]\$\$\{(?!\{)|style: "currency"/;
  /** Places that write a dollar for something else: parameters of SQL, commands of Redis, variables of YAML. */
  const others = new Set([
    "retrieval/stores/pgvector/row-conditions.ts",
    "storage/redis/redis-error.ts",
    "manifest/yaml/variables.ts",
    // In the language of the page.
    "console/parts/text/money.ts",
  ]);

  test("the console writes amounts in its own language: none of its files but one takes the English texts", () => {
    const english = /import \{[^}]*(?:Text)\b[^}]*\} from "[./]*contracts\/amounts\.ts"/;
    const found = files.filter(
      (file) => file.startsWith("console/") && english.test(readFileSync(join(root, file), "utf8")),
    );
    expect(found).toEqual([]);
  });

  test("no file but two writes a dollar before an amount", () => {
    expect(files.length).toBeGreaterThan(1000);
    const found = files.filter(
      (file) =>
        !others.has(file) &&
        readFileSync(join(root, file), "utf8")
          .split("\n")
          .some((line) => ownForm.test(line)),
    );
    expect(found).toEqual([]);
  });

  test("no file divides a cost by a million to print it", () => {
    const printed = /\$\{[^}]*(?:micros|cost_usd|costUsd)[^}]*(?:toFixed|toPrecision|1e6|1_000_000)/;
    const found = files.filter((file) => printed.test(readFileSync(join(root, file), "utf8")));
    expect(found).toEqual([]);
  });
});
