import { expect, test } from "bun:test";
import { fixedAnswer } from "../../../src/evals/checks/observation.ts";
import { readSentEval } from "../../../src/evals/hosted/read-eval.ts";
import { beyondCaseWork } from "../../../src/evals/running/evaluate-case.ts";
import { toAppError } from "../../../src/kit/app-error.ts";
import { stepsCounted } from "../../../src/kit/concurrency/others-turn.ts";
import { hostileChecks, hostileDocuments, judgeOne } from "../../support/hostile-evals.ts";
import { longestBlockMs } from "../../support/processor-time.ts";

/** Twice the goal of 50 ms: code that runs for the first time is slower. */
const blockMsMax = 100;

/** Rows whose checks end within the allowance, since each of them is cheap or bounded by itself. */
const affordable = new Set(["contains, marks", "equals, marks"]);

test.each(hostileChecks)(
  "checks of an eval hold the main thread for no more than a piece: %s",
  async (name, checks, answer) => {
    let reasons: string[] = [];
    await judgeOne(checks.slice(0, 1), fixedAnswer("q", answer.slice(0, 100)));
    const ms = await longestBlockMs(async () => {
      reasons = await judgeOne(checks, fixedAnswer("q", answer));
    });
    expect(ms).toBeLessThan(blockMsMax);
    expect(reasons).toHaveLength(checks.length);
    expect(reasons.includes(beyondCaseWork)).toBe(!affordable.has(name));
  },
);

test("all checks of a case draw from one allowance", async () => {
  const [, checks = [], answer = ""] = hostileChecks[0] ?? [];
  const stepsOf = async (count: number) => {
    const before = stepsCounted();
    await judgeOne(checks.slice(0, count), fixedAnswer("q", answer));
    return stepsCounted() - before;
  };
  await stepsOf(1);
  // Compiling each check counts as well, and little.
  expect(await stepsOf(64)).toBeLessThan(1.5 * (await stepsOf(2)));
});

test("a cheap check beside them passes when it comes before the allowance is used up", async () => {
  const reasons = await judgeOne([{ contains: "abc" }], fixedAnswer("q", "ABC"));
  expect(reasons).toEqual([""]);
});

const isRefused = (name: string) => name.startsWith("patterns");

test.each(hostileDocuments)(
  "an eval that takes too long to compile is 400 and names the check: %s",
  async (name, document) => {
    let problems: { path: string; message: string }[] = [];
    const ms = await longestBlockMs(async () => {
      try {
        await readSentEval({ format: "json", value: document });
      } catch (thrown) {
        const { kind, details } = toAppError(thrown);
        expect(kind).toBe("invalid");
        problems = details.problems ?? [];
      }
    });
    expect(ms).toBeLessThan(blockMsMax);
    if (!isRefused(name)) return expect(problems).toEqual([]);
    expect(problems).toEqual([
      {
        path: expect.stringMatching(/^spec\.cases\[\d+\]\.checks\[\d+\]\.regex$/),
        message: expect.stringContaining("goes beyond what all checks of one eval may take to compile"),
      },
    ]);
  },
);

test("a path whose key is no JSON string is 400", async () => {
  const spec = { agent: "a", cases: [{ query: "q", checks: [{ json_path: { path: '$["\\q"]' } }] }] };
  const value = { apiVersion: "platform/v1", kind: "Eval", metadata: { name: "x" }, spec };
  const refused = await readSentEval({ format: "json", value }).then(() => undefined, toAppError);
  expect(refused).toMatchObject({
    kind: "invalid",
    details: { problems: [{ path: "spec.cases[0].checks[0].json_path.path" }] },
  });
});
