/**
 * Measures how long the executable's event loop is held up at half of the load it can bear: runs with a tool call on 16 connections, first as
 * fast as they are answered, then half as many a second. Meanwhile another connection asks `/healthz` every 5 ms, and a server without
 * load is asked in the same way, for what the machine itself adds.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/half-load.ts [--secs 20]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load } from "./load.ts";
import { start } from "./measure.ts";
import { portVariables, serverUrl, writeWorkspace } from "./workload.ts";

const { values } = parseArgs({ options: { secs: { type: "string", default: "20" } } });
const seconds = Number(values.secs);
const everyMs = 5;

const here = import.meta.dir;
const executable = join(here, "../../dist/argosy");
const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
writeWorkspace(workspace);
const model = Bun.spawn([process.execPath, join(here, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
await model.stderr.getReader().read();
using idle = Bun.serve({ port: 0, fetch: () => new Response("ok") });

/** Asks an address every 5 ms until `ended`, and returns the times of the answers, sorted, in ms. */
async function probe(url: string, ended: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!ended()) {
    const askedAt = performance.now();
    await (await fetch(url)).arrayBuffer();
    times.push(performance.now() - askedAt);
    await Bun.sleep(everyMs);
  }
  return times.sort((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number) =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);

async function during(name: string, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const ended = () => isOver;
  const probes = Promise.all([probe(`${serverUrl}/healthz`, ended), probe(idle.url.href, ended)]);
  await work;
  isOver = true;
  const shown = (await probes).map((times) => [0.5, 0.99, 1].map((share) => at(times, share)).join(" / "));
  console.log(`${name.padEnd(24)} ${shown.map((cell) => cell.padStart(20)).join("")}`);
}

try {
  const command = () => [executable, "serve", "--workspace", workspace, "--services", "daemon"];
  const server = await start({ name: "argosy", command }, workspace);
  try {
    await load("tool", 16, 10, "warm");
    const { runs, seconds: took } = await load("tool", 16, 5, "full");
    const half = Math.floor(runs / took / 2);
    console.log(`/healthz p50 / p99 / longest, ms       Argosy      server without load`);
    await during("no load", Bun.sleep(seconds * 1000));
    await during(`half load: ${half} runs/s`, load("tool", 16, seconds, "half", half));
    await during("full load", load("tool", 16, seconds, "all"));
  } finally {
    await server.stop("SIGKILL");
  }
} finally {
  model.kill();
  rmSync(workspace, { recursive: true, force: true });
}
