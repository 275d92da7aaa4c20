import { afterAll, expect, test } from "bun:test";
import { openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { packedStream, pdfOf, pdfText } from "../../support/pdf-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());

const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const row = (line: number) => 740 - line * 30;

/** A form with a text on each line, and beside it an annotation with these entries. */
function formOf(
  lines: readonly (readonly [text: string, annotation: string])[],
  catalog = "",
  drawn = "",
): Uint8Array {
  const shown = lines.map(([text], at) => `BT /F1 12 Tf 100 ${row(at)} Td ${pdfText(text)} Tj ET`).join("\n");
  const first = 6;
  const ids = lines.map((_, at) => `${first + at} 0 R`).join(" ");
  return pdfOf([
    `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [${ids}] ${catalog} >> >>`,
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    font,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R /Annots [${ids}] >>`,
    packedStream(shown),
    ...lines.map(
      ([, annotation], at) =>
        `<< /Type /Annot /Rect [${annotation.includes("/Btn") ? "80" : "220"} ${row(at) - 3} ${annotation.includes("/Btn") ? "94" : "400"} ${row(at) + 12}] ${annotation} >>`,
    ),
    packedStream(
      drawn,
      "/Type /XObject /Subtype /Form /BBox [0 0 180 15] /Resources << /Font << /F1 3 0 R >> >>",
    ),
  ]);
}

const field = (name: string, more: string) => `/Subtype /Widget /F 4 /T ${pdfText(name)} ${more}`;
const states = "/AP << /N << /Yes << /Length 0 >> /Off << /Length 0 >> >> >>";

test("the values of all kinds of form fields stand beside their texts", async () => {
  const read = await outcomeOf(reader, {
    bytes: formOf([
      ["Name:", field("name", `/FT /Tx /V ${pdfText("Ludmilla Quist")}`)],
      ["Remarks:", field("remarks", `/FT /Tx /Ff 4096 /V ${pdfText("first line\nsecond line")}`)],
      ["cash", field("cash", `/FT /Btn /V /Yes /AS /Yes ${states}`)],
      ["card", field("card", `/FT /Btn /V /Off /AS /Off ${states}`)],
      ["Size:", field("size", `/FT /Ch /Ff 131072 /Opt [[(s) (Small)] [(l) (Large)]] /V (l)`)],
      ["Code:", field("code", `/FT /Tx /Ff 8192 /V (secret)`)],
      ["Empty:", field("empty", "/FT /Tx")],
    ]),
  });
  expect(read).toMatchObject({
    losses: [{ kind: "form_fields", count: 5, detail: "5 form fields read" }],
  });
  const text = "text" in read ? read.text.split(/\n+/) : read;
  expect(text).toEqual([
    "Name: Ludmilla Quist",
    "Remarks: first line",
    "second line",
    "☒ cash",
    "☐ card",
    "Size: Large",
    "Code:",
    "Empty:",
  ]);
});

test("one of two radio buttons is chosen", async () => {
  const radio = (value: string, chosen: string) =>
    field(
      "pay",
      `/FT /Btn /Ff 32768 /V /${chosen} /AS /${value === chosen ? value : "Off"} /AP << /N << /${value} << /Length 0 >> /Off << /Length 0 >> >> >>`,
    );
  const read = await outcomeOf(reader, {
    bytes: formOf([
      ["monthly", radio("monthly", "yearly")],
      ["yearly", radio("yearly", "yearly")],
    ]),
  });
  expect(read).toMatchObject({ text: "☐ monthly\n\n☒ yearly" });
});

test("a note written on the page is read, a hidden one is not", async () => {
  const read = await outcomeOf(reader, {
    bytes: formOf([
      ["Paid", `/Subtype /FreeText /F 4 /DA (/F1 10 Tf) /Contents ${pdfText("in cash")}`],
      ["Seen", `/Subtype /FreeText /F 2 /DA (/F1 10 Tf) /Contents ${pdfText("by nobody")}`],
    ]),
  });
  expect(read).toMatchObject({
    text: "Paid in cash\n\nSeen",
    losses: [{ kind: "notes", count: 1, detail: "1 note read" }],
  });
});

test("a signature is read as it is drawn", async () => {
  const signature = field("sign", "/FT /Sig /V << /Type /Sig /Filter /Adobe.PPKLite >> /AP << /N 7 0 R >>");
  const read = await outcomeOf(reader, {
    bytes: formOf([["Signed:", signature]], "/SigFlags 1", "BT /F1 10 Tf 2 4 Td (Ada Lovelace) Tj ET"),
  });
  expect(read).toMatchObject({
    text: "Signed: Ada Lovelace",
    losses: [{ kind: "signatures", count: 1, detail: "1 signature read as drawn" }],
  });
});

test("a form in XFA is named, and what stands on its pages is read", async () => {
  const read = await outcomeOf(reader, {
    bytes: formOf([["Please wait", field("a", "/FT /Tx")]], "/XFA 5 0 R"),
  });
  expect(read).toMatchObject({ text: "Please wait", losses: [{ kind: "xfa", count: 1 }] });
});

test("values of a form that was flattened stand beside their texts", async () => {
  const value = (text: string, line: number) =>
    `q 1 0 0 1 220 ${row(line)} cm /Tx BMC q BT /F1 12 Tf ${pdfText(text)} Tj ET Q EMC Q`;
  const shown = ["Name:", "Amount:", "Remarks"].map(
    (text, at) => `BT /F1 12 Tf 100 ${row(at)} Td ${pdfText(text)} Tj ET`,
  );
  const bytes = pdfOf([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    font,
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    packedStream([...shown, value("Quist", 0), value("4711", 1)].join("\n")),
  ]);
  expect(await outcomeOf(reader, { bytes })).toMatchObject({
    text: "Name: Quist\n\nAmount: 4711\n\nRemarks",
  });
});
