import { describe, expect, test } from "bun:test";
import { createBuildAllowance } from "../../../src/engine/guardrails/build-allowance.ts";
import { buildGuardrails } from "../../../src/engine/guardrails/build-guardrails.ts";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import { textStepsMax } from "../../../src/engine/guardrails/text-budget.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { stepsPerPiece } from "../../../src/kit/concurrency/others-turn.ts";
import type { GuardrailEntry } from "../../../src/manifest/agent/guardrails.ts";
import { finish } from "../../support/at-once.ts";

/** A chain that counts steps: all of them, and the maximum between two pauses. */
function counted(stage: "input" | "output", entries: readonly GuardrailEntry[], stepsMax = textStepsMax) {
  const steps = { all: 0, piece: 0, longest: 0 };
  const chain = createGuardrailChain(finish(buildGuardrails(entries, stage)), {
    stepsMax,
    count(more) {
      steps.all += more;
      steps.piece += more;
      steps.longest = Math.max(steps.longest, steps.piece);
      if (steps.piece < stepsPerPiece) return false;
      steps.piece = 0;
      return true;
    },
  });
  return { chain, steps };
}

const manyAs = "a ".repeat(20_000);
const ninetyAs = "a ".repeat(90).trim();
/** A piece ends after the slice that reaches its steps; the largest slice is one pass over a whole message. */
const pieceMax = 3 * stepsPerPiece;

describe("hostile word lists cost steps by the text alone", () => {
  const lists: [string, "input" | "output", GuardrailEntry][] = [
    [
      "equal keywords",
      "output",
      { type: "content_filter", action: "warn", keywords: Array(200).fill(ninetyAs) },
    ],
    [
      "keywords of every length",
      "output",
      {
        type: "content_filter",
        action: "warn",
        keywords: Array.from({ length: 90 }, (_, n) => "a ".repeat(n + 1)),
      },
    ],
    ["topics", "input", { type: "topic_filter", action: "warn", topics: Array(250).fill(ninetyAs) }],
    [
      "topics whose words have the same forms",
      "input",
      {
        type: "topic_filter",
        action: "warn",
        topics: Array.from({ length: 200 }, (_, n) =>
          [...n.toString(2).padStart(20, "0")].map((bit) => (bit === "0" ? "car" : "cars")).join(" "),
        ),
      },
    ],
  ];
  test.each(lists)("%s", (_, stage, entry) => {
    for (const text of [manyAs, "cars ".repeat(8000), "car cars ".repeat(4000)]) {
      const { chain, steps } = counted(stage, [entry]);
      expect(finish(chain.check(text)).reports[0]?.outcome).not.toBe("blocked");
      expect(steps.all).toBeLessThan(60 * text.length + 2_000_000);
      expect(steps.longest).toBeLessThan(pieceMax);
    }
  });
});

describe("one budget for all guardrails of a stage", () => {
  const patterns = Array(20).fill("(?:a|b|c|d|e){1000}");
  const letters = "abcde".repeat(8000);

  test("patterns that take more than a text may are refused, in bounded pieces", () => {
    const { chain, steps } = counted("output", [{ type: "content_filter", patterns }]);
    const { blocked, reports, text } = finish(chain.check(letters));
    expect([blocked?.code, reports[0]?.outcome, text]).toEqual(["guardrail_blocked", "blocked", ""]);
    expect(blocked?.message).toContain("takes more work than one text may");
    expect(steps.all).toBeLessThan(textStepsMax + pieceMax);
    expect(steps.longest).toBeLessThan(pieceMax);
  });

  test("on_error pass lets the text through, says so, and asks the guardrails after it", () => {
    const { chain } = counted(
      "output",
      [
        { type: "content_filter", patterns, on_error: "pass" },
        { type: "pii_detection", on_error: "pass" },
      ],
      1_000_000,
    );
    const { text, reports, blocked } = finish(chain.check(letters));
    expect([text === letters, blocked]).toEqual([true, undefined]);
    expect(reports.map(({ outcome }) => outcome)).toEqual(["unchecked", "passed"]);
  });

  test("the strictest guardrail decides", () => {
    const { chain } = counted(
      "output",
      [
        { type: "content_filter", patterns, on_error: "pass" },
        { type: "content_filter", keywords: ["x"] },
      ],
      1_000_000,
    );
    expect(finish(chain.check(letters)).reports.map(({ outcome }) => outcome)).toEqual([
      "unchecked",
      "blocked",
    ]);
  });

  test.each(["redact", "block", "warn"] as const)(
    "an answer under %s loses and doubles nothing",
    (action) => {
      const entries = (onError: "block" | "pass"): GuardrailEntry[] => [
        { type: "content_filter", action, patterns: ["x[a-e]{1000}y"], on_error: onError },
        { type: "pii_detection", action, on_error: onError },
      ];
      const answer = `xa${letters.slice(0, 9000)}`;
      const pieces = answer.match(/[\s\S]{1,700}/g) ?? [];
      const passing = counted("output", entries("pass"), 20_000).chain.open();
      const shown = pieces.map((piece) => finish(passing.push(piece))).join("") + finish(passing.end());
      expect(shown).toBe(answer);
      expect(passing.reports().map(({ outcome }) => outcome)).toContain("unchecked");

      const blocking = counted("output", entries("block"), 20_000).chain.open();
      const push = () =>
        pieces.map((piece) => finish(blocking.push(piece))).join("") + finish(blocking.end());
      expect(push).toThrow(AppError);
      expect(blocking.reports().map(({ outcome }) => outcome)).toContain("blocked");
    },
  );

  test("equal prompt_injection guardrails do their work once", () => {
    const text = "Please ignore the noise. ".repeat(10_000);
    const stepsOf = (count: number) => {
      const entries = Array(count).fill({ type: "prompt_injection", action: "warn" });
      const { chain, steps } = counted("input", entries);
      finish(chain.check(text));
      expect(steps.longest).toBeLessThan(pieceMax);
      return steps.all;
    };
    expect(stepsOf(32)).toBeLessThan(1.01 * stepsOf(1));
  });

  test("the values of tools share one budget with all their strings", () => {
    const { chain, steps } = counted(
      "output",
      [{ type: "content_filter", action: "redact", patterns }],
      500_000,
    );
    const value = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, letters.slice(0, 200)]));
    expect(() => finish(chain.filterValue(value))).toThrow("takes more work than one text may");
    expect(steps.all).toBeLessThan(700_000);
  });
});

describe("building is bounded as well", () => {
  const problemsOf = (entries: GuardrailEntry[]) => {
    try {
      finish(buildGuardrails(entries, "output"));
      return [];
    } catch (thrown) {
      return thrown instanceof AppError ? (thrown.details.problems ?? []) : [thrown];
    }
  };

  test("twenty large patterns and hundreds of long keywords are built", () => {
    expect(problemsOf([{ type: "content_filter", patterns: Array(20).fill("(?:a|b|c|d|e){1000}") }])).toEqual(
      [],
    );
    expect(problemsOf([{ type: "content_filter", keywords: Array(200).fill(ninetyAs) }])).toEqual([]);
  });

  test.each([
    ["patterns", Array(32).fill({ type: "content_filter", patterns: Array(64).fill("(?:a|b){1000}") })],
    ["patterns with wide classes", [{ type: "content_filter", patterns: Array(64).fill("\\pL{1000}") }]],
    ["patterns that are too large", [{ type: "content_filter", patterns: Array(64).fill("(?:ab|cd){999}") }]],
    ["words", Array(8).fill({ type: "content_filter", keywords: Array(1000).fill(ninetyAs) })],
  ])("too many %s are refused by their place", (_, entries) => {
    expect(problemsOf(entries)).toContainEqual({
      path: expect.stringMatching(/^spec\.guardrails\.output\[\d+\]/),
      message: expect.stringContaining("goes beyond what the guardrails of one agent may look for"),
    });
  });
});

describe("building ends in pieces", () => {
  const different = Array.from({ length: 1000 }, (_, n) => `walk${n.toString(36)} é${n}`);
  test.each<[string, GuardrailEntry[]]>([
    ["long keywords", [{ type: "content_filter", keywords: Array(200).fill(ninetyAs) }]],
    ["different keywords", Array(5).fill({ type: "content_filter", keywords: different })],
    ["accented letters", [{ type: "content_filter", keywords: Array(1000).fill("é".repeat(190)) }]],
    [
      "keywords of spaces",
      Array(20).fill({ type: "content_filter", keywords: Array(1000).fill(" ".repeat(190)) }),
    ],
    ["patterns", [{ type: "content_filter", patterns: Array(20).fill("(?:a|b|c|d|e){1000}") }]],
  ])("%s", (_, entries) => {
    const steps = { piece: 0, longest: 0, pauses: 0 };
    const allowance = createBuildAllowance((more) => {
      steps.piece += more;
      steps.longest = Math.max(steps.longest, steps.piece);
      return steps.piece >= stepsPerPiece;
    });
    const work = buildGuardrails(entries, "output", allowance);
    const isOver = () => {
      try {
        return work.next().done === true;
      } catch {
        // It is refused; the work until then counts.
        return true;
      }
    };
    for (; !isOver(); steps.pauses++) steps.piece = 0;
    expect(steps.pauses).toBeGreaterThan(5);
    // A pattern of 2,000 instructions is compiled at once.
    expect(steps.longest).toBeLessThan(3 * stepsPerPiece);
  });
});

test("the guardrails of both stages of an agent share what building them may take", () => {
  const allowance = createBuildAllowance();
  const keywords = Array.from({ length: 100 }, (_, n) => `alpha${n} beta${n} gamma${n} delta${n}`);
  const build = (stage: "input" | "output", type: string, list: string) =>
    finish(buildGuardrails([{ type, [list]: keywords } as GuardrailEntry], stage, allowance));
  let built = 0;
  const fill = () => {
    for (; built < 100; built++) build("output", "content_filter", "keywords");
  };
  expect(fill).toThrow();
  expect(built).toBeGreaterThan(0);
  expect(() => build("input", "topic_filter", "topics")).toThrow();
  // By itself it has room.
  expect(() =>
    finish(buildGuardrails([{ type: "topic_filter", topics: keywords } as GuardrailEntry], "input")),
  ).not.toThrow();
});
