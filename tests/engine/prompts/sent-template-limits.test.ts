import { afterAll, expect, test } from "bun:test";
import { createUntrustedEngine } from "../../../src/engine/prompts/untrusted-engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { checkFile } from "../../../src/manifest/manifest-kind.ts";
import { agentKind } from "../../../src/manifest/parse-agent.ts";

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
