import { expect, onTestFinished, test } from "bun:test";
import { says, stage } from "../../support/staged-run.ts";

test("runs that begin together are spread over passes of the event loop", async () => {
  const staged = stage({ calls: [says("hi")] });
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
    Array.from({ length: 100 }, async (_, n) => {
      const { result } = await staged.run({ sessionId: `s${n}` });
      expect(result?.response).toBe("hi");
      return pass;
    }),
  );
  const together = Map.groupBy(endedIn, (at) => at);
  expect(Math.max(...together.values().map((ended) => ended.length))).toBeLessThanOrEqual(25);
});
