import { docxFile, escapeXml } from "../../../tests/support/docx-file.ts";
import { pdfFile } from "../../../tests/support/pdf-file.ts";
import { zipOf } from "../../../tests/support/zip-file.ts";
import type { LibraryDocument } from "./read-library.ts";

/** The file of a document in its format. */
export function libraryFile(document: LibraryDocument): string | Uint8Array {
  const write = formats[document.kind];
  if (write === undefined) throw new Error(`${document.id} has a format that can't be written.`);
  return write(document);
}

const rowsOf = ({ sections }: LibraryDocument) =>
  sections.flatMap(({ lines }) => lines.map((line) => line.split(" | ")));

const paragraphs = ({ sections }: LibraryDocument, mark: (heading: string) => string) =>
  sections.flatMap(({ heading, lines }) => [...(heading === undefined ? [] : [mark(heading)]), ...lines]);

const htmlOf = ({ title, sections }: LibraryDocument) =>
  `<html><head><meta charset="utf-8"><title>${escapeXml(title)}</title></head><body>${sections
    .map(
      ({ heading, lines }) =>
        `${heading === undefined ? "" : `<h1>${escapeXml(heading)}</h1>`}${lines.map((line) => `<p>${escapeXml(line)}</p>`).join("")}`,
    )
    .join("")}</body></html>`;

/** The document as a page to print: two columns of justified text whose long words are divided. */
export const printedHtml = (document: LibraryDocument) =>
  htmlOf(document).replace(
    "<body>",
    `<body lang="${document.language}" style="columns:2;text-align:justify;hyphens:auto;font:13px serif">`,
  );

const formats: Readonly<Record<string, (document: LibraryDocument) => string | Uint8Array>> = {
  md: (document) =>
    `---\ntitle: ${JSON.stringify(document.title)}\n---\n${paragraphs(document, (heading) => `# ${heading}`).join("\n\n")}\n`,
  txt: (document) => `${document.title}\n\n${paragraphs(document, (heading) => heading).join("\n\n")}\n`,
  html: htmlOf,
  csv: (document) =>
    rowsOf(document)
      .map((row) => row.map((cell) => JSON.stringify(cell)).join(","))
      .join("\n"),
  eml: (document) =>
    `From: author@example.com\r\nSubject: =?utf-8?b?${Buffer.from(document.title).toString("base64")}?=\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${paragraphs(document, (heading) => heading).join("\r\n\r\n")}`,
  pdf: (document) =>
    pdfFile({
      pages: document.sections.map(({ heading, lines }) => [
        ...(heading === undefined ? [] : [heading, ""]),
        ...lines.flatMap((line) => [...wrapped(line), ""]),
      ]),
      info: { Title: document.title },
    }),
  docx: (document) =>
    docxFile(
      document.sections.flatMap(({ heading, lines }) => [
        ...(heading === undefined ? [] : [{ heading }]),
        ...lines,
      ]),
      { "dc:title": document.title },
    ),
  odt: (document) =>
    zipOf([
      { name: "mimetype", content: "application/vnd.oasis.opendocument.text" },
      {
        name: "content.xml",
        content: `<document-content xmlns:text="t"><body><text>${document.sections
          .map(
            ({ heading, lines }) =>
              `${heading === undefined ? "" : `<text:h text:outline-level="1">${escapeXml(heading)}</text:h>`}${lines.map((line) => `<text:p>${escapeXml(line)}</text:p>`).join("")}`,
          )
          .join("")}</text></body></document-content>`,
      },
    ]),
  epub: (document) =>
    zipOf([
      { name: "mimetype", content: "application/epub+zip" },
      {
        name: "META-INF/container.xml",
        content: '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
      },
      {
        name: "book.opf",
        content: `<package><metadata><title>${escapeXml(document.title)}</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
      },
      { name: "a.xhtml", content: htmlOf(document).replace('<meta charset="utf-8">', "") },
    ]),
  xlsx: (document) =>
    zipOf([
      {
        name: "[Content_Types].xml",
        content:
          '<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
      },
      {
        name: "xl/workbook.xml",
        content: `<workbook xmlns:r="r"><sheets><sheet name="${escapeXml(document.title)}" r:id="r1"/></sheets></workbook>`,
      },
      {
        name: "xl/_rels/workbook.xml.rels",
        content: '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
      },
      {
        name: "xl/worksheets/sheet1.xml",
        content: `<worksheet><sheetData>${rowsOf(document)
          .map(
            (row, at) =>
              `<row r="${at + 1}">${row.map((cell, column) => `<c r="${String.fromCharCode(65 + column)}${at + 1}" t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`).join("")}</row>`,
          )
          .join("")}</sheetData></worksheet>`,
      },
    ]),
  pptx: (document) =>
    zipOf([
      {
        name: "[Content_Types].xml",
        content:
          '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
      },
      {
        name: "ppt/presentation.xml",
        content: `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst>${document.sections.map((_, at) => `<p:sldId r:id="r${at + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
      },
      {
        name: "ppt/_rels/presentation.xml.rels",
        content: `<Relationships>${document.sections.map((_, at) => `<Relationship Id="r${at + 1}" Target="slides/slide${at + 1}.xml"/>`).join("")}</Relationships>`,
      },
      ...document.sections.map(({ heading = "", lines }, at) => ({
        name: `ppt/slides/slide${at + 1}.xml`,
        content: `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${escapeXml(heading)}</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
      })),
    ]),
};

/** Lines of at most 80 characters, as pages have them. */
function wrapped(text: string): string[] {
  return text.match(/.{1,80}(?:\s|$)/gu)?.map((line) => line.trimEnd()) ?? [];
}
