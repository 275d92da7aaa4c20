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
}

/** Content of a file. */
export interface ReadDocument {
  /** Never empty; well-formed Unicode without NUL; line ends are `\n`. */
  text: string;
  title?: string;
  /** Properties of the file: `title`, `author`, `created_at`, `pages` …, and the keys of a Markdown file's front matter. */
  metadata: Record<string, unknown>;
}
