/**
 * Prints where the CPU time of one run goes, stage by stage, and what a run creates, in one process without sockets:
 *
 *   node_modules/.bin/bun scripts/bench/stages.ts [--runs 400] [--rounds 9]
 *
 * Each stage is the difference of two agents that differ only in it, measured in turns. The
 * figures are those of the best round, because other work on the machine only adds to them.
 */
import { parseArgs } from "node:util";
import { countObjects, countRuns, openStatementCount, type StatementCount } from "./run-counts.ts";
import { openStageWorld, type StageWorld, type Variant } from "./stage-world.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "400" }, rounds: { type: "string", default: "9" } },
});
const runs = Number(values.runs);
/** Runs at once, as in W1 and W2. */
const lanes = 16;

let session = 0;
async function runMany(world: StageWorld, agent: Variant | "door", count: number): Promise<void> {
  const first = session;
  session += count;
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (next < count) {
        const turn = next++;
        await (agent === "door" ? world.knock() : world.run(agent, `s${first + (turn % 64)}`));
      }
    }),
  );
}

async function cpuUs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / runs;
}

const subjects = ["door", "bare", "guarded", "traced", "stored", "tooled", "whole"] as const;
type Subject = (typeof subjects)[number];

async function printStages(world: StageWorld): Promise<void> {
  const rounds: Record<Subject, number>[] = [];
  for (let round = 0; round <= Number(values.rounds); round++) {
    const figures: Partial<Record<Subject, number>> = {};
    for (const subject of subjects) figures[subject] = await cpuUs(() => runMany(world, subject, runs));
    // The first round is a warm-up.
    if (round > 0) rounds.push(figures as Record<Subject, number>);
  }
  const best = Object.fromEntries(
    subjects.map((subject) => [subject, Math.min(...rounds.map((round) => round[subject]))]),
  ) as Record<Subject, number>;
  const of = (figure: (round: Record<Subject, number>) => number) => figure(best).toFixed(1);
  const stages: [string, string][] = [
    ["door: host, credentials, route, answer", of(({ door }) => door)],
    ["admission and frame, with one model call", of(({ bare, door }) => bare - door)],
    ["guardrails of question and answer", of(({ guarded, bare }) => guarded - bare)],
    ["trace", of(({ traced, bare }) => traced - bare)],
    ["conversation in SQLite", of(({ stored, bare }) => stored - bare)],
    ["tool call, with a second model call", of(({ tooled, bare }) => tooled - bare)],
    ["a whole run", of(({ whole }) => whole)],
  ];
  console.log("| stage | CPU, µs/run |\n| --- | ---: |");
  for (const [name, us] of stages) console.log(`| ${name} | ${us} |`);
}

async function printCounts(world: StageWorld, statements: StatementCount): Promise<void> {
  console.log("\n| agent | statements | timers | AbortControllers | joined signals | objects |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const agent of ["bare", "whole"] as const) {
    const objects = await countObjects(20, () => runMany(world, agent, 20));
    const counted = await countRuns(runs, { clock: world.clock, statements }, () =>
      runMany(world, agent, runs),
    );
    const { timers, abortControllers, joinedSignals } = counted;
    const shown = [counted.statements, timers, abortControllers, joinedSignals].map((count) =>
      count.toFixed(2),
    );
    console.log(`| ${agent} | ${shown.join(" | ")} | ${objects.toFixed(0)} |`);
  }
}

const statements = openStatementCount();
const world = await openStageWorld();
await printStages(world);
await printCounts(world, statements);
await world[Symbol.asyncDispose]();
process.exit();
