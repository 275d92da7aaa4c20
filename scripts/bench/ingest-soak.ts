/**
 * Sends single documents of one sentence, one after the other, to a server of its own, or texts for an agent's memory (`--memory`).
 * Measures memory and disk, and shows whether their growth ends.
 *
 *   bun scripts/bench/ingest-soak.ts [--count 100000] [--every 1000] [--memory] [--program dist/argosy] [--rss-max 450]
 *
 * Prints a line every `--every` documents. `ms` is the mean time of one document since the last line, `p99` the 99th percentile, `peak` the
 * most memory that the process ever had. Exits with status 1 if that is more than `--rss-max` MiB. Linux only.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { peakRssMib, rssMib } from "./process-stats.ts";

const root = join(import.meta.dir, "../..");
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    every: { type: "string", default: "1000" },
    memory: { type: "boolean", default: false },
    program: { type: "string" },
    "rss-max": { type: "string", default: "450" },
  },
});
const count = Number(values.count);
const every = Number(values.every);
const rssMax = Number(values["rss-max"]);

using folder = temporaryFolder();
mkdirSync(join(folder.path, "agents"));
const agent = {
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "soak" },
  spec: { model: { primary: { provider: "ollama", model: "none" } }, memory: { semantic: {} } },
};
writeFileSync(join(folder.path, "agents", "soak.agent.yaml"), JSON.stringify(agent));

const program =
  values.program === undefined ? [process.execPath, join(root, "src/main.ts")] : [values.program];
const server = Bun.spawn(
  [...program, "serve", "--services", "daemon", "--json", "--workspace", folder.path],
  {
    env: { PATH: process.env.PATH, HOME: folder.path, PLATFORM_PORT: "0", PLATFORM_AUTO_CONFIG: "false" },
    stdio: ["ignore", "pipe", "ignore"],
  },
);
const ready = new TextDecoder().decode((await server.stdout.getReader().read()).value);
const { url } = JSON.parse(ready).services[0];
const soaked = values.memory
  ? (index: number) => send("/v1/memory/soak/semantic", { text: sentence(index) })
  : (index: number) => send("/v1/rag/ingest", { collection: "soak", documents: [{ text: sentence(index) }] });

let highest = 0;
let taken: number[] = [];
try {
  console.log("documents   rss MiB  peak     ms    p99   versions   files   disk MiB");
  report(0);
  for (let index = 1; index <= count; index++) {
    const startedMs = performance.now();
    await soaked(index);
    taken.push(performance.now() - startedMs);
    if (index % every === 0) report(index);
  }
} finally {
  server.kill();
  await server.exited;
}
console.log(`highest ${highest} MiB of ${rssMax}`);
if (highest > rssMax) process.exitCode = 1;

async function send(path: string, body: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} is ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Returns a unique sentence. */
function sentence(index: number): string {
  return `Sentence number ${index} tells of the weather in town ${index % 97} on day ${index % 365}.`;
}

function report(index: number): void {
  const rss = Math.round(rssMib(server.pid));
  highest = Math.round(peakRssMib(server.pid));
  taken.sort((a, b) => a - b);
  const mean = taken.reduce((sum, ms) => sum + ms, 0) / Math.max(1, taken.length);
  const p99 = taken[Math.floor(taken.length * 0.99)] ?? 0;
  const { versions, files, bytes } = onDisk(folder.path);
  const cells = [
    index,
    rss,
    highest,
    mean.toFixed(1),
    p99.toFixed(1),
    versions,
    files,
    Math.round(bytes / 1024 ** 2),
  ];
  console.log(cells.map((cell, at) => String(cell).padStart([9, 10, 6, 7, 7, 9, 8, 9][at] ?? 0)).join(""));
  taken = [];
}

/** Counts versions and data files of vectors, and all bytes without the unpacked library. */
function onDisk(data: string): { versions: number; files: number; bytes: number } {
  let versions = 0;
  let files = 0;
  let bytes = 0;
  for (const path of readdirSync(data, { recursive: true, encoding: "utf8" })) {
    if (path.includes("/native/")) continue;
    if (/\/vectors\/(rag|memory)-.*\.manifest$/.test(path)) versions++;
    if (/\/vectors\/(rag|memory)-.*\/data\/.*\.lance$/.test(path)) files++;
    bytes += statSync(join(data, path), { throwIfNoEntry: false })?.size ?? 0;
  }
  return { versions, files, bytes };
}
