import { expect, test } from "bun:test";
import { fixedAnswer } from "../../../src/evals/checks/observation.ts";
import { readSentEval } from "../../../src/evals/hosted/read-eval.ts";
import { toAppError } from "../../../src/kit/app-error.ts";
import { stepsCounted } from "../../../src/kit/concurrency/others-turn.ts";
import {
  expectCompiledInPieces,
  expectPieces,
  hostileChecks,
  hostileDocuments,
  judgeOne,
} from "../../support/hostile-evals.ts";

/** One of each kind of check; the third tier has all of them. */
const kinds = ["regex", "contains", "equals, marks", "json_path with a large value", "unknown keys"];

test.each(hostileChecks.filter(([name]) => kinds.includes(name)))(
  "checks of an eval hold the main thread for no more than a piece: %s",
  (name, checks, answer) => expectPieces(name, checks, answer),
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

/** One of each ending; the third tier has all of them. */
const endings = ["patterns of 2,000 steps", "schemas"];

test.each(hostileDocuments.filter(([name]) => endings.includes(name)))(
  "an eval that takes too long to compile is 400 and names the check: %s",
  (name, document) => expectCompiledInPieces(name, document),
);

test("a path whose key is not a JSON string is 400", async () => {
  const spec = { agent: "a", cases: [{ query: "q", checks: [{ json_path: { path: '$["\\q"]' } }] }] };
  const value = { apiVersion: "platform/v1", kind: "Eval", metadata: { name: "x" }, spec };
  const refused = await readSentEval({ format: "json", value }).then(() => undefined, toAppError);
  expect(refused).toMatchObject({
    kind: "invalid",
    details: { problems: [{ path: "spec.cases[0].checks[0].json_path.path" }] },
  });
});
