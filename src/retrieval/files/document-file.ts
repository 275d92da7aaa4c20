/** A file as received. */
export interface DocumentFile {
  bytes: Uint8Array;
  /**
   * Value of the header, with parameters, in any case. If absent or `application/octet-stream`, the format is detected from the bytes and
   * the name.
   */
  contentType?: string | undefined;
  /** The file's name, whose ending decides on the format if nothing else does. */
  name?: string | undefined;
  /** Languages of the text recognition for pages that are pictures, such as `eng`; none: they stay unread. */
  recognized?: readonly string[];
  /** Called before each page that is recognized, which takes seconds. */
  progressed?: ((at: PageProgress) => void) | undefined;
}

/** The page that is being read, of all. */
export interface PageProgress {
  page: number;
  pages: number;
}

/** Where a stretch of a text comes from; it goes on until the next one. */
export interface TextPlace {
  /** Offset of its first character, in code points. */
  start: number;
  /** Page or slide, starting at 1. */
  page?: number;
  /** The nearest heading before it, the sheet or the attachment. */
  section?: string;
}

/** Something of a file that its text doesn't have as the file shows it. */
export interface DocumentLoss {
  /** For programs: `pictures`, `equations`, `comments` … */
  kind: string;
  count: number;
  /** For people, for example `2 pages are pictures`. */
  detail: string;
}

/** Content of a file. */
export interface ReadDocument {
  /** Never empty; well-formed Unicode without NUL; line ends are `\n`. */
  text: string;
  title?: string;
  /** Properties of the file: `title`, `author`, `created_at`, `pages` …, and the keys of a Markdown file's front matter. */
  metadata: Record<string, unknown>;
  /** Pages and sections of the text, in order; absent if it has none. */
  places?: readonly TextPlace[];
  /** Absent if nothing was lost. */
  losses?: readonly DocumentLoss[];
}
