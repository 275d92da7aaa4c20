/** Kinds of files that can be read as documents. */
export type DocumentKind =
  | "text"
  | "markdown"
  | "html"
  | "csv"
  | "eml"
  | "pdf"
  | "docx"
  | "xlsx"
  | "pptx"
  | "odt"
  | "ods"
  | "odp"
  | "epub";

interface DocumentType {
  /** The usual one first. */
  contentTypes: readonly [string, ...string[]];
  /** Extensions of file names. */
  endings: readonly [string, ...string[]];
  /** True if the file is no text that a browser or editor shows. */
  isPacked: boolean;
}

const ooxml = "application/vnd.openxmlformats-officedocument";
const odf = "application/vnd.oasis.opendocument";
const text = (contentTypes: DocumentType["contentTypes"], endings: DocumentType["endings"]) => ({
  contentTypes,
  endings,
  isPacked: false,
});
const packed = (contentTypes: DocumentType["contentTypes"], ending: string): DocumentType => ({
  contentTypes,
  endings: [ending],
  isPacked: true,
});

/** Content types and extensions of each kind. */
export const documentTypes: Readonly<Record<DocumentKind, DocumentType>> = {
  text: text(["text/plain"], ["txt", "text"]),
  markdown: text(["text/markdown", "text/x-markdown"], ["md", "markdown"]),
  html: text(["text/html", "application/xhtml+xml"], ["html", "htm", "xhtml"]),
  pdf: packed(["application/pdf", "application/x-pdf"], "pdf"),
  docx: packed([`${ooxml}.wordprocessingml.document`], "docx"),
  xlsx: packed([`${ooxml}.spreadsheetml.sheet`], "xlsx"),
  pptx: packed([`${ooxml}.presentationml.presentation`], "pptx"),
  odt: packed([`${odf}.text`], "odt"),
  ods: packed([`${odf}.spreadsheet`], "ods"),
  odp: packed([`${odf}.presentation`], "odp"),
  epub: packed(["application/epub+zip"], "epub"),
  csv: text(["text/csv", "text/tab-separated-values", "application/csv"], ["csv", "tsv"]),
  eml: packed(["message/rfc822"], "eml"),
};

/** All kinds, for people. */
export const readableFiles =
  "text, Markdown, HTML, CSV, e-mail, PDF, Word, Excel, PowerPoint, OpenDocument, EPUB";

const kinds = Object.keys(documentTypes) as DocumentKind[];

/** Returns the kind for a content type in lower case, without parameters. */
export function kindOfContentType(essence: string): DocumentKind | undefined {
  return kinds.find((kind) => documentTypes[kind].contentTypes.includes(essence));
}

/** Returns the kind for a file name's extension, in any case. */
export function kindOfName(name: string): DocumentKind | undefined {
  const dot = name.lastIndexOf(".");
  const ending = name.slice(dot + 1).toLowerCase();
  return dot === -1 ? undefined : kinds.find((kind) => documentTypes[kind].endings.includes(ending));
}

const largeBytes = 4 * 1024 * 1024;
/** A page that is a picture has more. */
const scanBytesMin = 128 * 1024;

/** Returns true for a file whose reading may take so long that a job should do it: a large one, or one that may consist of scanned pages. */
export const mayTakeLong = (kind: DocumentKind | undefined, bytes: number): boolean =>
  bytes >= (kind === "pdf" || kind === "eml" ? scanBytesMin : largeBytes);

/** Content types that requests may have: the usual one of each kind. */
export const documentContentTypes: readonly string[] = kinds.map(
  (kind) => documentTypes[kind].contentTypes[0],
);

/** Why a file that is none of them is refused, for every place that does. */
export const notADocument = `Files of this kind can't be read as documents. These can: ${documentContentTypes.join(", ")}.`;
