import { expect, test } from "bun:test";
import fc from "fast-check";
import { tableName } from "../../../../src/retrieval/stores/lancedb/table-name.ts";
import type { CollectionKey } from "../../../../src/retrieval/stores/vector-store.ts";

const part = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("a", "A", "a/b", "b", "..", "", "\ud800", "\ud801", "é", "é"),
);
const key: fc.Arbitrary<CollectionKey> = fc.record({
  tenant: part,
  kind: fc.constantFrom("rag", "memory"),
  name: part,
});

test("a name is of small letters, digits and a dash, the same on every file system", () => {
  fc.assert(
    fc.property(key, (one) => {
      expect(tableName(one)).toMatch(/^(rag|memory)-[0-9a-f]{64}$/);
    }),
  );
});

test("equal keys share a name, and no others", () => {
  fc.assert(
    fc.property(key, key, (one, other) => {
      const isSame = one.tenant === other.tenant && one.kind === other.kind && one.name === other.name;
      expect(tableName(one) === tableName(other)).toBe(isSame);
    }),
  );
});

test.each([
  [
    { tenant: "a", name: "bc" },
    { tenant: "ab", name: "c" },
  ],
  [
    { tenant: "a", name: "b" },
    { tenant: "A", name: "b" },
  ],
  [
    { tenant: 'a","rag","b', name: "c" },
    { tenant: "a", name: 'b","rag","c' },
  ],
  [
    { tenant: "a\u0000", name: "b" },
    { tenant: "a", name: "\u0000b" },
  ],
  [
    { tenant: "\ud800", name: "b" },
    { tenant: "\ud801", name: "b" },
  ],
])("%j and %j are kept apart", (one, other) => {
  expect(tableName({ kind: "rag", ...one })).not.toBe(tableName({ kind: "rag", ...other }));
});

test("what a pipeline keeps and what an agent of that name remembers are kept apart", () => {
  expect(tableName({ tenant: "a", kind: "rag", name: "b" })).not.toBe(
    tableName({ tenant: "a", kind: "memory", name: "b" }),
  );
});
