import { join } from "node:path";
import { runChecks, tell } from "./check.ts";
import type { TestCase } from "./testing/junit.ts";
import { runTestFiles } from "./testing/run-test-files.ts";
import { slowest } from "./testing/slowest.ts";

const root = join(import.meta.dir, "..");
/** All take some fifteen minutes on two quiet cores; what takes longer than this hangs, however busy the machine is. */
const limitMs = 90 * 60_000;

/** Returns every test file, sorted: `tests/kit/retry.test.ts`. */
const findTestFiles = () =>
  [...new Bun.Glob("tests/**/*.test.{ts,tsx}").scanSync({ cwd: root })].sort((a, b) => a.localeCompare(b));

async function runEverything(): Promise<TestCase[]> {
  const checks = await runChecks(tell);
  const cases = checks.map(
    ({ name, ok }): TestCase => ({
      file: "scripts/check",
      name,
      outcome: ok ? "passed" : "failed",
      seconds: 0,
    }),
  );
  return [...cases, ...(await runFiles(findTestFiles()))];
}

/** Runs the test files whose path contains one of the patterns, as `bun test` selects them; `-t name` filters by test name. */
async function runChosen(args: readonly string[]): Promise<TestCase[]> {
  const named = args.indexOf("-t");
  const name = named === -1 ? [] : [`--test-name-pattern=${args[named + 1] ?? ""}`];
  const others = args.filter((_, at) => named === -1 || (at !== named && at !== named + 1));
  const options = others.filter((arg) => arg.startsWith("-"));
  const patterns = others.filter((arg) => !arg.startsWith("-")).map((arg) => arg.replace(/^\.\//, ""));
  const files = findTestFiles().filter(
    (file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)),
  );
  const cases = await runFiles(files, [...name, ...options]);
  return name.length === 0 ? cases : cases.filter(({ outcome }) => outcome !== "skipped");
}

/** Runs test files. The executable's own tests come last: they need a build, and a build beside other tests would slow both. */
async function runFiles(files: readonly string[], args: readonly string[] = []): Promise<TestCase[]> {
  const endToEnd = files.filter((file) => file.startsWith("tests/e2e/"));
  const others = files.filter((file) => !endToEnd.includes(file));
  const cases = await runTestFiles({ root, files: others, args, limitMs });
  if (endToEnd.length === 0) return cases;

  const build = Bun.spawn([join(root, "scripts/build"), "--fast"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await build.exited) !== 0)
    return [
      ...cases,
      { file: "scripts/build", name: "dist/argosy builds and starts", outcome: "failed", seconds: 0 },
    ];
  return [...cases, ...(await runTestFiles({ root, files: endToEnd, args, limitMs }))];
}

const args = process.argv.slice(2);
const cases = await (args.length > 0 ? runChosen(args) : runEverything());
const having = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
const [passed, failed, skipped] = [having("passed"), having("failed"), having("skipped")];
if (args.length === 0) for (const line of slowest(cases)) console.log(line);
for (const { file, name } of skipped) console.log(`skipped: ${file} ${name}`);
for (const { file, name } of failed) console.log(`FAILED: ${file} ${name}`);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
process.exitCode = passed.length > 0 && failed.length === 0 ? 0 : 1;
