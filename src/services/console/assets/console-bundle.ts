/** One file of the console as it is kept. */
export interface BundledFile {
  /** From the console's own root: `assets/main-3f2a9c1b.js`. */
  path: string;
  type: string;
  encoding: "br" | "identity";
  bytes: Uint8Array<ArrayBuffer>;
}

/** The console's files; the page that loads them is made for each request. */
export interface ConsoleBundle {
  files: readonly BundledFile[];
  /** Path of the file that starts it. */
  script: string;
  style: string;
  /** Scripts that the first one needs at once. */
  preload: readonly string[];
}

/** Where the console's files come from. */
export interface BundleSource {
  /** The files for a page that opens now; AppError `unavailable` when there are none. */
  latest(): Promise<ConsoleBundle>;
  /** The files of the page that was opened last. */
  current(): Promise<ConsoleBundle>;
}
