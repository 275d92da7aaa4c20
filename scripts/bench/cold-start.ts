/**
 * Compares cold starts of executables in turns: seven agents, the daemon alone. Prints for each the processor time of all its threads and
 * the time passed until the first healthy answer, and until the answer of a run that is sent then, in a folder that was started before and
 * in an empty one. With `--rest`, also the resident memory after that many seconds without requests.
 *
 *   node_modules/.bin/bun scripts/bench/cold-start.ts [--starts 15] [--rest 3] [EXECUTABLE …]
 *
 * Linux only. Judge by processor time: the other depends on the machine's other load.
 */
import { resolve } from "node:path";
import { median } from "./figures.ts";
import { start } from "./measure.ts";
import { readOptions } from "./options.ts";
import { rssMib, threadsCpuMs } from "./process-stats.ts";
import { argosyCommand, startModel, temporaryWorkspace } from "./servers.ts";
import { question, serverUrl, writeWorkspace } from "./workload.ts";

const { starts, rest, args } = readOptions({ starts: 15, rest: 0 });
const commands = args.length > 0 ? args.map((path) => [resolve(path)]) : [argosyCommand()];

interface Start {
  cpuMs: number;
  passedMs: number;
  runPassedMs: number;
}

/** A daemon at rest for this long keeps the values of its manifests for the next start. */
const settledMs = 1_500;

/** Starts, takes the figures, uses the daemon and stops it. */
async function started<T>(command: string[], folder: string, use: (pid: number) => Promise<T>) {
  const server = await start(
    { name: "argosy", command: () => [...command, "serve", "--services", "daemon"] },
    folder,
  );
  const figures = { cpuMs: threadsCpuMs(server.pid), passedMs: server.startMs };
  try {
    const begunMs = performance.now();
    const used = await use(server.pid);
    return { ...figures, runPassedMs: server.startMs + performance.now() - begunMs, used };
  } finally {
    await server.stop("SIGTERM");
  }
}

async function run(): Promise<void> {
  const response = await fetch(`${serverUrl}/v1/agents/plain/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: question, session_id: crypto.randomUUID() }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The run failed with status ${response.status}: ${text}`);
}

/** Starts in a new folder, rests in it, and starts again. */
async function bothStarts(command: string[]): Promise<{ empty: Start; warm: Start; restMib: number }> {
  using folder = temporaryWorkspace();
  writeWorkspace(folder.path);
  const empty = await started(command, folder.path, run);
  const { used: restMib } = await started(command, folder.path, async (pid) => {
    await Bun.sleep(Math.max(rest * 1000, settledMs));
    return rssMib(pid);
  });
  return { empty, restMib, warm: await started(command, folder.path, run) };
}

await using _ = await startModel();
const all = commands.map((command) => ({ command, found: [] as Awaited<ReturnType<typeof bothStarts>>[] }));
for (let round = 0; round < starts; round++)
  for (const { command, found } of all) found.push(await bothStarts(command));
for (const { command, found } of all) {
  const name = command.join(" ");
  for (const folder of ["warm", "empty"] as const) {
    const of = (figure: keyof Start) => median(found.map((one) => one[folder][figure])).toFixed(0);
    console.log(
      `${folder.padEnd(5)} ${of("cpuMs")} ms CPU, ${of("passedMs")} ms passed, first run after ${of("runPassedMs")} ms: ${name}`,
    );
  }
  if (rest > 0) console.log(`rest  ${median(found.map(({ restMib }) => restMib)).toFixed(1)} MiB: ${name}`);
}
