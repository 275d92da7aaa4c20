import { AppError } from "../../../kit/app-error.ts";
import { recognitionAdvice, textCharsMax, textTooLong, unreadable } from "../document-fault.ts";
import type { PageProgress, ReadDocument } from "../document-file.ts";
import { loadUnpdf } from "../document-libraries.ts";
import { counted, inCharacters, Losses } from "../document-writer.ts";
import type { RecognitionFiles } from "../scan/text-recognition.ts";
import { FlatFields } from "./flat-fields.ts";
import { PageLines, type PageNote } from "./page-lines.ts";
import { type Annotation, pageNotes, signatureIds } from "./page-notes.ts";
import { readPdfDate } from "./pdf-date.ts";
import { ScannedPages } from "./scanned-pages.ts";

type Pdf = Awaited<ReturnType<Awaited<ReturnType<typeof loadUnpdf>>["getDocumentProxy"]>>;
type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

const fieldCharsMax = 500;
/** Memory is released after this many pages. */
const PAGES_KEPT = 200;

/**
 * The text of all pages of a PDF, with empty lines between paragraphs as far as line distances show them. Throws AppError
 * `document_unreadable` or `document_too_large`. Time and memory are not limited here, even for a hostile file.
 */
export async function readPdf(
  bytes: Uint8Array,
  recognition?: RecognitionFiles,
  progressed?: (at: PageProgress) => void,
): Promise<ReadDocument> {
  const pdf = await open(bytes);
  try {
    return await readPages(pdf, recognition, progressed);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function readPages(
  pdf: Pdf,
  recognition: RecognitionFiles | undefined,
  progressed: ((at: PageProgress) => void) | undefined,
): Promise<ReadDocument> {
  let text = "";
  const places: { start: number; page: number }[] = [];
  const losses = new Losses();
  const scans = new ScannedPages(recognition, progressed);
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pageOf(pdf, number);
    let content = await textOf(page, number, 2 * textCharsMax - text.length, losses);
    if (content === "") content = await scans.read(page, number, pdf.numPages);
    page.cleanup();
    if (number % PAGES_KEPT === 0) await forget(pdf);
    if (content === "") continue;
    if (text !== "") text += "\n\n";
    places.push({ start: text.length, page: number });
    text += content;
  }
  const isXfa = await hasXfa(pdf);
  if (isXfa) losses.add("xfa", 1, () => "the form is XFA, whose own layout is not read");
  scans.tell(losses);
  if (text === "") throw nothingToRead(isXfa, pdf.numPages, recognition);
  const { title, ...described } = await describe(pdf);
  const lost = losses.list();
  return {
    text,
    metadata: { ...described, pages: pdf.numPages },
    places: inCharacters(text, places),
    ...(title !== undefined && { title }),
    ...(lost.length > 0 && { losses: lost }),
  };
}

/** 422: all pages are pictures, or wait for a program that draws them. */
function nothingToRead(isXfa: boolean, pages: number, recognition: RecognitionFiles | undefined): AppError {
  if (isXfa)
    return unreadable(
      "The PDF is an XFA form, which only Adobe's programs show; print it to a PDF and send that.",
    );
  const which = pages === 1 ? "its page is a picture" : `its ${pages} pages are pictures`;
  const advice =
    recognition === undefined ? recognitionAdvice : "The text recognition found nothing on them.";
  return unreadable(
    `The PDF holds no text: ${which}, as scanners make them, or its fonts tell no characters. ${advice}`,
  );
}

async function hasXfa(pdf: Pdf): Promise<boolean> {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  return Reflect.get(info, "IsXFAPresent") === true;
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

async function textOf(page: PdfPage, number: number, charsMax: number, losses: Losses): Promise<string> {
  const lines = new PageLines();
  const fields = new FlatFields();
  try {
    const reader = page.streamTextContent({ includeMarkedContent: true }).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const item of value.items) {
        if (!("str" in item)) fields.mark(item);
        else if (!fields.take(item)) lines.add(item);
      }
      if (lines.length > charsMax) throw textTooLong();
    }
    for (const note of [...fields.notes, ...(await notesOf(page, losses))]) lines.note(note);
    return lines.text;
  } catch (cause) {
    throw cause instanceof AppError ? cause : pageFault(number, cause);
  }
}

/** Form fields, notes and signatures of a page; none if they can't be read. */
async function notesOf(page: PdfPage, losses: Losses): Promise<PageNote[]> {
  const annotations: Annotation[] = await page.getAnnotations().catch(() => []);
  const notes = pageNotes(annotations, losses);
  const signatures = signatureIds(annotations);
  if (signatures.length === 0) return notes;
  const drawn = await drawnTexts(page, new Set(signatures));
  for (const annotation of annotations) {
    const text = drawn.get(String(annotation.id))?.trim();
    if (!text) continue;
    notes.push({ text, rect: annotation.rect as PageNote["rect"], label: "" });
    losses.add("signatures", 1, (count) => `${counted(count, "signature")} read as drawn`);
  }
  return notes;
}

/** Text that annotations draw, by their ids. */
async function drawnTexts(page: PdfPage, wanted: ReadonlySet<string>): Promise<Map<string, string>> {
  const { getResolvedPDFJS } = await loadUnpdf();
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const texts = new Map<string, string>();
  let id: string | undefined;
  for (const [index, operation] of fnArray.entries()) {
    const args: unknown[] = argsArray[index] ?? [];
    if (operation === OPS.beginAnnotation) id = String(args[0]);
    else if (operation === OPS.endAnnotation) id = undefined;
    else if (id === undefined || !wanted.has(id)) continue;
    else if (operation === OPS.showText) texts.set(id, `${texts.get(id) ?? ""}${glyphText(args[0])}`);
    else if (operation === OPS.endText || operation === OPS.moveText || operation === OPS.nextLine)
      texts.set(id, `${texts.get(id) ?? ""}\n`);
  }
  return new Map([...texts].map(([key, text]) => [key, text.replace(/\s*\n\s*/g, "\n")]));
}

function glyphText(glyphs: unknown): string {
  if (!Array.isArray(glyphs)) return "";
  return glyphs
    .map((glyph: unknown) =>
      typeof glyph === "object" && glyph !== null ? Reflect.get(glyph, "unicode") : "",
    )
    .filter((text) => typeof text === "string")
    .join("");
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
