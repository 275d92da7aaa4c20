/**
 * Measures the executable against its ceilings on the same work, in turns, and prints the medians:
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/run.ts [--secs 3] [--rounds 3] [--only W2,argosy] [--json]
 *
 * --only takes workloads (W1 W2 W3 W3paced W4 W5 W6) and systems (bun full argosy); --json prints the raw figures. Linux only: CPU time
 * and memory come from /proc. Judge by CPU and by ratios; rates depend on the machine's other load.
 */
import { join } from "node:path";
import { measure, type Row, type System, type Workload } from "./measure.ts";
import { readOptions } from "./options.ts";
import { doubts, report } from "./report.ts";
import { argosyCommand, startModel } from "./servers.ts";
import { modelUrl } from "./workload.ts";

const options = readOptions({ secs: 3, rounds: 3, only: "", json: false });

const ceiling = (name: string) => () => [process.execPath, join(import.meta.dir, `ceiling-${name}.ts`)];
const allSystems: readonly System[] = [
  { name: "bun", command: ceiling("bun") },
  { name: "full", command: ceiling("full") },
  {
    name: "argosy",
    command: (workspace) => [...argosyCommand(), "serve", "--workspace", workspace, "--services", "daemon"],
  },
];
const allWorkloads: readonly Workload[] = ["W1", "W2", "W3", "W3paced", "W4", "W5", "W6"];

const chosen = options.only.split(",").filter((word) => word !== "");
const choose = <T extends string>(all: readonly T[]) => {
  const named = all.filter((name) => chosen.includes(name));
  return named.length > 0 ? named : all;
};
const only = new Set(choose(allWorkloads));
const names = choose(allSystems.map(({ name }) => name));

await using _ = await startModel();
const rows: Row[] = [];
for (let round = 1; round <= options.rounds; round++)
  for (const system of allSystems.filter(({ name }) => names.includes(name))) {
    console.error(`round ${round}: ${system.name} against ${modelUrl}`);
    rows.push(await measure(system, round, { seconds: options.secs, only }));
  }
if (options.json) console.log(JSON.stringify(rows));
else
  for (const name of ["bun", "full"])
    if (names.includes(name)) console.log(`${report(rows, name, "argosy")}\n`);
for (const doubt of doubts(rows)) console.error(`doubtful: ${doubt}`);
