import { expect, test } from "bun:test";
import { withCase } from "../../../src/console/hosted-evals/add-case.tsx";

const one = { query: "Hi", checks: [{ contains: "hello" }] };

test("a case is added at the end, and the rest of the document stays", () => {
  const manifest = {
    kind: "Eval",
    metadata: { name: "a" },
    spec: { agent: "b", tools: {}, cases: [{ query: "1" }] },
  };
  expect(withCase(manifest, one)).toEqual({
    kind: "Eval",
    metadata: { name: "a" },
    spec: { agent: "b", tools: {}, cases: [{ query: "1" }, one] },
  });
  expect(manifest.spec.cases).toHaveLength(1);
});

test.each([undefined, null, "text", {}, { spec: 1 }, { spec: { cases: {} } }])(
  "a document %j without a list of cases is not written over",
  (manifest) => {
    expect(() => withCase(manifest, one)).toThrow("no list of cases");
  },
);
