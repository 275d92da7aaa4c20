/**
 * Measures the executable against its ceilings on the same work, in turns, and prints the medians:
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/run.ts [--secs 3] [--rounds 3] [--only W2,argosy] [--json]
 *
 * --only takes workloads (W1 W2 W3 W3paced W4 W5 W6) and systems (bun full elysia argosy); --json prints the raw figures. Linux only: CPU time
 * and memory come from /proc. Judge by CPU and by ratios; rates depend on the machine's other load.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measure, type Row, type System, type Workload } from "./measure.ts";
import { doubts, report } from "./report.ts";
import { modelUrl, portVariables } from "./workload.ts";

const { values } = parseArgs({
  options: {
    secs: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    json: { type: "boolean", default: false },
  },
});

const here = import.meta.dir;
const executable = join(here, "../../dist/argosy");
const bun = process.execPath;
const allSystems: readonly System[] = [
  { name: "bun", command: () => [bun, join(here, "ceiling-bun.ts")] },
  { name: "full", command: () => [bun, join(here, "ceiling-full.ts")] },
  { name: "elysia", command: () => [bun, join(here, "ceiling-elysia.ts")] },
  {
    name: "argosy",
    command: (workspace) => [executable, "serve", "--workspace", workspace, "--services", "daemon"],
  },
];
const allWorkloads: readonly Workload[] = ["W1", "W2", "W3", "W3paced", "W4", "W5", "W6"];

const chosen = values.only.split(",").filter((word) => word !== "");
const choose = <T extends string>(all: readonly T[]) => {
  const named = all.filter((name) => chosen.includes(name));
  return named.length > 0 ? named : all;
};
const only = new Set(choose(allWorkloads));
const names = choose(allSystems.map(({ name }) => name));
const systems = allSystems.filter(({ name }) => names.includes(name));
if (names.includes("argosy") && !existsSync(executable)) {
  console.error("dist/argosy is missing: run scripts/build first.");
  process.exit(1);
}

const model = Bun.spawn([bun, join(here, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
try {
  const said = new TextDecoder().decode((await model.stderr.getReader().read()).value);
  if (!said.startsWith("mock model on")) throw new Error(`the mock model does not start: ${said}`);
  const rows: Row[] = [];
  for (let round = 1; round <= Number(values.rounds); round++)
    for (const system of systems) {
      console.error(`round ${round}: ${system.name} against ${modelUrl}`);
      rows.push(await measure(system, round, { seconds: Number(values.secs), only }));
    }
  if (values.json) console.log(JSON.stringify(rows));
  else
    for (const ceiling of ["bun", "full"])
      if (names.includes(ceiling)) console.log(`${report(rows, ceiling, "argosy")}\n`);
  for (const doubt of doubts(rows)) console.error(`doubtful: ${doubt}`);
} finally {
  model.kill();
}
