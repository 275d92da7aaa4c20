import { expect, test } from "bun:test";
import { asks, stage } from "../../support/staged-run.ts";

const count = 50;

test("50 calls of one answer are all under way at once", async () => {
  let underWay = 0;
  const all = Promise.withResolvers<void>();
  const calls = Array.from({ length: count }, (_, index) => ({
    id: `c${index}`,
    name: "meet",
    input: { index },
  }));
  const run = stage({
    calls: [asks("", ...calls), "Met."],
    tools: [
      {
        name: "meet",
        // Each waits until all have started.
        async execute(input) {
          if (++underWay === count) all.resolve();
          await all.promise;
          return { success: true, data: input };
        },
      },
    ],
  });
  const { result, events } = await run.run();
  expect(result?.tool_calls.map(({ output }) => output)).toEqual(
    calls.map(({ input }) => ({ success: true, data: input })),
  );
  expect(events.flatMap((event) => (event.type === "tool_result" ? [event.id] : []))).toEqual(
    calls.map(({ id }) => id),
  );
});

test("one that fails or hangs keeps none of the others", async () => {
  const run = stage({
    calls: [asks("", "quick", "hangs", "throws", "quick"), "Some."],
    tools: [
      { name: "quick", execute: async () => ({ success: true, data: 1 }) },
      { name: "hangs", execute: () => new Promise(() => {}) },
      { name: "throws", execute: () => Promise.reject(new Error("boom")) },
    ],
  });
  const playing = run.run();
  while (run.toolsExecuted.length < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(run.toolsExecuted.map(({ tool, ok }) => `${tool} ${ok}`).sort()).toEqual([
    "quick true",
    "quick true",
    "throws false",
  ]);
  await run.clock.advance(30_000);
  const { result } = await playing;
  expect(result?.tool_calls.map(({ output }) => output)).toMatchObject(
    [true, false, false, true].map((success) => ({ success })),
  );
});
