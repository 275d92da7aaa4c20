import { heapStats } from "bun:jsc";
import { describe, expect, test } from "bun:test";
import type { CaseResult } from "../../../src/contracts/evals/eval-run.ts";
import { compileChecks } from "../../../src/evals/checks/compile-checks.ts";
import { createDocumentAllowance } from "../../../src/evals/checks/document-allowance.ts";
import { fixedAnswer, type Observation } from "../../../src/evals/checks/observation.ts";
import type { LoadedCase } from "../../../src/evals/dataset/compile-cases.ts";
import { type Attempt, planAttempts, targetsOf } from "../../../src/evals/running/plan-attempts.ts";
import { type AttemptPorts, runAttempts } from "../../../src/evals/running/run-attempts.ts";
import { AppError, toAppError } from "../../../src/kit/app-error.ts";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";

const signal = new AbortController().signal;

function caseOf(id: string, entries: object[] = [], more: Partial<LoadedCase> = {}): LoadedCase {
  const defaults = { embedder: "local_hash", judge: { votes: 1 } };
  return {
    id,
    turns: [{ query: `ask ${id}`, context: {}, checks: [] }],
    checks: atOnce(
      compileChecks(entries, "checks", { defaults, allowance: createDocumentAllowance(), problems: [] }),
    ),
    tags: [],
    stubs: [],
    ...more,
  };
}

const cases = (count: number, entries: object[] = []) =>
  Array.from({ length: count }, (_, index) => caseOf(`c${index + 1}`, entries));

/** Ports whose agent answers at once, and a list of what was asked and kept. */
function stage(answer: (attempt: Attempt) => Partial<Observation> = () => ({})) {
  const asked: string[] = [];
  const kept: CaseResult[] = [];
  let atOnce = 0;
  let most = 0;
  const ports: AttemptPorts = {
    async ask(attempt) {
      asked.push(attempt.case.id);
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
      return [{ ...fixedAnswer("q", "yes"), ...answer(attempt) }];
    },
    checks: { embed: async () => [], judge: async () => ({ text: "", costUsd: 0 }) },
    keep: (result) => void kept.push(result),
  };
  return { ports, asked, kept, most: () => most };
}

const dollars = (limit: number) => ({ limit, costOf: ({ cost_usd: cost }: CaseResult) => cost });

const options = (more: object = {}) => ({ concurrency: 1, textCharsMax: 1000, earlier: [], signal, ...more });

test("runs the matrix: every case with every target, repetitions last, results in that order", async () => {
  const targets = targetsOf(["a/b", "a/c"], [{ name: "short", prompt: "Be short." }]);
  expect(targets.map(({ name }) => name)).toEqual(["a/b", "a/b + short", "a/c", "a/c + short"]);
  const { ports, most } = stage();
  const attempts = planAttempts(cases(3), targets, 2);
  const { results, ending } = await runAttempts(attempts, ports, options({ concurrency: 5 }));
  expect([results.length, ending, most()]).toEqual([24, "complete", 5]);
  expect(results.slice(0, 5).map((result) => [result.case, result.target, result.repeat])).toEqual([
    ["c1", "a/b", 1],
    ["c1", "a/b + short", 1],
    ["c1", "a/c", 1],
    ["c1", "a/c + short", 1],
    ["c2", "a/b", 1],
  ]);
});

const own = targetsOf([], []);

describe("a budget", () => {
  test.each([1, 4])("is exceeded by no more than the %d cases under way", async (concurrency) => {
    const { ports } = stage(() => ({ costUsd: 0.4 }));
    const run = await runAttempts(
      planAttempts(cases(50), own, 1),
      ports,
      options({ concurrency, budget: dollars(1) }),
    );
    expect(run.ending).toBe("budget");
    const spent = run.results.reduce((sum, { cost_usd: cost }) => sum + (cost ?? 0), 0);
    expect(spent).toBeGreaterThanOrEqual(1);
    expect(spent).toBeLessThan(1 + concurrency * 0.4);
  });

  test("counts what an interrupted run has spent before", async () => {
    const { ports, asked } = stage(() => ({ costUsd: 1 }));
    const first = await runAttempts(planAttempts(cases(3), own, 1), ports, options({ budget: dollars(2) }));
    expect(first.results).toHaveLength(2);
    const again = await runAttempts(
      planAttempts(cases(3), own, 1),
      ports,
      options({ budget: dollars(2), earlier: first.results }),
    );
    expect([again.ending, asked.length]).toEqual(["budget", 2]);
  });

  test("can't be kept once a cost is unknown", async () => {
    const unpriced = stage();
    unpriced.ports.ask = async () => {
      const { costUsd: _, ...seen } = fixedAnswer("q", "yes");
      return [seen];
    };
    const attempts = planAttempts(cases(3), own, 1);
    const run = await runAttempts(attempts, unpriced.ports, options({ budget: dollars(1) }));
    expect([run.ending, run.results.length]).toEqual(["unpriced", 1]);
    expect(await runAttempts(attempts, unpriced.ports, options())).toMatchObject({ ending: "complete" });
  });

  test("of a run whose last case used it up is kept: nothing is left to start", async () => {
    const { ports } = stage(() => ({ costUsd: 1 }));
    expect(
      await runAttempts(planAttempts(cases(1), own, 1), ports, options({ budget: dollars(1) })),
    ).toMatchObject({ ending: "complete" });
  });
});

describe("what fails a case without a check", () => {
  const failed = { error: { code: "provider_failed", message: "It is down." } };
  const only = async (one: LoadedCase, seen: Partial<Observation>) =>
    (await runAttempts(planAttempts([one], own, 1), stage(() => seen).ports, options())).results[0];

  test("a failed run, unless a check expects it", async () => {
    expect(await only(caseOf("a"), failed)).toMatchObject({
      passed: false,
      checks: [{ check: "run", reason: "provider_failed: It is down." }],
    });
    expect(await only(caseOf("a", [{ error: "provider_failed" }]), failed)).toMatchObject({ passed: true });
  });

  test("an agent that did not run, for any expected check", async () => {
    const missing = { error: { code: "not_recorded", message: "There is no recording." } };
    for (const entry of [{ guardrail: "passed" }, { error: "not_recorded" }])
      expect(await only(caseOf("a", [entry]), missing)).toMatchObject({ passed: false });
    expect(await only(caseOf("a", [{ guardrail: "passed" }]), failed)).toMatchObject({ passed: false });
  });

  test("a call that no stub fits", async () => {
    const output = {
      success: false,
      error: "No stub fits this call of mail, and this run carries out no others.",
    };
    const seen = { calls: [{ tool: "mail", input: { to: "ann" }, output }] };
    expect(await only(caseOf("a"), seen)).toMatchObject({
      passed: false,
      checks: [{ check: "stubs", reason: 'mail was called with {"to":"ann"}, and no stub fits' }],
    });
  });

  test("a slow answer does not", async () => {
    expect(await only(caseOf("a", [{ max_latency_ms: 1 }]), { latencyMs: 9 })).toMatchObject({
      passed: true,
    });
  });
});

test("a fixed answer is checked without the agent", async () => {
  const { ports, asked } = stage();
  const one = caseOf("a", [{ contains: "yes" }], { answer: "Yes.", label: "pass" });
  const { results } = await runAttempts(planAttempts([one], own, 1), ports, options());
  expect([asked, results[0]?.passed, results[0]?.label]).toEqual([[], true, "pass"]);
});

test("a fault that every case would have ends the run with it, after the finished cases were kept", async () => {
  const { ports, kept } = stage(({ case: { id } }) => {
    if (id === "c3") throw new AppError("not_found", "agent_not_found", "There is no agent.");
    return {};
  });
  const thrown = await runAttempts(planAttempts(cases(9), own, 1), ports, options()).catch((error) => error);
  expect([toAppError(thrown).code, kept.length]).toEqual(["agent_not_found", 2]);
});

test("an abort keeps what is finished and says that the run was interrupted", async () => {
  const stop = new AbortController();
  const { ports, kept } = stage(({ case: { id } }) => {
    if (id === "c3") stop.abort();
    return {};
  });
  const run = await runAttempts(planAttempts(cases(9), own, 1), ports, options({ signal: stop.signal }));
  expect([run.ending, run.results.length, kept.length]).toEqual(["interrupted", 2, 2]);
});

test("keeps what is stored of long answers, and nothing else in memory", async () => {
  const answerChars = 8 * 1024 * 1024;
  const kept: CaseResult[] = [];
  const heapMiB = () => {
    Bun.gc(true);
    return heapStats().heapSize / 1024 / 1024;
  };
  const before = heapMiB();
  const { results } = await runAttempts(
    planAttempts(
      cases(60, [{ equals: "x" }, { regex: "no" }, { json_path: { path: "$" } }]),
      [{ name: "agent" }],
      1,
    ),
    {
      ask: async ({ case: { id } }) => [
        fixedAnswer("q", Buffer.alloc(answerChars, `${id} said `).toString()),
      ],
      checks: undefined as never,
      keep: (result) => void kept.push(result),
    },
    options(),
  );
  expect(heapMiB() - before).toBeLessThan(60);
  expect(kept).toHaveLength(60);
  expect(results).toEqual(kept);
  for (const { turns } of results) expect(turns[0]?.response).toHaveLength(1001);
});
