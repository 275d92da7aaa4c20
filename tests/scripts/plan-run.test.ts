import { expect, test } from "bun:test";
import { planRun, type Repository } from "../../scripts/testing/plan-run.ts";
import type { TestCommand } from "../../scripts/testing/test-command.ts";

const campaign = Array.from(
  { length: 23 },
  (_, at) => `tests/campaign/c${String(at).padStart(2, "0")}.test.ts`,
);
const files = [
  ...campaign,
  "tests/e2e/smoke/start.test.ts",
  "tests/e2e/storage/postgres.test.ts",
  "tests/kit/any-text.test.ts",
  "tests/kit/text.test.ts",
];

const planOf = (command: TestCommand, more: Partial<Repository> = {}) =>
  planRun(command, {
    files,
    tenth: () => ({ part: 2, drawnBy: "commit abc" }),
    changed: () => [],
    drawsValues: (file) => file.includes("any-"),
    ...more,
  });

test("scripts/test runs the first tier and the smoke tests without servers, and says what is left", () => {
  const plan = planOf({ runs: "usual" });
  expect(plan).toMatchObject({ withChecks: true, embeddedOnly: true });
  expect(plan.files).toEqual([
    "tests/e2e/smoke/start.test.ts",
    "tests/kit/any-text.test.ts",
    "tests/kit/text.test.ts",
  ]);
  expect(plan.notRun).toBe(
    "Not run: PostgreSQL and other servers, and 1 file of tests/e2e (scripts/test all); 23 files of tests/campaign (scripts/test campaign).",
  );
});

test("scripts/test all runs the first two tiers on every engine", () => {
  const plan = planOf({ runs: "all", tenth: false });
  expect(plan).toMatchObject({ withChecks: true, embeddedOnly: false, told: [] });
  expect(plan.files).toEqual(files.slice(23));
  expect(plan.notRun).toBe("Not run: 23 files of tests/campaign (scripts/test campaign).");
});

test("--tenth adds every tenth file of the campaign tier and prints them", () => {
  const plan = planOf({ runs: "all", tenth: true });
  const drawn = ["tests/campaign/c02.test.ts", "tests/campaign/c12.test.ts", "tests/campaign/c22.test.ts"];
  expect(plan.files).toEqual([...files.slice(23), ...drawn]);
  expect(plan.told).toEqual([
    "Of tests/campaign, part 3 of 10 runs too (commit abc):",
    ...drawn.map((file) => `  ${file}`),
  ]);
  expect(plan.notRun).toBe("Not run: 20 files of tests/campaign (scripts/test campaign).");
});

test("the ten parts together are the campaign tier, each file once", () => {
  const parts = Array.from({ length: 10 }, (_, part) => {
    const { files: planned } = planOf({ runs: "all", tenth: true }, { tenth: () => ({ part, drawnBy: "" }) });
    return planned.filter((file) => file.startsWith("tests/campaign/"));
  });
  expect(parts.flat().sort()).toEqual(campaign);
});

test("a campaign with a seed also runs the properties of the first tier, and prints how to repeat it", () => {
  expect(planOf({ runs: "campaign" }).files).toEqual(campaign);
  const plan = planOf({ runs: "campaign", seed: 7, minutes: 3 });
  expect(plan.files).toEqual([...campaign, "tests/kit/any-text.test.ts"]);
  expect(plan).toMatchObject({ seed: 7, minutes: 3, withChecks: false });
  expect(plan.told).toEqual(["Seed 7: scripts/test campaign --seed 7 repeats this run."]);
});

test("--changed runs what was found, but no campaign, without checks and servers", () => {
  const changed = () => ["tests/campaign/c01.test.ts", "tests/kit/text.test.ts"];
  const plan = planOf({ runs: "changed" }, { changed });
  expect(plan).toMatchObject({ withChecks: false, embeddedOnly: true, files: ["tests/kit/text.test.ts"] });
});

test("chosen files are those whose path contains a pattern, on every engine", () => {
  const plan = planOf({ runs: "chosen", patterns: ["tests/kit/t", "c07"], name: "a", options: ["--bail"] });
  expect(plan.files).toEqual(["tests/campaign/c07.test.ts", "tests/kit/text.test.ts"]);
  expect(plan).toMatchObject({
    withChecks: false,
    embeddedOnly: false,
    args: ["--test-name-pattern=a", "--bail"],
  });
  expect(plan.notRun).toBeUndefined();
});

test("a pattern that fits no file is refused by name, also beside one that does", () => {
  const plan = () => planOf({ runs: "chosen", patterns: ["tests/kit", "foo"], options: [] });
  expect(plan).toThrow('No test file has "foo" in its path.');
});
