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
