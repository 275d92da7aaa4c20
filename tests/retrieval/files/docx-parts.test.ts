import { afterAll, expect, test } from "bun:test";
import { openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { docxOf } from "../../support/docx-file.ts";
import type { ZipPart } from "../../support/zip-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** Parts of a document with the relationships that name them. */
const withParts = (parts: Readonly<Record<string, string>>): ZipPart[] => [
  ...Object.entries(parts).map(([name, content]) => ({ name: `word/${name}.xml`, content })),
  {
    name: "word/_rels/document.xml.rels",
    content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.keys(
      { styles: "", numbering: "", ...parts },
    )
      .map((name, at) => `<Relationship Id="r${at}" Type="${office}/${name}" Target="${name}.xml"/>`)
      .join("")}</Relationships>`,
  },
];
const textOf = async (body: string, parts: Readonly<Record<string, string>> = {}) => {
  const read = await outcomeOf(reader, { bytes: docxOf(body, {}, withParts(parts)) });
  return "text" in read ? read.text : read;
};

const run = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (content: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;

test("headings and paragraphs take their numbers from styles, also from a style's base", async () => {
  const level = (at: number, style: string, text: string) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="${style}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = `<w:numbering xmlns:w="x"><w:abstractNum w:abstractNumId="7">${level(0, "Heading1", "%1")}${level(1, "Heading2", "%1.%2")}</w:abstractNum><w:num w:numId="3"><w:abstractNumId w:val="7"/></w:num></w:numbering>`;
  const style = (id: string, name: string, more: string) =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`;
  const inList = (at: number) =>
    `<w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="3"/></w:numPr></w:pPr>`;
  const styles = `<w:styles xmlns:w="x">${style("Heading1", "heading 1", inList(0))}${style("Heading2", "heading 2", inList(1))}${style("Own", "Clause", '<w:basedOn w:val="Heading2"/>')}</w:styles>`;
  const of = (name: string, text: string) => p(run(text), `<w:pStyle w:val="${name}"/>`);
  const body = of("Heading1", "Rent") + of("Heading2", "Due") + of("Own", "Late") + of("Heading1", "End");
  expect(await textOf(body, { styles, numbering })).toBe("1 Rent\n\n1.1 Due\n\n1.2 Late\n\n2 End");
});

test("notes follow the paragraph or the row that names them", async () => {
  const footnotes = `<w:footnotes xmlns:w="x"><w:footnote w:id="4">${p(run("Net of tax."))}</w:footnote></w:footnotes>`;
  const endnotes = `<w:endnotes xmlns:w="x"><w:endnote w:id="2">${p(run("See annex."))}</w:endnote></w:endnotes>`;
  const body =
    p(`${run("Price 5")}<w:r><w:footnoteReference w:id="4"/></w:r>`) +
    p(`${run("Terms")}<w:r><w:endnoteReference w:id="2"/></w:r>`) +
    `<w:tbl><w:tr><w:tc>${p(`${run("Fee")}<w:r><w:footnoteReference w:id="4"/></w:r>`)}</w:tc><w:tc>${p(run("7"))}</w:tc></w:tr></w:tbl>`;
  expect(await textOf(body, { footnotes, endnotes })).toBe(
    "Price 5[1]\n\n[1] Net of tax.\n\nTerms[i]\n\n[i] See annex.\n\nFee[1] [1] Net of tax. | 7",
  );
});

test("text boxes follow their paragraph, once, and a picture is counted", async () => {
  const box = (text: string) => `<w:txbxContent xmlns:w="x">${p(run(text))}</w:txbxContent>`;
  const body = p(
    `${run("Beside.")}<w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing>${box("In the box.")}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box("In the box.")}</w:pict></mc:Fallback></mc:AlternateContent></w:r>`,
  );
  expect(await textOf(body)).toBe("Beside.\n\nIn the box.");
  const drawing = p(`${run("Look.")}<w:r><w:drawing><a:blip xmlns:a="a"/></w:drawing><w:object/></w:r>`);
  expect(await outcomeOf(reader, { bytes: docxOf(drawing) })).toMatchObject({
    text: "Look.",
    losses: [
      { kind: "pictures", count: 1, detail: "1 picture not read" },
      { kind: "objects", count: 1, detail: "1 drawing or embedded object not read" },
    ],
  });
});

test("a merged cell stands in each row and column that it covers", async () => {
  const cell = (text: string, properties = "") =>
    `<w:tc><w:tcPr>${properties}</w:tcPr>${p(text === "" ? "" : run(text))}</w:tc>`;
  const body = `<w:tbl><w:tblGrid><w:gridCol/><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>${cell("Prices", '<w:gridSpan w:val="3"/>')}</w:tr><w:tr>${cell("Bikes", '<w:vMerge w:val="restart"/>')}${cell("chain")}${cell("25")}</w:tr><w:tr>${cell("", "<w:vMerge/>")}${cell("tyre")}${cell("30")}</w:tr><w:tr>${cell("Other")}${cell("on request", '<w:gridSpan w:val="2"/>')}</w:tr></w:tbl>`;
  expect(await textOf(body)).toBe(
    "Prices\nBikes | chain | 25\nBikes | tyre | 30\nOther | on request | on request",
  );
});

test("boxes, chosen entries and the results of fields are read, their codes are not", async () => {
  const control = (checked: string) =>
    `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="w14"><w14:checked w14:val="${checked}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run("?")}</w:sdtContent></w:sdt>`;
  const field = (data: string) =>
    `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:instrText>FORM</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const page = `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("12")}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
  const body =
    p(control("1") + run(" cash")) +
    p(control("0") + run(" card")) +
    p(field("<w:checkBox><w:checked/></w:checkBox>") + run(" post")) +
    p(
      run("size ") +
        field('<w:ddList><w:result w:val="1"/><w:listEntry w:val="S"/><w:listEntry w:val="M"/></w:ddList>'),
    ) +
    p(run("page ") + page);
  expect(await textOf(body)).toBe("☒ cash\n\n☐ card\n\n☒ post\n\nsize M\n\npage 12");
});

test("a paragraph whose end was deleted goes on in the next one", async () => {
  const body = p(run("One "), "<w:rPr><w:del/></w:rPr>") + p(run("two."));
  expect(await textOf(body)).toBe("One two.");
});

test("raised numbers and signs of symbol fonts keep their meaning, unknown signs are told", async () => {
  const sign = (font: string, code: string) => `<w:r><w:sym w:font="${font}" w:char="${code}"/></w:r>`;
  const raised = (text: string) => run(text, '<w:vertAlign w:val="superscript"/>');
  const body = p(
    `${run("10")}${raised("6")}${run(" m")}${raised("2")}${run(", 12")}${raised("th")}${run(" ")}${sign("Symbol", "F061")}${sign("Symbol", "F0A3")}${sign("Symbol", "F044")}${run("7")}${sign("Wingdings", "F0FE")}${sign("Webdings", "F001")}`,
  );
  const read = await outcomeOf(reader, { bytes: docxOf(body, {}, withParts({})) });
  expect(read).toMatchObject({
    text: "10⁶ m², 12th α≤Δ7☒",
    losses: [{ kind: "symbols", count: 1, detail: "1 sign of symbol fonts not read" }],
  });
});
