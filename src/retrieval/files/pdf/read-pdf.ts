import { AppError } from "../../../kit/app-error.ts";
import { textCharsMax, textTooLong, unreadable } from "../document-fault.ts";
import type { ReadDocument } from "../document-file.ts";
import { loadUnpdf } from "../document-libraries.ts";
import { PageLines } from "./page-lines.ts";
import { readPdfDate } from "./pdf-date.ts";

type Pdf = Awaited<ReturnType<Awaited<ReturnType<typeof loadUnpdf>>["getDocumentProxy"]>>;
type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

const fieldCharsMax = 500;
/** Memory is released after this many pages. */
const PAGES_KEPT = 200;

/**
 * The text of all pages of a PDF, with empty lines between paragraphs as far as line distances show them. Throws AppError
 * `document_unreadable` or `document_too_large`. Time and memory are not limited here, even for a hostile file.
 */
export async function readPdf(bytes: Uint8Array): Promise<ReadDocument> {
  const pdf = await open(bytes);
  try {
    return await readPages(pdf);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function readPages(pdf: Pdf): Promise<ReadDocument> {
  const pages: string[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pageOf(pdf, number);
    const text = await textOf(page, number, 2 * textCharsMax - length);
    page.cleanup();
    if (number % PAGES_KEPT === 0) await forget(pdf);
    length += text.length;
    if (text !== "") pages.push(text);
  }
  const { title, ...described } = await describe(pdf);
  return {
    text: pages.join("\n\n"),
    metadata: { ...described, pages: pdf.numPages },
    ...(title !== undefined && { title }),
  };
}

async function forget(pdf: Pdf): Promise<void> {
  await pdf.cleanup();
  Bun.gc(true);
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { getDocumentProxy } = await loadUnpdf();
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true, useSystemFonts: false });
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === "PasswordException";
    throw isLocked
      ? unreadable("The PDF is protected by a password; save it without one and send it again.", cause)
      : unreadable(
          "The file is a damaged PDF, or none; open and save it with another program, then send it again.",
          cause,
        );
  }
}

async function pageOf(pdf: Pdf, number: number): Promise<PdfPage> {
  try {
    return await pdf.getPage(number);
  } catch (cause) {
    throw pageFault(number, cause);
  }
}

async function textOf(page: PdfPage, number: number, charsMax: number): Promise<string> {
  const lines = new PageLines();
  try {
    const reader = page.streamTextContent().getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return lines.text;
      for (const item of value.items) if ("str" in item) lines.add(item);
      if (lines.length > charsMax) throw textTooLong();
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : pageFault(number, cause);
  }
}

function pageFault(number: number, cause: unknown): AppError {
  return unreadable(
    `Page ${number} of the PDF is damaged; open and save the file with another program, then send it again.`,
    cause,
  );
}

/** Properties of the file; empty if they can't be read. */
async function describe(pdf: Pdf): Promise<{ title?: string } & Record<string, unknown>> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const field = (name: string) => fieldOf(Reflect.get(info, name));
  const fields = {
    title: field("Title"),
    author: field("Author"),
    subject: field("Subject"),
    keywords: field("Keywords"),
    created_at: readPdfDate(field("CreationDate")),
    modified_at: readPdfDate(field("ModDate")),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.replaceAll("\0", "").trim().slice(0, fieldCharsMax).toWellFormed();
  return text === "" ? undefined : text;
}
