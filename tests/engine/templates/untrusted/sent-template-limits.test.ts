import { afterAll, expect, test } from "bun:test";
import { createUntrustedEngine } from "../../../../src/engine/templates/untrusted/untrusted-engine.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { checkDocument, checkFile } from "../../../../src/manifest/schema/manifest-kind.ts";

const engine = createUntrustedEngine({ clock: systemClock, childCommand: ["/nonexistent/program"] });
afterAll(() => engine.close());

test.each([
  ["many prints", "{{ a }}".repeat(5000), {}],
  ["a long chain of filters", `{{ a${"|upper".repeat(5000)} }}`, {}],
  ["many tags in what it includes", "{% include 'x' %}", { x: "{{ a }}".repeat(5000) }],
])("a sent template with %s is refused before it is parsed", (_, source, library) => {
  expect(() => engine.compile("system", source, library)).toThrow("characters inside its tags");
});

test("a long text with few tags is taken", () => {
  expect([...engine.compile("system", `${"word { } ".repeat(20_000)}{{ a }}`).names]).toContain("a");
});

test("a sent manifest of too many parts is refused; an operator's file may have more", () => {
  const text = `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: x}\nspec:\n  a: [${"1, ".repeat(10_000)}1]\n`;
  const messages = (variables?: Parameters<typeof checkFile>[2]) => {
    const checked = checkFile(agentKind({}), text, variables);
    return "problems" in checked ? checked.problems.map(({ message }) => message).join() : "";
  };
  expect(messages()).toContain("has more than 20000 parts");
  expect(messages(() => undefined)).not.toContain("parts");
});

test("a sent manifest of too many lines is refused, though it is one value", () => {
  const document = (lines: number) =>
    `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: x}\nspec:\n  identity:\n    description: >\n${"\n".repeat(lines)}      a\n`;
  const messages = (lines: number) => {
    const checked = checkFile(agentKind({}), document(lines));
    return "problems" in checked ? checked.problems.map(({ message }) => message).join() : "";
  };
  expect(messages(20_000)).toContain("has more than 20000 lines");
  expect(messages(10_000)).not.toContain("lines");
});

test("a manifest sent as JSON of too many values is refused before it is checked", () => {
  const messages = (values: unknown[]) => {
    const checked = checkDocument(agentKind({}), { spec: { a: values } });
    return "problems" in checked ? checked.problems.map(({ message }) => message) : [];
  };
  expect(messages(Array(10_000).fill(1))).toEqual(["has more than 10000 values"]);
  expect(messages(Array(5000).fill([1]))).toEqual(["has more than 10000 values"]);
  expect(messages(Array(9000).fill(1)).join()).not.toContain("values");
});

test("the templates of one agent share a limit; the same text counts once", () => {
  const text = (letter: string) => `{{ ${letter} }}`.repeat(3000);
  const library = { a: text("a"), b: text("b") };
  expect([...engine.compile("system", text("a"), library).names].sort()).toEqual(["a", "b"]);
  engine.compile("context", text("b"), library);
  expect(() => engine.compile("stage", text("c"), library)).toThrow("is one template too many");
  // Another agent's templates are counted separately.
  engine.compile("stage", text("c"), { a: text("a") });
});
