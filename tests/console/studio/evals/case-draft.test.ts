import { describe, expect, test } from "bun:test";
import { fieldKind } from "../../../../src/console/parts/schema-form/schema-form-value.ts";
import {
  areComplete,
  beginningOf,
  caseOf,
  draftOf,
  entriesOf,
  schemaOfCheck,
} from "../../../../src/console/studio/evals/case-draft.ts";
import { evalTexts } from "../../../../src/console/texts/studio/evals.ts";
import { checkKinds } from "../../../../src/manifest/eval/checks.ts";

describe("checks in the form", () => {
  const checks = [
    { contains: "a" },
    { not_regex: "b+", name: "no-b" },
    { json_path: { path: "$.a", equals: [1] } },
    { json_schema: { type: "object" } },
    { tool_called: { tool: "crm", times: 2 } },
    { tool_order: ["a", "b"] },
    { max_steps: 3 },
    { trajectory: { calls: [{ tool: "a" }], order: "exact" } },
    { guardrail: "blocked" },
    { max_cost_usd: 0.25 },
    { retrieved: { document: "d", within: 5 } },
    { similar: { min: 0.8 } },
    { judge: { rubric: "It is kind.", min_score: 0.7 } },
  ];

  test("have a row for every kind, and stay as they are", () => {
    const draft = draftOf({ id: "one", query: "Q", checks });
    expect(draft.more).toBe("");
    expect(draft.checks).toHaveLength(checks.length);
    expect(areComplete(draft.checks)).toBe(true);
    expect(caseOf(draft)).toEqual({ id: "one", query: "Q", checks });
  });

  test("of a form that this version doesn't know stay among the other fields", () => {
    const odd = [{ unheard: "x" }, { contains: "a", equals: "b" }, { contains: "c", name: 1 }];
    const draft = draftOf({ query: "Q", checks: odd });
    expect(draft.checks).toEqual([]);
    expect(caseOf(draft)).toEqual({ query: "Q", checks: odd });
  });

  test.each(checkKinds.map((kind) => [kind] as const))("of kind %s have fields and a name", (kind) => {
    expect(evalTexts.checkKinds[kind]).toBeString();
    // An open object, such as a JSON Schema, is JSON in any form.
    expect(fieldKind(schemaOfCheck(kind)) === "json").toBe(kind === "json_schema");
  });

  test("that are not filled in are left out, and incomplete ones can't be sent", () => {
    const row = (kind: (typeof checkKinds)[number], value = beginningOf(kind)) => ({ key: 0, kind, value });
    expect(entriesOf([row("contains"), row("max_tokens"), row("guardrail")])).toEqual([]);
    expect(areComplete([row("contains"), row("max_tokens")])).toBe(true);
    expect(areComplete([row("judge")])).toBe(false);
    expect(areComplete([row("judge", { rubric: "Kind.", min_score: 2 })])).toBe(false);
    expect(areComplete([row("max_tokens", 0)])).toBe(false);
    expect(areComplete([row("guardrail", "asleep")])).toBe(false);
  });
});
