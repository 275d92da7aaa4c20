import { expect, test } from "bun:test";
import type { RuntimeFrame } from "../../../src/contracts/runtime/client.ts";
import { followRun, type RunEnd, runToEnd } from "../../../src/control-plane/runs/follow-run.ts";
import { FakeClock, settle as settled } from "../../support/fake-clock.ts";
import { ended } from "../../support/staged-runtime.ts";

const token = (content: string): RuntimeFrame => ({ type: "token", content });
const late: RuntimeFrame = { type: "corrected", usage: [] };

/** Follows a run of these frames, and records what its service sees. */
function followed(
  frames: readonly RuntimeFrame[],
  { caller = new AbortController(), settle = () => {} } = {},
) {
  const seen = {
    cancels: 0,
    isSourceEnded: false,
    ends: [] as RunEnd[],
    late: [] as (RuntimeFrame | undefined)[],
  };
  const source = async function* () {
    try {
      yield* frames;
    } finally {
      seen.isSourceEnded = true;
    }
  };
  const run = followRun<string, number, string>(
    {
      clock: new FakeClock(),
      runtime: {
        cancel: async () => {
          seen.cancels++;
        },
      },
      settings: { runTimeoutMs: 60_000 },
      stopping: new AbortController().signal,
    },
    { runId: "r1", frames: source, cancelledBy: [caller.signal] },
    {
      show: (frame) => (frame.type === "token" ? frame.content : undefined),
      settle(end) {
        settle();
        return seen.ends.push({ ...end });
      },
      resultOf: (count, end) => `${count} ${end.ended?.outcome ?? end.stopped}`,
      async readLate(rest) {
        seen.late.push(await rest.next());
        rest.end();
      },
    },
  );
  return { run, seen };
}

test("a reader gets what is shown, then the result of the end, which is settled once", async () => {
  const { run, seen } = followed([token("a"), { type: "guardrail" } as RuntimeFrame, token("b"), ended()]);
  expect([await run.next(), await run.next(), await run.next()]).toEqual([
    { value: "a", done: false },
    { value: "b", done: false },
    { value: "1 ok", done: true },
  ]);
  expect(seen).toMatchObject({ cancels: 0, ends: [{ ended: { outcome: "ok" } }], isSourceEnded: true });
});

test("a reader who leaves cancels the run, whose last frame is still settled, once", async () => {
  const { run, seen } = followed([token("a"), token("b"), ended()]);
  await run.next();
  await run.return("");
  expect(seen.cancels).toBe(1);
  expect(seen.ends).toMatchObject([{ ended: { outcome: "ok" }, stopped: "cancelled" }]);
});

test.each(["a reader to the end", "a reader who leaves"])(
  "%s leaves usage that comes late to be read",
  async (who) => {
    const { run, seen } = followed([token("a"), ended({ usage_awaited: true }), late]);
    if (who === "a reader to the end") await runToEnd(run);
    else {
      await run.next();
      await run.return("");
    }
    await settled();
    expect(seen.late).toEqual([late]);
    expect(seen.ends).toHaveLength(1);
  },
);

test("a run whose caller left before it began reads no frame", async () => {
  const caller = new AbortController();
  caller.abort();
  const { run, seen } = followed([token("a"), ended()], { caller });
  expect(await runToEnd(run)).toBe("1 cancelled");
  expect(seen.isSourceEnded).toBe(false);
  expect(seen.ends).toMatchObject([{ ended: undefined, stopped: "cancelled" }]);
});

test("an end that can't be settled is the run's failure, and its late frames are let go", async () => {
  const { run, seen } = followed([ended({ usage_awaited: true }), late], {
    settle: () => {
      throw new RangeError("the disk is full");
    },
  });
  await expect(runToEnd(run)).rejects.toThrow("the disk is full");
  await settled();
  expect(seen).toMatchObject({ late: [], isSourceEnded: true });
});
