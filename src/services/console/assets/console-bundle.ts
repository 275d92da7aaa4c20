import type { Language } from "../../../contracts/console/language.ts";

/** One file of the console, as stored. */
export interface BundledFile {
  /** Path from the console's root, for example `assets/main-3f2a9c1b.js`. */
  path: string;
  type: string;
  encoding: "br" | "identity";
  bytes: Uint8Array<ArrayBuffer>;
}

/** Files of the console. The page that loads them is rendered for each request. */
export interface ConsoleBundle {
  files: readonly BundledFile[];
  style: string;
  /** The scripts of each language. */
  starts: Readonly<Record<Language, ConsoleStart>>;
}

/** What a page loads to start the console in one language. */
export interface ConsoleStart {
  /** Path of the entry script. */
  script: string;
  /** Scripts that the entry script needs at once. */
  preload: readonly string[];
}

/** Source of the console's files. */
export interface BundleSource {
  /** Returns the files for a page that opens now. Throws AppError `unavailable` if there are none. */
  latest(): Promise<ConsoleBundle>;
  /** Returns the files of the page that was opened last. */
  current(): Promise<ConsoleBundle>;
}
