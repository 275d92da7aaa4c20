/**
 * Sends single documents of one sentence, one after the other, to a server of its own, or texts for an agent's memory (`--memory`).
 * Measures memory and disk, and shows whether their growth ends.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/ingest-soak.ts [--count 100000] [--every 1000] [--memory] [--rss-max 450]
 *
 * Prints a line every `--every` documents. `ms` is the mean time of one document since the last line, `p99` the 99th percentile, `peak` the
 * most memory that the process ever had. Exits with status 1 if that is more than `--rss-max` MiB. Linux only.
 */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { quantiles } from "./figures.ts";
import { readOptions } from "./options.ts";
import { peakRssMib, rssMib } from "./process-stats.ts";
import { startArgosy, temporaryWorkspace } from "./servers.ts";

const { count, every, memory, ...options } = readOptions({
  count: 100_000,
  every: 1000,
  memory: false,
  "rss-max": 450,
});

using folder = temporaryWorkspace({
  "agents/soak.agent.yaml": {
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "soak" },
    spec: { model: { primary: { provider: "ollama", model: "none" } }, memory: { semantic: {} } },
  },
});
await using server = await startArgosy(folder.path, "daemon");

async function send(path: string, body: object): Promise<void> {
  const answer = await fetch(`${server.urlOf("daemon")}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} is ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

const sentence = (index: number) =>
  `Sentence number ${index} tells of the weather in town ${index % 97} on day ${index % 365}.`;

const soaked = (index: number) =>
  memory
    ? send("/v1/memory/soak/semantic", { text: sentence(index) })
    : send("/v1/rag/ingest", { collection: "soak", documents: [{ text: sentence(index) }] });

/** Counts versions and data files of vectors, and all MiB without the unpacked library. */
function onDisk(): string[] {
  const paths = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.includes("/native/"),
  );
  const counted = (pattern: RegExp) => paths.filter((path) => pattern.test(path)).length;
  const bytes = paths.reduce(
    (sum, path) => sum + (statSync(join(folder.path, path), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  const [versions, files] = [
    /\/vectors\/(rag|memory)-.*\.manifest$/,
    /\/vectors\/(rag|memory)-.*\/data\/.*\.lance$/,
  ];
  return [counted(versions), counted(files), bytes / 1024 ** 2].map((figure) => figure.toFixed(0));
}

const line = (cells: readonly string[]) => console.log(cells.map((cell) => cell.padStart(10)).join(""));
line(["documents", "rss MiB", "peak", "ms", "p99", "versions", "files", "disk MiB"]);
let taken: number[] = [];
for (let index = 1; index <= count; index++) {
  const startedMs = performance.now();
  await soaked(index);
  taken.push(performance.now() - startedMs);
  if (index % every !== 0) continue;
  const mean = taken.reduce((sum, ms) => sum + ms, 0) / taken.length;
  const memoryNow = [rssMib(server.pid), peakRssMib(server.pid)].map((mib) => mib.toFixed(0));
  line([`${index}`, ...memoryNow, mean.toFixed(1), ...quantiles(taken, [0.99]), ...onDisk()]);
  taken = [];
}
const highest = Math.round(peakRssMib(server.pid));
console.log(`highest ${highest} MiB of ${options["rss-max"]}`);
process.exitCode = highest > options["rss-max"] ? 1 : 0;
