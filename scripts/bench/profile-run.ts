/**
 * Shows what the CPU time of a run consists of, or that of a streamed token, beside the same work by hand, from profiles of both processes, taken
 * in turns. Argosy runs from source, so that its functions have files.
 *
 *   node_modules/.bin/bun scripts/bench/profile-run.ts [--load tool|plain|fast|paced] [--warm 20] [--secs 5] [--rounds 2]
 *
 * `tool` and `plain` are 16 runs at once, with and without a tool call (W2, W1); `fast` 16 streams at full speed, and `paced` 64 streams of
 * 100 tokens a second (W3).
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
import { sseStreamer } from "./streams.ts";
import { portVariables, tokensOf, writeWorkspace } from "./workload.ts";

const { values } = parseArgs({
  options: {
    load: { type: "string", default: "tool" },
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

/** Loads the server for so long, and returns how many units were answered. */
type Load = (seconds: number, tag: string) => Promise<number>;

const runsOf =
  (agent: "tool" | "plain"): Load =>
  async (forSeconds, tag) => {
    const { runs, errors } = await load(agent, 16, forSeconds, tag);
    if (errors > 0) throw new Error(`${errors} of ${runs + errors} runs failed`);
    return runs;
  };

const tokensOfStreams =
  (agent: "plain" | "paced", atOnce: number): Load =>
  async (forSeconds, tag) => {
    const stream = sseStreamer(agent);
    const endsAt = performance.now() + forSeconds * 1_000;
    let streams = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        while (performance.now() < endsAt) {
          const { complete } = await stream(`${tag}-${streams++}`);
          if (!complete) throw new Error("a stream broke off");
        }
      }),
    );
    return streams * tokensOf(agent);
  };

const loads: Readonly<Record<string, { unit: string; load: Load }>> = {
  tool: { unit: "run", load: runsOf("tool") },
  plain: { unit: "run", load: runsOf("plain") },
  fast: { unit: "token", load: tokensOfStreams("plain", 16) },
  paced: { unit: "token", load: tokensOfStreams("paced", 64) },
};
const chosen = loads[values.load];
if (chosen === undefined) throw new Error(`--load is one of ${Object.keys(loads).join(", ")}.`);
const { unit, load: loadFor } = chosen;
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

/** Microseconds of a run or token by part, those of the other threads included. */
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
    await loadFor(warm, `p${round}-warm`);
    const before = { all: cpuMs(server.pid), main: mainThreadCpuMs(server.pid) };
    const startedAt = performance.now();
    const units = await loadFor(seconds, `p${round}`);
    const lastMs = performance.now() - startedAt;
    const after = { all: cpuMs(server.pid), main: mainThreadCpuMs(server.pid) };
    await server.stop("SIGTERM");
    const usOfMain = ((after.main - before.main) * 1_000) / units;
    const [file = ""] = readdirSync(profiles);
    const taken = JSON.parse(readFileSync(join(profiles, file), "utf8"));
    const shares = sharesOfParts(taken, { root, partOf, lastMs });
    return new Map([
      ...shares.map(([part, share]): [string, number] => [part, share * usOfMain]),
      [otherThreads, ((after.all - before.all) * 1_000) / units - usOfMain],
    ]);
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

const otherThreads = "Other threads";
const mean = (figures: readonly Figures[], part: string) =>
  figures.reduce((sum, one) => sum + (one.get(part) ?? 0), 0) / figures.length;

const shown = (us: number) => us.toFixed(unit === "run" ? 0 : 2);

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
  console.log(`| CPU of a ${unit}, µs | ${names.join(" | ")} |\n|---|${names.map(() => "---:|").join("")}`);
  for (const part of [...parts, otherThreads])
    console.log(`| ${part} | ${measured.map((one) => shown(mean(one, part))).join(" | ")} |`);
  const sums = measured.map((one) =>
    shown([...parts, otherThreads].reduce((sum, part) => sum + mean(one, part), 0)),
  );
  console.log(`| All | ${sums.join(" | ")} |`);
} finally {
  model.kill();
}
