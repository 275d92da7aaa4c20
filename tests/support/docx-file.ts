import { type ZipPart, zipOf } from "./zip-file.ts";

/** A block of a document's text. */
export type DocxBlock =
  | string
  | { heading: string; level?: number }
  | { items: readonly string[] }
  | { rows: readonly (readonly string[])[] };

const main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Creates a DOCX of these blocks, as word processors write it. */
export function docxFile(
  blocks: readonly DocxBlock[],
  core: Readonly<Record<string, string>> = {},
): Uint8Array {
  return docxOf(blocks.map(blockXml).join(""), core);
}

/** Creates a DOCX whose body is this XML; `others` adds parts, or replaces those with the same name. */
export function docxOf(
  body: string,
  core: Readonly<Record<string, string>> = {},
  others: readonly ZipPart[] = [],
): Uint8Array {
  const document = `${xml}<w:document xmlns:w="${main}"><w:body>${body}</w:body></w:document>`;
  const described = Object.entries(core).map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`);
  const parts: ZipPart[] = [
    { name: "[Content_Types].xml", content: contentTypes },
    { name: "_rels/.rels", content: relationships },
    { name: "word/document.xml", content: document },
    { name: "word/styles.xml", content: styles },
    { name: "word/numbering.xml", content: numbering },
    { name: "word/_rels/document.xml.rels", content: documentRelationships },
    {
      name: "docProps/core.xml",
      content: `${xml}<cp:coreProperties ${coreNames}>${described.join("")}</cp:coreProperties>`,
    },
  ];
  const replaced = new Set(others.map(({ name }) => name));
  return zipOf([...parts.filter(({ name }) => !replaced.has(name)), ...others]);
}

const run = (text: string) => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
const paragraph = (text: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;

function blockXml(block: DocxBlock): string {
  if (typeof block === "string") return paragraph(block);
  if ("heading" in block) return paragraph(block.heading, `<w:pStyle w:val="Heading${block.level ?? 1}"/>`);
  if ("items" in block) {
    const numbered = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    return block.items.map((item) => paragraph(item, numbered)).join("");
  }
  const rows = block.rows.map(
    (cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`,
  );
  return `<w:tbl>${rows.join("")}</w:tbl>`;
}

const coreNames = [
  'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:dcterms="http://purl.org/dc/terms/"',
].join(" ");

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relations = "http://schemas.openxmlformats.org/package/2006/relationships";
const relationships = `${xml}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`;
const documentRelationships = `${xml}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/><Relationship Id="rId2" Type="${office}/numbering" Target="numbering.xml"/></Relationships>`;
const contentTypes = `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const style = (level: number) =>
  `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`;
const styles = `${xml}<w:styles xmlns:w="${main}">${[1, 2, 3].map(style).join("")}</w:styles>`;
const numbering = `${xml}<w:numbering xmlns:w="${main}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
