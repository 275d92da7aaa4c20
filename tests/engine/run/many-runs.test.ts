import { expect, onTestFinished, test } from "bun:test";
import { says, stage } from "../../support/staged-run.ts";

/** Does the runs at the same time, and returns how many of them ended in one pass of the event loop at most. */
async function mostTogether(answer: string, runs: number): Promise<number> {
  const staged = stage({ calls: [says(answer)] });
  let pass = 0;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const nextPass = () => {
    pass++;
    if (!isOver) setImmediate(nextPass);
  };
  setImmediate(nextPass);
  const endedIn = await Promise.all(
    Array.from({ length: runs }, async (_, n) => {
      const { result } = await staged.run({ sessionId: `s${n}` });
      expect(result?.response).toBe(answer);
      return pass;
    }),
  );
  const together = Map.groupBy(endedIn, (at) => at);
  return Math.max(...together.values().map((ended) => ended.length));
}

test("runs that begin together are spread over passes of the event loop", async () => {
  expect(await mostTogether("hi", 100)).toBeLessThanOrEqual(25);
});

test("runs with long answers store them in different passes", async () => {
  expect(await mostTogether("a b ".repeat(750_000), 8)).toBe(1);
});
