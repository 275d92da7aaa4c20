import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ownPostgresServer, postgresMissing, runServerVariable } from "../tests/support/postgres.ts";
import { executableVariable } from "../tests/support/program.ts";
import { enginesVariable } from "../tests/support/tested-engines.ts";
import { runChecks, tell } from "./check.ts";
import { drawTenth } from "./testing/campaign-tenth.ts";
import { changedFiles } from "./testing/changed-files.ts";
import { changedTests, drawsValues, startsProgram, usesChroma } from "./testing/changed-tests.ts";
import { importReach } from "./testing/import-reach.ts";
import type { TestCase } from "./testing/junit.ts";
import { planRun, type RunPlan } from "./testing/plan-run.ts";
import { runTestFiles } from "./testing/run-test-files.ts";
import { slowest } from "./testing/slowest.ts";
import { readTestCommand, type TestCommand, UsageError } from "./testing/test-command.ts";
import { buildForTests } from "./testing/test-executable.ts";
import { findTestFiles } from "./testing/tiers.ts";

const root = join(import.meta.dir, "..");
/** All take under an hour on two quiet cores; what takes longer than this hangs, however busy the machine is. */
const limitMs = 180 * 60_000;

const reach = importReach(root);

function planOf(command: TestCommand): RunPlan {
  const files = findTestFiles(root);
  return planRun(command, {
    files,
    tenth: () => drawTenth(root),
    changed: () => changedTests(files, changedFiles(root), reach),
    drawsValues: (file) => drawsValues(root, file),
  });
}

/** Runs what is planned. The checks run beside the build and the first tests. */
async function run(plan: RunPlan): Promise<TestCase[]> {
  const checking = plan.withChecks ? runChecks(tell) : [];
  const tested = await runFiles(plan);
  const checks = (await checking).map(
    ({ name, ok }): TestCase => ({
      file: "scripts/check",
      name,
      outcome: ok ? "passed" : "failed",
      seconds: 0,
    }),
  );
  return [...checks, ...tested];
}

/** Runs test files, with the servers and the executable that some of them need. */
async function runFiles(plan: RunPlan): Promise<TestCase[]> {
  if (!plan.embeddedOnly && plan.files.some((file) => usesChroma(file, reach))) await installChroma();
  const starting = plan.files.filter((file) => startsProgram(file, reach));
  const executable = starting.length === 0 ? undefined : await buildForTests(root);
  const isBroken = starting.length > 0 && executable === undefined;
  const files = isBroken ? plan.files.filter((file) => !starting.includes(file)) : plan.files;
  const env = {
    ...(executable === undefined ? {} : { [executableVariable]: executable }),
    ...(plan.embeddedOnly ? { [enginesVariable]: "embedded" } : await sharedServer(files)),
    ...(plan.seed === undefined ? {} : { ARGOSY_TEST_SEED: String(plan.seed) }),
  };
  const tested = await runUntil(files, env, plan);
  if (!isBroken) return tested;
  const name = "dist/argosy builds and starts";
  return [{ file: "scripts/build", name, outcome: "failed", seconds: 0 }, ...tested];
}

/** Runs all files at once or, within a time budget, a few at a time until it is spent; those that did not start are printed. */
async function runUntil(files: string[], env: Record<string, string>, plan: RunPlan): Promise<TestCase[]> {
  const { args, minutes } = plan;
  const runOf = (some: string[]) => runTestFiles({ root, args, env, limitMs, files: some });
  if (minutes === undefined) return files.length === 0 ? [] : runOf(files);
  const endsAt = performance.now() + minutes * 60_000;
  const cases: TestCase[] = [];
  // With another seed another file comes first, so that a short budget does not always end before the same ones.
  const start = (plan.seed ?? 0) % Math.max(files.length, 1);
  const left = [...files.slice(start), ...files.slice(0, start)];
  while (left.length > 0 && performance.now() < endsAt)
    cases.push(...(await runOf(left.splice(0, availableParallelism()))));
  for (const file of left) console.log(`not started within ${minutes} min: ${file}`);
  return cases;
}

/** Installs the vector server that some tests talk to. Where it can't be installed its tests are skipped. */
async function installChroma(): Promise<void> {
  const installing = Bun.spawn([join(root, "scripts/testing/install-chroma")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  await installing.exited;
}

/** Starts the PostgreSQL server that test files share, unless none of them names one. It ends with this process. */
async function sharedServer(files: readonly string[]): Promise<Record<string, string>> {
  const uses = (file: string) =>
    /postgres|onEachEngine|onEachConversationBackend/i.test(readFileSync(join(root, file), "utf8"));
  if (postgresMissing !== undefined || !files.some(uses)) return {};
  return { [runServerVariable]: (await ownPostgresServer()).url };
}

/** Returns the plan of a call; ends with 2 and a message if the caller asked for something else than there is. */
function readPlan(args: readonly string[]): { command: TestCommand; plan: RunPlan } {
  try {
    const command = readTestCommand(args);
    return { command, plan: planOf(command) };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    console.error(thrown.message);
    process.exit(2);
  }
}

const { command, plan } = readPlan(process.argv.slice(2));
for (const line of plan.told) console.log(line);
const ran = await run(plan);
// Tests that the caller's pattern leaves out are reported as skipped.
const cases =
  command.runs === "chosen" && command.name !== undefined
    ? ran.filter(({ outcome }) => outcome !== "skipped")
    : ran;
const having = (outcome: TestCase["outcome"]) => cases.filter((one) => one.outcome === outcome);
const [passed, failed, skipped] = [having("passed"), having("failed"), having("skipped")];
if (command.runs !== "chosen")
  for (const line of slowest(cases, command.runs === "usual" ? 5 : 20)) console.log(line);
for (const { file, name } of skipped) console.log(`skipped: ${file} ${name}`);
for (const { file, name, reason } of failed)
  console.log(`FAILED: ${file} ${name}${reason === undefined ? "" : `: ${reason}`}`);
if (plan.notRun !== undefined) console.log(plan.notRun);
console.log(`${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped`);
// With no test to run, --changed has done its work; a pattern that fits nothing has not.
process.exitCode =
  failed.length === 0 && (passed.length > 0 || (plan.files.length === 0 && command.runs === "changed"))
    ? 0
    : 1;
