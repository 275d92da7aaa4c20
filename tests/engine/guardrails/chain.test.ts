import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { buildGuardrails } from "../../../src/engine/guardrails/build-guardrails.ts";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import type { GuardrailEntry } from "../../../src/manifest/agent/guardrails.ts";
import { chainAtOnce, finish } from "../../support/at-once.ts";

const chainOf = (stage: "input" | "output", ...entries: GuardrailEntry[]) =>
  chainAtOnce(createGuardrailChain(finish(buildGuardrails(entries, stage))));
const pii = { type: "pii_detection" };

describe("check", () => {
  test("goes through the guardrails in order and reports each", () => {
    const chain = chainOf(
      "input",
      { ...pii, entities: ["email"] },
      { type: "max_length", action: "redact", max_chars: 10 },
    );
    expect(chain.check("ann@example.com is here")).toEqual({
      text: "[EMAIL] is",
      reports: [
        { type: "pii_detection", stage: "input", action: "redact", outcome: "redacted", hits: 1 },
        { type: "max_length", stage: "input", action: "redact", outcome: "redacted", hits: 1 },
      ],
      blocked: undefined,
    });
    expect(chain.check("hello").reports.map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
  });

  test("a block names type and stage and nothing of the text, and those after it don't see it", () => {
    const chain = chainOf(
      "input",
      { ...pii, action: "warn" },
      { type: "max_length", max_chars: 5 },
      { ...pii, action: "log" },
    );
    expect(chain.check("12345").text).toBe("12345");
    expect(chain.check("a@example.com")).toEqual({
      text: "",
      reports: [
        { type: "pii_detection", stage: "input", action: "warn", outcome: "warned", hits: 1 },
        { type: "max_length", stage: "input", action: "block", outcome: "blocked", hits: 1 },
      ],
      blocked: expect.objectContaining({
        kind: "unprocessable",
        code: "guardrail_blocked",
        message: "The input was refused by the guardrail max_length: it is longer than 5 characters.",
        details: { facts: { type: "max_length", stage: "input" } },
      }),
    });
  });

  test("warn and log let the text pass and say so", () => {
    for (const [action, outcome] of [
      ["warn", "warned"],
      ["log", "logged"],
    ] as const) {
      const { text, reports } = chainOf("input", { ...pii, action }).check("ann@example.com");
      expect({ text, outcome: reports[0]?.outcome, hits: reports[0]?.hits }).toEqual({
        text: "ann@example.com",
        outcome,
        hits: 1,
      });
    }
  });
});

describe("open", () => {
  test("an empty chain is transparent", () => {
    const stream = chainAtOnce(createGuardrailChain([])).open();
    expect([stream.push("ann@example.com"), stream.end(), stream.reports()]).toEqual([
      "ann@example.com",
      "",
      [],
    ]);
  });

  test("streams run one into the other, and reports are complete at the end", () => {
    const stream = chainOf("output", { ...pii, entities: ["email"] }, { ...pii, entities: ["phone"] }).open();
    const shown = ["a@example.com 555-", "123-4567 b@exam", "ple.com"].map((piece) => stream.push(piece));
    expect(shown.join("") + stream.end()).toBe("[EMAIL] [PHONE] [EMAIL]");
    expect(stream.reports().map(({ outcome, hits }) => [outcome, hits])).toEqual([
      ["redacted", 2],
      ["redacted", 1],
    ]);
  });

  test("a block ends the stream as soon as it is certain, and nothing was shown", () => {
    const stream = chainOf("output", { ...pii, action: "block" }).open();
    expect(stream.push("mail ann@exam")).toBe("");
    expect(() => stream.push("ple.com now")).toThrow(expect.objectContaining({ code: "guardrail_blocked" }));
    expect(stream.reports()).toMatchObject([{ outcome: "blocked", hits: 1 }]);
  });
});

describe("cost_limit", () => {
  const limit = { type: "cost_limit", max_tokens_per_turn: 3 };
  const block = { type: "content_filter", action: "block", keywords: ["never"] } as const;

  test.each([
    ["alone", [limit]],
    ["before others", [limit, pii]],
    ["after others", [pii, limit]],
  ])("%s, streams and then ends the answer", (_, entries) => {
    const stream = chainOf("output", ...entries).open();
    let shown = stream.push("one two ");
    expect([shown, stream.isComplete]).toEqual(["one two ", false]);
    shown += stream.push("three four");
    expect(stream.isComplete).toBe(true);
    shown += stream.push("more");
    expect(shown + stream.end()).toBe("one two thre");
  });

  test.each([
    ["before", [limit, block]],
    ["after", [block, limit]],
  ])("%s one that holds the answer back, ends the answer as soon", (_, entries) => {
    const stream = chainOf("output", ...entries).open();
    expect([stream.push("one two "), stream.isComplete]).toEqual(["", false]);
    expect([stream.push("three four"), stream.isComplete]).toEqual(["", true]);
    expect(stream.end()).toBe("one two thre");
    expect(
      stream
        .reports()
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(["passed", "redacted"]);
  });

  test("cuts before others change the answer", () => {
    const stream = chainOf(
      "output",
      { ...pii, entities: ["email"] },
      { ...limit, max_tokens_per_turn: 4 },
    ).open();
    expect(stream.push("ann@example.com is it") + stream.end()).toBe("[EMAIL]");
    expect(stream.reports().map(({ outcome }) => outcome)).toEqual(["redacted", "redacted"]);
  });

  test("blocks as soon as it is certain", () => {
    const stream = chainOf("output", { ...limit, action: "block" }).open();
    expect(() => stream.push("one two three four")).toThrow(
      expect.objectContaining({
        code: "guardrail_blocked",
        details: { facts: { type: "cost_limit", stage: "output" } },
      }),
    );
    expect(stream.reports()).toMatchObject([{ outcome: "blocked", hits: 1 }]);
  });

  test("is about the answer alone: what tools are given and give passes it", () => {
    const stream = chainOf("output", { ...limit, action: "block" }).open();
    const value = { text: "a".repeat(1000) };
    expect(stream.filterValue(value)).toEqual(value);
    expect(stream.reports()).toMatchObject([{ outcome: "passed", hits: 0 }]);
  });
});

test("what is found in values counts in the stream's reports, and a block there is one", () => {
  const stream = chainOf("output", pii, {
    type: "content_filter",
    action: "block",
    keywords: ["never"],
  }).open();
  expect(stream.filterValue<unknown>({ a: ["ann@example.com", { b: "b@example.com" }] })).toEqual({
    a: ["[EMAIL]", { b: "[EMAIL]" }],
  });
  expect(() => stream.filterValue({ a: "or never" })).toThrow(
    "The output was refused by the guardrail content_filter",
  );
  expect(stream.reports()).toMatchObject([
    { outcome: "redacted", hits: 2 },
    { outcome: "blocked", hits: 1 },
  ]);
});

test("filterValue finds the same in a value whether it is small or part of a large one", () => {
  const texts = fc.constantFrom(
    "",
    "hello",
    "ann@example.com",
    "call 212-555-0142",
    "4111111111111111",
    "a b",
  );
  const leaves = fc.oneof(texts, fc.constantFrom<unknown>(4111111111111111, 7, null, true));
  const values = fc.oneof(
    leaves,
    fc.array(leaves, { maxLength: 4 }),
    fc.dictionary(texts, fc.array(leaves, { maxLength: 3 }), { maxKeys: 3 }),
  );
  fc.assert(
    fc.property(values, fc.constantFrom("redact", "block", "log"), (value, action) => {
      const chain = chainOf("output", { ...pii, action }, { ...pii, entities: ["email"], action: "warn" });
      const filtered = (whole: unknown[]) => {
        const stream = chain.open();
        try {
          return [(stream.filterValue(whole) as unknown[])[0], stream.reports()];
        } catch (thrown) {
          return [String(thrown), stream.reports()];
        }
      };
      expect(filtered([value])).toEqual(filtered([value, "x".repeat(200)]));
    }),
  );
});

test("filterValue checks every text, key and number of a JSON value and keeps its shape", () => {
  const chain = chainOf("output", pii);
  const value = { "ann@example.com": ["call 555-123-4567", 5, null, true, { card: 4111111111111111 }] };
  expect(chain.filterValue<unknown>(value)).toEqual({
    "[EMAIL]": ["call [PHONE]", 5, null, true, { card: "[CREDIT_CARD]" }],
  });
});

describe("buildGuardrails", () => {
  const cases: [GuardrailEntry, "input" | "output", string, string][] = [
    [{ type: "pii_detecton" }, "input", "spec.guardrails.input[0].type", "did you mean pii_detection?"],
    [{ type: "max_length" }, "output", "spec.guardrails.output[0].type", "max_length has no output stage"],
    [
      { type: "pii_redaction", action: "block" },
      "input",
      "spec.guardrails.input[0].action",
      "pii_redaction can't block",
    ],
    [
      { type: "topic_filter", topics: ["x"], action: "redact" },
      "input",
      "spec.guardrails.input[0].action",
      "topic_filter can't redact",
    ],
    [
      { type: "topic_filter", topics: ["x"] },
      "output",
      "spec.guardrails.output[0].type",
      "has no output stage",
    ],
    [
      { type: "cost_limit", max_tokens_per_turn: 1 },
      "input",
      "spec.guardrails.input[0].type",
      "has no input stage",
    ],
    [
      { type: "content_filter" },
      "output",
      "spec.guardrails.output[0]",
      "needs one of categories, keywords and patterns",
    ],
    [
      { type: "content_filter", patterns: ["a", "(?=b)"] },
      "output",
      "spec.guardrails.output[0].patterns[1]",
      "lookaround",
    ],
  ];
  for (const [entry, stage, path, message] of cases) {
    test(message, () => {
      const problems = [{ path, message: expect.stringContaining(message) }];
      expect(() => finish(buildGuardrails([entry], stage))).toThrow(
        expect.objectContaining({ details: { problems } }),
      );
    });
  }

  test("pii_redaction redacts; max_length blocks beyond 10000 characters by default", () => {
    expect(chainOf("output", { type: "pii_redaction" }).check("ann@example.com").text).toBe("[EMAIL]");
    const chain = chainOf("input", { type: "max_length" });
    expect(chain.check("😀".repeat(10_000)).text).toHaveLength(20_000);
    expect(chain.check("a".repeat(10_001)).blocked?.message).toContain("longer than 10000 characters");
  });
});
