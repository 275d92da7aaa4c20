/** Kinds of files that can be read as documents. */
export type DocumentKind = "text" | "markdown" | "html" | "pdf" | "docx";

/** Content types of each kind, the usual one first, and its file name extensions. */
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

/** Supported content types, for messages. */
export const supportedDocuments = kinds.map((kind) => documentTypes[kind].contentTypes[0]).join(", ");
