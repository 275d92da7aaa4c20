import { requireTextFits, unreadable } from "./document-fault.ts";
import type { PageProgress, ReadDocument } from "./document-file.ts";
import type { DocumentForm } from "./document-kind.ts";
import { openZip } from "./packed/zip-archive.ts";
import { readMarkdown } from "./read-markdown.ts";
import { decodeText, readHtml } from "./read-text.ts";

export interface Reading {
  signal: AbortSignal;
  /** Called before each page that is recognized. */
  progressed?: (at: PageProgress) => void;
}

/**
 * Reads a file in memory. A hostile file can cause unlimited work, so packed formats and large files must be read in a process that can be
 * killed. Throws AppError `document_unreadable`, `document_too_large`, or the signal's reason.
 */
export async function readBytes(
  bytes: Uint8Array,
  form: DocumentForm,
  reading: Reading,
): Promise<ReadDocument> {
  const read = await readKind(bytes, form, reading);
  requireTextFits(read.text);
  if (read.text.trim() === "") throw emptyFault(form);
  const { title } = read;
  return { ...read, metadata: { ...read.metadata, ...(title !== undefined && { title }) } };
}

async function readKind(bytes: Uint8Array, form: DocumentForm, reading: Reading): Promise<ReadDocument> {
  const { kind, charset, recognition } = form;
  const { signal, progressed } = reading;
  switch (kind) {
    case "pdf":
      return (await import("./pdf/read-pdf.ts")).readPdf(bytes, recognition, progressed);
    case "eml":
      return (await import("./mail/read-mail.ts")).readMail(bytes, {
        signal,
        read: (part, own) =>
          readBytes(part, { ...own, ...(recognition !== undefined && { recognition }) }, reading),
      });
    case "docx":
      return (await import("./docx/read-docx.ts")).readDocx(openZip(bytes));
    case "xlsx":
      return (await import("./sheets/read-xlsx.ts")).readXlsx(openZip(bytes));
    case "pptx":
      return (await import("./slides/read-pptx.ts")).readPptx(openZip(bytes));
    case "odt":
    case "ods":
    case "odp":
      return (await import("./odf/read-odf.ts")).readOdf(openZip(bytes));
    case "epub":
      return (await import("./epub/read-epub.ts")).readEpub(openZip(bytes), signal);
    case "html":
      return readHtml(decodeText(bytes, charset, true), signal);
    case "markdown":
      return readMarkdown(decodeText(bytes, charset, false));
    case "csv":
      return (await import("./sheets/read-csv.ts")).readCsv(decodeText(bytes, charset, false));
    case "text":
      return { text: decodeText(bytes, charset, false), metadata: {} };
  }
}

function emptyFault({ kind }: DocumentForm) {
  return unreadable(
    kind === "pdf"
      ? "The PDF holds no text: its pages are pictures, as scanners make them, or its fonts tell no characters."
      : "The file holds no text; send one that does.",
  );
}
