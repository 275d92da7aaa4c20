import { afterAll, expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { readPdfDate } from "../../../src/retrieval/files/pdf/pdf-date.ts";
import { createTextRecognition } from "../../../src/retrieval/files/scan/text-recognition.ts";
import { openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { encryptedPdf } from "../../support/encrypted-pdf.ts";
import { noPackages } from "../../support/no-packages.ts";
import { packedStream, pdfFile, pdfWith, writtenLines } from "../../support/pdf-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const read = (bytes: Uint8Array) => outcomeOf(reader, { bytes, contentType: "application/pdf" });

test("pages, paragraphs and lines are separated, and the file's title, author and date are read", async () => {
  const info = { Title: "On whales", Author: "A. Person", CreationDate: "D:20260102030405+01'00'" };
  const pages = [
    ["A heading", "", "The first line of a paragraph", "goes on (here) in \\ the second.", "", "Another."],
    ["The second page."],
  ];
  expect(await read(pdfFile({ pages, info }))).toEqual({
    places: [
      { start: 0, page: 1 },
      { start: 84, page: 2 },
    ],
    text: "A heading\n\nThe first line of a paragraph\ngoes on (here) in \\ the second.\n\nAnother.\n\nThe second page.",
    title: "On whales",
    metadata: { title: "On whales", author: "A. Person", created_at: "2026-01-02T02:04:05.000Z", pages: 2 },
  });
});

test("columns and their pieces come in the order of the page", async () => {
  const column = (x: number, words: readonly string[]) =>
    `BT /F1 10 Tf 12 TL ${x} 700 Td ${words.map((word) => `(${word}) Tj T*`).join(" ")} ET`;
  const content = packedStream(
    `${column(72, ["left one", "left two"])} ${column(320, ["right one", "right two"])}`,
  );
  expect(await read(pdfWith([content]))).toMatchObject({
    text: "left one\nleft two\n\nright one\nright two",
  });
});

test("a page without text among others is accepted", async () => {
  const contents = [packedStream("q Q"), packedStream(writtenLines(["Words."]))];
  expect(await read(pdfWith(contents))).toMatchObject({ text: "Words.", metadata: { pages: 2 } });
});

test("a scanned file is 422, and the answer says that it needs text recognition first", async () => {
  expect(await read(pdfWith([packedStream("q 612 0 0 792 0 0 cm Q")]))).toMatchObject({
    code: "document_unreadable",
    status: 422,
    message: expect.stringContaining("Run text recognition first"),
  });
});

test("a password is asked for by name, and an empty one opens", async () => {
  expect(await read(encryptedPdf("secret", ["Hidden."]))).toMatchObject({
    code: "document_unreadable",
    message: expect.stringContaining("protected by a password"),
  });
  expect(await read(encryptedPdf("", ["Open to all."]))).toMatchObject({ text: "Open to all." });
});

test.each([
  ["D:20260102030405Z", "2026-01-02T03:04:05.000Z"],
  ["D:20260102030405-08'30'", "2026-01-02T11:34:05.000Z"],
  ["D:2026", "2026-01-01T00:00:00.000Z"],
  ["20260102", "2026-01-02T00:00:00.000Z"],
  ["D:20261399", undefined],
  ["yesterday", undefined],
  ["", undefined],
  [undefined, undefined],
])("the date %p is %p", (text, instant) => {
  expect(readPdfDate(text)).toBe(instant);
});

test("pages that are pictures are named, and how to have them read where the pipeline wants it", async () => {
  const empty = packedStream("q Q");
  const words = packedStream(writtenLines(["Words."]));
  const bytes = pdfWith([empty, words, empty, empty, words, empty]);
  expect(await read(bytes)).toMatchObject({
    losses: [{ kind: "pictures", count: 4, detail: "4 pages without text, a picture or empty: 1, 3-4, 6" }],
  });
  const wanting = openDocumentReader(systemClock, createTextRecognition(noPackages));
  const advice =
    "The package tesseract.js-core can't be had. Connect this machine to registry.npmjs.org, or run: install tesseract.js-core @tesseract.js-data/eng";
  const wanted = { contentType: "application/pdf", recognized: ["eng"] };
  expect(await outcomeOf(wanting, { ...wanted, bytes })).toMatchObject({
    losses: [{ detail: `4 pages without text, a picture or empty: 1, 3-4, 6. ${advice}` }],
  });
  expect(await outcomeOf(wanting, { ...wanted, bytes: pdfWith([empty]) })).toMatchObject({
    status: 422,
    message: expect.stringMatching(/tell no characters\. The package tesseract\.js-core can't be had\./),
  });
  expect(
    await outcomeOf(wanting, { bytes: new TextEncoder().encode("text"), recognized: ["eng"] }),
  ).toMatchObject({
    text: "text",
  });
  wanting.close();
});
