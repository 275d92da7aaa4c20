import { afterAll, expect, test } from "bun:test";
import { bytesOf, openDocumentReader, outcomeOf } from "../../support/document-reader.ts";
import { zipOf } from "../../support/zip-file.ts";

const reader = openDocumentReader();
afterAll(() => reader.close());
const packed = (parts: Record<string, string>) =>
  outcomeOf(reader, { bytes: zipOf(Object.entries(parts).map(([name, content]) => ({ name, content }))) });
const relations = (...targets: [string, string, string][]) =>
  `<Relationships>${targets.map(([id, type, target]) => `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`).join("")}</Relationships>`;

test("rows of an XLSX keep the names of their columns, dates, merged labels and their sheet", async () => {
  const sheet = `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Price</t></is></c><c r="C1" t="str"><v>Since</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2"><v>12.5</v></c><c r="C2" s="1"><v>46023</v></c></row><row r="3"><c r="B3"><v>13</v></c></row></sheetData><mergeCells><mergeCell ref="A2:A3"/></mergeCells></worksheet>`;
  expect(
    await packed({
      "_rels/.rels": relations(["r1", "officeDocument", "xl/workbook.xml"]),
      "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Prices" r:id="r1"/><sheet name="Old" state="hidden" r:id="r2"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": relations(
        ["r1", "worksheet", "worksheets/sheet1.xml"],
        ["r3", "sharedStrings", "sharedStrings.xml"],
        ["r4", "styles", "styles.xml"],
      ),
      "xl/worksheets/sheet1.xml": sheet,
      "xl/sharedStrings.xml": "<sst><si><t>Item</t></si><si><r><t>Lam</t></r><r><t>p</t></r></si></sst>",
      "xl/styles.xml": `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
    }),
  ).toMatchObject({
    text: "Prices\n\nItem | Price | Since\nItem: Lamp | Price: 12.5 | Since: 2026-01-01\nItem: Lamp | Price: 13",
    places: [{ start: 0, section: "Prices" }],
    losses: [{ kind: "hidden", count: 1, detail: "1 hidden sheet left out" }],
  });
});

const workbook = (sheet: string, more: Record<string, string> = {}) =>
  packed({
    "_rels/.rels": relations(["r1", "officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet name="Prices" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      ["r1", "worksheet", "worksheets/sheet1.xml"],
      ["r4", "styles", "styles.xml"],
    ),
    "xl/worksheets/sheet1.xml": `<worksheet>${sheet}</worksheet>`,
    ...more,
  });
const cellText = (at: string, text: string) => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;
const sheetRow = (number: number, ...cells: string[]) => `<row r="${number}">${cells.join("")}</row>`;
const merged = (...areas: string[]) =>
  `<mergeCells>${areas.map((area) => `<mergeCell ref="${area}"/>`).join("")}</mergeCells>`;

test("names of columns in two rows are joined where cells are merged, and a title is not repeated", async () => {
  const rows = [
    sheetRow(1, cellText("A1", "List of March")),
    sheetRow(2, cellText("A2", "Item"), cellText("B2", "Price")),
    sheetRow(3, cellText("B3", "net"), cellText("C3", "gross")),
    sheetRow(4, cellText("A4", "Saw"), `<c r="B4"><v>10</v></c><c r="C4"><v>11.9</v></c>`),
  ].join("");
  expect(await workbook(`<sheetData>${rows}</sheetData>${merged("A1:C1", "B2:C2", "A2:A3")}`)).toMatchObject({
    text: "Prices\n\nList of March\nItem | Price net | Price gross\nItem: Saw | Price net: 10 | Price gross: 11.9",
  });
  // A row of texts is no part of the names.
  const other = [
    sheetRow(1, cellText("A1", "Item"), cellText("B1", "Colours")),
    sheetRow(2, cellText("A2", "Saw"), cellText("B2", "red"), cellText("C2", "blue")),
  ].join("");
  expect(await workbook(`<sheetData>${other}</sheetData>${merged("B1:C1")}`)).toMatchObject({
    text: "Prices\n\nItem | Colours | Colours\nItem: Saw | Colours: red | Colours: blue",
  });
});

test.each([
  ['#,##0.00 "€"', "49.9", "49.90 €"],
  ["#,##0.00 [$€-407]", "-5", "-5.00 €"],
  ['"$"#,##0', "1250.5", "$1250.5"],
  ["_-* #,##0.00 [$kr.-406]_-;-* #,##0.00 [$kr.-406]_-", "7", "7.00 kr."],
  ["0.0\\ \\k\\g", "12", "12.0 kg"],
  ["00000", "1234", "01234"],
  ["#,##0.00", "3.5", "3.5"],
  ["General", "3.5", "3.5"],
  ["0.00%", "0.195", "19.50%"],
  ["dd.mm.yyyy", "46023", "2026-01-01"],
])("a number of the form %s keeps its currency, unit and zeros: %s is %s", async (code, value, text) => {
  const escaped = code.replaceAll('"', "&quot;");
  expect(
    await workbook(`<sheetData>${sheetRow(1, `<c r="A1" s="1"><v>${value}</v></c>`)}</sheetData>`, {
      "xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${escaped}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    }),
  ).toMatchObject({ text: `Prices\n\n${text}` });
});

test("a note on a cell stands with it", async () => {
  expect(
    await workbook(`<sheetData>${sheetRow(1, cellText("A1", "Saw"), cellText("B1", "Drill"))}</sheetData>`, {
      "xl/worksheets/_rels/sheet1.xml.rels": relations(["r1", "comments", "../comments1.xml"]),
      "xl/comments1.xml": `<comments><commentList><comment ref="B1"><text><r><t>while stocks last</t></r></text></comment></commentList></comments>`,
    }),
  ).toMatchObject({
    text: "Prices\n\nSaw | Drill (note: while stocks last)",
    losses: [{ kind: "notes", count: 1, detail: "1 note read" }],
  });
});

test("rows of a CSV keep the names of their columns, whatever separates them", async () => {
  const bytes = bytesOf('Name;Price\n"Lamp; small";"12,50"\n');
  expect(await outcomeOf(reader, { bytes, contentType: "text/csv" })).toMatchObject({
    text: "Name | Price\nName: Lamp; small | Price: 12,50",
  });
});

test("slides of a PPTX are pages with their titles and notes", async () => {
  const shape = (type: string, text: string) =>
    `<sp><nvSpPr><nvPr><ph type="${type}"/></nvPr></nvSpPr><txBody><p><r><t>${text}</t></r></p></txBody></sp>`;
  const slide = (body: string) => `<sld><cSld><spTree>${body}</spTree></cSld></sld>`;
  expect(
    await packed({
      "_rels/.rels": relations(["r1", "officeDocument", "ppt/presentation.xml"]),
      "ppt/presentation.xml": `<presentation xmlns:r="r"><sldIdLst><sldId id="256" r:id="r2"/><sldId id="257" r:id="r1"/></sldIdLst></presentation>`,
      "ppt/_rels/presentation.xml.rels": relations(
        ["r1", "slide", "slides/slide1.xml"],
        ["r2", "slide", "slides/slide2.xml"],
      ),
      "ppt/slides/slide2.xml": slide(shape("body", "Hello.") + shape("title", "Start")),
      "ppt/slides/slide1.xml": slide(shape("body", "Bye.")),
      "ppt/slides/_rels/slide1.xml.rels": relations(["r1", "notesSlide", "../notesSlides/notes1.xml"]),
      "ppt/notesSlides/notes1.xml": `<notes><cSld><spTree>${shape("body", "Wave.")}</spTree></cSld></notes>`,
    }),
  ).toMatchObject({
    text: "Start\n\nHello.\n\nBye.\n\nNotes: Wave.",
    places: [
      { start: 0, page: 1, section: "Start" },
      { start: 13, page: 2 },
    ],
  });
});

test("an OpenDocument text has its headings and tables", async () => {
  expect(
    await packed({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml":
        "<document-content><body><text><h>Whales</h><p>They<s/>breathe.</p><table><table-row><table-cell><p>a</p></table-cell><table-cell><p>b</p></table-cell></table-row></table></text></body></document-content>",
    }),
  ).toMatchObject({
    text: "Whales\n\nThey breathe.\n\na | b",
    places: [{ start: 0, section: "Whales" }],
  });
});

test("lists of an OpenDocument text have their numbers: levels, starts, continued, and bullets", async () => {
  const level = (at: number, format: string, more = "") =>
    `<list-level-style-number text:level="${at}" style:num-format="${format}" style:num-suffix="." ${more}/>`;
  const style = `<list-style style:name="L1">${level(1, "1")}${level(2, "a", 'text:display-levels="2"')}</list-style><list-style style:name="L2"><list-level-style-bullet text:level="1"/></list-style>`;
  const item = (text: string, more = "", inner = "") =>
    `<list-item ${more}><p>${text}</p>${inner}</list-item>`;
  const list = (name: string, items: string, more = "") =>
    `<list text:style-name="${name}" ${more}>${items}</list>`;
  const inner = `<list>${item("letter")}${item("courier")}</list>`;
  const body = [
    list("L1", item("Scope") + item("Notice", "", inner)),
    "<p>Between.</p>",
    list("L1", item("Deposit") + item("Late", 'text:start-value="7"'), 'text:continue-numbering="true"'),
    list("L2", item("spoke")),
  ].join("");
  expect(
    await packed({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml": `<document-content xmlns:text="t" xmlns:style="s"><automatic-styles>${style}</automatic-styles><body><text>${body}</text></body></document-content>`,
    }),
  ).toMatchObject({
    text: "1. Scope\n2. Notice\n  2.a. letter\n  2.b. courier\n\nBetween.\n\n3. Deposit\n7. Late\n\n- spoke",
  });
});

test("merged cells of an OpenDocument spreadsheet keep their label", async () => {
  const cell = (text: string, more = "") => `<table-cell ${more}><p>${text}</p></table-cell>`;
  const covered = "<covered-table-cell/>";
  const table = [
    cell("part", 'table:number-rows-spanned="2"') +
      cell("price", 'table:number-columns-spanned="2"') +
      covered,
    covered + cell("net") + cell("gross"),
    cell("chain", 'table:number-rows-spanned="2"') + cell("1") + cell("2"),
    covered + cell("3") + cell("4"),
  ].map((cells) => `<table-row>${cells}</table-row>`);
  expect(
    await packed({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": `<document-content xmlns:table="t"><body><spreadsheet><table table:name="Prices">${table.join("")}</table></spreadsheet></body></document-content>`,
    }),
  ).toMatchObject({
    text: "Prices\n\npart | price net | price gross\npart: chain | price net: 1 | price gross: 2\npart: chain | price net: 3 | price gross: 4",
  });
});

test("the rows of an OpenDocument spreadsheet name their columns, and repeated cells count", async () => {
  const row = (cells: string) => `<table-row>${cells}</table-row>`;
  const cell = (text: string, more = "") => `<table-cell ${more}><p>${text}</p></table-cell>`;
  const table = `<table table:name="Prices">${row(cell("part") + cell("price"))}${row(cell("chain") + cell("25"))}${row(cell("0", 'table:number-columns-repeated="2"'))}</table>`;
  expect(
    await packed({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": `<document-content xmlns:table="t"><body><spreadsheet>${table}</spreadsheet></body></document-content>`,
    }),
  ).toMatchObject({
    text: "Prices\n\npart | price\npart: chain | price: 25\npart: 0 | price: 0",
    places: [{ start: 0, section: "Prices" }],
  });
});

test("the slides of an OpenDocument presentation have numbers, titles and notes", async () => {
  const frame = (text: string, more = "") => `<frame ${more}><text-box><p>${text}</p></text-box></frame>`;
  const page = (title: string, text: string, notes = "") =>
    `<page>${frame(title, 'presentation:class="title"')}${frame(text)}${notes}</page>`;
  const slides =
    page("Whales", "They breathe.", `<notes>${frame("Wait.")}</notes>`) + page("Owls", "They fly.");
  expect(
    await packed({
      mimetype: "application/vnd.oasis.opendocument.presentation",
      "content.xml": `<document-content xmlns:presentation="p"><body><presentation>${slides}</presentation></body></document-content>`,
    }),
  ).toMatchObject({
    text: "Whales\n\nThey breathe.\n\nNotes: Wait.\n\nOwls\n\nThey fly.",
    places: [
      { start: 0, page: 1, section: "Whales" },
      { start: 35, page: 2, section: "Owls" },
    ],
  });
});

test("the chapters of an EPUB are read in the order of the book", async () => {
  const chapter = (title: string) => `<html><body><h1>${title}</h1><p>About ${title}.</p></body></html>`;
  expect(
    await packed({
      mimetype: "application/epub+zip",
      "META-INF/container.xml": `<container><rootfiles><rootfile full-path="a/b.opf"/></rootfiles></container>`,
      "a/b.opf": `<package><metadata><title>Book</title></metadata><manifest><item id="x" href="1.xhtml" media-type="application/xhtml+xml"/><item id="y" href="2.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="y"/><itemref idref="x"/></spine></package>`,
      "a/1.xhtml": chapter("Owls"),
      "a/2.xhtml": chapter("Whales"),
    }),
  ).toMatchObject({ title: "Book", text: "Whales\n\nAbout Whales.\n\nOwls\n\nAbout Owls." });
});

test("an e-mail is read with its attachments, and says which it can't read", async () => {
  const mail = [
    "From: Ana <ana@example.com>",
    "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Caf=E9 at=",
    " nine.",
    "--b",
    'Content-Type: application/octet-stream; name="notes.md"',
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from("# Plan\n\nMeet.").toString("base64"),
    "--b",
    'Content-Type: image/png; name="a.png"',
    "Content-Transfer-Encoding: base64",
    "",
    "iVBORw0KGgo=",
    "--b--",
  ].join("\r\n");
  expect(await outcomeOf(reader, { bytes: bytesOf(mail), contentType: "message/rfc822" })).toMatchObject({
    title: "Grüße",
    text: "From: Ana <ana@example.com>\nSubject: Grüße\n\nCafé at nine.\n\nAttachment: notes.md\n\n# Plan\n\nMeet.",
    losses: [{ kind: "attachments", count: 1, detail: "1 attachment not read: a.png" }],
  });
});
