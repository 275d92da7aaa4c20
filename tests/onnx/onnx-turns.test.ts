import { expect, test } from "bun:test";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { OnnxProcess } from "../../src/onnx/process/onnx-process.ts";

/** Answers each request at once. */
const child = `process.stdout.write("\\n"); for await (const line of console) console.log('{"value":1}');`;
const request = { op: "tokens", tokenizer: { file: {} }, text: "", special: false } as never;

function open(waitingMax: number): OnnxProcess {
  const limits = { loadMs: 60_000, callMs: 60_000, graceMs: 1_000, waitingMax, modelBytesMax: 1 };
  return new OnnxProcess({
    command: [process.execPath, "-e", child],
    clock: systemClock,
    log: silentLogger,
    limits,
  });
}

const signal = new AbortController().signal;

test("a modest owner's call is the next but one, however many calls of a greedy owner wait", async () => {
  const models = open(512);
  const done: string[] = [];
  const ask = (owner: string) =>
    models
      .for(() => owner)
      .call(request, signal)
      .then(() => done.push(owner));
  await Promise.all([...Array.from({ length: 50 }, () => ask("greedy")), ask("modest")]);
  models.close();
  expect(done.indexOf("modest")).toBeLessThanOrEqual(2);
});

test("a greedy owner's waiting calls leave room for another owner's; beyond it they are 503", async () => {
  const models = open(8);
  const all = Array.from({ length: 20 }, () => models.for(() => "greedy").call(request, signal));
  const modest = models.for(() => "modest").call(request, signal);
  const ends = await Promise.allSettled(all);
  models.close();
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
  expect(ends.flatMap((end) => (end.status === "rejected" ? end.reason.code : []))).toEqual(
    Array.from({ length: 14 }, () => "onnx_unavailable"),
  );
  expect(await modest).toBe(1);
});
