import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ownPostgresServer, postgresMissing, runServerVariable } from "../tests/support/postgres.ts";
import { executableVariable } from "../tests/support/program.ts";
import { runChecks, tell } from "./check.ts";
import type { TestCase } from "./testing/junit.ts";
import { runTestFiles } from "./testing/run-test-files.ts";
import { slowest } from "./testing/slowest.ts";

const root = join(import.meta.dir, "..");
const executable = join(root, "dist/argosy");
/** All take under fifteen minutes on two quiet cores; what takes longer than this hangs, however busy the machine is. */
const limitMs = 90 * 60_000;
/** What measures the stages of a run for longer, hangs: it takes a few seconds. */
const hangsAfterMs = 10 * 60_000;

/** Returns every test file, sorted: `tests/kit/retry.test.ts`. */
const findTestFiles = () =>
  [...new Bun.Glob("tests/**/*.test.{ts,tsx}").scanSync({ cwd: root })].sort((a, b) => a.localeCompare(b));

async function runEverything(): Promise<TestCase[]> {
  const checking = runChecks(tell);
  // A build or an installation beside tests would slow both. The slowest check still runs when the first tests begin.
  const tested = await runFiles(findTestFiles(), [], prepare({ build: true }));
  const checks = (await checking).map(
    ({ name, ok }): TestCase => ({
      file: "scripts/check",
      name,
      outcome: ok ? "passed" : "failed",
      seconds: 0,
    }),
  );
  return [...checks, ...tested, await printStages()];
}

/** Prints what a run costs stage by stage, to compare with earlier runs. Only the counts have limits, in a test of their own. */
async function printStages(): Promise<TestCase> {
  const file = "scripts/bench/stages.ts";
  const stages = Bun.spawn([process.execPath, file, "--rounds", "5"], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: hangsAfterMs,
  });
  const outcome = (await stages.exited) === 0 ? "passed" : "failed";
  return { file, name: "the stages of a run are measured", outcome, seconds: 0 };
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

/** Runs test files, with the executable if some of them need it and with one PostgreSQL server for all that use one. */
async function runFiles(
  files: readonly string[],
  args: readonly string[] = [],
  prepared?: Promise<boolean | undefined>,
): Promise<TestCase[]> {
  const endToEnd = files.filter((file) => /^tests\/(e2e|campaign)\//.test(file));
  const built = await (prepared ?? prepare({ build: endToEnd.length > 0 }));
  const env = { ...(built ? { [executableVariable]: executable } : {}), ...(await sharedServer(files)) };
  const run = { root, args, env, limitMs };
  if (built !== false) return runTestFiles({ ...run, files });
  const name = "dist/argosy builds and starts";
  const others = files.filter((file) => !endToEnd.includes(file));
  return [
    { file: "scripts/build", name, outcome: "failed", seconds: 0 },
    ...(await runTestFiles({ ...run, files: others })),
  ];
}

/** Installs the vector server that tests talk to, and builds the executable if it is wanted. Returns whether that could be built. */
async function prepare({ build }: { build: boolean }): Promise<boolean | undefined> {
  const installing = Bun.spawn([join(root, "scripts/testing/install-chroma")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const built = build ? await buildExecutable() : undefined;
  // Where it can't be installed its tests are skipped.
  await installing.exited;
  return built;
}

async function buildExecutable(): Promise<boolean> {
  const build = Bun.spawn([join(root, "scripts/build"), "--fast"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return (await build.exited) === 0;
}

/** Starts the PostgreSQL server that test files share, unless none of them names one. It ends with this process. */
async function sharedServer(files: readonly string[]): Promise<Record<string, string>> {
  const uses = (file: string) =>
    /postgres|onEachEngine|onEachConversationBackend/i.test(readFileSync(join(root, file), "utf8"));
  if (postgresMissing !== undefined || !files.some(uses)) return {};
  return { [runServerVariable]: (await ownPostgresServer()).url };
}

const args = process.argv.slice(2);
const cases = await (args.length > 0 ? runChosen(args) : runEverything());
const having = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
const [passed, failed, skipped] = [having("passed"), having("failed"), having("skipped")];
if (args.length === 0) for (const line of slowest(cases)) console.log(line);
for (const { file, name } of skipped) console.log(`skipped: ${file} ${name}`);
for (const { file, name, reason } of failed)
  console.log(`FAILED: ${file} ${name}${reason === undefined ? "" : `: ${reason}`}`);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
process.exitCode = passed.length > 0 && failed.length === 0 ? 0 : 1;
