/**
 * Records which functions a start of the daemon uses, in their order:
 *
 *   node_modules/.bin/bun scripts/building/record-start.ts [EXECUTABLE]
 *
 * Builds put the bytecode of these functions together, so that a start reads less of the executable: 8 MiB less resident memory. Functions
 * are known by a hash of their syntax, so the record stays useful while the code changes; record again when `scripts/bench/cold-start.ts`
 * shows more memory than docs/limits.md.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { portVariables, serverUrl, writeWorkspace } from "../bench/workload.ts";
import { startOrder } from "./compile.ts";

const executable = resolve(process.argv[2] ?? join(import.meta.dir, "../../dist/argosy"));
/** Time for the first rounds of the workers. */
const restMs = 3_000;

const folder = mkdtempSync(join(tmpdir(), "argosy-start-"));
try {
  writeWorkspace(folder);
  const recorded = join(folder, "order");
  const child = Bun.spawn([executable, "serve", "--services", "daemon"], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...portVariables,
      BENCH_MODEL_KEY: "key",
      BUN_BYTECODE_ORDER_OUT: recorded,
    },
    stdio: ["ignore", "ignore", "ignore"],
  });
  await Bun.sleep(restMs);
  const { ok } = await fetch(`${serverUrl}/healthz`);
  child.kill("SIGTERM");
  if (!ok || (await child.exited) !== 0)
    throw new Error(`${executable} did not start and stop as it should.`);
  const lines = readFileSync(recorded, "utf8").split("\n");
  // Functions and modules. Their strings and constants are twenty times as many lines and save another 2 MiB.
  const kept = lines.filter((line) => /^(v\d|[FMN] )/.test(line));
  writeFileSync(startOrder, `${kept.join("\n")}\n`);
  console.log(`${startOrder}: ${kept.length - 1} functions and modules`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
