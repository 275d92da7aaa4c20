/**
 * Compares cold starts of executables in turns: seven agents, the daemon alone, until the first healthy answer. Prints for each the processor
 * time of all its threads, and the time passed, in a folder that was started before and in an empty one.
 *
 *   node_modules/.bin/bun scripts/bench/cold-start.ts [--starts 15] [EXECUTABLE …]
 *
 * Linux only. Judge by processor time: the other depends on the machine's other load.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { portVariables, serverUrl, writeWorkspace } from "./workload.ts";

const { values, positionals } = parseArgs({
  options: { starts: { type: "string", default: "15" } },
  allowPositionals: true,
});
const shipped = join(import.meta.dir, "../../dist/argosy");
const executables = (positionals.length > 0 ? positionals : [shipped]).map((path) => resolve(path));

interface Start {
  cpuMs: number;
  passedMs: number;
}

/** Returns the time that the living threads of a process ran; the kernel counts it in ns. */
const threadsMs = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0,
  );

async function start(executable: string, workspace: string): Promise<Start> {
  const startedMs = performance.now();
  const child = Bun.spawn([executable, "serve", "--services", "daemon"], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: workspace,
      ...portVariables,
      PLATFORM_LOG_LEVEL: "warning",
      BENCH_MODEL_KEY: "bench-key",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (child.exitCode === null) {
    const isHealthy = await fetch(`${serverUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isHealthy) break;
    await Bun.sleep(1);
  }
  if (child.exitCode !== null) throw new Error(`${executable} ended with status ${child.exitCode}`);
  const figures = { cpuMs: threadsMs(child.pid), passedMs: performance.now() - startedMs };
  child.kill("SIGTERM");
  await child.exited;
  return figures;
}

/** Starts in a new folder, and again in the same folder. */
async function bothStarts(executable: string): Promise<{ empty: Start; warm: Start }> {
  const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
  try {
    writeWorkspace(workspace);
    return { empty: await start(executable, workspace), warm: await start(executable, workspace) };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

const median = (figures: number[]) => figures.toSorted((one, other) => one - other)[figures.length >> 1] ?? 0;

const found = executables.map((executable) => ({
  executable,
  starts: [] as Awaited<ReturnType<typeof bothStarts>>[],
}));
for (let round = 0; round < Number(values.starts); round++)
  for (const { executable, starts } of found) starts.push(await bothStarts(executable));
for (const { executable, starts } of found) {
  for (const folder of ["warm", "empty"] as const) {
    const of = (figure: keyof Start) => median(starts.map((one) => one[folder][figure])).toFixed(0);
    console.log(`${folder.padEnd(5)} ${of("cpuMs")} ms CPU, ${of("passedMs")} ms passed: ${executable}`);
  }
}
