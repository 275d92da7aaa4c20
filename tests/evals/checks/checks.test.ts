import { describe, expect, test } from "bun:test";
import { createCaseWork } from "../../../src/evals/checks/case-work.ts";
import type { CheckPorts } from "../../../src/evals/checks/check.ts";
import { compileChecks } from "../../../src/evals/checks/compile-checks.ts";
import { createDocumentAllowance } from "../../../src/evals/checks/document-allowance.ts";
import { fixedAnswer, type Observation, wholeConversation } from "../../../src/evals/checks/observation.ts";
import type { Problem } from "../../../src/kit/app-error.ts";
import { atOnce, inPieces, isWork } from "../../../src/kit/concurrency/others-turn.ts";
import { type CheckEntry, checkKinds, checkSchema } from "../../../src/manifest/eval/checks.ts";
import { checkValue } from "../../../src/manifest/schema/check-value.ts";

const seen = (more: Partial<Observation> = {}): Observation => ({ ...fixedAnswer("q", ""), ...more });
const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input, output: null });

/** Vectors by text, so that similarity is known. */
const vectors: Record<string, number[]> = {
  up: [0, 1],
  right: [1, 0],
  "up right": [Math.SQRT1_2, Math.SQRT1_2],
};
const ports: CheckPorts = {
  embed: async (_, texts) => texts.map((text) => vectors[text] ?? [0, 0]),
  judge: async ({ prompt }) => ({
    text: JSON.stringify({ reason: "said so", score: prompt.includes("good answer") ? 0.9 : 0.2 }),
    costUsd: 0.01,
  }),
};
const defaults = { embedder: "local_hash", judge: { model: "a/judge", votes: 1 } };

function compiled(entry: object) {
  const problems: Problem[] = [];
  const { value, faults } = checkValue(checkSchema, entry);
  expect(faults).toEqual([]);
  const allowance = createDocumentAllowance();
  const [check] = atOnce(compileChecks([value as CheckEntry], "checks", { defaults, allowance, problems }));
  return { check, problems };
}

async function verdictOf(entry: object, observation: Observation, expected?: string) {
  const { check } = compiled(entry);
  const verdict = check?.perform(
    observation,
    { expected },
    ports,
    new AbortController().signal,
    createCaseWork(),
  );
  return verdict !== undefined && isWork(verdict) ? inPieces(verdict) : verdict;
}

const lima = call("clock", { zone: "America/Lima", exact: true });
const tokyo = call("clock", { zone: "Asia/Tokyo" });
const ofLima = { tool: "clock", arguments: { zone: "America/Lima" } };
const ofTokyo = { tool: "clock", arguments: { zone: "Asia/Tokyo" } };
const json = (value: unknown) => seen({ response: `Here:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`` });

/** For each check: what passes and what fails. */
const table: [entry: object, good: Observation, bad: Observation][] = [
  [{ contains: "LIMA" }, seen({ response: "in Lima" }), seen({ response: "in Tokyo" })],
  [{ not_contains: "sorry" }, seen({ response: "7:00" }), seen({ response: "Sorry!" })],
  [{ equals: "Yes" }, seen({ response: " yes\n" }), seen({ response: "yes, sir" })],
  [{ regex: "\\d{2}:\\d{2}" }, seen({ response: "at 07:00" }), seen({ response: "at seven" })],
  [{ not_regex: "\\d" }, seen({ response: "seven" }), seen({ response: "7" })],
  [{ json_path: { path: "$.a[1].b", equals: 2 } }, json({ a: [0, { b: 2 }] }), json({ a: [0, { b: 3 }] })],
  [
    { json_path: { path: "$.a[*].b", contains: "x" } },
    json({ a: [{ b: "y" }, { b: "ax" }] }),
    json({ a: [{ b: "y" }] }),
  ],
  [{ json_path: { path: '$["a b"]' } }, json({ "a b": null }), json({ ab: 1 })],
  [{ json_path: { path: "$.a", equals: { b: 1 } } }, json({ a: { b: 1 } }), json({ a: { b: 1, c: 2 } })],
  [{ json_path: { path: "$.n", equals: 1 } }, seen({ data: { n: 1 } }), seen({ response: "no JSON here" })],
  [
    { json_schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } } } },
    json({ n: 1 }),
    json({ n: "1" }),
  ],
  [{ tool_called: ofLima }, seen({ calls: [tokyo, lima] }), seen({ calls: [tokyo] })],
  [{ tool_called: { tool: "clock", times: 2 } }, seen({ calls: [lima, tokyo] }), seen({ calls: [lima] })],
  [{ tool_called: { tool: "clock", times: 0 } }, seen(), seen({ calls: [lima] })],
  [
    { tool_called: { tool: "clock", arguments_schema: { properties: { zone: { pattern: "^Asia/" } } } } },
    seen({ calls: [tokyo] }),
    seen({ calls: [lima] }),
  ],
  [
    { tool_order: ["a", "b"] },
    seen({ calls: [call("a"), call("x"), call("b")] }),
    seen({ calls: [call("b"), call("a")] }),
  ],
  [{ forbidden_tools: ["mail"] }, seen({ calls: [lima] }), seen({ calls: [lima, call("mail")] })],
  [{ max_steps: 2 }, seen({ steps: 2 }), seen({ steps: 3 })],
  [
    { trajectory: { calls: [ofLima, ofTokyo] } },
    seen({ calls: [lima, call("x"), tokyo] }),
    seen({ calls: [tokyo, lima] }),
  ],
  [
    { trajectory: { calls: [ofLima], order: "exact" } },
    seen({ calls: [lima] }),
    seen({ calls: [lima, tokyo] }),
  ],
  [{ trajectory: { calls: [], order: "exact" } }, seen(), seen({ calls: [lima] })],
  [
    // The first expected call fits both, so taking the first fit for it would leave none for the second.
    { trajectory: { calls: [{ tool: "clock" }, ofLima], order: "any_order" } },
    seen({ calls: [lima, tokyo] }),
    seen({ calls: [tokyo, tokyo] }),
  ],
  [
    { trajectory: { calls: [ofLima], forbidden: ["mail"] } },
    seen({ calls: [lima] }),
    seen({ calls: [lima, call("mail")] }),
  ],
  [
    { trajectory: { calls: [ofLima], max_steps: 1 } },
    seen({ calls: [lima], steps: 1 }),
    seen({ calls: [lima], steps: 2 }),
  ],
  [{ guardrail: "blocked" }, seen({ error: { code: "guardrail_blocked", message: "" } }), seen()],
  [{ guardrail: "passed" }, seen(), seen({ outputFiltered: true })],
  [{ guardrail: "input_redacted" }, seen({ inputRedacted: true }), seen({ outputFiltered: true })],
  [{ guardrail: "output_filtered" }, seen({ outputFiltered: true }), seen()],
  [{ error: "max_iterations" }, seen({ error: { code: "max_iterations", message: "" } }), seen()],
  [{ max_cost_usd: 0.01 }, seen({ costUsd: 0.01 }), seen({ costUsd: 0.011 })],
  [{ max_tokens: 100 }, seen({ tokens: 100 }), seen({ tokens: 101 })],
  [{ max_latency_ms: 100 }, seen({ latencyMs: 99 }), seen({ latencyMs: 101 })],
  [
    { retrieved: { document: "b.md", within: 2 } },
    seen({ documents: ["a.md", "b.md"] }),
    seen({ documents: ["a.md", "c.md", "b.md"] }),
  ],
  [{ similar: { to: "up", min: 0.7 } }, seen({ response: "up right" }), seen({ response: "right" })],
  [
    { judge: { rubric: "Is it good?" } },
    seen({ response: "a good answer" }),
    seen({ response: "a bad one" }),
  ],
];

test.each(table.map(([entry, good, bad]) => [JSON.stringify(entry), entry, good, bad] as const))(
  "%s passes and fails",
  async (_name, entry, good, bad) => {
    expect(await verdictOf(entry, good)).toMatchObject({ passed: true });
    const failed = await verdictOf(entry, bad);
    expect(failed).toMatchObject({ passed: false });
    expect(failed?.reason).not.toBe("");
  },
);

test("every kind is in the table", () => {
  const tried = new Set(table.flatMap(([entry]) => Object.keys(entry)));
  expect(checkKinds.filter((kind) => !tried.has(kind))).toEqual([]);
});

test("latency is informative", async () => {
  expect(await verdictOf({ max_latency_ms: 1 }, seen({ latencyMs: 2 }))).toMatchObject({
    passed: false,
    informative: true,
  });
});

test("an unknown cost fails a cost check and says what to do", async () => {
  const { costUsd: _, ...unpriced } = seen({ model: "a/b" });
  const verdict = await verdictOf({ max_cost_usd: 1 }, unpriced);
  expect(verdict).toEqual({
    passed: false,
    reason: "the price of a/b is unknown; write it into prices.yaml",
  });
});

test("similar compares with `expected`, and says so if there is nothing", async () => {
  expect(await verdictOf({ similar: { min: 0.99 } }, seen({ response: "up" }), "up")).toMatchObject({
    passed: true,
    score: 1,
  });
  expect(await verdictOf({ similar: {} }, seen({ response: "up" }))).toMatchObject({ passed: false });
});

describe("what can't be compiled", () => {
  const faults: [entry: object, path: string, message: RegExp][] = [
    [{ regex: "(a+)+\\1" }, "checks[0].regex", /linear time/],
    [{ regex: "(?=a)" }, "checks[0].regex", /linear time/],
    [{ json_path: { path: "a.b" } }, "checks[0].json_path.path", /must start with/],
    [{ json_path: { path: "$.a[-1]" } }, "checks[0].json_path.path", /character 4/],
    [{ json_schema: { type: "strin" } }, "checks[0].json_schema", /type/],
    [
      { tool_called: { tool: "a", arguments_schema: { $ref: "#/x" } } },
      "checks[0].tool_called.arguments_schema",
      /\$ref/,
    ],
    [
      { trajectory: { calls: [{ tool: "a" }, { tool: "b", arguments_schema: { type: 1 } }] } },
      "checks[0].trajectory.calls[1].arguments_schema",
      /type/,
    ],
  ];
  test.each(faults.map(([entry, ...rest]) => [JSON.stringify(entry), entry, ...rest] as const))(
    "%s",
    (_name, entry, path, message) => {
      const { problems } = compiled(entry);
      expect(problems).toMatchObject([{ path, message: expect.stringMatching(message) }]);
    },
  );
});

test("a pattern that a backtracking engine could not match in a lifetime is matched at once", async () => {
  const verdict = await verdictOf({ regex: "^(a|a)*$" }, seen({ response: `${"a".repeat(100_000)}b` }));
  expect(verdict).toMatchObject({ passed: false });
});

test("a conversation counts calls, steps, tokens and cost of all turns and shows the last answer", () => {
  const whole = wholeConversation([
    seen({
      response: "one",
      calls: [lima],
      steps: 2,
      tokens: 10,
      costUsd: 0.1,
      latencyMs: 5,
      inputRedacted: true,
    }),
    seen({ response: "two", calls: [tokyo], steps: 1, tokens: 5, costUsd: 0.2, latencyMs: 6 }),
  ]);
  expect(whole).toMatchObject({
    response: "two",
    calls: [lima, tokyo],
    steps: 3,
    tokens: 15,
    latencyMs: 11,
    inputRedacted: true,
  });
  expect(whole.costUsd).toBeCloseTo(0.3);
  const { costUsd: _, ...unpriced } = seen();
  expect(wholeConversation([seen(), unpriced]).costUsd).toBeUndefined();
});
