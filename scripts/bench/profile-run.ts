/**
 * Shows what the CPU time of a run with a tool call consists of, beside the same work by hand: 16 runs at once, as in W2, from profiles of
 * both processes, taken in turns. Argosy runs from source, so that its functions have files.
 *
 *   node_modules/.bin/bun scripts/bench/profile-run.ts [--agent tool|plain] [--warm 20] [--secs 5] [--rounds 2]
 *
 * A part has the time of its functions, and of what they call unless that has a part of its own. Times are those of the main thread; the compiler,
 * the collector of garbage, the HTTP client and the synchronisation of the disk are on other threads.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load } from "./load.ts";
import { start } from "./measure.ts";
import { cpuMs, mainThreadCpuMs } from "./process-stats.ts";
import { type PartOf, partOfHandwork, partOfRun, sharesOfParts } from "./profile-parts.ts";
import { type AgentName, agents, portVariables, writeWorkspace } from "./workload.ts";

const { values } = parseArgs({
  options: {
    agent: { type: "string", default: "tool" },
    warm: { type: "string", default: "20" },
    secs: { type: "string", default: "5" },
    rounds: { type: "string", default: "2" },
  },
});
const [warm, seconds, rounds] = [values.warm, values.secs, values.rounds].map(Number) as [
  number,
  number,
  number,
];
if (!(values.agent in agents)) throw new Error(`--agent is one of ${Object.keys(agents).join(", ")}.`);
const agent = values.agent as AgentName;
const connections = 16;
const root = join(import.meta.dir, "../..");

interface Subject {
  name: string;
  partOf: PartOf;
  command: (workspace: string) => string[];
}

const subjects: readonly Subject[] = [
  {
    name: "By hand",
    partOf: partOfHandwork,
    command: () => [join(import.meta.dir, "ceiling-full.ts")],
  },
  {
    name: "Argosy",
    partOf: partOfRun,
    command: (workspace) => [
      join(root, "src/main.ts"),
      "serve",
      "--workspace",
      workspace,
      "--services",
      "daemon",
    ],
  },
];

/** Microseconds a run by part, those of the other threads included. */
type Figures = Map<string, number>;

async function profile({ name, partOf, command }: Subject, round: number): Promise<Figures> {
  const workspace = mkdtempSync(join(tmpdir(), "argosy-bench-"));
  const profiles = join(workspace, "profiles");
  writeWorkspace(workspace);
  try {
    const profiled = (folder: string) => [
      process.execPath,
      "--cpu-prof",
      `--cpu-prof-dir=${profiles}`,
      ...command(folder),
    ];
    const server = await start({ name, command: profiled }, workspace);
    await load(agent, connections, warm, `p${round}-warm`);
    const before = { all: cpuMs(server.pid), main: mainThreadCpuMs(server.pid) };
    const { runs, errors } = await load(agent, connections, seconds, `p${round}`);
    const after = { all: cpuMs(server.pid), main: mainThreadCpuMs(server.pid) };
    await server.stop("SIGTERM");
    if (errors > 0) throw new Error(`${name}: ${errors} of ${runs + errors} runs failed`);
    const usOfMain = ((after.main - before.main) * 1_000) / runs;
    const [file = ""] = readdirSync(profiles);
    const taken = JSON.parse(readFileSync(join(profiles, file), "utf8"));
    const shares = sharesOfParts(taken, { root, partOf, lastMs: seconds * 1_000 });
    return new Map([
      ...shares.map(([part, share]): [string, number] => [part, share * usOfMain]),
      [otherThreads, ((after.all - before.all) * 1_000) / runs - usOfMain],
    ]);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

const otherThreads = "Other threads";
const mean = (figures: readonly Figures[], part: string) =>
  figures.reduce((sum, one) => sum + (one.get(part) ?? 0), 0) / figures.length;

const model = Bun.spawn([process.execPath, join(import.meta.dir, "mock-model.ts")], {
  env: { ...process.env, ...portVariables },
  stdio: ["ignore", "ignore", "pipe"],
});
try {
  await model.stderr.getReader().read();
  const figures = new Map<string, Figures[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++)
    for (const subject of subjects) {
      console.error(`round ${round}: ${subject.name}`);
      figures.get(subject.name)?.push(await profile(subject, round));
    }
  const names = subjects.map(({ name }) => name);
  const measured = names.map((name) => figures.get(name) ?? []);
  const ofArgosy = measured.at(-1) ?? [];
  const parts = [...new Set(measured.flat().flatMap((one) => [...one.keys()]))]
    .filter((part) => part !== otherThreads)
    .sort((one, other) => mean(ofArgosy, other) - mean(ofArgosy, one));
  console.log(`| CPU of a run, µs | ${names.join(" | ")} |\n|---|${names.map(() => "---:|").join("")}`);
  for (const part of [...parts, otherThreads])
    console.log(`| ${part} | ${measured.map((one) => mean(one, part).toFixed(0)).join(" | ")} |`);
  const sums = measured.map((one) =>
    [...parts, otherThreads].reduce((sum, part) => sum + mean(one, part), 0).toFixed(0),
  );
  console.log(`| All | ${sums.join(" | ")} |`);
} finally {
  model.kill();
}
