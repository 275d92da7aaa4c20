/**
 * Runs an agent with a tool, memory, guardrails and traces many times, and prints how the executable's memory changes:
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/memory-growth.ts [--runs 100000] [--warm 100000]
 *
 * Growth is measured between two rests, after the warm-up and after the runs: memory under load shows how fast garbage is created, not what
 * stays. The warm-up is long because two caches fill first: the ends of recent conversations (8 Mi characters) and the latest 50,000 model
 * calls.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load } from "./load.ts";
import { start } from "./measure.ts";
import { rssMib } from "./process-stats.ts";
import { portVariables, writeWorkspace } from "./workload.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "100000" }, warm: { type: "string", default: "100000" } },
});

const here = import.meta.dir;
const executable = join(here, "../../dist/argosy");
const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
writeWorkspace(workspace);
const model = Bun.spawn([process.execPath, join(here, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
await model.stderr.getReader().read();

const restMs = 15_000;

async function runMany(wanted: number, tag: string): Promise<number> {
  let runs = 0;
  for (let part = 0; runs < wanted; part++) runs += (await load("tool", 16, 3, `${tag}${part}`)).runs;
  await Bun.sleep(restMs);
  return runs;
}

try {
  const command = () => [executable, "serve", "--workspace", workspace, "--services", "daemon"];
  const server = await start({ name: "argosy", command }, workspace);
  try {
    const warm = await runMany(Number(values.warm), "warm");
    const before = rssMib(server.pid);
    console.log(`after ${warm} runs at rest: ${before.toFixed(1)} MiB`);
    const runs = await runMany(Number(values.runs), "many");
    const after = rssMib(server.pid);
    console.log(
      `after ${runs} more at rest: ${after.toFixed(1)} MiB (${(after - before).toFixed(1)} MiB more)`,
    );
  } finally {
    await server.stop("SIGKILL");
  }
} finally {
  model.kill();
  rmSync(workspace, { recursive: true, force: true });
}
