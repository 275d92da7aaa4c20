import { expect, test } from "bun:test";
import { ragEvalFileKind } from "../../../src/manifest/files/rag-eval-file.ts";
import { checkFile } from "../../../src/manifest/schema/manifest-kind.ts";

const check = (text: string) => checkFile(ragEvalFileKind, text);

test("a golden set has its defaults", () => {
  const checked = check("pipeline: handbook\ncases:\n  - {query: why, expect: [{document: a.md}]}\n");
  expect(checked).toMatchObject({
    manifest: { pipeline: "handbook", k: 5, cases: [{ query: "why", expect: [{ document: "a.md" }] }] },
  });
});

test.each([
  [
    "neither pipeline nor collection",
    "cases: [{query: q, expect: [{document: d}]}]",
    "",
    "must name a `pipeline` or a `collection`",
    1,
  ],
  ["no cases", "collection: c\ncases: []", "cases", "", 2],
  ["nothing expected", "collection: c\ncases:\n  - query: q\n    expect: []", "cases[0].expect", "", 4],
  [
    "an empty query",
    "collection: c\ncases:\n  - query: ''\n    expect: [{document: d}]",
    "cases[0].query",
    "",
    3,
  ],
  ["k below 1", "collection: c\nk: 0\ncases: [{query: q, expect: [{document: d}]}]", "k", "", 2],
  [
    "an unknown key",
    "collection: c\ncases:\n  - query: q\n    expects: []\n    expect: [{document: d}]",
    "cases[0].expects",
    "",
    4,
  ],
  [
    "a question asked twice",
    "collection: c\ncases:\n  - {query: q, expect: [{document: d}]}\n  - {query: q, expect: [{document: e}]}",
    "cases[1].query",
    "is the same as that of case 1",
    4,
  ],
])("%s is a fault with its line", (_, text, path, message, line) => {
  expect(check(text)).toMatchObject({
    problems: [{ path, message: expect.stringContaining(message), line }],
  });
});

test("the same question with other filters is another case", () => {
  const text =
    "collection: c\ncases:\n  - {query: q, expect: [{document: d}]}\n  - {query: q, filters: {lang: es}, expect: [{document: e}]}";
  expect(check(text)).toHaveProperty("manifest");
});
