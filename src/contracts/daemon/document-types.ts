/** The kinds of files that can be read as documents. */
export type DocumentKind = "text" | "markdown" | "html" | "pdf" | "docx";

/** Of each kind its content types, the first being its own, and the endings of files' names. */
export const documentTypes: Readonly<
  Record<DocumentKind, { contentTypes: readonly [string, ...string[]]; endings: readonly string[] }>
> = {
  text: { contentTypes: ["text/plain"], endings: ["txt", "text"] },
  markdown: { contentTypes: ["text/markdown", "text/x-markdown"], endings: ["md", "markdown"] },
  html: { contentTypes: ["text/html", "application/xhtml+xml"], endings: ["html", "htm", "xhtml"] },
  pdf: { contentTypes: ["application/pdf", "application/x-pdf"], endings: ["pdf"] },
  docx: {
    contentTypes: ["application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    endings: ["docx"],
  },
};

const kinds = Object.keys(documentTypes) as DocumentKind[];

/** The kind of a content type without parameters, in lower case. */
export function kindOfContentType(essence: string): DocumentKind | undefined {
  return kinds.find((kind) => documentTypes[kind].contentTypes.includes(essence));
}

/** The kind of a file by the ending of its name, in any case. */
export function kindOfName(name: string): DocumentKind | undefined {
  const dot = name.lastIndexOf(".");
  const ending = name.slice(dot + 1).toLowerCase();
  return dot === -1 ? undefined : kinds.find((kind) => documentTypes[kind].endings.includes(ending));
}

/** What can be sent, in words. */
export const supportedDocuments = kinds.map((kind) => documentTypes[kind].contentTypes[0]).join(", ");
