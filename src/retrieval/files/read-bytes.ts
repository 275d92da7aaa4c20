import { readPage } from "../../kit/html/read-page.ts";
import { decodeText } from "./decode-text.ts";
import { requireTextFits, textCharsMax, textTooLong, unreadable } from "./document-fault.ts";
import type { ReadDocument } from "./document-file.ts";
import type { DocumentForm } from "./document-kind.ts";
import { readMarkdown } from "./read-markdown.ts";

/**
 * Reads a file in memory. A hostile file can cause unlimited work, so packed formats and large files must be read in a process that can be
 * killed. Throws AppError `document_unreadable`, `document_too_large`, or the signal's reason.
 */
export async function readBytes(
  bytes: Uint8Array,
  form: DocumentForm,
  signal: AbortSignal,
): Promise<ReadDocument> {
  const read = await readKind(bytes, form, signal);
  requireTextFits(read.text);
  if (read.text.trim() === "") throw emptyFault(form);
  const { title } = read;
  return { ...read, metadata: { ...read.metadata, ...(title !== undefined && { title }) } };
}

async function readKind(bytes: Uint8Array, form: DocumentForm, signal: AbortSignal): Promise<ReadDocument> {
  if (form.kind === "pdf") return (await import("./pdf/read-pdf.ts")).readPdf(bytes);
  if (form.kind === "docx") return (await import("./docx/read-docx.ts")).readDocx(bytes, signal);
  const text = decodeText(bytes, form.charset, form.kind === "html");
  if (form.kind === "html") return readHtml(text, signal);
  return form.kind === "markdown" ? readMarkdown(text) : { text, metadata: {} };
}

function emptyFault({ kind }: DocumentForm) {
  return unreadable(
    kind === "pdf"
      ? "The PDF holds no text: its pages are pictures, as scanners make them, or its fonts tell no characters. Text recognition is not done here; run it first and send the result."
      : "The file holds no text; send one that does.",
  );
}

/** The visible text of an HTML page. Throws AppError `document_too_large`, or the signal's reason. */
async function readHtml(html: string, signal: AbortSignal): Promise<ReadDocument> {
  // A character may take two code units.
  const { text, title, length } = await readPage(html, 2 * textCharsMax, signal);
  if (length > text.length) throw textTooLong();
  return { text, metadata: {}, ...(title !== "" && { title }) };
}
