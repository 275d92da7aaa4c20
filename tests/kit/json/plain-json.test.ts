import { expect, test } from "bun:test";
import fc from "fast-check";
import { stepsPerPiece } from "../../../src/kit/concurrency/others-turn.ts";
import { readPlainJson } from "../../../src/kit/json/plain-json.ts";
import { workDone } from "../../support/work-done.ts";

/** Nothing is read in one piece. */
const inPieces = (text: string) => workDone(readPlainJson(text, { wholeCharsMax: 0 })).value;

test("any JSON value is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.stringify(inPieces(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test.each([
  ["duplicate keys", '{"a":1,"b":2,"a":3}'],
  ["__proto__", '{"__proto__":{"a":1},"b":2}'],
  ["numbers that a double rounds", "[12345678901234567890, 1e400, -0, 0.1]"],
  ["NUL and half surrogates", '["\\u0000","\\ud800"]'],
  ["many keys", `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join(",")}}`],
])("what a strict reader refuses is read: %s", (_, text) => {
  const value = inPieces(text);
  expect(value).toEqual(JSON.parse(text));
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
  expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf(JSON.parse(text)));
});

test.each(["", "{", "[1,]", "{'a':1}", "1 2", "\ufeff1", "nul"])("%j is none", (text) => {
  expect(inPieces(text)).toBeUndefined();
  expect(workDone(readPlainJson(text)).value).toBeUndefined();
});

test("four mebibytes are read in pieces", () => {
  const text = `[${'{"a":1},'.repeat(512 * 1024)}{}]`;
  const { pauses, value } = workDone(readPlainJson(text));
  expect(pauses).toBeGreaterThanOrEqual(Math.floor((text.length * 2) / stepsPerPiece));
  expect(value).toHaveLength(512 * 1024 + 1);
});

test("more values than may be are refused before the rest is read", () => {
  const beyond = `[${'{"a":1},'.repeat(64 * 1024)}{}]`;
  const tooMany = () => new Error("too many");
  const limited = (max: number) => readPlainJson(beyond, { values: { max, tooMany } });
  expect(() => workDone(limited(100_000))).toThrow("too many");
  expect(workDone(limited(200_000)).value).toHaveLength(64 * 1024 + 1);
  // Nothing after the limit is read: it is not JSON.
  const junk = `[${'{"a":1},'.repeat(64 * 1024)}}`;
  expect(() => workDone(readPlainJson(junk, { values: { max: 100_000, tooMany } }))).toThrow("too many");
});
