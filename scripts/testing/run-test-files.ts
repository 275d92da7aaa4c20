import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseJunit, type TestCase } from "./junit.ts";
import { withFolderInMemory } from "./memory-disk.ts";
import { needsOwnGlobal } from "./own-global.ts";
import { expectedMs } from "./slow-files.ts";

export interface TestRun {
  /** Base folder of the files' paths. */
  root: string;
  files: readonly string[];
  /** Further arguments of `bun test`. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Destination of the runner's own output; this process's output by default. */
  output?: "inherit" | "ignore";
  /** After this time the run is stopped, and tests that are still running fail. */
  limitMs: number;
}

/**
 * Runs test files in a few processes. Files of one process share its global and the modules loaded so far, which takes a quarter less CPU
 * time than a fresh global for each; those that change or measure what is shared run after the others, each in a global of its own. A file
 * that crashes, ends its process, never ends or does not load fails without affecting other files. A file that reports no test fails too.
 */
export async function runTestFiles(run: TestRun): Promise<TestCase[]> {
  const endsAt = performance.now() + run.limitMs;
  const runWithin = async (files: readonly string[], isolation: Isolation) =>
    files.length === 0
      ? []
      : runOnce({ ...run, files, limitMs: Math.max(endsAt - performance.now(), 0) }, isolation);

  const alone = run.files.filter((file) => needsOwnGlobal(run.root, file));
  const cases = [
    ...(await runWithin(
      run.files.filter((file) => !alone.includes(file)),
      "--no-isolate",
    )),
    ...(await runWithin(alone, "--isolate")),
  ];
  // A crash also ends the file that ran next to it, and Bun skips the rest, so each of those files runs again, alone, for its own result.
  // The crash counts as a failure even if it does not happen again.
  const crashed = new Set(cases.filter(({ name }) => name === "(worker crashed)").map(({ file }) => file));
  const settled = cases.filter(({ file }) => !crashed.has(file));
  const reported = new Set(settled.map(({ file }) => file));
  for (const file of run.files.filter((path) => !reported.has(path))) {
    const found = await runWithin([file], "--isolate");
    settled.push(
      ...(found.length > 0 ? found : [{ file, name: noReport, outcome: "failed" as const, seconds: 0 }]),
    );
  }
  if (crashed.size > 0)
    settled.push({
      file: [...crashed].join(" or "),
      name: "(a test process crashed)",
      outcome: "failed",
      seconds: 0,
    });
  return settled;
}

/** What one test may take before it counts as hanging: many times what the slowest takes on a busy machine. */
const testLimitMs = 240_000;

/** More than the cores: tests of processes, sockets and databases wait about a third of their time. */
const workers = availableParallelism() + 2;

/**
 * What Bun does to keep its processes small costs a test process more than it saves. `tests/support/child-environment.ts` keeps these
 * settings from the programs that tests start.
 */
const memorySettings = {
  // Bun's own timer collects garbage every few milliseconds while the heap grows, as that of a test process always does; each time it looks
  // at all code that was loaded. Without the timer the engine still collects, 160 times in place of 560: 2 to 8 % less CPU time.
  BUN_GC_TIMER_DISABLE: "1",
  // The allocator returns freed memory to the system after 100 ms, and soon gets it back page by page. Where the system itself is a guest of
  // another, each page can cost 14 µs: a fifth less CPU time.
  MIMALLOC_PURGE_DELAY: "-1",
  MIMALLOC_PURGE_HOLES: "0",
};

const noReport = "(crashed, did not load, or has no test)";

/** Arguments of `bun test`: a global for all files of a process, or one for each. */
type Isolation = "--no-isolate" | "--isolate";

async function runOnce(
  { root, files, args = [], env, output = "inherit", limitMs }: TestRun,
  isolation: Isolation,
): Promise<TestCase[]> {
  const folder = mkdtempSync(join(tmpdir(), "argosy-run-"));
  // The tests' own folder for temporary files, so that a killed test leaves nothing behind.
  const temporary = join(folder, "files");
  mkdirSync(temporary);
  // PostgreSQL runs as another user and needs access to its folder.
  for (const path of [folder, temporary]) chmodSync(path, 0o711);
  const report = join(folder, "junit.xml");
  // Bun starts the longest first, so that none of them runs on alone at the end.
  const timings = join(folder, "timings.json");
  writeFileSync(timings, JSON.stringify({ version: 1, files: expectedMs(root, files) }));
  try {
    const parallel = `--parallel=${files.length > 1 ? workers : 1}`;
    const child = Bun.spawn(
      withFolderInMemory(temporary, [
        process.execPath,
        ...["test", parallel, isolation, "--only-failures"],
        `--timings=${timings}`,
        `--timeout=${testLimitMs}`,
        "--reporter=junit",
        `--reporter-outfile=${report}`,
        ...args,
        ...files.map((file) => `./${file}`),
      ]),
      {
        cwd: root,
        env: { ...process.env, ...memorySettings, TMPDIR: temporary, ...env },
        stdio: ["ignore", output, output],
      },
    );
    // On SIGTERM Bun still writes its report, with running tests as failed.
    const stop = setTimeout(() => child.kill("SIGTERM"), limitMs);
    const kill = setTimeout(() => child.kill("SIGKILL"), limitMs + 10_000);
    await child.exited;
    clearTimeout(stop);
    clearTimeout(kill);
    return parseJunit(readFileSync(report, { encoding: "utf8", flag: "a+" }));
  } finally {
    // A server that is ending may still write for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
