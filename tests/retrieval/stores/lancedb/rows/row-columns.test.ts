import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { joinedRows, rowColumns } from "../../../../../src/retrieval/stores/lancedb/rows/row-columns.ts";
import { withUsualLengths } from "../../../../../src/retrieval/stores/lancedb/rows/usual-lengths.ts";
import type { VectorBatch } from "../../../../../src/retrieval/stores/vector-store.ts";
import { batchOf } from "../../../../support/lance-store.ts";

function refusalOf(batch: VectorBatch): string | undefined {
  try {
    rowColumns(batch, 2);
    return undefined;
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.code : "not an AppError";
  }
}

const two = batchOf([{ id: "a" }, { id: "b" }]);

test.each([
  ["fewer groups", { ...two, groups: ["g"] }, "invalid_request"],
  ["fewer texts", { ...two, texts: [] }, "invalid_request"],
  ["more metadata", { ...two, metadata: [{}, {}, {}] }, "invalid_request"],
  ["an empty id", batchOf([{ id: "" }]), "invalid_request"],
  ["a long group", batchOf([{ id: "a", group: "g".repeat(513) }]), "invalid_request"],
  ["half a character", batchOf([{ id: "\ud800" }]), "invalid_request"],
  ["an empty write", batchOf([{ id: "a" }], ""), "invalid_request"],
  ["vectors of three numbers", batchOf([{ id: "a", vector: [1, 2, 3] }]), "dimension_mismatch"],
  ["too few numbers", { ...two, vectors: Float32Array.of(1, 2, 3) }, "dimension_mismatch"],
  ["NaN", batchOf([{ id: "a", vector: [1, Number.NaN] }]), "invalid_request"],
  ["infinity", batchOf([{ id: "a", vector: [1, Number.NEGATIVE_INFINITY] }]), "invalid_request"],
  ["a fine batch", two, undefined],
] as [string, VectorBatch, string | undefined][])("%s", (_, batch, code) => {
  expect(refusalOf(batch)).toBe(code as string);
});

describe("of rows with the same id the last one counts", () => {
  const ids = ({ ids, texts, vectors }: ReturnType<typeof rowColumns>) =>
    ids.map((id, at) => [id, texts[at], ...vectors.slice(2 * at, 2 * at + 2)]);

  test("in one batch", () => {
    const rows = [
      { id: "a", text: "first", vector: [1, 0] },
      { id: "b", text: "other", vector: [2, 0] },
      { id: "a", text: "second", vector: [3, 0] },
    ];
    expect(ids(rowColumns(batchOf(rows), 2))).toEqual([
      ["a", "second", 3, 0],
      ["b", "other", 2, 0],
    ]);
  });

  test("over several", () => {
    const parts = [
      rowColumns(batchOf([{ id: "a", text: "1", vector: [1, 0] }]), 2),
      rowColumns(
        batchOf([
          { id: "c", text: "2", vector: [2, 0] },
          { id: "a", text: "3", vector: [3, 0] },
        ]),
        2,
      ),
    ];
    expect(ids(joinedRows(parts, 2))).toEqual([
      ["a", "3", 3, 0],
      ["c", "2", 2, 0],
    ]);
  });
});

test.each([
  ["usual ones as they are", [3, 4, 0, 0, -1, 1], [3, 4, 0, 0, -1, 1]],
  ["tiny ones to length 1", [3e-20, 4e-20, 1, 2], [0.6, 0.8, 1, 2]],
  ["huge ones to length 1", [1, 2, -3e30, 4e30], [1, 2, -0.6, 0.8]],
])("%s", (_, vectors, expected) => {
  const given = Float32Array.from(vectors);
  const usual = withUsualLengths(given, 2);
  for (const [at, value] of expected.entries()) expect(usual[at]).toBeCloseTo(value, 5);
  // The caller's vectors are unchanged.
  expect([...given]).toEqual([...Float32Array.from(vectors)]);
});
