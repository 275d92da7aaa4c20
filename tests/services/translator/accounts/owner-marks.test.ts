import { describe, expect, test } from "bun:test";
import { asSent } from "../../../../src/services/translator/accounts/held-config.ts";
import {
  markedName,
  marksFor,
  mergedLabels,
  specMark,
  withoutMarks,
} from "../../../../src/services/translator/accounts/owner-marks.ts";

const long = "a".repeat(63);

describe("marks of a spec", () => {
  test("are labels that Google Cloud accepts, also for the longest names", () => {
    for (const spec of [`Agent/${long}`, `RAGPipeline/${long}`, "Agent/a"]) {
      const name = `${spec.split("/")[1]}-model-armor`;
      for (const value of Object.values(marksFor(spec, { name, config: {} })))
        expect(value).toMatch(/^[a-z0-9_-]{1,63}$/);
    }
  });

  test("of long names differ, and none is the mark of a short name", () => {
    const marks = ["a", "b"].map((end) => specMark(`RAGPipeline/${long.slice(1)}${end}`));
    expect(new Set(marks).size).toBe(2);
    for (const mark of marks) expect(mark.split("_")).toHaveLength(3);
    expect(specMark("Agent/a-b").split("_")).toHaveLength(2);
    expect(specMark("Agent/a")).not.toBe(specMark("RAGPipeline/a"));
  });

  test("give the resource's name back, to their own spec only", () => {
    const marks = marksFor("Agent/desk", { name: "desk-model-armor", config: {} });
    expect(markedName(marks, "Agent/desk")).toBe("desk-model-armor");
    expect(markedName(marks, "Agent/desk-model")).toBeUndefined();
    expect(markedName(marks, "RAGPipeline/desk")).toBeUndefined();
    expect(markedName({ ...marks, "managed-by": "Argosy" }, "Agent/desk")).toBeUndefined();
    expect(markedName(undefined, "Agent/desk")).toBeUndefined();
    expect(markedName(marksFor("Agent/desk", { name: "desk", config: {} }), "Agent/desk")).toBe("desk");
  });

  test("are kept beside labels of others; a label that is no longer wanted is removed", () => {
    const marks = marksFor("Agent/desk", { name: "desk", config: {} });
    const merged = mergedLabels(
      { team: "ours", cost: "42", spec: "x" },
      { team: "ours" },
      { tier: "gold" },
      marks,
    );
    expect(withoutMarks(merged)).toEqual({ cost: "42", tier: "gold" });
    expect(withoutMarks(marks)).toBeUndefined();
  });
});

describe("what a cloud answers, limited to what was sent", () => {
  test.each<[what: string, actual: unknown, sent: unknown, expected: unknown]>([
    ["keys that the cloud added go", { a: 1, b: 2 }, { a: 1 }, { a: 1 }],
    ["keys that are gone stay gone", {}, { a: 1 }, {}],
    [
      "defaults that JSON leaves out are there",
      {},
      { a: 0, b: false, c: "", d: [], e: {} },
      { a: 0, b: false, c: "", d: [], e: {} },
    ],
    ["changed values show", { a: { b: 2, c: 3 } }, { a: { b: 1 } }, { a: { b: 2 } }],
    [
      "elements are paired by name",
      {
        l: [
          { type: "B", x: 1 },
          { type: "A", x: 9 },
        ],
      },
      { l: [{ type: "A" }, { type: "B" }] },
      { l: [{ type: "A" }, { type: "B" }] },
    ],
    [
      "an element more shows",
      { l: [{ type: "A" }, { type: "C" }] },
      { l: [{ type: "A" }] },
      { l: [{ type: "A" }, { type: "C" }] },
    ],
    [
      "an element less shows",
      { l: [{ type: "B" }] },
      { l: [{ type: "A" }, { type: "B" }] },
      { l: [{ type: "B" }] },
    ],
    ["texts are compared in their order", { l: ["a", "b"] }, { l: ["b", "a"] }, { l: ["a", "b"] }],
    ["a value in place of a mapping shows", { a: "text" }, { a: { b: 1 } }, { a: "text" }],
    ["names of Object.prototype are not keys", {}, { constructor: "a" }, {}],
  ])("%s", (_, actual, sent, expected) => {
    expect(asSent(actual, sent)).toEqual(expected as never);
  });
});
