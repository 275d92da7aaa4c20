import { expect, test } from "bun:test";
import type { RuntimeFrame } from "../../../src/contracts/runtime/client.ts";
import { CutOff, cutFrames } from "../../../src/control-plane/runs/runtime-frames.ts";

const token = (content: string): RuntimeFrame => ({ type: "token", content });

test("frames are read in order, and then there are none", async () => {
  const frames = cutFrames(async function* () {
    yield token("a");
    yield token("b");
  }, new CutOff());
  expect([await frames.next(), await frames.next(), await frames.next()]).toEqual([
    token("a"),
    token("b"),
    undefined,
  ]);
});

test("the cut ends the wait for a source that hangs, and every later one", async () => {
  const cut = new CutOff();
  const frames = cutFrames(async function* () {
    yield token("a");
    await new Promise(() => {});
  }, cut);
  await frames.next();
  const waiting = frames.next();
  cut.now("too late");
  await expect(waiting).rejects.toBe("too late");
  await expect(frames.next()).rejects.toBe("too late");
});

test("a source is not started after the cut", async () => {
  let isStarted = false;
  const source = async function* () {
    isStarted = true;
    yield token("a");
  };
  const cut = new CutOff();
  cut.now("gone");
  await expect(cutFrames(source, cut).next()).rejects.toBe("gone");
  expect(isStarted).toBe(false);
});

test("the reader gets a failure of the source, and the source gets the end", async () => {
  let hasEnded = false;
  const frames = cutFrames(async function* () {
    try {
      yield token("a");
    } finally {
      hasEnded = true;
    }
  }, new CutOff());
  await frames.next();
  frames.end();
  expect(await frames.next()).toBeUndefined();
  expect(hasEnded).toBe(true);
  const broken = cutFrames(
    // biome-ignore lint/correctness/useYield: it fails before its first frame.
    async function* () {
      throw new Error("broken");
    },
    new CutOff(),
  );
  await expect(broken.next()).rejects.toThrow("broken");
});
