import { describe, expect, test } from "bun:test";
import { buildGuardrails } from "../../../src/engine/guardrails/build-guardrails.ts";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import type { GuardrailEntry } from "../../../src/manifest/guardrails.ts";

const chainOf = (stage: "input" | "output", ...entries: GuardrailEntry[]) =>
  createGuardrailChain(buildGuardrails(entries, stage));
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
    });
    expect(chain.check("hello").reports.map(({ outcome }) => outcome)).toEqual(["passed", "passed"]);
  });

  test("a block names type and stage and nothing of the text", () => {
    const chain = chainOf("input", { type: "max_length", max_chars: 5 });
    expect(chain.check("12345").text).toBe("12345");
    expect(() => chain.check("123456")).toThrow(
      expect.objectContaining({
        kind: "unprocessable",
        code: "guardrail_blocked",
        message: "The input was refused by the guardrail max_length: it is longer than 5 characters.",
        details: { facts: { type: "max_length", stage: "input" } },
      }),
    );
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
    const stream = createGuardrailChain([]).open();
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
  ];
  for (const [entry, stage, path, message] of cases) {
    test(message, () => {
      const problems = [{ path, message: expect.stringContaining(message) }];
      expect(() => buildGuardrails([entry], stage)).toThrow(
        expect.objectContaining({ details: { problems } }),
      );
    });
  }

  test("pii_redaction redacts; max_length blocks beyond 10000 characters by default", () => {
    expect(chainOf("output", { type: "pii_redaction" }).check("ann@example.com").text).toBe("[EMAIL]");
    const chain = chainOf("input", { type: "max_length" });
    expect(chain.check("😀".repeat(10_000)).text).toHaveLength(20_000);
    expect(() => chain.check("a".repeat(10_001))).toThrow("longer than 10000 characters");
  });
});
