import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { unlimitedAllowance } from "../../../../src/engine/guardrails/build-allowance.ts";
import { contentCategories } from "../../../../src/engine/guardrails/content/categories.ts";
import { contentFilter } from "../../../../src/engine/guardrails/content/content-filter.ts";
import type { GuardrailAction } from "../../../../src/manifest/agent/guardrails.ts";
import { finish, type GuardrailAtOnce, guardrailAtOnce, stepGrowth } from "../../../support/at-once.ts";
import { growth } from "../../../support/growth.ts";
import { splitTexts } from "../../../support/split-text.ts";

type Options = Parameters<typeof contentFilter>[3];

function filter(options: Options, action: GuardrailAction = "redact"): GuardrailAtOnce {
  const built = finish(contentFilter("content_filter", "output", action, options, unlimitedAllowance));
  if ("problems" in built) throw new Error(JSON.stringify(built.problems));
  return guardrailAtOnce(built);
}

const redacted = (options: Options, text: string) => {
  const verdict = filter(options).check(text);
  return verdict.outcome === "blocked" ? undefined : verdict.text;
};

describe("keywords", () => {
  test.each([
    [
      "whole words in any case",
      ["cat"],
      "Cat CAT concat cats cat's",
      "[FILTERED] [FILTERED] concat cats [FILTERED]'s",
    ],
    [
      "words beside marks",
      ["cat"],
      "_cat_ (cat) *cat* cat-like",
      "_[FILTERED]_ ([FILTERED]) *[FILTERED]* [FILTERED]-like",
    ],
    [
      "phrases over any white space",
      ["big cat"],
      "a big  cat, a big\n\tcat, a big, cat",
      "a [FILTERED], a [FILTERED], a big, cat",
    ],
    ["accents as they are written", ["café", "ano"], "CAFÉ cafe año ano", "[FILTERED] cafe año [FILTERED]"],
    ["accents however they are encoded", ["café"], "cafe\u0301 caf\u00e9", "[FILTERED] [FILTERED]"],
    [
      "letters with several upper cases",
      ["straße", "ΟΔΟΣ"],
      "STRASSE Straße οδος",
      "[FILTERED] [FILTERED] [FILTERED]",
    ],
    ["full-width and mathematical letters", ["cat"], "ｃａｔ 𝐜𝐚𝐭", "[FILTERED] [FILTERED]"],
    [
      "words with invisible characters in them",
      ["cat"],
      "c\u200bat ca\u00adt c\u2060a\ufefft",
      "[FILTERED] [FILTERED] [FILTERED]",
    ],
    [
      "marks as they are",
      ["C++", "$$$", "don't"],
      "c++ c $$$ $$ don't don’t",
      "[FILTERED] c [FILTERED] $$ [FILTERED] [FILTERED]",
    ],
    [
      "scripts without spaces, inside of sentences",
      ["赌博", "カジノ"],
      "我喜欢赌博吗。オンラインカジノで遊ぶ",
      "我喜欢[FILTERED]吗。オンライン[FILTERED]で遊ぶ",
    ],
    ["Hangul before a particle", ["도박"], "도박을 하다", "[FILTERED]을 하다"],
    [
      "Cyrillic, Arabic and Greek as whole words",
      ["казино", "قمار"],
      "Казино, казиношный, قمار",
      "[FILTERED], казиношный, [FILTERED]",
    ],
    ["emoji with and without a presentation mark", ["🖕", "☠"], "🖕 ☠\ufe0f", "[FILTERED] [FILTERED]"],
    ["one beside the other as one", ["赌", "博"], "赌博", "[FILTERED]"],
    ["the longest of those that begin alike", ["cat", "cat food"], "cat food, cat", "[FILTERED], [FILTERED]"],
  ])("%s", (_, keywords, text, expected) => {
    expect(redacted({ keywords }, text)).toBe(expected);
  });
});

describe("categories", () => {
  test.each(Object.entries(contentCategories))(
    "%s finds each of its words, and other forms",
    (category, list) => {
      const options = { categories: [category as keyof typeof contentCategories] };
      for (const word of list)
        expect([word, redacted(options, `So ${word}.`)]).toEqual([word, "So [FILTERED]."]);
    },
  );

  test("words inside of others, and everyday words, stay", () => {
    const categories = Object.keys(contentCategories) as (keyof typeof contentCategories)[];
    const honest =
      "The assassin's class in Scunthorpe had a cockpit, a shiitake dish, a Dickens novel, an analysis of grapes, and a document on how to kill a process, shoot a photo and execute a plan. She passed the assessment with a bass guitar and a cocktail; the peacock ate a titbit.";
    expect(redacted({ categories }, honest)).toBe(honest);
  });

  test("other forms count", () => {
    expect(redacted({ categories: ["profanity"] }, "bitches, fucking bullshits")).toBe(
      "[FILTERED], [FILTERED] [FILTERED]",
    );
  });
});

describe("what it does", () => {
  const options: Options = { keywords: ["cat"], patterns: ["\\d{3,}"], categories: ["profanity"] };
  const text = "cat 1234 shit, cat food";
  test.each([
    ["redact", { outcome: "redacted", text: "[FILTERED] [FILTERED] [FILTERED], [FILTERED] food", hits: 4 }],
    ["warn", { outcome: "passed", text, hits: 4 }],
    ["log", { outcome: "passed", text, hits: 4 }],
    [
      "block",
      {
        outcome: "blocked",
        reason: "it holds content that is filtered (keyword, profanity, pattern)",
        hits: 4,
      },
    ],
  ] as const)("%s", (action, verdict) => {
    expect(filter(options, action).check(text)).toEqual(verdict);
    expect(filter(options, action).check("dog 12")).toEqual({ outcome: "passed", text: "dog 12", hits: 0 });
  });

  test("keywords and patterns that overlap are one", () => {
    expect(redacted({ keywords: ["order 66"], patterns: ["66 now"] }, "execute order 66 now!")).toBe(
      "execute [FILTERED]!",
    );
  });
});

describe("what can't be built is refused", () => {
  test.each([
    [{}, [{ path: "", message: "needs one of categories, keywords and patterns" }]],
    [
      { keywords: ["ok", " \u200b "] },
      [{ path: "keywords[1]", message: "has nothing in it that could be found" }],
    ],
    [
      { patterns: ["ok", "(?<=a)b", "(b"] },
      [
        { path: "patterns[1]", message: expect.stringContaining("lookaround") },
        { path: "patterns[2]", message: expect.stringContaining("missing closing )") },
      ],
    ],
  ])("%j", (options, problems) => {
    expect(finish(contentFilter("content_filter", "output", "block", options, unlimitedAllowance))).toEqual({
      problems,
    });
  });
});

const sought: Options = {
  keywords: ["secret", "top secret plan", "café", "赌博", "c++", "😀 ok", "don't"],
  patterns: ["AB-\\d+", "<b>.*?</b>", "(?i)begin\\b[^.]*\\bend", "x{3,5}", "😀+", "(?m)^#.*$"],
  categories: ["profanity"],
};
const fragments = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...(sought.keywords ?? []),
      "AB-12",
      "<b>hi</b>",
      "Begin it, end",
      "xxxx",
      "#title\n",
      "shit",
    ),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      "top ",
      "sec",
      "ret",
      "caf",
      "e",
      "\u0301",
      "赌",
      "AB-",
      "1",
      "<b>",
      "</b>",
      "begin ",
      "end",
      "x",
      "😀",
      "\ud83d",
      "#",
      "\u200b",
    ),
  },
  { weight: 4, arbitrary: fc.constantFrom(" ", "\n", ". ", ", ", "-", "'", "’", "the answer ", "plan") },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);
const texts = fc.array(fragments, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(""));
/** Texts with ranges that stay undecided beyond the hold-back limit. */
const longTexts = fc
  .array(
    fc.oneof(
      fragments,
      fc
        .tuple(
          fc.constantFrom("a ", "begin ", "<b>", "secret ", "xx ", "😀", "top  "),
          fc.integer({ min: 1, max: 200 }),
        )
        .map(([unit, times]) => unit.repeat(times)),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(""));

const streamed = (guardrail: GuardrailAtOnce, parts: readonly string[]) => {
  const stream = guardrail.open();
  return parts.map((part) => stream.push(part)).join("") + stream.end();
};

describe("a stream under redact", () => {
  const guardrail = filter(sought);

  test("shows, however it is cut, what check makes of the whole; and what was shown stays right", () => {
    fc.assert(
      fc.property(splitTexts(texts), ({ text, parts }) => {
        const whole = guardrail.check(text);
        const clean = whole.outcome === "blocked" ? "" : whole.text;
        const stream = guardrail.open();
        let shown = "";
        for (const part of parts) {
          shown += stream.push(part);
          expect(clean.startsWith(shown)).toBe(true);
        }
        expect(shown + stream.end()).toBe(clean);
        expect(stream.hits).toBe(whole.hits);
      }),
      { numRuns: 2000 },
    );
  });

  test("every way to cut a short text in three shows the same", () => {
    const text = "A top  secret plan, AB-123 <b>x</b> c++ cafe\u0301 😀 ok.";
    const clean = redacted(sought, text);
    for (let one = 0; one <= text.length; one++) {
      for (let two = one; two <= text.length; two++) {
        const parts = [text.slice(0, one), text.slice(one, two), text.slice(two)];
        expect(streamed(guardrail, parts)).toBe(clean ?? "");
      }
    }
  });

  test("is the same for every cut also where matches are longer than what is held back", () => {
    fc.assert(
      fc.property(splitTexts(longTexts), ({ text, parts }) => {
        expect(streamed(guardrail, parts)).toBe(streamed(guardrail, [text]));
      }),
      { numRuns: 500 },
    );
  });

  test("holds back 256 characters at most, and nothing that can't become a match", () => {
    for (const unit of ["begin ", "<b>", "a", "top ", "😀", "x", " ", "AB-"]) {
      const stream = guardrail.open();
      let [sent, shown] = [0, 0];
      for (let index = 0; index < 400; index++) {
        sent += unit.length;
        shown += stream.push(unit).replaceAll("[FILTERED]", "").length;
        // Replaced text counts as shown.
        if (unit === "😀" || unit === "x") continue;
        expect(sent - shown).toBeLessThanOrEqual(256);
      }
    }
    const stream = guardrail.open();
    const pieces = ["Well, ", "the top", " floor", " is a se", "at, and ", "AB-", "x"];
    expect(pieces.map((piece) => stream.push(piece))).toEqual([
      "Well, ",
      "the ",
      "top floor",
      " is a ",
      "seat, and ",
      "",
      "AB-",
    ]);
  });

  test("a longer match loses what had to be shown before it was certain, and the rest is replaced", () => {
    const key = `KEY ${"k".repeat(400)} END`;
    const stream = filter({ patterns: ["KEY [^.]* END"] }).open();
    const shown = [...`${key}. Fine.`].map((character) => stream.push(character)).join("") + stream.end();
    expect(shown).toMatch(/^KEY k{140,160}\[FILTERED\]\. Fine\.$/);
    expect(redacted({ patterns: ["KEY [^.]* END"] }, `${key}. Fine.`)).toBe("[FILTERED]. Fine.");
    // A match that is certain is replaced to its end, however long it becomes.
    const open = filter({ patterns: ["password: \\S+"] }).open();
    expect(
      [..."password: ", ..."p".repeat(2000), " ok"].map((piece) => open.push(piece)).join("") + open.end(),
    ).toBe("[FILTERED] ok");
  });
});

test.each(["warn", "log"] as const)(
  "a stream under %s passes every piece at once and counts like check",
  (action) => {
    const guardrail = filter(sought, action);
    fc.assert(
      fc.property(splitTexts(longTexts), ({ text, parts }) => {
        const stream = guardrail.open();
        for (const part of parts) expect(stream.push(part)).toBe(part);
        expect(stream.end()).toBe("");
        expect(stream.hits).toBe(guardrail.check(text).hits);
      }),
      { numRuns: 200 },
    );
  },
);

test("a stream under block shows nothing before its end, and nothing at all once something was found", () => {
  const guardrail = filter(sought, "block");
  fc.assert(
    fc.property(splitTexts(longTexts), ({ text, parts }) => {
      const stream = guardrail.open();
      expect(parts.map((part) => stream.push(part)).join("")).toBe("");
      const isBlocked = guardrail.check(text).outcome === "blocked";
      expect(stream.end()).toBe(isBlocked ? "" : text);
      expect(stream.blocked !== undefined).toBe(isBlocked);
    }),
    { numRuns: 300 },
  );
  const stream = guardrail.open();
  expect([stream.push("a sec"), stream.blocked, stream.push("ret "), stream.blocked]).toEqual([
    "",
    undefined,
    "",
    "it holds content that is filtered (keyword)",
  ]);
});

describe("the work grows with the text, not faster", () => {
  const guardrail = filter(sought);
  test.each([
    "secret ",
    "top secret ",
    "top  ",
    "a",
    "begin ",
    "<b>",
    "x",
    "😀",
    "赌",
    "e\u0301",
    "\u200b",
    "#\n",
    "AB-",
  ])("%j", (unit) => {
    const recipe = (times: number) => unit.repeat(Math.ceil(times / 4 / unit.length));
    expect(stepGrowth(guardrail, recipe)).toBeLessThan(2.5);
    expect(growth(recipe, (text) => streamed(guardrail, text.match(/[\s\S]{1,5}/g) ?? []))).toBeLessThan(4);
  });
});
