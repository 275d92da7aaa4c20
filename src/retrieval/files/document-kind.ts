import {
  type DocumentKind,
  documentTypes,
  kindOfContentType,
  kindOfName,
  notADocument,
} from "../../contracts/daemon/rag/document-types.ts";
import { AppError } from "../../kit/app-error.ts";
import { readMediaType } from "../../kit/fetch/media-type.ts";
import { unreadable } from "./document-fault.ts";
import type { DocumentFile } from "./document-file.ts";
import { kindOfArchive } from "./packed/archive-kind.ts";
import type { RecognitionFiles } from "./scan/text-recognition.ts";

/** Format of a file. */
export interface DocumentForm {
  kind: DocumentKind;
  /** Charset in its content type. */
  charset: string | undefined;
  /** Reads pages that are pictures; absent: they stay unread. */
  recognition?: RecognitionFiles;
}

/** Maximum bytes before the header of a PDF. */
const pdfHeaderWithin = 1024;
const sniffedBytes = 1024;
/** Content types that don't identify a format. */
const unsaid: ReadonlySet<string> = new Set(["application/octet-stream", "binary/octet-stream"]);

/**
 * Returns the format of a file: by its content type, else by its bytes and then its name. Throws AppError `unsupported_media_type`, or
 * `document_unreadable` if the bytes clearly contradict the content type.
 */
export function formOf({ bytes, contentType, name }: DocumentFile): DocumentForm {
  const type = readMediaType(contentType ?? null);
  if (type === undefined && contentType !== undefined && contentType.trim() !== "") throw unsupported();
  const seen = kindOfBytes(bytes);
  if (type === undefined || unsaid.has(type.essence)) {
    if (seen === "unknown") throw unsupported();
    return { kind: seen ?? textKind(bytes, name), charset: type?.charset };
  }
  const kind = kindOfContentType(type.essence);
  if (kind === undefined) throw unsupported();
  requireAsSaid(kind, seen);
  return { kind, charset: type.charset };
}

/** Detects magic bytes; undefined for possible text. */
function kindOfBytes(bytes: Uint8Array): DocumentKind | "unknown" | undefined {
  const start = Buffer.from(bytes.subarray(0, pdfHeaderWithin)).toString("latin1");
  if (start.includes("%PDF-")) return "pdf";
  if (start.startsWith("PK\u0003\u0004")) return kindOfArchive(bytes);
  return others.some((magic) => start.startsWith(magic)) ? "unknown" : undefined;
}

/** Magic bytes of other kinds that are often sent by mistake: old Office files, images, archives, programs. */
const others = [
  "\u00d0\u00cf\u0011\u00e0",
  "\u0089PNG",
  "\u00ff\u00d8\u00ff",
  "GIF8",
  "RIFF",
  "ID3",
  "II*\0",
  "MM\0*",
  "\u001f\u008b",
  "BZh",
  "\u00fd7zXZ",
  "7z\u00bc\u00af",
  "Rar!",
  "\u0028\u00b5\u002f\u00fd",
  "\u007fELF",
  "MZ\u0090",
  "SQLite format 3\0",
  "{\\rtf",
  "PK\u0005\u0006",
];

function textKind(bytes: Uint8Array, name: string | undefined): DocumentKind {
  const named = kindOfName(name ?? "");
  if (named !== undefined && (!documentTypes[named].isPacked || named === "eml")) return named;
  const start = Buffer.from(bytes.subarray(0, sniffedBytes)).toString("latin1").trimStart().toLowerCase();
  return start.startsWith("<!doctype html") || start.startsWith("<html") ? "html" : "text";
}

function requireAsSaid(kind: DocumentKind, seen: DocumentKind | "unknown" | undefined): void {
  const isPacked = documentTypes[kind].isPacked && kind !== "eml";
  if (seen === kind || (seen === undefined && !isPacked)) return;
  // A text may mention PDF headers.
  if (!isPacked && seen === "pdf") return;
  const [own] = documentTypes[kind].contentTypes;
  const said =
    seen === undefined || seen === "unknown" ? "" : `; it looks like ${documentTypes[seen].contentTypes[0]}`;
  throw unreadable(
    `The file was sent as ${own}, but its content has another format${said}. Send it with its own content type.`,
  );
}

const unsupported = () => new AppError("unsupported", "unsupported_media_type", notADocument);
