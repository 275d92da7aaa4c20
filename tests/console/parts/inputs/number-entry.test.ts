import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { microsRules } from "../../../../src/console/parts/inputs/micros-input.tsx";
import {
  areReadable,
  enteredNumber,
  entryText,
  type NumberRules,
  plainDecimal,
  readNumber,
  UnreadableNumber,
} from "../../../../src/console/parts/inputs/number-entry.ts";
import { microsDecimal, microsMax } from "../../../../src/contracts/platform/billing/micros.ts";

const faultOf = (text: string, rules: NumberRules): string => {
  const entry = readNumber(text, rules);
  if (!(entry instanceof UnreadableNumber)) throw new Error(`${text} was read as ${entry}.`);
  return entry.fault;
};

describe("amounts", () => {
  test.each([
    ["29.90", 29_900_000],
    ["1.25", 1_250_000],
    ["0.0001", 100],
    ["12.", 12_000_000],
    [".5", 500_000],
    ["1000000", 1_000_000_000_000],
    ["0.000001", 1],
    ["0.1234560", 123_456],
    ["007", 7_000_000],
    ["0", 0],
    [" 3.10 ", 3_100_000],
    ["8.7", 8_700_000],
    ["999999.999999", 999_999_999_999],
  ])("%p is %p micros", (text, micros) => expect(readNumber(text, microsRules)).toBe(micros));

  test.each([
    ["0.0000001", "Use at most 6 decimals. Got 7."],
    ["-1", "Use 0 or more. Got “-1”."],
    ["abc", "Use digits and a point for decimals, such as 1234.5. Got “abc”."],
    ["$5", "Use digits and a point for decimals, such as 1234.5. Got “$5”."],
    ["٣", "Use digits and a point for decimals, such as 1234.5. Got “٣”."],
    ["+5", "Use digits and a point for decimals, such as 1234.5. Got “+5”."],
    ["0x10", "Use digits and a point for decimals, such as 1234.5. Got “0x10”."],
    ["Infinity", "Use digits and a point for decimals, such as 1234.5. Got “Infinity”."],
    [".", "Use digits and a point for decimals, such as 1234.5. Got “.”."],
    ["1e5", "Write the number without an exponent. Got “1e5”."],
    ["1,25", "Use one point for decimals and nothing between thousands, such as 1234.5. Got “1,25”."],
    ["1.234,5", "Use one point for decimals and nothing between thousands, such as 1234.5. Got “1.234,5”."],
    ["1.2.3", "Use one point for decimals and nothing between thousands, such as 1234.5. Got “1.2.3”."],
    ["1 000", "Use one point for decimals and nothing between thousands, such as 1234.5. Got “1 000”."],
    ["1000000.000001", "Use 1000000 or less. Got “1000000.000001”."],
    ["99999999999999999999", "Use 1000000 or less. Got “99999999999999999999”."],
  ])("%p is refused and says what to type", (text, fault) => expect(faultOf(text, microsRules)).toBe(fault));

  test.each([
    ["29,90", 29_900_000],
    [",5", 500_000],
    ["-0,5", undefined],
    ["29.90", undefined],
    ["1.234,5", undefined],
    ["1.234", undefined],
    ["1,2,3", undefined],
    ["1000000", 1_000_000_000_000],
  ])("%p in a language with decimal commas is %p micros", (text, micros) => {
    const entry = readNumber(text, microsRules, ",");
    if (micros !== undefined) expect(entry).toBe(micros);
    else expect((entry as UnreadableNumber).fault).toContain(`“${text}”`);
  });

  test("limits are told with the language's sign", () => {
    const entry = readNumber("0,1", { decimals: 2, min: 0.25 }, ",");
    expect((entry as UnreadableNumber).fault).toBe("Use 0,25 or more. Got “0,1”.");
  });

  test("an empty field is none, never zero", () => {
    expect(readNumber("", microsRules)).toBeNull();
    expect(readNumber("  ", microsRules)).toBeNull();
  });

  test("each amount is shown so that it reads back as itself", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: microsMax }), (micros) => {
        expect(readNumber(microsDecimal(micros), microsRules)).toBe(micros);
        expect(readNumber(plainDecimal(micros, 6), microsRules)).toBe(micros);
      }),
    );
  });

  test("a text is read digit by digit, without rounding to a float", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: 0, max: 999_999 }),
        (whole, part) => {
          const text = `${whole}.${String(part).padStart(6, "0")}`;
          expect(readNumber(text, microsRules)).toBe(Number(BigInt(whole) * 1_000_000n + BigInt(part)));
        },
      ),
    );
  });
});

describe("numbers", () => {
  const whole = { decimals: 0, min: 1, max: 1000 };
  const any = { decimals: 15 };
  test.each([
    ["5", whole, 5],
    ["5.0", whole, 5],
    ["-0.5", any, -0.5],
    ["-0", any, 0],
    ["0.1", any, 0.1],
    ["0.000000000000001", any, 1e-15],
    ["9007199254740991", any, 9_007_199_254_740_991],
  ])("%p is read", (text, rules: NumberRules, value) => expect(readNumber(text, rules)).toBe(value));

  test.each([
    ["1.5", whole, "Use a whole number. Got “1.5”."],
    ["0", whole, "Use 1 or more. Got “0”."],
    ["1001", whole, "Use 1000 or less. Got “1001”."],
    ["9007199254740993", any, "Use fewer digits: “9007199254740993” can't be stored exactly."],
    ["0.1234567890123456789", any, "Use at most 15 decimals. Got 19."],
  ])("%p is refused", (text, rules: NumberRules, fault) => expect(faultOf(text, rules)).toBe(fault));

  test("a message quotes a long text shortened", () => {
    expect(faultOf("x".repeat(10_000), any).length).toBeLessThan(150);
  });

  test.each([
    [1e21, 0, "1000000000000000000000"],
    [1.5e-7, 0, "0.00000015"],
    [-2.5, 0, "-2.5"],
    [0, 0, "0"],
    [29_900_000, 6, "29.9"],
    [100, 6, "0.0001"],
    [1_000_000_000_000, 6, "1000000"],
  ])("%p with scale %p is written %p", (value, scale, text) => expect(plainDecimal(value, scale)).toBe(text));

  test("a text that more typing can complete has its own message", () => {
    const isUnfinished = (text: string, rules: NumberRules) =>
      (readNumber(text, rules) as UnreadableNumber).isUnfinished;
    expect(isUnfinished("-", any)).toBe(true);
    expect(isUnfinished(".", any)).toBe(true);
    expect(isUnfinished("1", { decimals: 0, min: 10 })).toBe(true);
    expect(isUnfinished("1,", any)).toBe(false);
  });

  test("a form takes no number from a text that is none", () => {
    const entry = readNumber("1,25", microsRules);
    expect(areReadable([1, null, "text"])).toBe(true);
    expect(areReadable([1, entry])).toBe(false);
    expect(() => enteredNumber(entry)).toThrow("Got “1,25”");
    expect(enteredNumber(null)).toBeNull();
    expect(entryText(entry)).toBe("1,25");
    expect(entryText(0.5)).toBe("0.5");
    expect(JSON.stringify({ entry })).toBe('{"entry":"1,25"}');
  });
});
