import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson, checksumOf } from "../../../../src/kit/json/canonical-json.ts";
import { diffSpecs } from "../../../../src/services/platform/agents/diff-specs.ts";

test.each<[string, unknown, unknown, unknown[]]>([
  ["nothing", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
  ["an entry behind the others", { a: [1] }, { a: [1, 2] }, [{ path: "a[1]", change: "added", after: 2 }]],
  ["an entry less", { a: [1, 2] }, { a: [1] }, [{ path: "a[1]", change: "removed", before: 2 }]],
  ["another kind", { a: [] }, { a: {} }, [{ path: "a", change: "changed", before: [], after: {} }]],
  ["null and nothing", {}, { a: null }, [{ path: "a", change: "added", after: null }]],
  ["1 and '1'", { a: 1 }, { a: "1" }, [{ path: "a", change: "changed", before: 1, after: "1" }]],
  [
    "a name that every object inherits",
    {},
    { hasOwnProperty: "x" },
    [{ path: "hasOwnProperty", change: "added", after: "x" }],
  ],
  ["a key with a dot", { a: {} }, { a: { "b.c": 1 } }, [{ path: 'a["b.c"]', change: "added", after: 1 }]],
])("a difference of %s", (_, before, after, changes) => {
  expect(diffSpecs(before, after)).toEqual(changes as ReturnType<typeof diffSpecs>);
});

const spec = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)));

test("there is a difference just when the canonical texts differ", () => {
  fc.assert(
    fc.property(spec, spec, (one, other) => {
      expect(diffSpecs(one, other).length === 0).toBe(canonicalJson(one) === canonicalJson(other));
      expect(diffSpecs(one, one)).toEqual([]);
    }),
  );
});

test("canonical JSON is JSON of the same value, for any order of keys", () => {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, reversed(inner)]),
    );
  };
  fc.assert(
    fc.property(spec, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
      expect(checksumOf(reversed(value))).toBe(checksumOf(value));
    }),
  );
  expect(canonicalJson({ "\u{1F600}": 1, "\ufb33": 2, b: [], a: 1e21 })).toBe(
    '{"a":1e+21,"b":[],"\u{1F600}":1,"\ufb33":2}',
  );
});
