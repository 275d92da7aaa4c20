import { expect, test } from "bun:test";
import { PageLines, type PageNote } from "../../../src/retrieval/files/pdf/page-lines.ts";

/** A line of a page at this height. */
const at = (str: string, y: number, x = 72, height = 10) => ({
  str,
  hasEOL: true,
  width: str.length * 5,
  height,
  transform: [height, 0, 0, height, x, y],
});

function textOf(pieces: readonly ReturnType<typeof at>[], notes: readonly PageNote[] = []): string {
  const lines = new PageLines();
  for (const piece of pieces) lines.add(piece);
  for (const note of notes) lines.note(note);
  return lines.text;
}

test.each<[string, readonly ReturnType<typeof at>[], string]>([
  [
    "a word that was divided at the end of a line is whole",
    [at("The insur-", 700), at("ance ends.", 688)],
    "The insurance ends.",
  ],
  [
    "a compound keeps its hyphen if the page has it within a line too",
    [at("A well-known case: well-", 700), at("known to all.", 688)],
    "A well-known case: well-known to all.",
  ],
  [
    "a hyphen before a capital or a number stays",
    [at("Paris-", 700), at("Dakar 2-", 688), at("3", 676)],
    "Paris-\nDakar 2-\n3",
  ],
  [
    "a text that is drawn twice to look bold is read once",
    [at("Total", 700), at("Total", 700, 72.4)],
    "Total",
  ],
  ["a text that stands twice is read twice", [at("Total", 700), at("Total", 688)], "Total\nTotal"],
  [
    "a large first letter belongs to its word",
    [at("O", 690, 72, 24), at("nce upon a time", 702, 80), at("there was rain.", 690, 80)],
    "Once upon a time\nthere was rain.",
  ],
  ["letters that are set apart are a word", [at("R E P O R T  F O R  T W O", 700)], "REPORT FOR TWO"],
])("%s", (_, pieces, text) => {
  expect(textOf(pieces)).toBe(text);
});

const note = (text: string, rect: PageNote["rect"], label = ""): PageNote => ({ text, rect, label });

test.each<[string, PageNote, string]>([
  ["beside a text it follows it", note("Quist", [150, 698, 300, 712], "insured"), "Name: Quist\n\nSigned"],
  ["a box stands before its text", note("☒", [60, 698, 70, 712]), "☒ Name:\n\nSigned"],
  ["alone it has its label", note("4711", [72, 500, 200, 515], "Amount"), "Name:\n\nSigned\n\nAmount: 4711"],
])("a note %s", (_, given, text) => {
  expect(textOf([at("Name:", 700), at("Signed", 640)], [given])).toBe(text);
});
