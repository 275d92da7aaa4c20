import { expect, test } from "bun:test";
import fc from "fast-check";
import type { LinkFacts } from "../../../src/engine/chain/chain.ts";
import { decide, decidingOrder } from "../../../src/engine/chain/firing.ts";
import { AppError } from "../../../src/kit/app-error.ts";

type Kind = "always" | "true" | "false" | "fault" | "default";

const facts: LinkFacts = {
  output: { answer: "", data: null },
  trigger: { query: "", session_id: "s", context: {} },
  steps: {},
};
const missing = new AppError("unprocessable", "template_failed", "x is missing.");

function linkOf(kind: Kind) {
  const holds = () => {
    if (kind === "fault") throw missing;
    return kind === "true";
  };
  const isConditional = kind !== "always" && kind !== "default";
  return { kind, isDefault: kind === "default", holds: isConditional ? holds : undefined };
}

/** Returns the outcome of each link, in the order of the decisions. */
async function decided(kinds: readonly Kind[]): Promise<string[]> {
  const outcomes: string[] = [];
  let anyHeld = false;
  for (const link of decidingOrder(kinds.map(linkOf))) {
    const firing = await decide(link, facts, anyHeld);
    anyHeld ||= link.holds !== undefined && firing.fires && firing.held;
    if (!firing.fires) outcomes.push(`${link.kind}: no`);
    else outcomes.push(firing.fault === undefined ? `${link.kind}: fires` : `${link.kind}: fails`);
  }
  return outcomes;
}

test.each<[Kind[], string]>([
  [[], ""],
  [["always", "always"], "always: fires, always: fires"],
  [["true", "false", "true"], "true: fires, false: no, true: fires"],
  [["false", "default"], "false: no, default: fires"],
  [["true", "default"], "true: fires, default: no"],
  [["default"], "default: fires"],
  [["always", "default"], "always: fires, default: fires"],
  [["default", "false", "always"], "false: no, default: fires, always: fires"],
  [["default", "true"], "true: fires, default: no"],
  [["always", "default", "always"], "always: fires, default: fires, always: fires"],
  [["false", "always", "default", "always"], "false: no, always: fires, default: fires, always: fires"],
  [["fault", "default"], "fault: fails, default: fires"],
  [["fault", "true", "default"], "fault: fails, true: fires, default: no"],
])("%j", async (kinds, expected) => {
  expect((await decided(kinds)).join(", ")).toBe(expected);
});

test("any list of links fires in order, each once, the default after all conditions", async () => {
  const kinds = fc.array(fc.constantFrom<Kind>("always", "true", "false", "fault"), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(kinds, fc.option(fc.nat(8)), async (others, at) => {
      const all = at === null ? others : others.toSpliced(at, 0, "default");
      const outcomes = await decided(all);
      const fate: Record<Kind, string> = {
        always: "fires",
        true: "fires",
        false: "no",
        fault: "fails",
        default: others.includes("true") ? "no" : "fires",
      };
      expect(outcomes.toSorted()).toEqual(all.map((kind) => `${kind}: ${fate[kind]}`).toSorted());
      const order = outcomes.map((outcome) => outcome.split(":")[0]);
      expect(order.filter((kind) => kind !== "default")).toEqual(others);
      const conditions = ["true", "false", "fault"];
      const last = order.findLastIndex((kind) => conditions.includes(kind ?? ""));
      if (at !== null) expect(order.indexOf("default")).toBeGreaterThan(last);
    }),
  );
});
