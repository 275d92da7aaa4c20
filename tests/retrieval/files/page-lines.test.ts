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

/** Pieces of one line by their left edges, as a page draws them. */
const drawn = (y: number, ...pieces: readonly [str: string, x: number][]) =>
  pieces.map(([str, x]) => ({ ...at(str, y, x), hasEOL: false }));
const line = (...pieces: readonly [str: string, x: number][]) => drawn(700, ...pieces);

test.each<[string, readonly ReturnType<typeof at>[], string]>([
  [
    "a row of an invoice: its columns follow each other from the right, numbers too",
    line(["355.00", 60], ["35.50", 140], ["10", 220], ["ورق", 300]),
    "ورق 10 35.50 355.00",
  ],
  [
    "a row with words of another script",
    [
      ...drawn(712, ["فاتورة ضريبية", 200]),
      ...line(["2,500.00", 60], ["2", 150], ["HP LaserJet", 200], ["طابعة", 258]),
    ],
    "فاتورة ضريبية\nطابعة HP LaserJet 2 2,500.00",
  ],
  [
    "a number of several groups",
    line(["4567", 60], ["123", 83], ["971+", 102], ["هاتف", 125]),
    "هاتف +971 123 4567",
  ],
  ["a full stop behind a date", line([".30/04/2026", 60], ["قبل", 120]), "قبل 30/04/2026."],
  ["a percentage", line(["5%", 60], ["خصم", 75]), "خصم 5%"],
  [
    "a sentence of another script that names a word",
    line(["Sold to", 60], ["النور", 100], ["on 14/03/2026", 130]),
    "Sold to النور on 14/03/2026",
  ],
])("from right to left: %s", (_, pieces, text) => {
  expect(textOf(pieces)).toBe(text);
});

test("a row of numbers alone runs as the page does", () => {
  const rows = [
    ...drawn(700, ["المجموع", 60], ["الكمية", 200], ["الصنف", 300]),
    ...drawn(688, ["50.00", 60], ["2", 200], ["HP-200", 300]),
  ];
  expect(textOf(rows)).toBe("الصنف الكمية المجموع\nHP-200 2 50.00");
});

test("digits that stand smaller above the line are raised, below it they are not", () => {
  const small = (str: string, y: number, x: number) => ({ ...at(str, y, x, 6), hasEOL: false });
  expect(textOf([...line(["10", 60]), small("6", 704, 70), ...line([" H", 76]), small("2", 698, 86)])).toBe(
    "10⁶ H2",
  );
});

test("short words that are set apart count beside a long one", () => {
  expect(textOf([at("A N N U A L  L A N D  T A X", 700)])).toBe("ANNUAL LAND TAX");
  expect(textOf([at("a b c", 700)])).toBe("a b c");
});

test("a piece that is drawn elsewhere begins a line", () => {
  expect(textOf([{ ...at("Send news", 300), hasEOL: false }, at("Quist", 700)])).toBe("Send news\n\nQuist");
});
