import { afterAll, describe, expect, test } from "bun:test";
import { childCommand } from "../../../src/compose/child-command.ts";
import { createMinijinjaEngine } from "../../../src/engine/templates/minijinja/minijinja-engine.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import corpus from "../../corpora/template_injection.json" with { type: "json" };
import { FakeClock } from "../../support/fake-clock.ts";

interface Entry {
  id: string;
  why: string;
  expected: string;
  input: {
    template?: string;
    user_query?: string;
    source?: string;
    value?: string;
    tool?: string;
    data?: unknown;
  };
}

// No time limit passes, however busy the machine is: what ends these templates are limits of steps and memory.
const engine = createMinijinjaEngine({
  clock: new FakeClock(),
  childCommand: childCommand("template-child"),
});
afterAll(() => engine.close());

/** Returns the text, or the error as one word; anything but an AppError fails the test. */
async function outcome(work: () => string | Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === "unprocessable") return "ERROR";
    throw thrown;
  }
}

/** Returns true if the outcome meets an expectation of the corpus. */
function meets(expected: string, text: string, entry: Entry): boolean {
  const isEmpty = text.replace(/[\s[\]"',]|none|null|undefined/g, "") === "";
  if (expected === "49" || expected === "1") return text === expected;
  if (expected === "empty string" || expected === "empty") return text === "";
  if (expected.startsWith("empty")) return isEmpty || text === "ERROR";
  if (expected.startsWith("error") || expected.startsWith("limit error")) return text === "ERROR";
  if (expected === "list text") return text.includes("datetime_now");
  if (expected === "text") return text === "my question";
  if (expected === "literal text") return text.includes(entry.input.user_query ?? entry.input.value ?? "?");
  throw new Error(`unknown expectation: ${expected}`);
}

const variables = (entry: Entry) => ({
  user_query: entry.input.user_query ?? "my question",
  available_tools: [{ name: "datetime_now", description: "Tells the time." }],
  context: { note: entry.input.value ?? "note", list: [1] },
  data: { text: entry.input.value ?? "" },
});

describe("template_injection", () => {
  for (const entry of corpus.entries as Entry[]) {
    test(`${entry.id}: ${entry.why}`, async () => {
      if (entry.input.tool === "json_transform") {
        const text = await engine.renderUntrusted(
          entry.input.template ?? "",
          { data: entry.input.data },
          { escaping: "json" },
        );
        expect(Object.keys(JSON.parse(text))).toEqual(["a"]);
        return;
      }
      const template = entry.input.template ?? "{{ context.note }}{{ data.text }}";
      const trusted = await outcome(() => engine.compile("prompt", template).render(variables(entry)));
      const untrusted = await outcome(() => engine.renderUntrusted(template, variables(entry)));
      expect(trusted).toBe(untrusted);
      expect({ text: trusted, meets: meets(entry.expected, trusted, entry) }).toEqual({
        text: trusted,
        meets: true,
      });
    });
  }
});
