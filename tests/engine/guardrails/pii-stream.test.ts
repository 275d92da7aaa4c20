import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type PiiEntity, piiEntities } from "../../../src/engine/guardrails/pii/find-pii.ts";
import { piiDetection } from "../../../src/engine/guardrails/pii/pii-detection.ts";
import { createTextBudget } from "../../../src/engine/guardrails/text-budget.ts";
import { finish, guardrailAtOnce } from "../../support/at-once.ts";
import { splitTexts } from "../../support/split-text.ts";
import { impersonal, personal } from "./pii-corpus.ts";

const samples = [...Object.values(personal).flat(), ...Object.values(impersonal).flat()].map((text) =>
  text.replace(/[«»]/g, ""),
);

/** Texts in which personal data is complete, is cut off, touches other data, or is very long. */
const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...samples) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      " ",
      ", ",
      "-",
      ".",
      "@",
      "+",
      "(",
      ")",
      ":",
      "\n",
      "/",
      "x",
      "é",
      "😀",
      "ssn ",
      "tel ",
      "DE89 ",
      "0",
      "4",
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("1", "4 ", "a", "a.", "4111 ", "1-", " ", "😀", "b@"),
        fc.integer({ min: 1, max: 300 }),
      )
      .map(([unit, times]) => unit.repeat(times)),
  },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(..."0123456789 -.()+@ab"), maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
);
const texts = fc.array(pieces, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));

const entities = fc.subarray([...piiEntities], { minLength: 1 }) as fc.Arbitrary<PiiEntity[]>;

describe("redact", () => {
  test("pieces joined are what check makes of the whole, and what was shown stays right", () => {
    fc.assert(
      fc.property(splitTexts(texts), entities, ({ text, parts }, chosen) => {
        const guardrail = guardrailAtOnce(
          piiDetection("pii_detection", "output", "redact", { entities: chosen }),
        );
        const whole = guardrail.check(text);
        const clean = whole.outcome === "blocked" ? "" : whole.text;
        const stream = guardrail.open();
        let shown = "";
        for (const part of parts) {
          shown += stream.push(part);
          // The visible text is always a prefix of the clean text: no part of a match was ever visible.
          expect(clean.startsWith(shown)).toBe(true);
          expect(/[\ud800-\udbff]$/.test(shown)).toBe(false);
        }
        expect(shown + stream.end()).toBe(clean);
        expect(stream.hits).toBe(whole.hits);
      }),
      { numRuns: 500 },
    );
  });

  test("never more than 256 characters are held back, and plain words pass at once", () => {
    for (const unit of ["1 ", "4111 ", "a", "a@", "b.", "(", "+", "4"]) {
      const stream = guardrailAtOnce(piiDetection("pii_detection", "output", "redact", {})).open();
      let [sent, shown] = [0, 0];
      for (let index = 0; index < 500; index++) {
        sent += unit.length;
        shown += stream.push(unit).length;
        expect(sent - shown).toBeLessThanOrEqual(256);
      }
    }
    const stream = guardrailAtOnce(piiDetection("pii_detection", "output", "redact", {})).open();
    expect([
      stream.push("Hello "),
      stream.push("there, "),
      stream.push("it's 5 "),
      stream.push("o'clock"),
    ]).toEqual(["Hello ", "there, ", "it's ", "5 "]);
  });
});

test("short pieces pass at once as they pass in pieces of work", () => {
  const budget = () => createTextBudget({ count: () => true });
  fc.assert(
    fc.property(splitTexts(texts), fc.constantFrom("redact", "block", "warn", "log"), ({ parts }, action) => {
      const guardrail = piiDetection("pii_detection", "output", action, {});
      const [short, long] = [guardrail.open(budget()), guardrail.open(budget())];
      for (const part of parts) {
        const shown = short.pushShort?.(part) ?? finish(short.push(part));
        expect(shown).toBe(finish(long.push(part)));
        expect([short.blocked, short.hits]).toEqual([long.blocked, long.hits]);
      }
      expect(short.giveUp()).toBe(long.giveUp());
    }),
    { numRuns: 200 },
  );
});

test("block shows nothing before the end, and nothing at all once something was found", () => {
  fc.assert(
    fc.property(splitTexts(texts), ({ text, parts }) => {
      const guardrail = guardrailAtOnce(piiDetection("pii_detection", "output", "block", {}));
      const stream = guardrail.open();
      expect(parts.map((part) => stream.push(part)).join("")).toBe("");
      const verdict = guardrail.check(text);
      expect(stream.end()).toBe(verdict.outcome === "blocked" ? "" : text);
      expect(stream.blocked !== undefined).toBe(verdict.outcome === "blocked");
    }),
    { numRuns: 200 },
  );
});

test("warn and log pass every piece at once and count", () => {
  const stream = guardrailAtOnce(piiDetection("pii_detection", "output", "warn", {})).open();
  expect([
    stream.push("ann@exa"),
    stream.push("mple.com, 555-"),
    stream.push("123-4567"),
    stream.end(),
  ]).toEqual(["ann@exa", "mple.com, 555-", "123-4567", ""]);
  expect(stream.hits).toBe(2);
});
