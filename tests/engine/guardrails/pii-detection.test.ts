import { describe, expect, test } from "bun:test";
import { findPii, type PiiEntity, piiEntities } from "../../../src/engine/guardrails/pii/find-pii.ts";
import { piiDetection } from "../../../src/engine/guardrails/pii/pii-detection.ts";
import redos from "../../corpora/redos.json" with { type: "json" };
import { guardrailAtOnce } from "../../support/at-once.ts";
import { growth } from "../../support/growth.ts";
import { impersonal, personal } from "./pii-corpus.ts";

const all = new Set<PiiEntity>(piiEntities);
const redact = guardrailAtOnce(piiDetection("pii_detection", "input", "redact", {}));

/** Returns the parts between « and », and the text without the marks. */
function marked(text: string): { plain: string; parts: string[] } {
  return {
    plain: text.replace(/[«»]/g, ""),
    parts: [...text.matchAll(/«(.*?)»/g)].map(([, part = ""]) => part),
  };
}

describe("what is found", () => {
  for (const entity of piiEntities) {
    for (const text of personal[entity]) {
      test(`${entity}: ${text}`, () => {
        const { plain, parts } = marked(text);
        const found = findPii(plain, all).map((match) => [match.entity, plain.slice(match.start, match.end)]);
        expect(found).toEqual(parts.map((part) => [entity, part]));
      });
    }
  }
  for (const [entity, texts] of Object.entries(impersonal)) {
    for (const text of texts) {
      test(`nothing like ${entity}: ${text}`, () =>
        expect(findPii(text, all).map(({ start, end }) => text.slice(start, end))).toEqual([]));
    }
  }
});

describe("recall and precision over ten notations or more, and as many counterparts", () => {
  test.each([...piiEntities])("%s", (entity) => {
    expect([personal[entity].length >= 10, impersonal[entity].length >= 10]).toEqual([true, true]);
    let expected = 0;
    let hit = 0;
    let found = 0;
    for (const text of [...personal[entity], ...impersonal[entity]]) {
      const { plain, parts } = marked(text);
      const matches = findPii(plain, new Set([entity])).map(({ start, end }) => plain.slice(start, end));
      expected += parts.length;
      found += matches.length;
      hit += parts.filter((part) => matches.includes(part)).length;
    }
    console.log(
      `${entity}: recall ${(hit / expected).toFixed(3)} of ${expected}, precision ${(hit / found).toFixed(3)} of ${found}`,
    );
    expect(hit / expected).toBeGreaterThanOrEqual(0.98);
    expect(hit / found).toBeGreaterThanOrEqual(0.98);
  });
});

describe("actions", () => {
  const text = "ann@example.com, 123-45-6789, 4111111111111111, 555-123-4567";
  const clean = "[EMAIL], [SSN], [CREDIT_CARD], [PHONE]";
  const cases = [
    ["redact", { outcome: "redacted", text: clean, hits: 4 }],
    ["warn", { outcome: "passed", text, hits: 4 }],
    ["log", { outcome: "passed", text, hits: 4 }],
    [
      "block",
      { outcome: "blocked", reason: "it contains personal data (email, ssn, credit_card, phone)", hits: 4 },
    ],
  ] as const;
  for (const [action, verdict] of cases) {
    test(action, () => {
      const guardrail = guardrailAtOnce(piiDetection("pii_detection", "output", action, {}));
      expect(guardrail.check(text)).toEqual(verdict);
      expect(guardrail.check("nothing 12")).toEqual({ outcome: "passed", text: "nothing 12", hits: 0 });
    });
  }

  test("only the chosen entities count", () => {
    const only = guardrailAtOnce(piiDetection("pii_detection", "input", "redact", { entities: ["ssn"] }));
    expect(only.check(text)).toMatchObject({ text: text.replace("123-45-6789", "[SSN]"), hits: 1 });
  });
});

describe("redos: the work grows with the text, not faster", () => {
  const recipes: Record<string, (times: number) => string> = {
    "redos-010": (times) => "1".repeat(5 * times),
    "redos-011": (times) => "1 ".repeat(times),
    "redos-012": (times) => `${"1 ".repeat(times)}x`,
    "cards digit by digit": (times) => "4 ".repeat(times),
    "card groups": (times) => "4111 ".repeat(times / 4),
    "plus signs": (times) => "+44 ".repeat(times / 2),
    "at signs": (times) => "a@".repeat(times),
    "long locals": (times) => `${"a".repeat(100)}@`.repeat(times / 50),
    "dotted domains": (times) => `a@${"b.".repeat(times)}`,
    "open brackets": (times) => "(".repeat(times) + "5".repeat(times),
  };
  test("the guards' entries of the corpus are among them", () => {
    const guards = redos.entries.filter(({ why }) => / guard /.test(`${why} `)).map(({ id }) => id);
    expect(guards).toEqual(["redos-010", "redos-011", "redos-012"]);
  });
  for (const [name, recipe] of Object.entries(recipes)) {
    test(name, () => expect(growth(recipe, (text) => redact.check(text))).toBeLessThan(4));
  }
});
