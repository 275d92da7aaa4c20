/**
 * Compares cold starts of executables in turns: seven agents, the daemon alone. Prints for each the processor time of all its threads and
 * the time passed until the first healthy answer, and until the answer of a run that is sent then, in a folder that was started before and
 * in an empty one. With `--rest`, also the resident memory after that many seconds without requests.
 *
 *   node_modules/.bin/bun scripts/bench/cold-start.ts [--starts 15] [--rest 3] [EXECUTABLE …]
 *
 * Linux only. Judge by processor time: the other depends on the machine's other load.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rssMib } from "./process-stats.ts";
import { portVariables, question, serverUrl, writeWorkspace } from "./workload.ts";

const { values, positionals } = parseArgs({
  options: { starts: { type: "string", default: "15" }, rest: { type: "string", default: "0" } },
  allowPositionals: true,
});
const shipped = join(import.meta.dir, "../../dist/argosy");
const restMs = Number(values.rest) * 1_000;
const executables = (positionals.length > 0 ? positionals : [shipped]).map((path) => resolve(path));

interface Start {
  cpuMs: number;
  passedMs: number;
}

interface Measured extends Start {
  runPassedMs: number;
}

type Folder = "warm" | "empty";

/** Returns the time that the living threads of a process ran; the kernel counts it in ns. */
const threadsMs = (pid: number) =>
  readdirSync(`/proc/${pid}/task`).reduce(
    (sum, task) =>
      sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6,
    0,
  );

/** A daemon at rest for this long keeps the values of its manifests for the next start. */
const settledMs = 1_500;

/** Starts, takes the figures, uses the daemon and stops it. */
async function start<T>(
  executable: string,
  workspace: string,
  use: (pid: number, figures: Start) => Promise<T>,
): Promise<T> {
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
  try {
    while (child.exitCode === null) {
      const isHealthy = await fetch(`${serverUrl}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isHealthy) break;
      await Bun.sleep(1);
    }
    if (child.exitCode !== null) throw new Error(`${executable} ended with status ${child.exitCode}`);
    return await use(child.pid, { cpuMs: threadsMs(child.pid), passedMs: performance.now() - startedMs });
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

async function withRun(_: number, figures: Start): Promise<Measured> {
  const sentMs = performance.now();
  const response = await fetch(`${serverUrl}/v1/agents/plain/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: question, session_id: crypto.randomUUID() }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The run failed with status ${response.status}: ${text}`);
  return { ...figures, runPassedMs: figures.passedMs + performance.now() - sentMs };
}

async function resting(pid: number): Promise<number> {
  await Bun.sleep(Math.max(restMs, settledMs));
  return rssMib(pid);
}

/** Starts in a new folder, rests in it, and starts again. */
async function bothStarts(executable: string): Promise<Record<Folder, Measured> & { restMib: number }> {
  const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
  try {
    writeWorkspace(workspace);
    const empty = await start(executable, workspace, withRun);
    const restMib = await start(executable, workspace, resting);
    return { empty, restMib, warm: await start(executable, workspace, withRun) };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

const median = (figures: number[]) => figures.toSorted((one, other) => one - other)[figures.length >> 1] ?? 0;

const model = Bun.spawn([process.execPath, join(import.meta.dir, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
await model.stderr.getReader().read(); // it listens
const found = executables.map((executable) => ({
  executable,
  starts: [] as Awaited<ReturnType<typeof bothStarts>>[],
}));
try {
  for (let round = 0; round < Number(values.starts); round++)
    for (const { executable, starts } of found) starts.push(await bothStarts(executable));
} finally {
  model.kill();
}
for (const { executable, starts } of found) {
  for (const folder of ["warm", "empty"] as const) {
    const of = (figure: keyof Measured) => median(starts.map((one) => one[folder][figure])).toFixed(0);
    console.log(
      `${folder.padEnd(5)} ${of("cpuMs")} ms CPU, ${of("passedMs")} ms passed, first run after ${of("runPassedMs")} ms: ${executable}`,
    );
  }
  if (restMs > 0)
    console.log(`rest  ${median(starts.map(({ restMib }) => restMib)).toFixed(1)} MiB: ${executable}`);
}
