import { AppError } from "../../../kit/app-error.ts";
import { charsetOfMark } from "../../../kit/html/decode-body.ts";
import { HtmlScanner } from "../../../kit/html/html-scanner.ts";
import { readPage } from "../../../kit/html/read-page.ts";
import { textCharsMax, textTooLong, unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { loadMammoth } from "../document-libraries.ts";
import { openZip, type ZipArchive } from "./zip-archive.ts";

const mainPart = "word/document.xml";

/**
 * Reads a DOCX: paragraphs and headings separated by empty lines, lists and tables as lines. Throws AppError `document_unreadable` or
 * `document_too_large`. Time and memory are not limited here, even for a hostile file.
 */
export async function readDocx(bytes: Uint8Array, signal: AbortSignal): Promise<ReadDocument> {
  const archive = openZip(bytes);
  if (!archive.has("[Content_Types].xml") && !archive.has(mainPart)) {
    throw unreadable(
      "The file is a ZIP archive and no DOCX; unpack it and send what is in it, file by file.",
    );
  }
  const html = await toHtml(archive);
  const page = await readPage(html, 2 * textCharsMax, signal);
  if (page.length > page.text.length) throw textTooLong();
  const { title, ...metadata } = readCoreProperties(archive, xmlOf);
  return { text: page.text, metadata, ...(title !== undefined && { title }) };
}

async function toHtml(archive: ZipArchive): Promise<string> {
  const mammoth = await loadMammoth();
  // Converts through HTML, because a document's plain text has neither lists nor tables.
  const options = {
    includeEmbeddedStyleMap: false,
    externalFileAccess: false,
    convertImage: mammoth.images.imgElement(async () => ({ src: "" })),
  };
  try {
    const { value } = await mammoth.convertToHtml(inputOf(archive), options);
    return value;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw unreadable(
      "The document is damaged, or no DOCX; open it and save it as DOCX again, then send the result.",
      cause,
    );
  }
}

/**
 * Passes an open archive to the library as an undocumented kind of input, because the library's own reader trusts the sizes in an archive.
 */
function inputOf(archive: ZipArchive): { buffer: Buffer } {
  const file = {
    exists: (name: string) => archive.has(name) && !name.startsWith("mammoth/"),
    read: async (name: string, encoding?: string) =>
      encoding === undefined ? archive.read(name) : xmlOf(archive.read(name)),
  };
  return { file } as unknown as { buffer: Buffer };
}

/** XML of a part. Refuses a document type: it is not allowed in a DOCX, and its entities could expand without limit. */
function xmlOf(bytes: Uint8Array): string {
  let xml: string;
  try {
    xml = new TextDecoder(charsetOfMark(bytes) ?? "utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable("The document's text is in an unknown encoding; save it as DOCX again.", cause);
  }
  if (!xml.includes("<!DOCTYPE")) return xml;
  throw unreadable("The document has a document type, which a DOCX must not have; save it as DOCX again.");
}

const part = "docProps/core.xml";
const fieldCharsMax = 500;

const fields: ReadonlyMap<string, string> = new Map([
  ["dc:title", "title"],
  ["dc:creator", "author"],
  ["dc:subject", "subject"],
  ["cp:keywords", "keywords"],
  ["dcterms:created", "created_at"],
  ["dcterms:modified", "modified_at"],
]);

/** Properties of a DOCX; empty if it has none. */
export function readCoreProperties(
  archive: ZipArchive,
  xmlOf: (bytes: Uint8Array) => string,
): { title?: string } & Record<string, string> {
  const found = new Map<string, string>();
  if (!archive.has(part)) return {};
  const xml = xmlOf(archive.read(part));
  let field: string | undefined;
  const scanner = new HtmlScanner(xml, {
    start(name) {
      field = fields.get(name);
      return undefined;
    },
    text(text) {
      if (field !== undefined) found.set(field, (found.get(field) ?? "") + text);
    },
    end() {
      field = undefined;
    },
  });
  scanner.step(xml.length);
  const entries = [...found].map(([name, text]) => [name, fieldValue(name, text)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function fieldValue(name: string, text: string): string | undefined {
  const value = text.replaceAll("\0", "").trim().slice(0, fieldCharsMax).toWellFormed();
  if (!name.endsWith("_at")) return value === "" ? undefined : value;
  const instant = new Date(value);
  return value === "" || Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}
