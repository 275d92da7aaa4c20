import { describe, expect, test } from "bun:test";
import type { LinkFacts } from "../../../src/engine/chain/chain.ts";
import { compileChain } from "../../../src/engine/chain/compile-chain.ts";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { parseAgent } from "../../support/parse-agent.ts";

const engine = {
  compile: createTemplateCompiler().compile,
  renderUntrusted: () => Promise.reject(new Error("not used")),
  close() {},
};

const facts: LinkFacts = {
  output: { answer: "Yes.", data: { priority: "high", tags: [], n: 0, flag: false, nothing: null } },
  trigger: { query: "q", session_id: "s", context: { lang: "es" } },
  steps: { first: { status: "success", answer: "one", data: null }, second: { status: "error" } },
};

function chainOf(...on_complete: Record<string, unknown>[]) {
  const links = on_complete.map((link) => ({ agent: "next", ...link }));
  const input = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "a" } };
  const spec = { chain: { on_complete: links } };
  return compileChain(engine, parseAgent({ ...input, spec }, { registries: {} }));
}

const holds = (when: string) => chainOf({ when })?.links[0]?.holds?.(facts);

describe("a condition", () => {
  test.each([
    ["{{ output.data.priority == 'high' }}", true],
    ["{{ output.data.priority == 'low' }}", false],
    ["{% if output.data.n %}x{% endif %}", false],
    ["{% if output.data.n == 0 %} yes {% endif %}", true],
    ["{{ output.data.n }}", false],
    ["{{ output.data.flag }}", false],
    ["{{ output.data.nothing }}", false],
    ["{{ output.data.tags }}", false],
    ["{{ output.data.nope is defined }}", false],
    ["{{ output.data.nope | default('no') }}", false],
    ["{{ output.answer }}", true],
    ["{{ trigger.context.lang == 'es' and steps.first.status == 'success' }}", true],
    ["  \n ", false],
    ["False", false],
    ["NO", false],
    ["off", false],
    ["null", false],
    ["0", false],
    ["true", true],
    ["yes", true],
    ["1", true],
    ["output.data.priority == 'high'", true],
    ["not output.data.flag", true],
    ["output.data.n > 3", false],
    ["steps.second.answer is defined", false],
  ])("%j: %p", (when, expected) => {
    expect(holds(when)).toBe(expected);
  });

  test.each([
    ["{{ output.data.urgency == 'high' }}", "output.data.urgency"],
    ["output.data.urgency == 'high'", "output.data.urgency"],
    ["{{ steps.third.answer }}", "steps.third.answer"],
    ["{{ steps.second.answer }}", "steps.second.answer"],
    ["{{ when }}", "when"],
  ])("%j fails by the name of what is missing", (when, name) => {
    expect(() => holds(when)).toThrow(`${name} is missing.`);
  });
});

test("the input is a template that also knows whether the condition held, and must render to something", () => {
  const [link] = chainOf({ input: "{{ trigger.query }}: {{ output.answer }} ({{ when }})" })?.links ?? [];
  expect(link?.input?.(facts, true)).toBe("q: Yes. (true)");
  const [empty] = chainOf({ input: " {{ '' }} " })?.links ?? [];
  expect(() => empty?.input?.(facts, true)).toThrow(
    "Template spec.chain.on_complete[0].input renders to nothing to ask.",
  );
});

test("every faulty template is a problem with its place", () => {
  let refused: unknown;
  try {
    chainOf({ when: "{{ a" }, {}, { when: "urgent please", input: "{% if %}" });
  } catch (thrown) {
    refused = thrown;
  }
  expect(refused).toBeInstanceOf(AppError);
  const { code, details } = refused as AppError;
  expect(code).toBe("invalid_manifest");
  expect(details.problems?.map(({ path }) => path)).toEqual([
    "spec.chain.on_complete[0].when",
    "spec.chain.on_complete[2].when",
    "spec.chain.on_complete[2].input",
  ]);
});

test("what a manifest says of its links, and what it leaves out", () => {
  const chain = chainOf(
    {},
    { on_error: "rescue", timeout_seconds: 5, retry: { max_attempts: 3, backoff: 0.5 } },
    { on_error: "continue", default: true },
  );
  const nothing = { holds: undefined, input: undefined, isDefault: false };
  const once = { attemptsMax: 1, backoffMs: 1000, timeoutMs: undefined };
  expect(chain).toEqual({
    mode: "sequential",
    depthMax: 5,
    links: [
      { agent: "next", ...nothing, ...once, onError: "stop" },
      {
        agent: "next",
        ...nothing,
        attemptsMax: 3,
        backoffMs: 500,
        timeoutMs: 5000,
        onError: { standIn: "rescue" },
      },
      { agent: "next", ...nothing, isDefault: true, ...once, onError: "continue" },
    ],
  });
});

test("an agent without a chain has none", () => {
  const manifest = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "a" }, spec: {} };
  expect(compileChain(engine, parseAgent(manifest, { registries: {} }))).toBeUndefined();
});
