import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Gives a file a new text. All or nothing, also when the power fails or the process is killed: a new file, on disk, takes
 * the old one's place. One writer at a time.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  const draft = draftOf(path);
  // One that a killed process left; `wx` then refuses whatever anybody else puts there.
  rmSync(draft, { force: true });
  try {
    writeDraft(draft, text, mode);
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  syncFolder(dirname(path));
}

/** Removes a file so that it stays removed when the power fails. */
export function removeFile(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

/** Where the new text of a file is written; hidden, and with an ending that nothing reads. */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.draft`);
}

function writeDraft(draft: string, text: string, mode: number): void {
  const file = openSync(draft, "wx", 0o600);
  try {
    const bytes = Buffer.from(text);
    // A full disk may take a part of what is written, and say so only by the count.
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    // What the process's own mask takes away is given back.
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
