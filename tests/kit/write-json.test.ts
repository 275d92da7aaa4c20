import { expect, test } from "bun:test";
import fc from "fast-check";
import { stepsPerPiece } from "../../src/kit/concurrency/others-turn.ts";
import { writeJson } from "../../src/kit/write-json.ts";
import { workDone } from "../support/work-done.ts";

test("any JSON value is written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(workDone(writeJson(value)).value).toBe(JSON.stringify(value));
    }),
  );
});

test("absent fields are left out", () => {
  expect(workDone(writeJson({ a: undefined, b: [null, { c: undefined }] })).value).toBe('{"b":[null,{}]}');
});

test("a large value of many parts is written in pieces", () => {
  const value = { cassette: { entries: Array.from({ length: 100 }, () => "x".repeat(stepsPerPiece / 5)) } };
  expect(workDone(writeJson(value)).pauses).toBeGreaterThanOrEqual(15);
});
