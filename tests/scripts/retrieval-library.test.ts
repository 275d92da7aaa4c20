import { afterAll, expect, test } from "bun:test";
import { libraryFile } from "../../scripts/bench/retrieval/library-file.ts";
import { readLibrary } from "../../scripts/bench/retrieval/read-library.ts";
import { bytesOf, openDocumentReader } from "../support/document-reader.ts";

const library = readLibrary();
const reader = openDocumentReader();
afterAll(() => reader.close());

test("the library has 60 documents of ten formats in six languages, with their sources and at least 200 questions", () => {
  expect(library).toHaveLength(60);
  expect(new Set(library.map(({ id }) => id)).size).toBe(60);
  expect(new Set(library.map(({ language }) => language)).size).toBe(6);
  expect(new Set(library.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(10);
  expect(library.every(({ title, source }) => title !== "" && source !== "")).toBe(true);
  expect(library.flatMap(({ questions }) => questions).length).toBeGreaterThanOrEqual(200);
});

test.each(library.map((document) => [document.id, document] as const))(
  "the file of %s is read, and has the words of each answer",
  async (id, document) => {
    const file = libraryFile(document);
    const bytes = typeof file === "string" ? bytesOf(file) : file;
    const { text } = await reader.read({ bytes, name: id }, new AbortController().signal);
    const plain = text.replace(/\s+/g, " ");
    for (const { contains } of document.questions) expect(plain).toContain(contains);
  },
);
