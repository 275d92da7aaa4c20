import { expect, test } from "bun:test";
import {
  countSteps,
  inPieces,
  othersTurn,
  shortTurn,
  stepsCounted,
  stepsPerPiece,
  type Work,
} from "../../../src/kit/concurrency/others-turn.ts";

/** Work of that many full pieces; records each in `done`. */
function* heavy(name: string, pieces: number, done: string[]): Work<string> {
  for (let piece = 1; piece <= pieces; piece++) {
    done.push(`${name}${piece}`);
    if (countSteps(stepsPerPiece)) yield;
  }
  return name;
}

test("small work is done at once, without a promise", async () => {
  await othersTurn();
  const work = function* (): Work<number> {
    if (countSteps(10)) yield;
    return 1;
  };
  expect(inPieces(work())).toBe(1);
});

test("heavy tasks take turns, and what waits for the event loop comes between their pieces", async () => {
  await othersTurn();
  const done: string[] = [];
  const tasks = ["a", "b", "c"].map((name) => inPieces(heavy(name, 3, done)));
  // One pass of the loop does one piece: no other task has begun.
  expect(done).toEqual(["a1"]);
  const request = new Promise<void>((resolve) =>
    setImmediate(() => {
      done.push("request");
      resolve();
    }),
  );
  expect(await Promise.all([...tasks, request])).toEqual(["a", "b", "c", undefined]);
  expect(done.indexOf("request")).toBeLessThan(4);
  expect(done.filter((one) => one !== "request").slice(1)).toEqual([
    ...["a2", "b1", "c1"],
    ...["a3", "b2", "c2"],
    ...["b3", "c3"],
  ]);
});

test("short tasks don't wait behind long ones, and a pass resumes some of them", async () => {
  await othersTurn();
  const done: string[] = [];
  const long = ["a", "b", "c"].map((name) => inPieces(heavy(name, 5, done)));
  const short = Array.from({ length: 30 }, () => shortTurn().then(() => done.push("short")));
  await Promise.all([...long, ...short]);
  const afterPieces = (index: number) => done.slice(0, index).filter((one) => one !== "short").length;
  expect(afterPieces(done.indexOf("short"))).toBeLessThanOrEqual(2);
  const last = afterPieces(done.lastIndexOf("short"));
  expect(last).toBeGreaterThan(1);
  expect(last).toBeLessThanOrEqual(6);
});

test("work whose signal aborts ends at its next piece", async () => {
  await othersTurn();
  const done: string[] = [];
  const call = new AbortController();
  const work = inPieces(heavy("a", 100, done), call.signal);
  call.abort(new Error("left"));
  await expect(work as Promise<string>).rejects.toThrow("left");
  expect(done).toEqual(["a1"]);
});

test("a full piece counts as one, after any fractions", () => {
  for (let n = 1; n <= 1000; n++) {
    countSteps(n / 7);
    const before = stepsCounted();
    countSteps(stepsPerPiece);
    expect(stepsCounted() - before).toBe(stepsPerPiece);
  }
});
