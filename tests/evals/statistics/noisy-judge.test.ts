import { expect, test } from "bun:test";
import type { CaseResult } from "../../../src/contracts/evals/eval-run.ts";
import type { CheckPorts } from "../../../src/evals/checks/check.ts";
import { judge } from "../../../src/evals/checks/judge.ts";
import { fixedAnswer } from "../../../src/evals/checks/observation.ts";
import { summarize } from "../../../src/evals/report/summarize.ts";

const defaults = { embedder: "local_hash", judge: { model: "lab/judge", votes: 1 } };
const signal = new AbortController().signal;

/** Numbers from 0 to 1 that look random and are the same each time (mulberry32). */
function drawn(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Plan {
  seed: number;
  /** Chance by target that the judge lets an answer pass. */
  chances: Record<string, number>;
  votes?: number;
  cases?: number;
  repeat?: number;
}

/** Figures of a run whose judge answers by chance, whatever the answer is. */
async function noisyRun({ seed, chances, votes = 1, cases = 20, repeat = 3 }: Plan) {
  const random = drawn(seed);
  let chance = 0;
  const ports: CheckPorts = {
    embed: async () => [],
    judge: async () => ({
      text: JSON.stringify({ reason: "It depends.", score: random() < chance ? 1 : 0 }),
      costUsd: 0,
    }),
  };
  const built = judge({ rubric: "Is it polite?", min_score: 0.5, votes }, defaults);
  if ("problem" in built) throw new Error(built.problem);
  const results: CaseResult[] = [];
  for (const [target, passes] of Object.entries(chances)) {
    chance = passes;
    for (let number = 0; number < cases * repeat; number++) {
      const { passed } = await built.perform(fixedAnswer("q", "the same answer"), {}, ports, signal);
      const result = { case: `c${number % cases}`, target, repeat: 1 + Math.floor(number / cases), passed };
      results.push({ ...result, checks: [], tokens: 0, cost_usd: 0, latency_ms: 1 } as never);
    }
  }
  const targets = Object.keys(chances);
  return summarize({ targets, cases, repeat }, results, "complete");
}

const claims = (run: Awaited<ReturnType<typeof noisyRun>>) =>
  run.targets.some(({ against_first }) => against_first?.note.includes("a real difference is likely"));

const runs = 300;
const shareOf = async (
  plan: Omit<Plan, "seed">,
  holds: (run: Awaited<ReturnType<typeof noisyRun>>) => boolean,
) => {
  let held = 0;
  for (let seed = 1; seed <= runs; seed++) if (holds(await noisyRun({ seed, ...plan }))) held++;
  return held / runs;
};

// 5 % and twice the standard error of 300 runs.
const falseClaimsMax = 0.05 + 2 * Math.sqrt((0.05 * 0.95) / runs);

test("of two equal targets, a noisy judge seldom makes one look better", async () => {
  expect(await shareOf({ chances: { a: 0.5, b: 0.5 } }, claims)).toBeLessThan(falseClaimsMax);
  expect(await shareOf({ chances: { a: 0.8, b: 0.8 }, repeat: 1 }, claims)).toBeLessThan(falseClaimsMax);
});

test("of nine equal targets, a noisy judge seldom makes any look better", async () => {
  const chances = Object.fromEntries([..."abcdefghi"].map((name) => [name, 0.5]));
  expect(await shareOf({ chances }, claims)).toBeLessThan(falseClaimsMax);
});

test("the interval of a noisy target has its true rate nearly always", async () => {
  const holds = await shareOf({ chances: { a: 0.5 } }, ({ targets: [target] }) => {
    const [low, high] = target?.interval ?? [1, 0];
    return low <= 0.5 && 0.5 <= high;
  });
  expect(holds).toBeGreaterThan(0.93);
});

test("repeats tell the cases about which the judge is of two minds", async () => {
  const { targets } = await noisyRun({ seed: 7, chances: { a: 0.5 }, repeat: 10 });
  expect(targets[0]?.unstable).toHaveLength(20);
});

test("a great difference is still seen through the noise", async () => {
  expect(await shareOf({ chances: { a: 0.2, b: 0.9 } }, claims)).toBeGreaterThan(0.95);
});
