import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sqlAll, sqlIn, sqlLiteral } from "../../../../src/retrieval/stores/lancedb/sql-literal.ts";
import { batchOf, lanceStore, someCollection } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

test.each([
  ["plain", "'plain'"],
  ["O'Brien", "'O''Brien'"],
  ["'; DROP TABLE x --", "'''; DROP TABLE x --'"],
  ["back\\slash\\'", "'back\\slash\\'''"],
  ["\ud800", "'\ufffd'"],
])("%j is written %s", (text, literal) => {
  expect(sqlLiteral(text)).toBe(literal);
});

test("lists and conjunctions", () => {
  expect(sqlIn("id", ["a", "b'"])).toBe("id IN ('a', 'b''')");
  expect(sqlIn("id", [])).toBe("false");
  expect(sqlAll([undefined, undefined])).toBeUndefined();
  expect(sqlAll(["a OR b", undefined, "c"])).toBe("(a OR b) AND (c)");
});

describe("any text in ids, groups, writes and texts", () => {
  const name = fc.oneof(
    fc.constantFrom(
      "'",
      "''",
      "\\",
      "\\'",
      '"',
      "`",
      "%",
      "_",
      "\n",
      "\u0000",
      "a\u0000b",
      "--",
      ")",
      "😀",
      "é",
      "é",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 12 }),
  );

  test("each row is found by them, and by nothing else", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), async (names) => {
        const collection = await store.open({ ...someCollection, name: String(round++) }, 2);
        for (const id of names)
          await collection.add(batchOf([{ id, group: `g${id}`, text: id, metadata: { id } }], `w${id}`));
        for (const id of names) {
          const expected = [{ id, group: `g${id}`, text: id, metadata: { id } }];
          for (const what of [{ ids: [id] }, { group: `g${id}` }, { writes: [`w${id}`] }])
            expect(await collection.list(what, { limit: 9 })).toEqual(expected);
        }
        const [first = ""] = names;
        await collection.remove({ ids: [first] });
        const left = await collection.list({}, { limit: 9 });
        expect(left.map(({ id }) => id).toSorted()).toEqual(names.slice(1).toSorted());
      }),
      { numRuns: 25 },
    );
    await store.close();
  });
});
